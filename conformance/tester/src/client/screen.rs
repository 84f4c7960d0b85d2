//! The content of the client's screen, and drawings of it for failures.

use std::fmt::Write as _;

use vt100::Screen;

use super::fake_game::FakeGame;

/// The number of differing rows that are drawn.
const MAX_ROWS: usize = 12;

/// The lines of a screen, without trailing blanks and trailing empty lines.
pub(crate) fn lines(screen: &Screen) -> Vec<String> {
    let mut lines: Vec<String> = rows(screen).map(|row| row.trim_end().to_owned()).collect();
    let filled = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    lines.truncate(filled);
    lines
}

/// The top line.
pub(crate) fn first_line(screen: &Screen) -> String {
    rows(screen).next().unwrap_or_default().trim_end().to_owned()
}

/// Returns the part of the screen where the map belongs: below the top line, in its rows and columns.
pub(crate) fn map_area(screen: &Screen, game: &FakeGame) -> Vec<String> {
    let cols = game.rows.first().map_or(0, String::len);
    let exactly_wide = |row: String| {
        let row: String = row.chars().take(cols).collect();
        format!("{row:cols$}")
    };
    let shown = rows(screen).skip(1).map(exactly_wide);
    let blank = std::iter::repeat_with(|| " ".repeat(cols));
    shown.chain(blank).take(game.rows.len()).collect()
}

/// True if the map is shown anywhere.
pub(crate) fn shows_map(screen: &Screen, game: &FakeGame) -> bool {
    rows(screen).any(|row| row.contains(game.marker()))
}

fn rows(screen: &Screen) -> impl Iterator<Item = String> + '_ {
    screen.rows(0, screen.size().1.get())
}

/// Splits a line into words and numbers.
pub(crate) fn words(line: &str) -> Vec<&str> {
    line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

/// The rows where two maps differ, one below the other, with marks below the differences.
pub(crate) fn difference(sent: &[String], shown: &[String]) -> String {
    let mut text = String::new();
    let pairs = sent.iter().zip(shown).enumerate();
    let differing: Vec<_> = pairs.filter(|(_, (sent, shown))| sent != shown).collect();
    for (row, (sent, shown)) in differing.iter().take(MAX_ROWS) {
        let pairs = sent.chars().zip(shown.chars());
        let marks: String = pairs.map(|(a, b)| if a == b { ' ' } else { '^' }).collect();
        let _ = writeln!(text, "row {:>3} sent  |{sent}|", row + 1);
        let _ = writeln!(text, "        shown |{shown}|");
        let _ = writeln!(text, "               {}", marks.trim_end());
    }
    if differing.len() > MAX_ROWS {
        let _ = writeln!(text, "and {} more rows", differing.len() - MAX_ROWS);
    }
    text
}

/// The whole screen in a frame.
pub(crate) fn framed(lines: &[String], cols: usize) -> String {
    let edge = format!("+{}+\n", "-".repeat(cols));
    let rows = lines.iter().map(|line| format!("|{line:cols$}|\n"));
    format!("{edge}{}{edge}", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use vt100::Parser;

    use super::*;

    #[test]
    fn the_map_is_searched_below_the_first_line() {
        let mut parser = Parser::default();
        let game = FakeGame::new(Some('A'));
        parser.process(b"status\r\n");
        for row in &game.rows {
            parser.process(format!("{}\r\n", row.trim_end()).as_bytes());
        }
        assert_eq!(map_area(parser.screen(), &game), game.rows);
        assert!(shows_map(parser.screen(), &game));
        assert_eq!(first_line(parser.screen()), "status");
        assert_eq!(lines(parser.screen()).len(), 6);
    }

    #[test]
    fn words_have_no_punctuation() {
        assert_eq!(words("A has 39 (211 left)."), ["A", "has", "39", "211", "left"]);
    }

    #[test]
    fn differing_rows_are_drawn_with_marks() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let drawn = difference(&lines("+--+\n|.@|\n+--+"), &lines("+--+\n|@.|\n+--+"));
        let expected = "row   2 sent  ||.@||\n        shown ||@.||\n                ^^\n";
        assert_eq!(drawn, expected);
    }

    #[test]
    fn a_screen_has_a_frame() {
        assert_eq!(framed(&["ab".into()], 3), "+---+\n|ab |\n+---+\n");
    }
}
