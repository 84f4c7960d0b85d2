//! A report for a terminal. It begins with a summary that takes a minute to read: the verdict, the scores, the most
//! costly faults. Then comes every fault with its evidence, and at the end, where a terminal stops scrolling, the names
//! of all failed checks and the verdict again.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

use super::display::LoggedDisplay;
use super::escape::{escape_invisible, escape_line};
use super::summary::{counted, summarize};
use super::{CheckResult, ConformanceReport, RootFailure, Score};
use crate::{CheckFailure, Exchange, RequirementLevel};

/// The number of messages shown as evidence.
const MAX_EXCHANGES: usize = 15;
/// The length at which a line with a message is truncated.
const MAX_COLUMNS: usize = 160;
/// The number of faults in the summary.
const MAX_FAULTS: usize = 8;
/// The length at which a list of names is broken into lines.
const WRAP_COLUMNS: usize = 100;

/// The colouring of a text.
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
    let faults = report.faults();
    let unexplained = report.unexplained();
    let mut parts = vec![scores(report, coloring)];
    if !faults.is_empty() || !unexplained.is_empty() {
        parts.insert(0, vec![verdict(report, coloring)]);
        parts.push(costliest(&faults, coloring));
        parts.extend(faults.iter().map(|fault| details(fault, coloring)));
        parts.extend(unexplained.iter().map(|(result, failure)| {
            [vec![heading(result, failure, coloring)], evidence(result, failure, coloring)].concat()
        }));
        parts.push(all_names(report));
    }
    parts.push(vec![verdict(report, coloring)]);
    let parts = parts.iter().filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n"));
    parts.collect::<Vec<_>>().join("\n\n") + "\n"
}

