//! A report for a terminal: every failure with its evidence, then the scores, then a summary.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

use super::display::LoggedDisplay;
use super::escape::{escape_invisible, escape_line};
use super::summary::summarize;
use super::{CheckResult, ConformanceReport, Score};
use crate::{CheckFailure, Exchange, RequirementLevel};

/// The number of messages shown as evidence.
const MAX_EXCHANGES: usize = 15;
/// The length at which a line with a message is truncated.
const MAX_COLUMNS: usize = 160;

/// Whether a text has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coloring {
    /// ANSI colours.
    Ansi,
    /// No colours.
    Plain,
}

/// The whole report.
///
/// ```
/// use nuggets_conformance::report::text::{Coloring, render};
/// use nuggets_conformance::{ConformanceReport, ProgramKind};
///
/// let report = ConformanceReport {
///     kind: ProgramKind::Server,
///     program: "./server".into(),
///     dialect: "2021".into(),
///     tester: "0.1.0".into(),
///     millis: 0,
///     results: vec![],
/// };
/// assert!(render(&report, Coloring::Plain).ends_with("No check was run.\n"));
/// ```
pub fn render(report: &ConformanceReport, coloring: Coloring) -> String {
    let mut lines = vec![];
    for (result, failure) in report.failures() {
        lines.push(heading(result, coloring));
        lines.extend(evidence(result, failure, coloring));
        lines.push(String::new());
    }
    lines.extend(scores(report, coloring));
    lines.push(String::new());
    lines.push(closing(report, coloring));
    lines.join("\n") + "\n"
}

impl Coloring {
    fn bad(self, text: impl Display) -> String {
        self.styled(AnsiColor::Red.on_default().bold(), text)
    }

    fn minor(self, text: impl Display) -> String {
        self.styled(AnsiColor::Yellow.on_default(), text)
    }

    fn good(self, text: impl Display) -> String {
        self.styled(AnsiColor::Green.on_default(), text)
    }

    fn bold(self, text: impl Display) -> String {
        self.styled(Style::new().bold(), text)
    }

    fn styled(self, style: Style, text: impl Display) -> String {
        match self {
            Self::Ansi => format!("{style}{text}{style:#}"),
            Self::Plain => text.to_string(),
        }
    }
}

fn heading(result: &CheckResult, coloring: Coloring) -> String {
    let requirement = &result.requirement;
    let failed = match requirement.level {
        RequirementLevel::Must => coloring.bad("FAILED"),
        _ => coloring.minor("FAILED"),
    };
    let id = coloring.bold(requirement.id);
    format!("{failed} {id} ({}, {})", requirement.level, requirement.section)
}

/// The requirement, what was expected, what was observed, and everything else that is known.
pub(super) fn evidence(
    result: &CheckResult,
    failure: &CheckFailure,
    coloring: Coloring,
) -> Vec<String> {
    let requirement = format!("{} ({})", result.requirement.text, result.requirement.source);
    let mut lines = labeled("required", &requirement, coloring);
    lines.extend(labeled("expected", &failure.expected, coloring));
    lines.extend(labeled("actual", &failure.actual, coloring));
    if let Some(crash) = &failure.crash {
        lines.extend(labeled(failure.crash_label(), crash, coloring));
    }
    if result.tries > 1 {
        lines.extend(labeled("attempts", &format!("{}, all failed", result.tries), coloring));
    }
    if let Some(drawing) = &failure.drawing {
        lines.extend(labeled("drawing", drawing, coloring));
    }
    lines.extend(messages(result, coloring));
    lines.extend(labeled("rerun", &result.repeat, coloring));
    lines
}

/// A label on the left, the lines of the text beside it. An empty text still has its label.
fn labeled(label: &str, text: &str, coloring: Coloring) -> Vec<String> {
    let text = escape_invisible(text);
    let beside = |(index, line): (usize, &str)| {
        let label = format!("{:<8}", if index == 0 { label } else { "" });
        let label = coloring.styled(Style::new().dimmed(), label);
        format!("  {label}  {line}").trim_end().to_owned()
    };
    text.split('\n').enumerate().map(beside).collect()
}

fn messages(result: &CheckResult, coloring: Coloring) -> Vec<String> {
    let shown = result.exchanges.len().min(MAX_EXCHANGES);
    if shown == 0 {
        return vec![];
    }
    let all = result.exchanges.len() + result.left_out;
    let which = if all > shown { format!("the last {shown} of {all}; ") } else { String::new() };
    let legend = "-> to the program, <- from it, seconds since its start";
    let mut lines = labeled("messages", &(which + legend), coloring);
    let last = &result.exchanges[result.exchanges.len() - shown..];
    lines.extend(last.iter().map(|exchange| format!("  {}", message(exchange))));
    lines
}

