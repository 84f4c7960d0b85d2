//! What is on a screen, and where it differs from what was sent, drawn.

use std::fmt::Write as _;

/// So many rows with a difference are drawn.
const MOST_ROWS: usize = 12;

/// The rows where two pictures differ, one below the other, and marks below where.
pub(crate) fn difference(sent: &[String], shown: &[String]) -> String {
    let mut text = String::new();
    let pairs = sent.iter().zip(shown).enumerate();
    let differing: Vec<_> = pairs.filter(|(_, (sent, shown))| sent != shown).collect();
    for (row, (sent, shown)) in differing.iter().take(MOST_ROWS) {
        let _ = writeln!(text, "row {:>3} sent  |{sent}|", row + 1);
        let _ = writeln!(text, "        shown |{shown}|");
        let _ = writeln!(text, "               {}", marks(sent, shown));
    }
    if differing.len() > MOST_ROWS {
        let _ = writeln!(text, "and {} more rows", differing.len() - MOST_ROWS);
    }
    text
}

fn marks(sent: &str, shown: &str) -> String {
    let pairs = sent.chars().zip(shown.chars());
    let marks: String = pairs.map(|(a, b)| if a == b { ' ' } else { '^' }).collect();
    marks.trim_end().to_owned()
}

/// A whole screen in a frame.
pub(crate) fn framed(lines: &[String], cols: usize) -> String {
    let edge = format!("+{}+\n", "-".repeat(cols));
    let rows = lines.iter().map(|line| format!("|{line:cols$}|\n"));
    format!("{edge}{}{edge}", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_differ_are_drawn_with_marks() {
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
