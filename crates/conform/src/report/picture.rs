//! Pictures of the game among the messages: worth a hint where space is dear, worth drawing where
//! it isn't.

/// A `DISPLAY` as a transcript has it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Picture {
    lines: Vec<String>,
    /// What the transcript says about a picture that it has cut.
    cut: Option<String>,
}

impl Picture {
    /// If this message of a transcript is one.
    pub(super) fn of(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("DISPLAY\\n")?;
        let (drawn, cut) = match rest.rsplit_once("… (") {
            Some((drawn, size)) => (drawn, Some(size.trim_end_matches(')').to_owned())),
            None => (rest, None),
        };
        Some(Self { lines: split_lines(drawn), cut })
    }

    /// What kind of picture, in a few words.
    pub(super) fn hint(&self) -> String {
        let cols = self.lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        match &self.cut {
            Some(size) => format!("DISPLAY ({size})"),
            None => format!("DISPLAY ({}x{cols})", self.lines.len()),
        }
    }

    /// As it would look.
    pub(super) fn drawn(&self) -> String {
        let cut = if self.cut.is_some() { "\n…" } else { "" };
        self.lines.join("\n") + cut
    }
}

/// At each `\n` of an escaped text. A backslash that is itself escaped is none.
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
    fn a_picture_is_told_by_its_size() {
        let picture = Picture::of(r"DISPLAY\n+--+\n|\x1b\\n|\n+--+\n").unwrap();
        assert_eq!(picture.lines, ["+--+", r"|\x1b\n|", "+--+"]);
        assert_eq!(picture.hint(), "DISPLAY (3x8)");
        assert_eq!(picture.drawn(), "+--+\n|\\x1b\\n|\n+--+");
        assert_eq!(Picture::of("DISPLAY"), None);
        assert_eq!(Picture::of("GRID 1 2"), None);
    }

    #[test]
    fn a_picture_that_was_cut_is_told_by_its_bytes() {
        let picture = Picture::of(r"DISPLAY\n+--+\n|..… (9000 bytes)").unwrap();
        assert_eq!(picture.hint(), "DISPLAY (9000 bytes)");
        assert_eq!(picture.drawn(), "+--+\n|..\n…");
    }
}
