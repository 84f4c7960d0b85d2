//! A grade from a report: weights of sections and requirements that a teacher has chosen.

use serde::Deserialize;

use super::{CheckOutcome, CheckResult, ConformanceReport, ProgramKind};
use crate::{Requirement, RequirementLevel};

/// The rules for grades.
#[derive(Clone, Debug, PartialEq)]
pub struct Rubric {
    /// The grade of a program that passes everything.
    pub points: f64,
    /// The rule for checks that could not judge.
    pub not_judged: NotJudgedRule,
    /// The weights of a `must`, a `should` and a `may` that `requirements` does not name.
    pub levels: [f64; 3],
    /// The weights for servers.
    pub server: Weights,
    /// The weights for clients.
    pub client: Weights,
}

/// The rule for checks that could not judge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotJudgedRule {
    /// They count like failures: a program earns nothing for behaviour that was not shown to work.
    #[default]
    Failed,
    /// They don't count: the grade covers only judged checks.
    LeftOut,
}

impl NotJudgedRule {
    /// Explains the rule and the choice of the other one, for readers of grades.
    pub(crate) fn explanation(self) -> &'static str {
        match self {
            Self::Failed => {
                "Grades: what was not judged earns nothing (not-judged = \"left-out\" in the rubric: \
                 it does not count)."
            }
            Self::LeftOut => {
                "Grades: what was not judged does not count (not-judged = \"failed\" in the rubric: \
                 it earns nothing)."
            }
        }
    }
}

/// The weights for one kind of program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// Sections and their shares of the grade. If there is one, sections that are not named count
    /// nothing; if there is none, the requirements of all sections count together.
    pub sections: Vec<(String, f64)>,
    /// Ids or groups, in the syntax of `--only`, and the weight of each requirement within its section. An id takes
    /// precedence over a group.
    pub requirements: Vec<(String, f64)>,
}

impl Default for Rubric {
    /// Grades by the share of musts that pass, of 100 points.
    fn default() -> Self {
        Self {
            points: 100.0,
            not_judged: NotJudgedRule::default(),
            levels: [1.0, 0.0, 0.0],
            server: Weights::default(),
            client: Weights::default(),
        }
    }
}

impl Rubric {
    /// The grade; `None` if nothing that counts was tested.
    pub fn grade(&self, report: &ConformanceReport) -> Option<f64> {
        let weights = self.weights(report.kind);
        let share = if weights.sections.is_empty() {
            self.share(weights, report.results.iter())?
        } else {
            let section = |(name, weight): &(String, f64)| {
                Some((*weight, weight * self.share(weights, report.in_section(name))?))
            };
            let shares: Vec<(f64, f64)> = weights.sections.iter().filter_map(section).collect();
            ratio(&shares)?
        };
        Some(self.points * share)
    }

    fn weights(&self, kind: ProgramKind) -> &Weights {
        match kind {
            ProgramKind::Server => &self.server,
            ProgramKind::Client => &self.client,
        }
    }

    /// The share of the weights of these results that passed, from 0 to 1.
    fn share<'a>(
        &self,
        weights: &Weights,
        results: impl Iterator<Item = &'a CheckResult>,
    ) -> Option<f64> {
        let counted = results.filter_map(|result| {
            let weight = self.weight(weights, &result.requirement);
            match &result.outcome {
                CheckOutcome::Passed => Some((weight, weight)),
                CheckOutcome::Failed(_) => Some((weight, 0.0)),
                CheckOutcome::NotJudged(_) => match self.not_judged {
                    NotJudgedRule::Failed => Some((weight, 0.0)),
                    NotJudgedRule::LeftOut => None,
                },
                CheckOutcome::Skipped { .. } => None,
            }
        });
        ratio(&counted.collect::<Vec<_>>())
    }

    fn weight(&self, weights: &Weights, requirement: &Requirement) -> f64 {
        let find = |fits: &dyn Fn(&str) -> bool| {
            weights.requirements.iter().find(|(name, _)| fits(name)).map(|(_, weight)| *weight)
        };
        find(&|name| name == requirement.id)
            .or_else(|| find(&|name| requirement.matches(name)))
            .unwrap_or_else(|| match requirement.level {
                RequirementLevel::Must => self.levels[0],
                RequirementLevel::Should => self.levels[1],
                RequirementLevel::May => self.levels[2],
            })
    }
}

/// Divides the sum of the reached points by the sum of the possible ones; each pair holds the possible points first.
fn ratio(pairs: &[(f64, f64)]) -> Option<f64> {
    let all: f64 = pairs.iter().map(|(all, _)| all).sum();
    let reached: f64 = pairs.iter().map(|(_, reached)| reached).sum();
    (all > 0.0).then(|| reached / all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{failed, mixed, not_judged, passed, report, result, skipped};
    use RequirementLevel::{May, Must, Should};

    fn grade(rubric: &Rubric, report: &ConformanceReport) -> String {
        rubric.grade(report).map_or("none".to_owned(), |grade| format!("{grade:.2}"))
    }

    fn names(pairs: &[(&str, f64)]) -> Vec<(String, f64)> {
        pairs.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect()
    }

    #[test]
    fn by_default_the_grade_is_the_share_of_musts() {
        // Of four musts one passed, one failed, one was not judged, one was not run.
        assert_eq!(grade(&Rubric::default(), &mixed()), "33.33");
        let judged = Rubric { not_judged: NotJudgedRule::LeftOut, ..Rubric::default() };
        assert_eq!(grade(&judged, &mixed()), "50.00");
    }

    #[test]
    fn levels_and_requirements_have_weights() {
        let report = report(vec![
            result("join.a", Must, passed()),
            result("join.b", Must, failed()),
            result("keys.a", Should, passed()),
            result("keys.b", May, failed()),
        ]);
        let levels = Rubric { points: 10.0, levels: [2.0, 1.0, 1.0], ..Rubric::default() };
        assert_eq!(grade(&levels, &report), "5.00");
        let server = Weights {
            requirements: names(&[("join", 0.0), ("join.a", 4.0)]),
            ..Weights::default()
        };
        let named = Rubric { server, ..levels };
        assert_eq!(grade(&named, &report), "8.33", "5 of 6: an id goes before its group");
    }

    #[test]
    fn sections_have_shares_however_many_requirements_they_have() {
        let report = report(vec![
            result("join.a", Must, passed()),
            result("join.b", Must, failed()),
            result("join.c", Must, failed()),
            result("join.d", Must, failed()),
            result("keys.a", Must, passed()),
        ]);
        let of = |sections: &[(&str, f64)]| {
            let server = Weights { sections: names(sections), ..Weights::default() };
            grade(&Rubric { server, ..Rubric::default() }, &report)
        };
        assert_eq!(of(&[("Joining", 20.0), ("Keys", 20.0)]), "62.50");
        assert_eq!(of(&[("Joining", 1.0)]), "25.00", "what is not named counts nothing");
    }

    #[test]
    fn without_anything_that_counts_there_is_no_grade() {
        let nothing = report(vec![result("join.a", Must, skipped())]);
        assert_eq!(grade(&Rubric::default(), &nothing), "none");
        let blocked = report(vec![result("join.a", Must, not_judged())]);
        assert_eq!(grade(&Rubric::default(), &blocked), "0.00");
    }
}
