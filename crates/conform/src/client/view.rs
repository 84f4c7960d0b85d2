//! What a person in front of the client sees.

use vt100::Screen;

use super::room::Room;

/// The lines of a screen, without blanks at their ends and without empty lines at the end.
pub(crate) fn lines(screen: &Screen) -> Vec<String> {
    let cols = screen.size().1.get();
    let mut lines: Vec<String> =
        screen.rows(0, cols).map(|row| row.trim_end().to_owned()).collect();
    let filled = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    lines.truncate(filled);
    lines
}

/// The top line.
pub(crate) fn first_line(screen: &Screen) -> String {
    screen.rows(0, screen.size().1.get()).next().unwrap_or_default().trim_end().to_owned()
}

/// What is shown where the picture belongs: below the top line, in its rows and columns.
pub(crate) fn grid(screen: &Screen, room: &Room) -> Vec<String> {
    let cols = room.rows.first().map_or(0, String::len);
    let shown = screen.rows(0, screen.size().1.get()).skip(1).map(|row| cut(&row, cols));
    let blank = std::iter::repeat_with(|| " ".repeat(cols));
    shown.chain(blank).take(room.rows.len()).collect()
}

/// Exactly so wide.
fn cut(row: &str, cols: usize) -> String {
    let row: String = row.chars().take(cols).collect();
    format!("{row:cols$}")
}

/// Is the picture seen, wherever it is?
pub(crate) fn shows(screen: &Screen, room: &Room) -> bool {
    screen.rows(0, screen.size().1.get()).any(|row| row.contains(room.marker()))
}

/// The words and numbers of a line.
pub(crate) fn words(line: &str) -> Vec<&str> {
    line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use vt100::Parser;

    use super::*;

    #[test]
    fn the_picture_is_looked_for_below_the_first_line() {
        let mut parser = Parser::default();
        let room = Room::new(Some('A'));
        parser.process(b"status\r\n");
        for row in &room.rows {
            parser.process(format!("{}\r\n", row.trim_end()).as_bytes());
        }
        assert_eq!(grid(parser.screen(), &room), room.rows);
        assert!(shows(parser.screen(), &room));
        assert_eq!(first_line(parser.screen()), "status");
        assert_eq!(lines(parser.screen()).len(), 6);
    }

    #[test]
    fn words_are_told_from_signs() {
        assert_eq!(words("A has 39 (211 left)."), ["A", "has", "39", "211", "left"]);
    }
}
