//! Many teams' programs: a table of teams and requirements for the person who grades them, as a
//! page (`html`), for programs ([`json`]) and for a terminal ([`text`]).

mod html;

pub use html::{index, team_page};

use serde::Serialize;

use super::escape::escape_line;
use super::json::{Document, FORMAT, to_json};
use super::{ConformanceReport, ProgramKind, Score};
use crate::{CannotRun, RequirementLevel};

/// One team and the results of its programs.
#[derive(Clone, Debug)]
pub struct Team {
    /// The name of its folder.
    pub name: String,
    /// The file name of its own page, in the same folder as the table.
    pub page: String,
    /// The results of its programs.
    pub programs: Vec<TeamProgram>,
}

/// One program of a team.
#[derive(Clone, Debug)]
pub struct TeamProgram {
    /// What it should be.
    pub kind: ProgramKind,
    /// The report, or why it could not be run.
    pub result: Result<ConformanceReport, CannotRun>,
}

impl Team {
    fn result(&self, kind: ProgramKind) -> Option<&Result<ConformanceReport, CannotRun>> {
        self.programs.iter().find(|program| program.kind == kind).map(|program| &program.result)
    }
}

/// The table for a terminal: the scores of each program.
pub fn text(teams: &[Team]) -> String {
    let names: Vec<String> = teams.iter().map(|team| escape_line(&team.name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(4);
    let mut lines = vec![format!(
        "{:<width$}  {:<7}  {:>7}  {:>7}  {:>7}",
        "team", "program", "must", "should", "may"
    )];
    for (team, name) in teams.iter().zip(&names) {
        for TeamProgram { kind, result } in &team.programs {
            let result = match result {
                Ok(report) => RequirementLevel::ALL
                    .map(|level| format!("{:>7}", score_or_dash(report.score_of(level))))
                    .join("  "),
                Err(why) => format!("could not be run: {}", escape_line(&why.0)),
            };
            lines.push(format!("{name:<width$}  {kind:<7}  {result}"));
        }
    }
    lines.join("\n") + "\n"
}

/// A dash if no check was run.
fn score_or_dash(score: Score) -> String {
    if score.total == 0 { "-".to_owned() } else { score.to_string() }
}

#[derive(Serialize)]
struct TeamsDocument<'a> {
    format: u32,
    teams: Vec<TeamEntry<'a>>,
}

#[derive(Serialize)]
struct TeamEntry<'a> {
    team: &'a str,
    page: &'a str,
    programs: Vec<ProgramEntry<'a>>,
}

#[derive(Serialize)]
struct ProgramEntry<'a> {
    kind: ProgramKind,
    #[serde(flatten)]
    result: ResultEntry<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum ResultEntry<'a> {
    Report(Box<Document<'a>>),
    Error(&'a str),
}

impl<'a> ProgramEntry<'a> {
    fn new(program: &'a TeamProgram) -> Self {
        let result = match &program.result {
            Ok(report) => ResultEntry::Report(Box::new(Document::new(report))),
            Err(why) => ResultEntry::Error(&why.0),
        };
        Self { kind: program.kind, result }
    }
}

/// The table for programs.
///
/// One object with `format` (see [`super::json`]) and `teams`, an array. A team has `team`, its name,
/// `page`, the file of its own page, and `programs`, an array: each with `kind` and either `report`,
/// an object as [`super::json`] has it, or `error`, which says why it could not be run.
pub fn json(teams: &[Team]) -> String {
    let teams = teams.iter().map(|team| TeamEntry {
        team: &team.name,
        page: &team.page,
        programs: team.programs.iter().map(ProgramEntry::new).collect(),
    });
    to_json(&TeamsDocument { format: FORMAT, teams: teams.collect() })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::report::samples::{mixed, passed, report, result};

    /// Three teams, one with a hostile name.
    fn teams() -> Vec<Team> {
        let good = report(vec![result("join.first", RequirementLevel::Must, passed())]);
        let team = |name: &str, page: &str, result| Team {
            name: name.into(),
            page: page.into(),
            programs: vec![TeamProgram { kind: ProgramKind::Server, result }],
        };
        vec![
            team("alpha", "alpha.html", Ok(mixed())),
            team("<b>&\"'\x1b", "a b#?%\"<.html", Ok(good)),
            team("gamma", "gamma.html", Err(CannotRun("no server found: <build> it".into()))),
        ]
    }

    #[test]
    fn the_text_has_a_line_for_each_program() {
        assert_eq!(
            text(&teams()),
            "team          program     must   should      may\n\
             alpha         server       1/2      0/1      1/1\n\
             <b>&\"'\\u{1b}  server       1/1        -        -\n\
             gamma         server   could not be run: no server found: <build> it\n"
        );
    }

    #[test]
    fn the_table_has_a_row_for_each_team_and_a_column_for_each_requirement() {
        let page = index("Teams", &teams());
        for part in [
            "<th scope=\"colgroup\" class=\"first\" colspan=\"2\">Joining</th>",
            "<th scope=\"colgroup\" class=\"first\" colspan=\"3\">Keys</th>",
            "<td class=\"mark passed first\"><a href=\"alpha.html#server.join.first\"",
            "<td class=\"mark crashed\"><a href=\"alpha.html#server.join.order\"",
            "<td class=\"mark minor first\"><a href=\"alpha.html#server.keys.sight\"",
            "<td class=\"mark skipped\"><a href=\"alpha.html#server.keys.late\"",
            "colspan=\"8\">could not be run: no server found: &lt;build&gt; it</td>",
            "passed by, of 2 tested</th><td class=\"first\">2</td><td>0</td>",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(!page.contains("<h2>Clients</h2>"), "no team has a client");
    }

    #[test]
    fn team_names_are_never_markup_and_links_are_encoded() {
        let page = index("Teams", &teams());
        assert!(
            page.contains("<a href=\"a%20b%23%3F%25%22%3C.html\">&lt;b&gt;&amp;&quot;'\\u{1b}</a>")
        );
        assert!(!page.contains("<b>"));
        let own = team_page(&teams()[1]);
        assert!(own.contains("<h1>Conformance: &lt;b&gt;") && !own.contains("<b>"));
    }

    #[test]
    fn the_page_of_a_team_without_a_program_says_why() {
        let page = team_page(&teams()[2]);
        assert!(page.contains("It could not be run: no server found: &lt;build&gt; it"));
    }

    #[test]
    fn the_json_has_reports_and_errors() {
        let read: Value = serde_json::from_str(&json(&teams())).unwrap();
        assert_eq!(read["format"], 1);
        assert_eq!(read["teams"][0]["programs"][0]["report"]["checks"][0]["id"], "join.first");
        assert_eq!(read["teams"][2]["programs"][0]["error"], "no server found: <build> it");
        assert_eq!(read["teams"][2]["programs"][0]["kind"], "server");
    }
}
