//! Many teams' programs: a table of teams and requirements for the person who grades them, as a
//! page ([`index`]), for programs ([`json`]), for a spreadsheet ([`csv()`]) and for a terminal ([`text`]).

mod csv;
mod html;
mod saved;

pub use csv::csv;
pub use html::{index, team_page};
pub use saved::{load, save};

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::escape::escape_line;
use super::json::{Document, FORMAT, to_json};
use super::rubric::Rubric;
use super::{ConformanceReport, ProgramKind, Score};
use crate::CannotRun;

/// One team and the results of its programs.
#[derive(Clone, Debug)]
pub struct Team {
    /// The name of its folder.
    pub name: String,
    /// The file name of its own page, in the same folder as the table.
    pub page: String,
    /// The build of its programs, if the tester built them.
    pub build: Option<Build>,
    /// The results of its programs.
    pub programs: Vec<TeamProgram>,
}

/// The build of a team's programs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Build {
    /// The command, for a shell.
    pub command: String,
    /// The reason of the failure, if it failed.
    pub error: Option<String>,
    /// The output of the command, up to a limit.
    pub output: String,
    /// The duration of the build, in milliseconds.
    pub millis: u64,
}

/// One program of a team.
#[derive(Clone, Debug)]
pub struct TeamProgram {
    /// The kind of program that it should be.
    pub kind: ProgramKind,
    /// The report, or the reason why it could not be run.
    pub result: Result<ConformanceReport, CannotRun>,
}

impl Team {
    fn result(&self, kind: ProgramKind) -> Option<&Result<ConformanceReport, CannotRun>> {
        self.programs.iter().find(|program| program.kind == kind).map(|program| &program.result)
    }
}

/// The table for a terminal: the scores of each program, and its grade if there is a rubric.
pub fn text(teams: &[Team], rubric: Option<&Rubric>) -> String {
    let names: Vec<String> = teams.iter().map(|team| escape_line(&team.name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(4);
    let grade_head = if rubric.is_some() { "    grade" } else { "" };
    let mut lines = vec![format!(
        "{:<width$}  {:<7}{grade_head}  {:>7}  {:>7}  {:>7}  {:>10}",
        "team", "program", "must", "should", "may", "not judged"
    )];
    for (team, name) in teams.iter().zip(&names) {
        for TeamProgram { kind, result } in &team.programs {
            let result = match result {
                Ok(report) => {
                    let grade = rubric.map(|rubric| format!("  {:>7}", grade(rubric, report)));
                    grade.unwrap_or_default() + "  " + &scores(report)
                }
                Err(why) => format!("  could not be run: {}", escape_line(&why.0)),
            };
            lines.push(format!("{name:<width$}  {kind:<7}{result}"));
        }
    }
    let programs = teams.iter().flat_map(|team| &team.programs);
    let mut reports = programs.filter_map(|program| program.result.as_ref().ok());
    let has_not_judged = reports.any(|report| report.score(|_| true).not_judged > 0);
    if let Some(rubric) = rubric.filter(|_| has_not_judged) {
        lines.push(rubric.not_judged.explanation().to_owned());
    }
    lines.join("\n") + "\n"
}

/// The score of each level and the number of checks not judged.
fn scores(report: &ConformanceReport) -> String {
    let [must, should, may] = report.scores(None).map(score_or_dash);
    let not_judged = report.score(|_| true).not_judged;
    format!("{must:>7}  {should:>7}  {may:>7}  {not_judged:>10}")
}

/// The grade with one decimal; a dash if nothing that counts was tested.
fn grade(rubric: &Rubric, report: &ConformanceReport) -> String {
    rubric.grade(report).map_or("-".to_owned(), |grade| format!("{grade:.1}"))
}

/// The score; a dash if no check was judged.
fn score_or_dash(score: Score) -> String {
    if score.total == 0 { "-".to_owned() } else { score.to_string() }
}

#[derive(Serialize)]
struct TeamsDocument<'a> {
    format: u32,
    teams: Vec<TeamEntry<'a>>,
}

#[derive(Deserialize, Serialize)]
struct TeamEntry<'a> {
    team: Cow<'a, str>,
    page: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    build: Option<Cow<'a, Build>>,
    programs: Vec<ProgramEntry<'a>>,
}

#[derive(Deserialize, Serialize)]
struct ProgramEntry<'a> {
    kind: ProgramKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    grade: Option<f64>,
    #[serde(flatten)]
    result: ResultEntry<'a>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum ResultEntry<'a> {
    Report(Box<Document<'a>>),
    Error(Cow<'a, str>),
}

impl<'a> TeamEntry<'a> {
    fn new(team: &'a Team, rubric: Option<&Rubric>) -> Self {
        Self {
            team: team.name.as_str().into(),
            page: team.page.as_str().into(),
            build: team.build.as_ref().map(Cow::Borrowed),
            programs: team.programs.iter().map(|it| ProgramEntry::new(it, rubric)).collect(),
        }
    }
}

impl<'a> ProgramEntry<'a> {
    fn new(program: &'a TeamProgram, rubric: Option<&Rubric>) -> Self {
        let report = program.result.as_ref().ok();
        let grade = rubric.and_then(|rubric| rubric.grade(report?));
        let result = match &program.result {
            Ok(report) => ResultEntry::Report(Box::new(Document::new(report))),
            Err(why) => ResultEntry::Error(why.0.as_str().into()),
        };
        Self { kind: program.kind, grade, result }
    }
}

/// The table for programs.
///
/// One object with `format` (see [`super::json`]) and `teams`, an array. A team has `team`, its name,
/// `page`, the file of its own page, `build` if the tester built its programs (`command`, `error` or null,
/// `output`, `millis`), and `programs`, an array: each with `kind` and either `report`, an object as
/// [`super::json`] has it, or `error`, which says why it could not be run; and with a rubric, `grade`.
pub fn json(teams: &[Team], rubric: Option<&Rubric>) -> String {
    let teams = teams.iter().map(|team| TeamEntry::new(team, rubric)).collect();
    to_json(&TeamsDocument { format: FORMAT, teams })
}
