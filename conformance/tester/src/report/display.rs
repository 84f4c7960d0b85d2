//! `DISPLAY` messages of a transcript: summarised in text reports, drawn in HTML.

/// A `DISPLAY` as a transcript has it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LoggedDisplay {
    lines: Vec<String>,
    /// The size that the transcript notes for a message that it has truncated.
    truncated_size: Option<String>,
    /// The defects of its form, as text.
    slips: Vec<&'static str>,
}

impl LoggedDisplay {
    /// The map in this message, if it is a `DISPLAY`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (head, rest) = text.strip_prefix("DISPLAY")?.split_once("\\n")?;
        if !head.chars().all(|c| c == ' ') {
            return None;
        }
        let (drawn, truncated_size) = match rest.rsplit_once("… (") {
            Some((drawn, size)) => (drawn, Some(size.trim_end_matches(')').to_owned())),
            None => (rest, None),
        };
        let slips = [
            (!head.is_empty(), "blanks after the word"),
            (drawn.starts_with("\\n"), "an empty line before the map"),
            (!drawn.ends_with("\\n") && truncated_size.is_none(), "no newline at the end"),
        ];
        let slips = slips.into_iter().filter(|(is_there, _)| *is_there).map(|(_, slip)| slip);
        Some(Self { lines: split_lines(drawn), truncated_size, slips: slips.collect() })
    }

    /// Returns the word `DISPLAY`, the size, and the defects of its form.
    pub(super) fn summary(&self) -> String {
        let cols = self.lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let size = self.truncated_size.clone();
        let size = size.unwrap_or_else(|| format!("{}x{cols}", self.lines.len()));
        let notes = [&[size.as_str()], &self.slips[..]].concat();
        format!("DISPLAY ({})", notes.join(", "))
    }

    /// The map, row by row.
    pub(super) fn drawing(&self) -> String {
        let more = if self.truncated_size.is_some() { "\n…" } else { "" };
        self.lines.join("\n") + more
    }
}

/// Splits an escaped text at each `\n`. An escaped backslash doesn't begin one.
fn split_lines(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let line = lines.last_mut().expect("there is always one");
        match (c, (c == '\\').then(|| chars.next()).flatten()) {
            ('\\', Some('n')) => lines.push(String::new()),
            ('\\', Some('\\')) => line.push('\\'),
            (c, next) => line.extend([Some(c), next].into_iter().flatten()),
        }
    }
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_display_is_summarised_by_its_size() {
        let display = LoggedDisplay::parse(r"DISPLAY\n+--+\n|\x1b\\n|\n+--+\n").unwrap();
        assert_eq!(display.lines, ["+--+", r"|\x1b\n|", "+--+"]);
        assert_eq!(display.summary(), "DISPLAY (3x8)");
        assert_eq!(display.drawing(), "+--+\n|\\x1b\\n|\n+--+");
        assert_eq!(LoggedDisplay::parse("DISPLAY"), None);
        assert_eq!(LoggedDisplay::parse("GRID 1 2"), None);
    }

    #[test]
    fn slips_of_form_are_shown_in_the_summary() {
        let summary = |text| LoggedDisplay::parse(text).unwrap().summary();
        assert_eq!(summary(r"DISPLAY \n+-+\n"), "DISPLAY (1x3, blanks after the word)");
        assert_eq!(summary(r"DISPLAY\n+-+"), "DISPLAY (1x3, no newline at the end)");
        assert_eq!(summary(r"DISPLAY\n\n+-+\n"), "DISPLAY (2x3, an empty line before the map)");
    }

    #[test]
    fn a_truncated_display_is_summarised_by_its_bytes() {
        let display = LoggedDisplay::parse(r"DISPLAY\n+--+\n|..… (9000 bytes)").unwrap();
        assert_eq!(display.summary(), "DISPLAY (9000 bytes)");
        assert_eq!(display.drawing(), "+--+\n|..\n…");
    }
}
