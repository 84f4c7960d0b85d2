//! The faults of a program, the most costly first: each failed check with its consequences.

use std::cmp::Reverse;

use super::summary::counted;
use super::{CheckOutcome, CheckResult, ConformanceReport, RequirementLevel};
use crate::CheckFailure;

/// A failed check that follows from no other.
#[derive(Clone, Debug)]
pub struct RootFailure<'a> {
    /// Its result.
    pub result: &'a CheckResult,
    /// Its evidence.
    pub failure: &'a CheckFailure,
    /// The failures that follow from it, in the order of the catalogue.
    pub failed: Vec<&'a CheckResult>,
    /// The checks that could not be judged because of it, in the same order.
    pub not_judged: Vec<&'a CheckResult>,
}

impl ConformanceReport {
    /// Returns the faults, ordered by the number of musts that they cost, then shoulds, then mays, then by the order of
    /// the catalogue.
    pub fn faults(&self) -> Vec<RootFailure<'_>> {
        let mut faults = vec![];
        for result in &self.results {
            if let (CheckOutcome::Failed(failure), None) = (&result.outcome, result.cause) {
                faults.push(RootFailure::new(result, failure, &self.results));
            }
        }
        faults.sort_by_key(|fault| Reverse(fault.costs()));
        faults
    }
}

impl<'a> RootFailure<'a> {
    fn new(result: &'a CheckResult, failure: &'a CheckFailure, all: &'a [CheckResult]) -> Self {
        let following = all.iter().filter(|it| it.cause == Some(result.requirement.id));
        let (failed, not_judged) =
            following.partition(|it| matches!(it.outcome, CheckOutcome::Failed(_)));
        Self { result, failure, failed, not_judged }
    }

    /// The number of musts, shoulds and mays that are not passed because of this fault.
    fn costs(&self) -> [usize; 3] {
        RequirementLevel::ALL.map(|level| {
            let all = [self.result].into_iter().chain(self.following());
            all.filter(|result| result.requirement.level == level).count()
        })
    }

    /// Everything that follows from it: failures first.
    pub(super) fn following(&self) -> impl Iterator<Item = &'a CheckResult> {
        self.failed.iter().chain(&self.not_judged).copied()
    }

    /// Describes the checks that depend on it, such as `3 checks depend on it: 1 failed, 2 not judged`.
    pub(super) fn describe_following(&self) -> Option<String> {
        let (failed, not_judged) = (self.failed.len(), self.not_judged.len());
        let verb = if failed + not_judged == 1 { "depends" } else { "depend" };
        let counts = [(failed, "failed"), (not_judged, "not judged")];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> =
            counts.map(|(count, outcome)| format!("{count} {outcome}")).collect();
        let checks = counted(failed + not_judged, "check");
        (!counts.is_empty()).then(|| format!("{checks} {verb} on it: {}", counts.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{failed, not_judged, passed, report, result};

    #[test]
    fn the_fault_that_costs_most_comes_first() {
        use RequirementLevel::{May, Must, Should};
        let after = |cause, result| CheckResult { cause: Some(cause), ..result };
        let report = report(vec![
            result("a.may", May, failed()),
            result("a.must", Must, failed()),
            result("a.should", Should, failed()),
            result("a.passed", Must, passed()),
            after("a.should", result("b.one", Must, not_judged())),
            after("a.should", result("b.two", Must, failed())),
            after("a.must", result("b.three", Should, not_judged())),
        ]);
        let faults = report.faults();
        let ids: Vec<&str> = faults.iter().map(|fault| fault.result.requirement.id).collect();
        assert_eq!(ids, ["a.should", "a.must", "a.may"]);
        let describe: Vec<Option<String>> =
            faults.iter().map(RootFailure::describe_following).collect();
        assert_eq!(
            describe,
            [
                Some("2 checks depend on it: 1 failed, 1 not judged".to_owned()),
                Some("1 check depends on it: 1 not judged".to_owned()),
                None
            ]
        );
        let following: Vec<&str> = faults[0].following().map(|it| it.requirement.id).collect();
        assert_eq!(following, ["b.two", "b.one"], "failures first");
    }
}
