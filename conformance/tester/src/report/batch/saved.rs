//! One team's results as a file, from which a later run can take them over.

use serde::{Deserialize, Serialize};

use super::{Build, Team, TeamEntry, TeamProgram};
use crate::report::json::{FORMAT, to_json};
use crate::{
    CannotRun, CheckFailure, CheckOutcome, CheckResult, ConformanceReport, Exchange, Obstacle,
    ProgramKind, Requirement,
};

#[derive(Serialize)]
struct TeamFile<'a> {
    format: u32,
    fingerprint: &'a str,
    #[serde(flatten)]
    team: TeamEntry<'a>,
}

/// Returns the file of a team: one object with `format` (see [`crate::report::json`]), `fingerprint`, and the team's
/// part of [`super::json`], without grades.
pub fn save(team: &Team, fingerprint: &str) -> String {
    to_json(&TeamFile { format: FORMAT, fingerprint, team: TeamEntry::new(team, None) })
}

/// Loads the team from such a file; `None` if the file has another fingerprint, or was not written by this version of
/// the tester. `requirements` are those of a kind of program, in the dialect of the run.
pub fn load(
    text: &str,
    fingerprint: &str,
    requirements: impl Fn(ProgramKind) -> Vec<Requirement>,
) -> Option<Team> {
    let saved: SavedTeam = serde_json::from_str(text).ok()?;
    if saved.format != FORMAT || saved.fingerprint != fingerprint {
        return None;
    }
    let programs = saved.programs.into_iter().map(|program| {
        let kind = program.kind;
        program.into_program(&requirements(kind))
    });
    let programs = programs.collect::<Option<_>>()?;
    Some(Team { name: saved.team, page: saved.page, build: saved.build, programs })
}

#[derive(Deserialize)]
struct SavedTeam {
    format: u32,
    fingerprint: String,
    team: String,
    page: String,
    build: Option<Build>,
    programs: Vec<SavedProgram>,
}

#[derive(Deserialize)]
struct SavedProgram {
    kind: ProgramKind,
    report: Option<SavedReport>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct SavedReport {
    tester: String,
    program: String,
    dialect: String,
    millis: u64,
    checks: Vec<SavedCheck>,
}

#[derive(Deserialize)]
struct SavedCheck {
    id: String,
    outcome: String,
    tries: u32,
    millis: u64,
    repeat: String,
    why: Option<String>,
    cause: Option<String>,
    failure: Option<CheckFailure>,
    #[serde(default)]
    exchanges: Vec<Exchange>,
    #[serde(default)]
    left_out: usize,
}

impl SavedProgram {
    fn into_program(self, requirements: &[Requirement]) -> Option<TeamProgram> {
        let result = match (self.report, self.error) {
            (Some(report), None) => Ok(report.into_report(self.kind, requirements)?),
            (None, Some(why)) => Err(CannotRun(why)),
            _ => return None,
        };
        Some(TeamProgram { kind: self.kind, result })
    }
}

impl SavedReport {
    fn into_report(
        self,
        kind: ProgramKind,
        requirements: &[Requirement],
    ) -> Option<ConformanceReport> {
        let results = self.checks.into_iter().map(|check| check.into_result(requirements));
        Some(ConformanceReport {
            kind,
            program: self.program,
            dialect: self.dialect,
            tester: self.tester,
            millis: self.millis,
            results: results.collect::<Option<_>>()?,
        })
    }
}

impl SavedCheck {
    fn into_result(self, requirements: &[Requirement]) -> Option<CheckResult> {
        let find = |id: &str| requirements.iter().find(|requirement| requirement.id == id).copied();
        let cause = match &self.cause {
            Some(id) => Some(find(id)?.id),
            None => None,
        };
        let outcome = match (self.outcome.as_str(), self.failure, self.why) {
            ("passed", None, None) => CheckOutcome::Passed,
            ("failed", Some(failure), None) => CheckOutcome::Failed(failure),
            ("not_judged", Some(failure), None) => {
                let obstacle = Some(cause.map_or(Obstacle::Other, Obstacle::Requirement));
                CheckOutcome::NotJudged(CheckFailure { obstacle, ..failure })
            }
            ("skipped", None, Some(why)) => CheckOutcome::Skipped { why },
            _ => return None,
        };
        Some(CheckResult {
            requirement: find(&self.id)?,
            outcome,
            tries: self.tries,
            millis: self.millis,
            exchanges: self.exchanges,
            left_out: self.left_out,
            repeat: self.repeat,
            cause,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::batch::{json, team_page};
    use crate::report::samples::{mixed, teams};

    fn load_saved(text: &str, fingerprint: &str) -> Option<Team> {
        let requirements: Vec<Requirement> =
            mixed().results.iter().map(|result| result.requirement).collect();
        load(text, fingerprint, |_| requirements.clone())
    }

    #[test]
    fn everything_that_pages_show_survives_saving_and_loading() {
        for team in teams() {
            let loaded = load_saved(&save(&team, "f1"), "f1").unwrap();
            assert_eq!(team_page(&loaded), team_page(&team));
            assert_eq!(json(&[loaded], None), json(&[team], None));
        }
    }

    #[test]
    fn files_of_other_programs_versions_and_testers_are_not_used() {
        let text = save(&teams()[0], "f1");
        assert!(load_saved(&text, "f1").is_some());
        assert!(load_saved(&text, "f2").is_none());
        assert!(load_saved(&text[..text.len() / 2], "f1").is_none(), "a torn file");
        assert!(load_saved(&text.replace("\"format\": 1", "\"format\": 2"), "f1").is_none());
        assert!(load_saved(&text.replace("keys.wall", "keys.gone"), "f1").is_none());
        assert!(load(&text, "f1", |_| vec![]).is_none());
    }
}
