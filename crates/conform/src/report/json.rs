//! A report for programs.
//!
//! One object. `format` is 1; it changes when something here is renamed, removed or gets another
//! meaning, not when something is added.
//!
//! | key | is |
//! |---|---|
//! | `format`, `tester` | the version of this shape, and of the tester |
//! | `kind`, `program`, `dialect` | `server` or `client`, the command, and `2021` or `2019` |
//! | `millis` | how long everything took |
//! | `all_musts_hold` | the verdict |
//! | `score` | `must`, `should` and `may`, each as `{held, of}` |
//! | `sections` | an array of `{section, score}`, in the catalogue's order |
//! | `checks` | an array, one for each check, in the catalogue's order |
//!
//! A check has `id`, `level`, `section`, `source`, `demand`, `outcome` (`passed`, `failed`, `skipped`),
//! `tries`, `millis`, `repeat` (a command), and if it was skipped, `why`. If it failed, it has `failure`
//! (`expected`, `came`, and `drawing`, `crash` or null, `is_own_end` if that was no crash, and `is_silence`), `exchanges` (an array of
//! `{ms, who, way, text}`, where `way` is `in`, `out` or `note`) and `left_out`, the number of exchanges
//! before those.

use serde::Serialize;

use super::{Judged, Kind, Outcome, Report, Score};
use crate::{Exchange, Failure, Level};

/// The version of the shape.
pub const FORMAT: u32 = 1;

/// The report as an object, to be serialized alone or within another.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    format: u32,
    tester: &'a str,
    kind: Kind,
    program: &'a str,
    dialect: &'a str,
    millis: u64,
    all_musts_hold: bool,
    score: Scores,
    sections: Vec<Section>,
    checks: Vec<Check<'a>>,
}

#[derive(Debug, Serialize)]
struct Scores {
    must: Score,
    should: Score,
    may: Score,
}

#[derive(Debug, Serialize)]
struct Section {
    section: &'static str,
    score: Scores,
}

#[derive(Debug, Serialize)]
struct Check<'a> {
    id: &'a str,
    level: Level,
    section: &'a str,
    source: &'a str,
    demand: &'a str,
    outcome: &'static str,
    tries: u32,
    millis: u64,
    repeat: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(flatten)]
    evidence: Option<Evidence<'a>>,
}

#[derive(Debug, Serialize)]
struct Evidence<'a> {
    failure: &'a Failure,
    exchanges: &'a [Exchange],
    left_out: usize,
}

impl<'a> Document<'a> {
    /// Of this report.
    pub fn of(report: &'a Report) -> Self {
        let section =
            |section| Section { section, score: scores(|level| report.score_in(section, level)) };
        Self {
            format: FORMAT,
            tester: &report.tester,
            kind: report.kind,
            program: &report.program,
            dialect: &report.dialect,
            millis: report.millis,
            all_musts_hold: report.all_musts_hold(),
            score: scores(|level| report.score_of(level)),
            sections: report.sections().into_iter().map(section).collect(),
            checks: report.results.iter().map(check).collect(),
        }
    }
}

/// The whole report, for people to read too.
pub fn render(report: &Report) -> String {
    pretty(&Document::of(report))
}

pub(super) fn pretty(document: &impl Serialize) -> String {
    serde_json::to_string_pretty(document).expect("nothing here can't be serialized") + "\n"
}

fn scores(of: impl Fn(Level) -> Score) -> Scores {
    Scores { must: of(Level::Must), should: of(Level::Should), may: of(Level::May) }
}

fn check(judged: &Judged) -> Check<'_> {
    let (outcome, why, failure) = match &judged.outcome {
        Outcome::Passed => ("passed", None, None),
        Outcome::Failed(failure) => ("failed", None, Some(failure)),
        Outcome::Skipped { why } => ("skipped", Some(why.as_str()), None),
    };
    let evidence =
        |failure| Evidence { failure, exchanges: &judged.exchanges, left_out: judged.left_out };
    Check {
        id: judged.id,
        level: judged.level,
        section: judged.section,
        source: judged.source,
        demand: judged.demand,
        outcome,
        tries: judged.tries,
        millis: judged.millis,
        repeat: &judged.repeat,
        why,
        evidence: failure.map(evidence),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::report::made_up::mixed;

    #[test]
    fn the_shape_is_as_promised() {
        let text = render(&mixed());
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["format"], 1);
        assert_eq!(read["kind"], "server");
        assert_eq!(read["all_musts_hold"], false);
        assert_eq!(read["score"]["must"], json!({"held": 1, "of": 2}));
        assert_eq!(read["sections"][1]["section"], "Keys");
        assert_eq!(read["sections"][1]["score"]["should"], json!({"held": 0, "of": 1}));
        assert_eq!(
            read["checks"][0],
            json!({
                "id": "join.first",
                "level": "must",
                "section": "Joining",
                "source": "Requirements, Protocol",
                "demand": "The server answers.",
                "outcome": "passed",
                "tries": 1,
                "millis": 120,
                "repeat": "nuggets conform server --dialect 2021 --only join.first -- ./their-server",
            })
        );
        assert_eq!(read["checks"][4]["outcome"], "skipped");
        assert_eq!(read["checks"][4]["why"], "stopped");
    }

    #[test]
    fn the_evidence_is_whole() {
        let read: Value = serde_json::from_str(&render(&mixed())).unwrap();
        let order = &read["checks"][2];
        assert_eq!(order["failure"]["came"], "<script>alert(1)</script>\x1b[2J");
        assert_eq!(order["failure"]["drawing"], Value::Null);
        assert_eq!(order["left_out"], 4);
        let picture = r"DISPLAY\n+--+\n|@.|\n+--+\n";
        assert_eq!(
            order["exchanges"][1],
            json!({"ms": 12, "who": "Ann", "way": "out", "text": picture})
        );
    }
}
