//! A report as one self-contained page: it can be opened offline, printed and handed in. All text from the program
//! under test stays text in it, never markup.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::display::LoggedDisplay;
use super::escape::escape_invisible;
use super::summary::{counted, summarize};
use super::{CheckResult, ConformanceReport, RootFailure, Score};
use crate::transcript::seconds;
use crate::{CheckFailure, CheckOutcome, Exchange, ExchangeKind, RequirementLevel};

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");
/// A second line of defence: the browser fetches nothing, even if hostile markup got through.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      base-uri 'none'; form-action 'none'";

/// The mark of an outcome: a character, a colour and a description for screen readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) sign: char,
    /// The CSS class.
    pub(super) class: &'static str,
    pub(super) meaning: &'static str,
}

const PASSED: Mark = Mark { sign: '✓', class: "passed", meaning: "passed" };
const FAILED: Mark = Mark { sign: '✗', class: "failed", meaning: "a must that failed" };
const CRASHED: Mark =
    Mark { sign: '!', class: "crashed", meaning: "the program crashed or exited" };
const MINOR: Mark = Mark { sign: '△', class: "minor", meaning: "a should or may that failed" };
const NOT_JUDGED: Mark =
    Mark { sign: '?', class: "not-judged", meaning: "not judged: something that it needs failed" };
const SKIPPED: Mark = Mark { sign: '–', class: "skipped", meaning: "not run" };

impl Mark {
    pub(super) fn new(result: &CheckResult) -> Self {
        match &result.outcome {
            CheckOutcome::Passed => PASSED,
            CheckOutcome::Failed(failure) if failure.crash.is_some() => CRASHED,
            CheckOutcome::Failed(_) => match result.requirement.level {
                RequirementLevel::Must => FAILED,
                _ => MINOR,
            },
            CheckOutcome::NotJudged(_) => NOT_JUDGED,
            CheckOutcome::Skipped { .. } => SKIPPED,
        }
    }
}

/// The whole page.
pub fn render(report: &ConformanceReport) -> String {
    let heading = format!("Conformance of the {} {}", report.kind, report.program);
    page(&heading, "", &html! { h1 { (escape_invisible(&heading)) } (part(report)) })
}

/// A page with this title and CSS class.
pub(super) fn page(title: &str, class: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (escape_invisible(title)) }
                style { (PreEscaped(STYLE)) }
            }
            body class=(class) {
                (body)
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string() + "\n"
}

/// Everything about one program.
pub(super) fn part(report: &ConformanceReport) -> Markup {
    let tone = if report.all_musts_pass() { "good" } else { "bad" };
    html! {
        div.report {
            p.verdict.(tone) { (escape_invisible(&summarize(report))) }
            (facts(report))
            div.overview { (scores(report)) (faults(report)) }
            (legend())
            (filter())
            (sections(report))
            (failed_links(report))
        }
    }
}

/// The id of a check's element.
pub(super) fn anchor(report: &ConformanceReport, result: &CheckResult) -> String {
    format!("{}.{}", report.kind, result.requirement.id)
}

pub(super) fn legend() -> Markup {
    html! {
        ul.legend {
            @for Mark { sign, class, meaning } in [PASSED, FAILED, CRASHED, MINOR, NOT_JUDGED, SKIPPED] {
                li { span.mark.(class) { (sign) } " " (meaning) }
            }
        }
    }
}

/// Renders the filter. It is hidden without scripts, which do the filtering.
fn filter() -> Markup {
    html! {
        form.filter hidden {
            label { input type="checkbox" name="failed"; " only failures" }
            label { input type="checkbox" name="must"; " only musts" }
            label { "containing " input type="search" name="word"; }
        }
    }
}

fn facts(report: &ConformanceReport) -> Markup {
    let seconds = format!("{}.{} s", report.millis / 1000, report.millis % 1000 / 100);
    let tester = format!("nuggets {}", report.tester);
    let facts = [
        ("command", report.program.as_str()),
        ("dialect", &report.dialect),
        ("tester", &tester),
        ("duration", &seconds),
    ];
    html! {
        dl.facts {
            @for (name, value) in facts { div { dt { (name) } dd { (escape_invisible(value)) } } }
        }
    }
}

/// Renders the faults, the most costly first, each with a link to its evidence and its consequences.
fn faults(report: &ConformanceReport) -> Markup {
    let faults = report.faults();
    html! {
        @if !faults.is_empty() {
            section.faults {
                h2 { "Fix first" }
                ol { @for fault in &faults { li { (fault_entry(report, fault)) } } }
            }
        }
    }
}

fn fault_entry(report: &ConformanceReport, fault: &RootFailure<'_>) -> Markup {
    let requirement = fault.result.requirement;
    html! {
        (link(report, fault.result)) " " span.level.(requirement.level) { (requirement.level) } " "
        (requirement.text)
        @if let Some(following) = fault.describe_following() {
            details {
                summary { (following) }
                p { (links(report, fault.following())) }
            }
        }
    }
}

fn link(report: &ConformanceReport, result: &CheckResult) -> Markup {
    html! { a href={ "#" (anchor(report, result)) } { code { (result.requirement.id) } } }
}

fn links<'a>(report: &ConformanceReport, results: impl Iterator<Item = &'a CheckResult>) -> Markup {
    html! {
        @for (index, result) in results.enumerate() {
            @if index > 0 { ", " }
            (link(report, result))
        }
    }
}

/// The failed checks and those not judged, each with a link to its evidence; musts first.
fn failed_links(report: &ConformanceReport) -> Markup {
    html! {
        @for (outcome, results) in [("Failed", report.failures()), ("Not judged", report.not_judged())] {
            @for group in results.chunk_by(|(one, _), (two, _)| one.requirement.level == two.requirement.level) {
                p.failed-list {
                    (outcome) ", " (group[0].0.requirement.level) ": "
                    (links(report, group.iter().map(|(result, _)| *result)))
                }
            }
        }
    }
}