/// Lists the faults to repair first, each with its requirement in a line and the number of checks that depend on it.
fn costliest(faults: &[RootFailure<'_>], coloring: Coloring) -> Vec<String> {
    let mut lines = vec![];
    if !faults.is_empty() {
        lines.push(coloring.bold("Fix first:"));
    }
    for fault in faults.iter().take(MAX_FAULTS) {
        let requirement = &fault.result.requirement;
        let id = coloring.bold(requirement.id);
        lines.push(format!("  {id} ({}): {}", requirement.level, requirement.text));
        lines.extend(fault.describe_following().map(|following| format!("    {following}")));
    }
    if let Some(more @ 1..) = faults.len().checked_sub(MAX_FAULTS) {
        lines.push(format!("  and {}, all below", counted(more, "more fault")));
    }
    lines
}

/// Describes a fault with its evidence, and the names of its consequences.
fn details(fault: &RootFailure<'_>, coloring: Coloring) -> Vec<String> {
    let mut lines = vec![heading(fault.result, fault.failure, coloring)];
    lines.extend(evidence(fault.result, fault.failure, coloring));
    if let Some(following) = fault.describe_following() {
        let names: Vec<&str> = fault.following().map(|result| result.requirement.id).collect();
        let text = [vec![following], wrapped(&names)].concat().join("\n");
        lines.extend(labeled("follows", &text, coloring));
    }
    lines
}

/// The names of all checks that failed or were not judged, musts first.
fn all_names(report: &ConformanceReport) -> Vec<String> {
    let mut lines = vec![];
    for (outcome, results) in [("Failed", report.failures()), ("Not judged", report.not_judged())] {
        for group in
            results.chunk_by(|(one, _), (two, _)| one.requirement.level == two.requirement.level)
        {
            let names: Vec<&str> = group.iter().map(|(result, _)| result.requirement.id).collect();
            lines.push(format!("{outcome}, {}:", group[0].0.requirement.level));
            lines.extend(wrapped(&names).into_iter().map(|line| format!("  {line}")));
        }
    }
    lines
}

/// Names separated by blanks, in lines of bounded length.
fn wrapped(names: &[&str]) -> Vec<String> {
    let mut lines = vec![String::new()];
    for name in names {
        let line = lines.last_mut().expect("there is always one");
        if line.is_empty() {
            line.push_str(name);
        } else if line.len() + 1 + name.len() <= WRAP_COLUMNS {
            line.push(' ');
            line.push_str(name);
        } else {
            lines.push((*name).to_owned());
        }
    }
    lines
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

fn heading(result: &CheckResult, failure: &CheckFailure, coloring: Coloring) -> String {
    let requirement = &result.requirement;
    let outcome = match (failure.obstacle, requirement.level) {
        (Some(_), _) => coloring.minor("NOT JUDGED"),
        (None, RequirementLevel::Must) => coloring.bad("FAILED"),
        (None, _) => coloring.minor("FAILED"),
    };
    let id = coloring.bold(requirement.id);
    format!("{outcome} {id} ({}, {})", requirement.level, requirement.section)
}

/// Describes the requirement, the expectation, the observation, and all other evidence.
pub(super) fn evidence(
    result: &CheckResult,
    failure: &CheckFailure,
    coloring: Coloring,
) -> Vec<String> {
    let requirement = format!("{} ({})", result.requirement.text, result.requirement.source);
    let mut lines = labeled("required", &requirement, coloring);
    lines.extend(labeled(failure.expected_label(), &failure.expected, coloring));
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
    let not_judged = if report.not_judged().is_empty() { "" } else { "  not judged" };
    let head = format!("{:<width$}  {:>7}  {:>7}  {:>7}", "section", "must", "should", "may");
    let mut lines = vec![coloring.bold(head + not_judged)];
    let cells = |section| {
        let scores = report.scores(section);
        let not_judged: usize = scores.iter().map(|score| score.not_judged).sum();
        let levels = RequirementLevel::ALL.iter().zip(scores);
        let cells: Vec<_> = levels.map(|(level, score)| cell(*level, score, coloring)).collect();
        let cells = cells.join("  ");
        if not_judged == 0 { cells } else { format!("{cells}  {not_judged:>10}") }
    };
    for section in sections {
        lines.push(format!("{section:<width$}  {}", cells(Some(section))));
    }
    let total = coloring.bold(format!("{:<width$}", "total"));
    lines.push(format!("{total}  {}", cells(None)));
    lines
}

fn cell(level: RequirementLevel, score: Score, coloring: Coloring) -> String {
    match level {
        _ if score.total == 0 => format!("{:>7}", "-"),
        _ if score.failed() == 0 => coloring.good(format!("{score:>7}")),
        RequirementLevel::Must => coloring.bad(format!("{score:>7}")),
        _ => coloring.minor(format!("{score:>7}")),
    }
}

/// The program and the summary, in one line.
fn verdict(report: &ConformanceReport, coloring: Coloring) -> String {
    let program = format!("{} ({}, dialect {})", report.program, report.kind, report.dialect);
    let summary = summarize(report);
    let summary =
        if report.all_musts_pass() { coloring.good(summary) } else { coloring.bad(summary) };
    format!("{}: {summary}", escape_line(&program))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{exchange, failed, mixed, passed, report, result};
    use crate::{CheckOutcome, ExchangeKind};

    #[test]
    fn colours_change_nothing_else() {
        let colored = render(&mixed(), Coloring::Ansi);
        assert!(colored.contains("\n\x1b[1m\x1b[31mFAILED\x1b[0m "), "{colored}");
        let mut parts = colored.split('\x1b');
        let mut plain = parts.next().unwrap().to_owned();
        for part in parts {
            plain += part.split_once('m').unwrap().1;
        }
        assert_eq!(plain, render(&mixed(), Coloring::Plain));
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
    fn what_was_not_judged_without_a_cause_is_shown_with_its_evidence() {
        let lacking = CheckFailure::not_judged("a room with a corner", "none");
        let lacking = CheckOutcome::NotJudged(lacking);
        let text = render(
            &report(vec![result("join.first", RequirementLevel::Must, lacking)]),
            Coloring::Plain,
        );
        let evidence = "NOT JUDGED join.first (must, Joining)\n  \
                        required  The server answers. (Requirements, Protocol)\n  \
                        needed    a room with a corner\n  \
                        actual    none\n";
        assert!(text.contains(evidence), "{text}");
        assert!(!text.contains("Fix first"), "{text}");
    }

    #[test]
    fn names_are_wrapped_and_only_the_costliest_faults_are_in_the_summary() {
        let ids = ["a.a", "a.b", "a.c", "a.d", "a.e", "a.f", "a.g", "a.h", "a.i", "a.j"];
        let results = ids.map(|id| result(id, RequirementLevel::Must, failed()));
        let text = render(&report(results.to_vec()), Coloring::Plain);
        let summary = text.split("\n\n").nth(2).unwrap();
        assert_eq!(summary.lines().count(), 1 + MAX_FAULTS + 1, "{summary}");
        assert!(
            summary.ends_with("  a.h (must): The server answers.\n  and 2 more faults, all below"),
            "{summary}"
        );
        let names = ["a-name-of-20-letters"; 9];
        let lines = wrapped(&names);
        assert_eq!(lines.iter().map(String::len).collect::<Vec<_>>(), [83, 83, 20]);
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
