//! The results of a test run, the scores, and their formats: [`text`] for a terminal, one [`html`] page, [`json`] and
//! [`junit`] for programs, and a [`batch`] of many teams, with grades by a [`rubric`].

pub mod batch;
mod display;
mod escape;
mod faults;
pub mod html;
pub mod json;
pub mod junit;
pub mod rubric;
mod summary;
pub mod text;

pub use escape::escape_invisible;
pub use faults::RootFailure;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{CheckFailure, Exchange, Requirement, RequirementLevel};

/// Everything about one program under test.
#[derive(Clone, Debug)]
pub struct ConformanceReport {
    /// Server or client.
    pub kind: ProgramKind,
    /// The command that was tested, as the user gave it.
    pub program: String,
    /// The dialect whose specification applies, `2021` or `2019`.
    pub dialect: String,
    /// The version of the tester.
    pub tester: String,
    /// The duration of all checks, in milliseconds.
    pub millis: u64,
    /// One result for each check, in the order of the catalogue.
    pub results: Vec<CheckResult>,
}

/// The kind of the program under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ProgramKind {
    /// Runs the game.
    Server,
    /// Shows the game to a person.
    Client,
}

/// The result of one check.
#[derive(Clone, Debug)]
pub struct CheckResult {
    /// The requirement that was tested.
    pub requirement: Requirement,
    /// Passed, failed, not judged or skipped.
    pub outcome: CheckOutcome,
    /// The number of attempts.
    pub tries: u32,
    /// The duration of all attempts, in milliseconds.
    pub millis: u64,
    /// The last messages exchanged with the program, if the check did not pass.
    pub exchanges: Vec<Exchange>,
    /// The number of earlier messages that `exchanges` leaves out.
    pub left_out: usize,
    /// The command that runs this one check again.
    pub repeat: String,
    /// The failed requirement from which this result follows, set by [`crate::find_causes`].
    pub cause: Option<&'static str>,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    /// The program meets the requirement.
    Passed,
    /// It breaks the requirement.
    Failed(CheckFailure),
    /// The check was run, but could not judge, because something that it needs did not work. This is
    /// neither passed nor failed.
    NotJudged(CheckFailure),
    /// The check was not run.
    Skipped {
        /// The reason.
        why: String,
    },
}

/// The number of passed checks, compared with those that were run and could judge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// Checks that passed.
    #[serde(rename = "held")]
    pub passed: usize,
    /// Checks that passed or failed.
    #[serde(rename = "of")]
    pub total: usize,
    /// Checks that were run and could not judge.
    pub not_judged: usize,
}

impl ConformanceReport {
    /// True if at least one check was run and every `must` among them passed. One that was not judged
    /// has not passed.
    pub fn all_musts_pass(&self) -> bool {
        self.score_of(RequirementLevel::Must).is_complete() && self.score(|_| true).total > 0
    }

    /// The score of the selected results.
    pub fn score(&self, select: impl Fn(&CheckResult) -> bool) -> Score {
        let mut score = Score::default();
        for result in self.results.iter().filter(|result| select(result)) {
            match result.outcome {
                CheckOutcome::Passed => score.passed += 1,
                CheckOutcome::Failed(_) => {}
                CheckOutcome::NotJudged(_) => {
                    score.not_judged += 1;
                    continue;
                }
                CheckOutcome::Skipped { .. } => continue,
            }
            score.total += 1;
        }
        score
    }

    /// The headings in the order of the catalogue.
    pub fn sections(&self) -> Vec<&'static str> {
        let mut sections = vec![];
        for result in &self.results {
            if !sections.contains(&result.requirement.section) {
                sections.push(result.requirement.section);
            }
        }
        sections
    }

    /// The results under one heading.
    pub(crate) fn in_section(&self, section: &str) -> impl Iterator<Item = &CheckResult> {
        self.results.iter().filter(move |result| result.requirement.section == section)
    }

    /// The score of one level.
    pub fn score_of(&self, level: RequirementLevel) -> Score {
        self.score(|result| result.requirement.level == level)
    }

    /// The scores of all levels under one heading, or under all.
    pub(crate) fn scores(&self, section: Option<&str>) -> [Score; 3] {
        RequirementLevel::ALL.map(|level| {
            self.score(|CheckResult { requirement, .. }| {
                requirement.level == level && section.is_none_or(|it| it == requirement.section)
            })
        })
    }

    /// Returns the checks that could not judge though no failed check explains it.
    pub(crate) fn unexplained(&self) -> Vec<(&CheckResult, &CheckFailure)> {
        self.not_judged().into_iter().filter(|(result, _)| result.cause.is_none()).collect()
    }

    /// The failed checks, `must` first, otherwise in the order of the catalogue.
    pub fn failures(&self) -> Vec<(&CheckResult, &CheckFailure)> {
        self.by_level(|outcome| match outcome {
            CheckOutcome::Failed(failure) => Some(failure),
            _ => None,
        })
    }

    /// Returns the checks that could not judge, each with the obstacle, in the same order.
    pub fn not_judged(&self) -> Vec<(&CheckResult, &CheckFailure)> {
        self.by_level(|outcome| match outcome {
            CheckOutcome::NotJudged(failure) => Some(failure),
            _ => None,
        })
    }

    fn by_level(
        &self,
        select: impl Fn(&CheckOutcome) -> Option<&CheckFailure>,
    ) -> Vec<(&CheckResult, &CheckFailure)> {
        let mut selected = vec![];
        for result in &self.results {
            selected.extend(select(&result.outcome).map(|failure| (result, failure)));
        }
        selected.sort_by_key(|(result, _)| result.requirement.level);
        selected
    }
}

impl Score {
    /// True if every check that was run passed.
    pub fn is_complete(self) -> bool {
        self.passed == self.total && self.not_judged == 0
    }

    /// Checks that failed.
    pub fn failed(self) -> usize {
        self.total - self.passed
    }
}

impl CheckResult {
    /// A result without evidence.
    pub fn new(requirement: Requirement, outcome: CheckOutcome) -> Self {
        Self {
            requirement,
            outcome,
            tries: 0,
            millis: 0,
            exchanges: vec![],
            left_out: 0,
            repeat: String::new(),
            cause: None,
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}/{}", self.passed, self.total))
    }
}

impl fmt::Display for ProgramKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Server => "server",
            Self::Client => "client",
        })
    }
}

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