/// A bar for each section and level, and a row for the total.
fn scores(report: &ConformanceReport) -> Markup {
    let row = |name: &str, scores: [Score; 3]| {
        let not_judged: usize = scores.iter().map(|score| score.not_judged).sum();
        html! {
            tr {
                th scope="row" { (name) }
                @for (level, score) in RequirementLevel::ALL.into_iter().zip(scores) {
                    td { (bar(level, score)) }
                }
                td { @if not_judged == 0 { span.faint { "–" } } @else { (not_judged) } }
            }
        }
    };
    html! {
        table.scores {
            thead {
                tr {
                    @for name in ["section", "must", "should", "may", "not judged"] {
                        th scope="col" { (name) }
                    }
                }
            }
            tbody {
                @for section in report.sections() { (row(section, report.scores(Some(section)))) }
            }
            tfoot { (row("all sections", report.scores(None))) }
        }
    }
}

fn bar(level: RequirementLevel, score: Score) -> Markup {
    if score.total == 0 {
        return html! { span.faint { "–" } };
    }
    let percent = score.passed * 100 / score.total;
    html! {
        div.bar {
            span { (score) }
            span.track.minor[level != RequirementLevel::Must] aria-hidden="true" {
                span style={ "width:" (percent) "%" } {}
            }
        }
    }
}

/// The checks under their headings. A check that failed can be opened to see its evidence.
fn sections(report: &ConformanceReport) -> Markup {
    html! {
        @for section in report.sections() {
            section.checks {
                h2 { (section) }
                div { @for result in report.in_section(section) { (check(report, result)) } }
            }
        }
    }
}

fn check(report: &ConformanceReport, result: &CheckResult) -> Markup {
    let row = row(result);
    let with_evidence = |failure| {
        html! { details { summary.row { (row) } (evidence(report, result, failure)) } }
    };
    let (outcome, content) = match &result.outcome {
        CheckOutcome::Passed => ("passed", html! { div.row { (row) } }),
        CheckOutcome::Skipped { why } => {
            ("skipped", html! { div.row { (row) span {} span { (escape_invisible(why)) } } })
        }
        CheckOutcome::Failed(failure) => ("failed", with_evidence(failure)),
        CheckOutcome::NotJudged(failure) => ("not-judged", with_evidence(failure)),
    };
    html! {
        div.check id=(anchor(report, result)) data-outcome=(outcome) data-level=(result.requirement.level) {
            (content)
        }
    }
}

fn row(result: &CheckResult) -> Markup {
    let Mark { sign, class, meaning } = Mark::new(result);
    let requirement = result.requirement;
    html! {
        span.mark.(class) role="img" aria-label=(meaning) title=(meaning) { (sign) }
        code { (requirement.id) }
        span.level.(requirement.level) { (requirement.level) }
        span.requirement { (requirement.text) " " span.faint { "(" (requirement.source) ")" } }
    }
}

fn evidence(report: &ConformanceReport, result: &CheckResult, failure: &CheckFailure) -> Markup {
    let entry = |name: &str, text: &str| {
        html! { dt { (name) } dd { pre.text { (escape_invisible(text)) } } }
    };
    html! {
        dl.evidence {
            @if let Some(cause) = result.cause {
                dt { "follows from" }
                dd { a href={ "#" (report.kind) "." (cause) } { code { (cause) } } }
            }
            (entry(failure.expected_label(), &failure.expected))
            (entry("actual", &failure.actual))
            @if let Some(crash) = &failure.crash { (entry(failure.crash_label(), crash)) }
            @if result.tries > 1 { (entry("attempts", &format!("{}, all failed", result.tries))) }
            @if let Some(drawing) = &failure.drawing {
                dt { "drawing" }
                dd { pre { (escape_invisible(drawing)) } }
            }
            @if !result.exchanges.is_empty() { (messages(result)) }
            (entry("command that reruns this check", &result.repeat))
        }
    }
}

fn messages(result: &CheckResult) -> Markup {
    html! {
        dt {
            "messages (" (result.exchanges.len())
            @if result.left_out > 0 { "; " (counted(result.left_out, "message")) " before them not shown" }
            ")"
        }
        dd {
            table.messages {
                thead {
                    tr { @for name in ["s", "client", "direction", "message"] { th scope="col" { (name) } } }
                }
                tbody { @for exchange in &result.exchanges { (message(exchange)) } }
            }
        }
    }
}

fn message(exchange: &Exchange) -> Markup {
    let (class, arrow, meaning) = match exchange.kind {
        ExchangeKind::In => ("in", "→", "to the program"),
        ExchangeKind::Out => ("out", "←", "from the program"),
        ExchangeKind::Note => ("note", "–", "a note of the tester"),
    };
    html! {
        tr.(class) {
            td { (seconds(exchange.at_ms)) }
            td { (escape_invisible(&exchange.who)) }
            td title=(meaning) { (arrow) }
            td {
                @if let Some(display) = LoggedDisplay::parse(&exchange.text) {
                    details {
                        summary { (escape_invisible(&display.summary())) }
                        pre { (escape_invisible(&display.drawing())) }
                    }
                } @else {
                    (escape_invisible(&exchange.text))
                }
            }
        }
    }
}

/// Returns the page without our own style and script, which are not XML.
#[cfg(test)]
pub(super) fn without_code(page: &str) -> String {
    page.replace(STYLE, "").replace(SCRIPT, "")
}

#[cfg(test)]
mod tests;
