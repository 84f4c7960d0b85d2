//! A flaw with the lines around it, drawn by miette. Of long lines only a window is shown, with `<`
//! and `>` where it is cut.

use std::fmt;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError,
    MietteSpanContents, SourceCode, SourceSpan, SpanContents,
};
use nuggets_game::map::check::{CheckReport, Flaw, MapRule};
use thiserror::Error;

/// Lines shown before and after the one with the flaw.
const CONTEXT_LINES: usize = 2;
/// The maximum number of columns that are shown.
const WINDOW_COLUMNS: usize = 70;
/// Messages are wrapped at this column.
const TEXT_WIDTH: usize = 80;

/// Draws the flaws of one file.
pub(super) struct Snippets<'a> {
    name: &'a str,
    report: &'a CheckReport,
    handler: GraphicalReportHandler,
}

impl<'a> Snippets<'a> {
    pub(super) fn new(name: &'a str, report: &'a CheckReport, color: bool) -> Self {
        let theme = if color { GraphicalTheme::ascii() } else { GraphicalTheme::none() };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(TEXT_WIDTH)
            .with_context_lines(CONTEXT_LINES)
            .with_links(false);
        Self { name, report, handler }
    }

    pub(super) fn draw(&self, rule: MapRule, flaw: &Flaw) -> String {
        let shown =
            (self.report.cols > 0).then(|| MapExcerpt::around(self.name, self.report, flaw));
        let mut text = String::new();
        let snippet = Snippet { rule, flaw: flaw.clone(), shown };
        let drawn = self.handler.render_report(&mut text, &snippet);
        drawn.expect("writing to a string can't fail, and the window reads every span");
        text
    }
}

/// A flaw as a diagnostic of miette.
#[derive(Debug, Error)]
#[error("{}", flaw.what)]
struct Snippet {
    rule: MapRule,
    flaw: Flaw,
    shown: Option<MapExcerpt>,
}

impl Diagnostic for Snippet {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.rule.id()))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.flaw.advice))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.shown.as_ref().map(|window| window as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.shown.as_ref()?.span;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(None, span))))
    }
}

/// The part of a file that is shown.
#[derive(Debug)]
struct MapExcerpt {
    name: String,
    text: String,
    first_line: usize,
    /// Lines in the text.
    lines: usize,
    /// The span of the flaw in `text`.
    span: SourceSpan,
    /// The position of the flaw in the file.
    line: usize,
    column: usize,
}

impl MapExcerpt {
    fn around(name: &str, report: &CheckReport, flaw: &Flaw) -> Self {
        let line = flaw.at.line - 1;
        let column = flaw.at.column - 1;
        let first_line = line.saturating_sub(CONTEXT_LINES);
        let lines =
            report.lines.iter().skip(first_line).take(line + CONTEXT_LINES + 1 - first_line);
        let from = first_column(report.cols, column);
        let cut: Vec<String> = lines.map(|line| cut(line, from)).collect();
        let before: usize = cut[..line - first_line].iter().map(String::len).sum();
        let marked = &cut[line - first_line];
        // The mark for more on the left takes a column.
        let start = column - from + usize::from(from > 0);
        let start = byte_of(marked, start);
        let end = byte_of(&marked[start..], flaw.length) + start;
        Self {
            name: name.to_string(),
            lines: cut.len(),
            text: cut.concat(),
            first_line,
            span: (before + start, end - start).into(),
            line,
            column,
        }
    }
}

/// miette asks for the flaw alone or with its context: the whole window.
impl SourceCode for MapExcerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        context_before: usize,
        context_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let name = self.name.clone();
        let contents = if (context_before, context_after) == (0, 0) {
            let data = &self.text.as_bytes()[span.offset()..span.offset() + span.len()];
            MietteSpanContents::new_named(name, data, *span, self.line, self.column, 1)
        } else {
            let data = self.text.as_bytes();
            let whole = (0, self.text.len()).into();
            MietteSpanContents::new_named(name, data, whole, self.first_line, 0, self.lines)
        };
        Ok(Box::new(contents))
    }
}

