//! The table for programs.
//!
//! One object with `format` (see [`crate::report::json`]) and `teams`, an array. A team has `team`, its name,
//! `page`, the file of its own page, and `programs`, an array: each with `kind` and either `report`, an
//! object as [`crate::report::json`] has it, or `error`, which says why it could not be run.

use serde::Serialize;

use super::{Team, Tried};
use crate::Kind;
use crate::report::json::{Document, FORMAT, pretty};

#[derive(Serialize)]
struct Teams<'a> {
    format: u32,
    teams: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    team: &'a str,
    page: &'a str,
    programs: Vec<Program<'a>>,
}

#[derive(Serialize)]
struct Program<'a> {
    kind: Kind,
    #[serde(flatten)]
    result: Found<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Found<'a> {
    Report(Box<Document<'a>>),
    Error(&'a str),
}

/// The whole table.
pub fn render(teams: &[Team]) -> String {
    let teams = teams.iter().map(|team| Entry {
        team: &team.name,
        page: &team.page,
        programs: team.tried.iter().map(program).collect(),
    });
    pretty(&Teams { format: FORMAT, teams: teams.collect() })
}

fn program(tried: &Tried) -> Program<'_> {
    let result = match &tried.result {
        Ok(report) => Found::Report(Box::new(Document::of(report))),
        Err(why) => Found::Error(why),
    };
    Program { kind: tried.kind, result }
}
