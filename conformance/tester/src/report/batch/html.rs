//! The table of all teams as a page, and a page for each team.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::{Team, score_or_dash};
use crate::report::escape::{escape_invisible, escape_line};
use crate::report::html::{Mark, anchor, legend, page, part};
use crate::{
    CannotRun, CheckOutcome, CheckResult, ConformanceReport, ProgramKind, Requirement,
    RequirementLevel,
};

type RunResult = Result<ConformanceReport, CannotRun>;

/// The table of all teams, with links to their pages.
pub fn index(title: &str, teams: &[Team]) -> String {
    let body = html! {
        h1 { (escape_invisible(title)) }
        (legend())
        @for kind in [ProgramKind::Server, ProgramKind::Client] { (table(kind, teams)) }
    };
    page(title, "wide", &body)
}

/// One team's own page: the reports of its programs.
pub fn team_page(team: &Team) -> String {
    let title = format!("Conformance: {}", escape_line(&team.name));
    let body = html! {
        h1 { (title) }
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

/// The table of one kind of program; empty if no team has one.
fn table(kind: ProgramKind, teams: &[Team]) -> Markup {
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
                (head(&columns))
                tbody { @for (team, result) in rows { (row(team, result, &columns)) } }
                (foot(&columns, &reports))
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

fn head(columns: &[Column]) -> Markup {
    html! {
        thead {
            tr {
                th scope="col" class="team" rowspan="2" { "team" }
                @for level in ["must", "should", "may"] { th scope="col" rowspan="2" { (level) } }
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

fn row(team: &Team, result: &RunResult, columns: &[Column]) -> Markup {
    let page = url_encoded(&team.page);
    let name = escape_line(&team.name);
    html! {
        tr {
            th scope="row" class="team" title=(name) { a href=(page) { (name) } }
            @match result {
                Ok(report) => { (cells(report, columns, &page)) }
                Err(why) => {
                    td.reason.short[!columns.is_empty()] colspan=(columns.len() + 3) {
                        "could not be run: " (escape_invisible(&why.0))
                    }
                }
            }
        }
    }
}

fn cells(report: &ConformanceReport, columns: &[Column], page: &str) -> Markup {
    html! {
        @for level in RequirementLevel::ALL { td.score { (score_or_dash(report.score_of(level))) } }
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

/// How many of the tested programs pass each requirement.
fn foot(columns: &[Column], reports: &[&ConformanceReport]) -> Markup {
    let passed = |requirement: &Requirement| {
        let results = reports.iter().flat_map(|report| &report.results);
        let own = results.filter(|result| result.requirement.id == requirement.id);
        own.filter(|result| result.outcome == CheckOutcome::Passed).count()
    };
    html! {
        tfoot {
            tr {
                th scope="row" class="team" colspan="4" { "passed by, of " (reports.len()) " tested" }
                @for Column { requirement, is_first } in columns {
                    td class=[is_first.then_some("first")] { (passed(requirement)) }
                }
            }
        }
    }
}

/// The text as a part of a URL.
fn url_encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                encoded.push(char::from(byte));
            }
            byte => {
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}