/// The first column of the window, so that the given one is in its middle, unless an edge is near.
fn first_column(cols: usize, column: usize) -> usize {
    let middle = column.saturating_sub(WINDOW_COLUMNS / 2);
    middle.min(cols.saturating_sub(WINDOW_COLUMNS))
}

/// The part of a line that is shown, with a newline.
fn cut(line: &str, from: usize) -> String {
    let shown: String = line.chars().skip(from).take(WINDOW_COLUMNS).collect();
    let left = if from > 0 { "<" } else { "" };
    let right = if line.chars().count() > from + WINDOW_COLUMNS { ">" } else { "" };
    format!("{left}{shown}{right}\n")
}

/// The byte offset of a character; the end of the line if it is shorter.
fn byte_of(line: &str, index: usize) -> usize {
    let end = line.trim_end_matches('\n').len();
    line.char_indices().nth(index).map_or(end, |(byte, _)| byte.min(end))
}

#[cfg(test)]
mod tests {
    use nuggets_game::Rules;
    use nuggets_game::map::check::{RuleOutcome, check};

    use super::*;

    fn drawn(text: &[u8], rule: MapRule, color: bool) -> Vec<String> {
        let report = check(text, &Rules::default());
        let RuleOutcome::Broken(flaws) = report.outcome(rule) else { panic!("{rule:?} holds") };
        let snippets = Snippets::new("m", &report, color);
        flaws.iter().map(|flaw| snippets.draw(rule, flaw)).collect()
    }

    #[test]
    fn the_caret_is_under_the_flaw_in_lines_of_every_length() {
        for column in (1..=70).chain([71, 100, 214, 215, 216, 249, 250]) {
            for width in [column, 70.max(column), 250] {
                let line = format!("{}@{}\n", ".".repeat(column - 1), ".".repeat(width - column));
                let text = format!("{0}{line}{0}", ".".repeat(width) + "\n");
                let shown = drawn(text.as_bytes(), MapRule::KnownCharacters, false).remove(0);
                let lines: Vec<&str> = shown.lines().collect();
                let caret = lines.iter().position(|line| line.trim_start().starts_with(": "));
                let caret = caret.unwrap();
                assert_eq!(lines[caret].find('^'), lines[caret - 1].find('@'), "{shown}");
                assert!(shown.contains(&format!("[m:2:{column}]")), "{shown}");
                assert!(lines.iter().all(|line| line.len() <= 80), "{shown}");
            }
        }
    }

    #[test]
    fn a_long_flaw_ends_with_the_window() {
        let text = format!("{0}\n|{1}|\n{0}\n", "x".repeat(200), ".".repeat(198));
        let open = format!("+{}+\n|{}|\n", " ".repeat(198), ".".repeat(198));
        for shown in drawn(open.as_bytes(), MapRule::ClosedRooms, false) {
            assert!(shown.lines().all(|line| line.len() <= 80), "{shown}");
        }
        assert_eq!(drawn(text.as_bytes(), MapRule::KnownCharacters, false).len(), 400);
    }

    #[test]
    fn blank_lines_and_ends_of_files_can_be_shown() {
        let shown = drawn(b"\n\n##\n\n", MapRule::EqualLines, false);
        assert_eq!(shown.len(), 3, "{shown:?}");
        assert!(shown.iter().all(|shown| shown.matches('^').count() == 1), "{shown:?}");
        assert!(drawn(b"", MapRule::EnoughSpots, false)[0].contains("nothing in the file"));
    }

    #[test]
    fn colours_are_used_only_on_request_and_never_taken_from_the_file() {
        let text = b"\x1b[31m##\n";
        let plain = drawn(text, MapRule::KnownCharacters, false);
        assert!(plain.iter().all(|shown| !shown.contains('\x1b')), "{plain:?}");
        let colored = drawn(text, MapRule::KnownCharacters, true);
        assert!(colored.iter().all(|shown| shown.contains('\x1b')), "{colored:?}");
    }
}
