//! The table as a page, and a page for each team.

use super::{Team, text};
use crate::report::html::{anchor, mark, page, part};
use crate::report::visible::{escaped, in_one_line};
use crate::{Judged, Kind, Level, Outcome, Report};

/// The table of all teams, with links to their pages.
pub fn index(title: &str, teams: &[Team]) -> String {
    let tables = [Kind::Server, Kind::Client].map(|kind| table(kind, teams)).concat();
    let body = format!("<h1>{}</h1>\n{}\n{tables}", escaped(title), mark::legend());
    page(title, "wide", &body)
}

/// One team's own page: everything about its programs.
pub fn team(team: &Team) -> String {
    let title = format!("Conformance: {}", in_one_line(&team.name));
    let parts: String = team
        .tried
        .iter()
        .map(|tried| match &tried.result {
            Ok(report) => format!("<h2 class=\"program\">The {}</h2>{}\n", tried.kind, part(report)),
            Err(why) => format!(
                "<h2 class=\"program\">The {}</h2>\n<p class=\"verdict bad\">It could not be run: {}</p>\n",
                tried.kind,
                escaped(why)
            ),
        })
        .collect();
    page(&title, "", &format!("<h1>{}</h1>{parts}", escaped(&title)))
}

/// Nothing if nobody has such a program.
fn table(kind: Kind, teams: &[Team]) -> String {
    let rows: Vec<(&Team, &Result<Report, String>)> =
        teams.iter().filter_map(|team| Some((team, team.tried(kind)?))).collect();
    if rows.is_empty() {
        return String::new();
    }
    let clauses = clauses(rows.iter().filter_map(|(_, result)| result.as_ref().ok()));
    let body: String = rows.iter().map(|(team, result)| row(team, result, &clauses)).collect();
    format!(
        "<h2>{}s</h2>\n<div class=\"sheet\" tabindex=\"0\" role=\"region\" aria-label=\"{kind}s\">\
         <table class=\"grid\">\n{}<tbody>\n{body}</tbody>\n{}</table></div>\n",
        if kind == Kind::Server { "Server" } else { "Client" },
        head(&clauses),
        foot(&clauses, &rows)
    )
}

/// Every clause that anybody was held to, in the catalogue's order, section by section.
fn clauses<'a>(reports: impl Iterator<Item = &'a Report>) -> Vec<&'a Judged> {
    let mut clauses: Vec<&Judged> = vec![];
    for judged in reports.flat_map(|report| &report.results) {
        if clauses.iter().all(|known| known.id != judged.id) {
            clauses.push(judged);
        }
    }
    let mut sections: Vec<&str> = vec![];
    for judged in &clauses {
        if !sections.contains(&judged.section) {
            sections.push(judged.section);
        }
    }
    clauses.sort_by_key(|judged| sections.iter().position(|section| *section == judged.section));
    clauses
}

/// Is this the first clause of its section?
fn opens(clauses: &[&Judged], place: usize) -> bool {
    place == 0 || clauses[place - 1].section != clauses[place].section
}

fn head(clauses: &[&Judged]) -> String {
    let group = |own: &[&Judged]| {
        let (section, columns) = (escaped(own[0].section), own.len());
        format!("<th scope=\"colgroup\" class=\"first\" colspan=\"{columns}\">{section}</th>")
    };
    let by_section = clauses.chunk_by(|one, two| one.section == two.section);
    let groups: String = by_section.map(group).collect();
    let column = |(place, judged): (usize, &&Judged)| {
        let first = if opens(clauses, place) { " first" } else { "" };
        let (id, level, demand) = (escaped(judged.id), judged.level, escaped(judged.demand));
        format!(
            "<th scope=\"col\" class=\"clause {level}{first}\" title=\"{level}: {demand}\">\
             <span>{id}</span></th>"
        )
    };
    let columns: String = clauses.iter().enumerate().map(column).collect();
    format!(
        "<thead>\n<tr><th scope=\"col\" class=\"team\" rowspan=\"2\">team</th>\
         <th scope=\"col\" rowspan=\"2\">must</th><th scope=\"col\" rowspan=\"2\">should</th>\
         <th scope=\"col\" rowspan=\"2\">may</th>{groups}</tr>\n<tr>{columns}</tr>\n</thead>\n"
    )
}

fn row(team: &Team, result: &Result<Report, String>, clauses: &[&Judged]) -> String {
    let page = link(&team.page);
    let name = escaped(&in_one_line(&team.name));
    let team = format!(
        "<th scope=\"row\" class=\"team\" title=\"{name}\"><a href=\"{page}\">{name}</a></th>"
    );
    let cells = match result {
        Ok(report) => cells(report, clauses, &page),
        Err(why) => {
            let columns = clauses.len() + 3;
            let why = escaped(why);
            let short = if clauses.is_empty() { "" } else { " short" };
            format!("<td class=\"why{short}\" colspan=\"{columns}\">could not be run: {why}</td>")
        }
    };
    format!("<tr>{team}{cells}</tr>\n")
}

fn cells(report: &Report, clauses: &[&Judged], page: &str) -> String {
    let scores = Level::ALL
        .map(|level| format!("<td class=\"score\">{}</td>", text::shown(report.score_of(level))));
    let cell = |(place, clause): (usize, &&Judged)| {
        let first = if opens(clauses, place) { " first" } else { "" };
        let Some(judged) = report.results.iter().find(|judged| judged.id == clause.id) else {
            return format!("<td class=\"mark skipped{first}\"></td>");
        };
        let mark::Mark { sign, class, word } = mark::Mark::of(judged);
        let (anchor, id) = (link(&anchor(report, judged)), escaped(judged.id));
        format!(
            "<td class=\"mark {class}{first}\"><a href=\"{page}#{anchor}\" title=\"{id}: {word}\" \
             aria-label=\"{id}: {word}\">{sign}</a></td>"
        )
    };
    scores.concat() + &clauses.iter().enumerate().map(cell).collect::<String>()
}

/// How many of the teams that were judged keep each clause.
fn foot(clauses: &[&Judged], rows: &[(&Team, &Result<Report, String>)]) -> String {
    let reports: Vec<&Report> =
        rows.iter().filter_map(|(_, result)| result.as_ref().ok()).collect();
    let held = |clause: &Judged| {
        let results = reports.iter().flat_map(|report| &report.results);
        let kept = |judged: &&Judged| judged.id == clause.id && judged.outcome == Outcome::Passed;
        results.filter(kept).count()
    };
    let cell = |(place, clause): (usize, &&Judged)| {
        let first = if opens(clauses, place) { " class=\"first\"" } else { "" };
        format!("<td{first}>{}</td>", held(clause))
    };
    let cells: String = clauses.iter().enumerate().map(cell).collect();
    format!(
        "<tfoot><tr><th scope=\"row\" class=\"team\" colspan=\"4\">kept by, of {} judged</th>{cells}\
         </tr></tfoot>\n",
        reports.len()
    )
}

/// As a part of an address: whatever isn't plain is written as `%` and its number.
fn link(text: &str) -> String {
    let mut address = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                address.push(char::from(byte));
            }
            byte => address.extend(['%', hex_digit(byte >> 4), hex_digit(byte & 15)]),
        }
    }
    address
}

fn hex_digit(half: u8) -> char {
    char::from(b"0123456789ABCDEF"[usize::from(half)])
}