/// One line of bounded length.
fn message(exchange: &Exchange) -> String {
    let text = match LoggedDisplay::parse(&exchange.text) {
        Some(display) => display.summary(),
        None => exchange.text.clone(),
    };
    let line = Exchange { text, ..exchange.clone() }.to_string();
    let line = escape_invisible(&line).replace('\n', "\\n");
    match line.char_indices().nth(MAX_COLUMNS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// One line for each section and one for the total.
fn scores(report: &ConformanceReport, coloring: Coloring) -> Vec<String> {
    let sections = report.sections();
    let width = sections.iter().map(|section| section.chars().count()).max().unwrap_or(0).max(7);
    let head = format!("{:<width$}  {:>7}  {:>7}  {:>7}", "section", "must", "should", "may");
    let mut lines = vec![coloring.bold(head)];
    let cells = |score: &dyn Fn(RequirementLevel) -> Score| {
        RequirementLevel::ALL.map(|level| cell(level, score(level), coloring)).join("  ")
    };
    for section in sections {
        let cells = cells(&|level| report.score_in(section, level));
        lines.push(format!("{section:<width$}  {cells}"));
    }
    let total = coloring.bold(format!("{:<width$}", "total"));
    lines.push(format!("{total}  {}", cells(&|level| report.score_of(level))));
    lines
}

fn cell(level: RequirementLevel, score: Score, coloring: Coloring) -> String {
    match level {
        _ if score.total == 0 => format!("{:>7}", "-"),
        _ if score.is_complete() => coloring.good(format!("{score:>7}")),
        RequirementLevel::Must => coloring.bad(format!("{score:>7}")),
        _ => coloring.minor(format!("{score:>7}")),
    }
}

fn closing(report: &ConformanceReport, coloring: Coloring) -> String {
    let program = format!("{} ({}, dialect {})", report.program, report.kind, report.dialect);
    let summary = summarize(report);
    let summary =
        if report.all_musts_pass() { coloring.good(summary) } else { coloring.bad(summary) };
    format!("{}: {summary}", escape_line(&program))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExchangeKind;
    use crate::report::samples::{exchange, failed, mixed, passed, report, result};

    const MIXED: &str = r"FAILED join.order (must, Joining)
  required  The server answers. (Requirements, Protocol)
  expected  OK A
  actual    <script>alert(1)</script>\u{1b}[2J
  crash     it was killed by signal 11 (SIGSEGV), after: KEY \u{202e}
  attempts  3, all failed
  messages  the last 3 of 7; -> to the program, <- from it, seconds since its start
     0.005          Ann -> PLAY Ann
     0.012          Ann <- DISPLAY (3x4)
     0.013          <b> -- lost </pre><script>x</script>
  rerun     nuggets conform server --dialect 2021 --only join.order -- ./their-server

FAILED keys.sight (should, Keys)
  required  The server answers. (Requirements, Protocol)
  expected  the same picture
  actual    another
            at row 1
  drawing   +--+
            |.?|
            +--+
  rerun     nuggets conform server --dialect 2021 --only keys.sight -- ./their-server

section     must   should      may
Joining      1/2        -        -
Keys           -      0/1      1/1
total        1/2      0/1      1/1

./their-server (server, dialect 2021): It fails 1 of 2 musts, 1 should. 1 check was not run: stopped.
";

    #[test]
    fn a_report_has_failures_with_musts_first_then_scores_then_a_summary() {
        assert_eq!(render(&mixed(), Coloring::Plain), MIXED);
    }

    #[test]
    fn colours_change_nothing_else() {
        let colored = render(&mixed(), Coloring::Ansi);
        assert!(colored.starts_with("\x1b[1m\x1b[31mFAILED\x1b[0m "), "{colored}");
        let mut parts = colored.split('\x1b');
        let mut plain = parts.next().unwrap().to_owned();
        for part in parts {
            plain += part.split_once('m').unwrap().1;
        }
        assert_eq!(plain, MIXED);
    }

    #[test]
    fn if_everything_passes_only_scores_and_summary_are_shown() {
        let result = result("join.first", RequirementLevel::Must, passed());
        assert_eq!(
            render(&report(vec![result]), Coloring::Plain),
            "section     must   should      may\n\
             Joining      1/1        -        -\n\
             total        1/1        -        -\n\n\
             ./their-server (server, dialect 2021): It passes the one check that was run.\n"
        );
    }

    #[test]
    fn only_the_last_messages_are_shown_and_long_ones_are_truncated() {
        let mut result = result("join.a", RequirementLevel::Must, failed());
        let long = "x".repeat(500);
        result.exchanges = (0..20).map(|at| exchange(at, "Ann", ExchangeKind::In, &long)).collect();
        result.left_out = 7;
        let lines = messages(&result, Coloring::Plain);
        assert_eq!(lines.len(), 1 + MAX_EXCHANGES);
        assert!(lines[0].starts_with("  messages  the last 15 of 27; "), "{}", lines[0]);
        assert!(lines[1].starts_with("     0.005          Ann -> xxx"), "{}", lines[1]);
        assert!(lines.iter().all(|line| line.chars().count() <= MAX_COLUMNS + 3));
    }
}
