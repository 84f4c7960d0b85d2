//! A report for programs.
//!
//! One object. `format` is 1; it changes when a key here is renamed, removed or gets another
//! meaning, not when one is added.
//!
//! | key | meaning |
//! |---|---|
//! | `format`, `tester` | the version of this format, and of the tester |
//! | `kind`, `program`, `dialect` | `server` or `client`, the command, and `2021` or `2019` |
//! | `millis` | the duration of the whole run |
//! | `all_musts_hold` | true if every `must` passed |
//! | `score` | `must`, `should` and `may`, each as `{held, of, not_judged}`: passed, passed or failed, neither |
//! | `sections` | an array of `{section, score}`, in the order of the catalogue |
//! | `faults` | an array of `{id, level, failed, not_judged}`, the most costly first: a failed check, and the ids of what follows from it |
//! | `checks` | an array, one for each check, in the order of the catalogue |
//!
//! A check has `id`, `level`, `section`, `source`, `demand` (the requirement's text), `outcome` (`passed`, `failed`,
//! `not_judged`, `skipped`), `tries`, `millis`, `repeat` (a command), and if it was skipped, `why`. If it failed or was
//! not judged, it has `failure`, `exchanges` (an array of `{ms, who, way, text}`, where `way` is `in`, `out` or `note`)
//! and `left_out`, the number of earlier exchanges. A `failure` has `expected`, `came`, `drawing` and `crash` (or
//! null), `is_own_end` (true if `crash` was an exit) and `is_silence` (true if something was missing). If a check was
//! not judged, its `failure` describes the obstacle. If it follows from a fault, `cause` is the id of that.

use serde::Serialize;

use super::{CheckResult, ConformanceReport, ProgramKind, RootFailure, Score};
use crate::{CheckFailure, CheckOutcome, Exchange, Requirement, RequirementLevel};

/// The version of the format.
pub const FORMAT: u32 = 1;

/// A report, to be serialized alone or within another document.
#[derive(Debug, Serialize)]
pub(super) struct Document<'a> {
    format: u32,
    tester: &'a str,
    kind: ProgramKind,
    program: &'a str,
    dialect: &'a str,
    millis: u64,
    all_musts_hold: bool,
    score: Scores,
    sections: Vec<SectionScore>,
    faults: Vec<FaultEntry>,
    checks: Vec<CheckEntry<'a>>,
}

#[derive(Debug, Serialize)]
struct Scores {
    must: Score,
    should: Score,
    may: Score,
}

#[derive(Debug, Serialize)]
struct SectionScore {
    section: &'static str,
    score: Scores,
}

#[derive(Debug, Serialize)]
struct FaultEntry {
    id: &'static str,
    level: RequirementLevel,
    failed: Vec<&'static str>,
    not_judged: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct CheckEntry<'a> {
    id: &'a str,
    level: RequirementLevel,
    section: &'a str,
    source: &'a str,
    demand: &'a str,
    outcome: &'static str,
    tries: u32,
    millis: u64,
    repeat: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    #[serde(flatten)]
    evidence: Option<Evidence<'a>>,
}

#[derive(Debug, Serialize)]
struct Evidence<'a> {
    failure: &'a CheckFailure,
    exchanges: &'a [Exchange],
    left_out: usize,
}

/// The whole report, indented.
pub fn render(report: &ConformanceReport) -> String {
    to_json(&Document::new(report))
}

pub(super) fn to_json(document: &impl Serialize) -> String {
    serde_json::to_string_pretty(document).expect("every type here can be serialized") + "\n"
}

impl<'a> Document<'a> {
    pub(super) fn new(report: &'a ConformanceReport) -> Self {
        let sections = report.sections().into_iter();
        let sections = sections.map(|section| SectionScore {
            section,
            score: Scores::new(|level| report.score_in(section, level)),
        });
        Self {
            format: FORMAT,
            tester: &report.tester,
            kind: report.kind,
            program: &report.program,
            dialect: &report.dialect,
            millis: report.millis,
            all_musts_hold: report.all_musts_pass(),
            score: Scores::new(|level| report.score_of(level)),
            sections: sections.collect(),
            faults: report.faults().iter().map(FaultEntry::new).collect(),
            checks: report.results.iter().map(CheckEntry::new).collect(),
        }
    }
}

impl Scores {
    fn new(score: impl Fn(RequirementLevel) -> Score) -> Self {
        let [must, should, may] = RequirementLevel::ALL.map(score);
        Self { must, should, may }
    }
}

impl FaultEntry {
    fn new(fault: &RootFailure<'_>) -> Self {
        let ids = |results: &[&CheckResult]| results.iter().map(|it| it.requirement.id).collect();
        let Requirement { id, level, .. } = fault.result.requirement;
        Self { id, level, failed: ids(&fault.failed), not_judged: ids(&fault.not_judged) }
    }
}

impl<'a> CheckEntry<'a> {
    fn new(result: &'a CheckResult) -> Self {
        let (outcome, why, failure) = match &result.outcome {
            CheckOutcome::Passed => ("passed", None, None),
            CheckOutcome::Failed(failure) => ("failed", None, Some(failure)),
            CheckOutcome::NotJudged(failure) => ("not_judged", None, Some(failure)),
            CheckOutcome::Skipped { why } => ("skipped", Some(why.as_str()), None),
        };
        let evidence =
            |failure| Evidence { failure, exchanges: &result.exchanges, left_out: result.left_out };
        Self {
            id: result.requirement.id,
            level: result.requirement.level,
            section: result.requirement.section,
            source: result.requirement.source,
            demand: result.requirement.text,
            outcome,
            tries: result.tries,
            millis: result.millis,
            repeat: &result.repeat,
            why,
            cause: result.cause,
            evidence: failure.map(evidence),
        }
    }
}
