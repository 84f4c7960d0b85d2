//! The table of all teams as a page, and a page for each team.

use maud::{Markup, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{Build, Team, grade, score_or_dash};
use crate::report::escape::{escape_invisible, escape_line};
use crate::report::html::{Mark, anchor, legend, page, part};
use crate::report::rubric::Rubric;
use crate::{CannotRun, CheckOutcome, CheckResult, ConformanceReport, ProgramKind, Requirement};

type RunResult = Result<ConformanceReport, CannotRun>;

/// The table of all teams, with links to their pages, and their grades if there is a rubric.
pub fn index(title: &str, teams: &[Team], rubric: Option<&Rubric>) -> String {
    let body = html! {
        h1 { (escape_invisible(title)) }
        (legend())
        @for kind in [ProgramKind::Server, ProgramKind::Client] { (table(kind, teams, rubric)) }
        @if let Some(rubric) = rubric { (explain(rubric)) }
    };
    page(title, "wide", &body)
}

/// One team's own page: the reports of its programs.
pub fn team_page(team: &Team) -> String {
    let title = format!("Conformance: {}", escape_line(&team.name));
    let body = html! {
        h1 { (title) }
        @if let Some(build) = &team.build { (build_part(build)) }
        @for program in &team.programs {
            h2.program { "The " (program.kind) }
            @match &program.result {
                Ok(report) => { (part(report)) }
                Err(why) => { p.verdict.bad { "It could not be run: " (escape_invisible(&why.0)) } }
            }
        }
    };
    page(&title, "", &body)
}

/// Renders the build of the programs and its output.
fn build_part(build: &Build) -> Markup {
    let seconds = format!("{}.{} s", build.millis / 1000, build.millis % 1000 / 100);
    html! {
        h2 { @if build.error.is_none() { "The build succeeded" } @else { "The build" } }
        @match &build.error {
            Some(why) => { p.verdict.bad { "The build failed: " (escape_invisible(why)) } }
            None => {}
        }
        p { code { (escape_invisible(&build.command)) } ", " (seconds) }
        @if !build.output.is_empty() {
            details.output open[build.error.is_some()] {
                summary { "what it printed" }
                pre.text { (escape_invisible(&build.output)) }
            }
        }
    }
}

/// Explains the meaning of a grade.
fn explain(rubric: &Rubric) -> Markup {
    let [must, should, may] = rubric.levels;
    html! {
        h2 { "Grades" }
        p {
            "A program that passes everything gets " (rubric.points) " points. A must weighs " (must)
            ", a should " (should) ", a may " (may) ", if nothing else is said. "
            (rubric.not_judged.explanation())
        }
        @for (kind, weights) in [("servers", &rubric.server), ("clients", &rubric.client)] {
            @for (what, pairs) in [("Shares of sections", &weights.sections), ("Weights of requirements", &weights.requirements)] {
                @if !pairs.is_empty() {
                    p {
                        (what) ", " (kind) ": "
                        @for (index, (name, weight)) in pairs.iter().enumerate() {
                            @if index > 0 { ", " }
                            (name) " " (weight)
                        }
                        "."
                    }
                }
            }
        }
    }
}

/// The table of one kind of program; empty if no team has one.
fn table(kind: ProgramKind, teams: &[Team], rubric: Option<&Rubric>) -> Markup {
    let rows: Vec<(&Team, &RunResult)> =
        teams.iter().filter_map(|team| Some((team, team.result(kind)?))).collect();
    if rows.is_empty() {
        return html! {};
    }
    let reports: Vec<&ConformanceReport> =
        rows.iter().filter_map(|(_, result)| result.as_ref().ok()).collect();
    let columns = columns(&reports);
    let heading = if kind == ProgramKind::Server { "Servers" } else { "Clients" };
    html! {
        h2 { (heading) }
        div.sheet tabindex="0" role="region" aria-label={ (kind) "s" } {
            table.grid {
                (head(&columns, rubric.is_some()))
                tbody { @for (team, result) in rows { (row(team, result, &columns, rubric)) } }
                (foot(&columns, &reports, rubric.is_some()))
            }
        }
    }
}

/// A column of the table.
struct Column {
    requirement: Requirement,
    /// True for the first requirement of its section.
    is_first: bool,
}

/// Every requirement that any program was tested for, grouped by section, in the order of the
/// catalogue.
fn columns(reports: &[&ConformanceReport]) -> Vec<Column> {
    let mut requirements: Vec<Requirement> = vec![];
    let mut sections: Vec<&str> = vec![];
    for result in reports.iter().flat_map(|report| &report.results) {
        let requirement = result.requirement;
        if requirements.iter().all(|known| known.id != requirement.id) {
            requirements.push(requirement);
        }
        if !sections.contains(&requirement.section) {
            sections.push(requirement.section);
        }
    }
    requirements.sort_by_key(|it| sections.iter().position(|section| *section == it.section));
    let groups = requirements.chunk_by(|one, two| one.section == two.section);
    let column = |(index, requirement): (usize, &Requirement)| Column {
        requirement: *requirement,
        is_first: index == 0,
    };
    groups.flat_map(|group| group.iter().enumerate().map(column)).collect()
}

fn head(columns: &[Column], has_grades: bool) -> Markup {
    html! {
        thead {
            tr {
                th scope="col" class="team" rowspan="2" { "team" }
                @if has_grades { th scope="col" rowspan="2" { "grade" } }
                @for name in ["must", "should", "may", "not judged"] { th scope="col" rowspan="2" { (name) } }
                @for group in columns.chunk_by(|_, next| !next.is_first) {
                    th scope="colgroup" class="first" colspan=(group.len()) { (group[0].requirement.section) }
                }
            }
            tr {
                @for Column { requirement, is_first } in columns {
                    th.requirement.(requirement.level).first[*is_first] scope="col" title={ (requirement.level) ": " (requirement.text) } {
                        span { (requirement.id) }
                    }
                }
            }
        }
    }
}

fn row(team: &Team, result: &RunResult, columns: &[Column], rubric: Option<&Rubric>) -> Markup {
    let page = url_encoded(&team.page);
    let name = escape_line(&team.name);
    html! {
        tr {
            th scope="row" class="team" title=(name) { a href=(page) { (name) } }
            @match result {
                Ok(report) => {
                    @if let Some(rubric) = rubric { td.score { (grade(rubric, report)) } }
                    (cells(report, columns, &page))
                }
                Err(why) => {
                    td.reason.short[!columns.is_empty()] colspan=(columns.len() + 4 + usize::from(rubric.is_some())) {
                        "could not be run: " (escape_invisible(&why.0))
                    }
                }
            }
        }
    }
}

fn cells(report: &ConformanceReport, columns: &[Column], page: &str) -> Markup {
    html! {
        @for score in report.scores(None) { td.score { (score_or_dash(score)) } }
        td.score { (report.score(|_| true).not_judged) }
        @for column in columns { (cell(report, column, page)) }
    }
}

fn cell(report: &ConformanceReport, column: &Column, page: &str) -> Markup {
    let Column { requirement, is_first } = column;
    let is_own = |result: &&CheckResult| result.requirement.id == requirement.id;
    let Some(result) = report.results.iter().find(is_own) else {
        return html! { td.mark.skipped.first[*is_first] {} };
    };
    let Mark { sign, class, meaning } = Mark::new(result);
    let anchor = url_encoded(&anchor(report, result));
    let text = format!("{}: {meaning}", requirement.id);
    html! {
        td.mark.(class).first[*is_first] {
            a href={ (page) "#" (anchor) } title=(text) aria-label=(text) { (sign) }
        }
    }
}

/// Renders the foot of the table: for each requirement, the number of tested programs that pass it.
fn foot(columns: &[Column], reports: &[&ConformanceReport], has_grades: bool) -> Markup {
    let passed = |requirement: &Requirement| {
        let results = reports.iter().flat_map(|report| &report.results);
        let own = results.filter(|result| result.requirement.id == requirement.id);
        own.filter(|result| result.outcome == CheckOutcome::Passed).count()
    };
    html! {
        tfoot {
            tr {
                th scope="row" class="team" colspan=(5 + usize::from(has_grades)) { "passed by, of " (reports.len()) " tested" }
                @for Column { requirement, is_first } in columns {
                    td class=[is_first.then_some("first")] { (passed(requirement)) }
                }
            }
        }
    }
}

/// The text as a part of a URL.
fn url_encoded(text: &str) -> String {
    const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');
    utf8_percent_encode(text, ENCODED).to_string()
}
