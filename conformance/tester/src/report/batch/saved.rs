//! One team's results as a file, from which a later run can take them over.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{ResultEntry, Team, TeamEntry, TeamProgram};
use crate::report::json::{FORMAT, to_json};
use crate::{CannotRun, ProgramKind, Requirement};

#[derive(Deserialize, Serialize)]
struct TeamFile<'a> {
    format: u32,
    fingerprint: Cow<'a, str>,
    #[serde(flatten)]
    team: TeamEntry<'a>,
}

/// Returns the file of a team: one object with `format` (see [`crate::report::json`]), `fingerprint`, and the team's
/// part of [`super::json`], without grades.
pub fn save(team: &Team, fingerprint: &str) -> String {
    let team = TeamEntry::new(team, None);
    to_json(&TeamFile { format: FORMAT, fingerprint: fingerprint.into(), team })
}

/// Loads the team from such a file; `None` if the file has another fingerprint, or was not written by this version of
/// the tester. `requirements` are those of a kind of program, in the dialect of the run.
pub fn load(
    text: &str,
    fingerprint: &str,
    requirements: impl Fn(ProgramKind) -> Vec<Requirement>,
) -> Option<Team> {
    let file: TeamFile<'_> = serde_json::from_str(text).ok()?;
    if file.format != FORMAT || file.fingerprint != fingerprint {
        return None;
    }
    let TeamEntry { team, page, build, programs } = file.team;
    let programs = programs.into_iter().map(|program| {
        let kind = program.kind;
        let result = match program.result {
            ResultEntry::Report(report) => Ok(report.into_report(&requirements(kind))?),
            ResultEntry::Error(why) => Err(CannotRun(why.into_owned())),
        };
        Some(TeamProgram { kind, result })
    });
    Some(Team {
        name: team.into_owned(),
        page: page.into_owned(),
        build: build.map(Cow::into_owned),
        programs: programs.collect::<Option<_>>()?,
    })
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
