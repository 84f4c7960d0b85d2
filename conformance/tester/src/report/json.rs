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

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{CheckResult, ConformanceReport, ProgramKind, RootFailure, Score};
use crate::{CheckFailure, CheckOutcome, Exchange, Obstacle, Requirement, RequirementLevel};

/// The version of the format.
pub const FORMAT: u32 = 1;

/// A report, to be serialized alone or within another document. When it is read again, everything that can be
/// computed is left out.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Document<'a> {
    format: u32,
    tester: Cow<'a, str>,
    kind: ProgramKind,
    program: Cow<'a, str>,
    dialect: Cow<'a, str>,
    millis: u64,
    #[serde(skip_deserializing)]
    all_musts_hold: bool,
    #[serde(skip_deserializing)]
    score: Scores,
    #[serde(skip_deserializing)]
    sections: Vec<SectionScore>,
    #[serde(skip_deserializing)]
    faults: Vec<FaultEntry>,
    checks: Vec<CheckEntry<'a>>,
}

#[derive(Debug, Default, Serialize)]
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

#[derive(Debug, Deserialize, Serialize)]
struct CheckEntry<'a> {
    id: Cow<'a, str>,
    level: RequirementLevel,
    section: Cow<'a, str>,
    source: Cow<'a, str>,
    demand: Cow<'a, str>,
    outcome: Cow<'a, str>,
    tries: u32,
    millis: u64,
    repeat: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<Cow<'a, str>>,
    #[serde(flatten)]
    evidence: Option<Evidence<'a>>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Evidence<'a> {
    failure: Cow<'a, CheckFailure>,
    exchanges: Cow<'a, [Exchange]>,
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
            score: Scores::new(report.scores(Some(section))),
        });
        Self {
            format: FORMAT,
            tester: report.tester.as_str().into(),
            kind: report.kind,
            program: report.program.as_str().into(),
            dialect: report.dialect.as_str().into(),
            millis: report.millis,
            all_musts_hold: report.all_musts_pass(),
            score: Scores::new(report.scores(None)),
            sections: sections.collect(),
            faults: report.faults().iter().map(FaultEntry::new).collect(),
            checks: report.results.iter().map(CheckEntry::new).collect(),
        }
    }

    /// Returns the report; `None` if it is about other requirements than these.
    pub(super) fn into_report(self, requirements: &[Requirement]) -> Option<ConformanceReport> {
        let results = self.checks.into_iter().map(|check| check.into_result(requirements));
        Some(ConformanceReport {
            kind: self.kind,
            program: self.program.into_owned(),
            dialect: self.dialect.into_owned(),
            tester: self.tester.into_owned(),
            millis: self.millis,
            results: results.collect::<Option<_>>()?,
        })
    }
}

impl Scores {
    fn new([must, should, may]: [Score; 3]) -> Self {
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
            CheckOutcome::Skipped { why } => ("skipped", Some(why.as_str().into()), None),
        };
        let evidence = |failure| Evidence {
            failure: Cow::Borrowed(failure),
            exchanges: result.exchanges.as_slice().into(),
            left_out: result.left_out,
        };
        Self {
            id: result.requirement.id.into(),
            level: result.requirement.level,
            section: result.requirement.section.into(),
            source: result.requirement.source.into(),
            demand: result.requirement.text.into(),
            outcome: outcome.into(),
            tries: result.tries,
            millis: result.millis,
            repeat: result.repeat.as_str().into(),
            why,
            cause: result.cause.map(Into::into),
            evidence: failure.map(evidence),
        }
    }

    fn into_result(self, requirements: &[Requirement]) -> Option<CheckResult> {
        let find = |id: &str| requirements.iter().find(|requirement| requirement.id == id).copied();
        let cause = match &self.cause {
            Some(id) => Some(find(id)?.id),
            None => None,
        };
        let (failure, exchanges, left_out) = match self.evidence {
            Some(it) => (Some(it.failure.into_owned()), it.exchanges.into_owned(), it.left_out),
            None => (None, vec![], 0),
        };
        let outcome = match (&*self.outcome, failure, self.why) {
            ("passed", None, None) => CheckOutcome::Passed,
            ("failed", Some(failure), None) => CheckOutcome::Failed(failure),
            ("not_judged", Some(failure), None) => {
                let obstacle = Some(cause.map_or(Obstacle::Other, Obstacle::Requirement));
                CheckOutcome::NotJudged(CheckFailure { obstacle, ..failure })
            }
            ("skipped", None, Some(why)) => CheckOutcome::Skipped { why: why.into_owned() },
            _ => return None,
        };
        Some(CheckResult {
            requirement: find(&self.id)?,
            outcome,
            tries: self.tries,
            millis: self.millis,
            exchanges,
            left_out,
            repeat: self.repeat.into_owned(),
            cause,
        })
    }
}
