//! The result of a report in one or two sentences.

use std::fmt::Write as _;

use super::{CheckOutcome, ConformanceReport, RequirementLevel};

/// What passes, what fails, and what was not run.
pub(super) fn summarize(report: &ConformanceReport) -> String {
    let all = report.score(|_| true);
    let musts = report.score_of(RequirementLevel::Must);
    let minor = minor_failures(report);
    let mut text = match (all.total, musts.failed(), minor.as_str()) {
        (0, ..) => "No check was run.".to_owned(),
        (1, 0, "") => "It passes the one check that was run.".to_owned(),
        (total, 0, "") => format!("It passes all {total} checks that were run."),
        (_, 0, minor) => format!("It passes every must. It fails {minor}."),
        (_, failed, "") => format!("It fails {failed} of {}.", counted(musts.total, "must")),
        (_, failed, minor) => {
            format!("It fails {failed} of {}, {minor}.", counted(musts.total, "must"))
        }
    };
    let skipped = report.results.len() - all.total;
    if skipped > 0 {
        let verb = if skipped == 1 { "was" } else { "were" };
        let checks = counted(skipped, "check");
        let _ = write!(text, " {checks} {verb} not run: {}.", skip_reasons(report).join("; "));
    }
    text
}

/// The failures below `must`, such as `1 should and 2 mays`; empty if there are none.
fn minor_failures(report: &ConformanceReport) -> String {
    let levels = [RequirementLevel::Should, RequirementLevel::May].into_iter();
    let failed = levels.map(|level| (report.score_of(level).failed(), level));
    let parts = failed.filter(|(failed, _)| *failed > 0);
    let parts: Vec<String> =
        parts.map(|(failed, level)| counted(failed, &level.to_string())).collect();
    parts.join(" and ")
}

fn skip_reasons(report: &ConformanceReport) -> Vec<&str> {
    let mut reasons: Vec<&str> = vec![];
    for result in &report.results {
        match &result.outcome {
            CheckOutcome::Skipped { why } if !reasons.contains(&why.as_str()) => reasons.push(why),
            _ => {}
        }
    }
    reasons
}

pub(super) fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{failed, passed, report, result, skipped};

    fn summary(results: Vec<(&'static str, RequirementLevel, CheckOutcome)>) -> String {
        let results = results.into_iter().map(|(id, level, outcome)| result(id, level, outcome));
        summarize(&report(results.collect()))
    }

    #[test]
    fn the_summary_says_what_passes_and_what_fails() {
        use RequirementLevel::{May, Must, Should};
        assert_eq!(summary(vec![]), "No check was run.");
        assert_eq!(summary(vec![("a.a", Must, passed())]), "It passes the one check that was run.");
        assert_eq!(
            summary(vec![("a.a", Must, passed()), ("a.b", May, passed())]),
            "It passes all 2 checks that were run."
        );
        assert_eq!(
            summary(vec![("a.a", Must, passed()), ("a.b", Should, failed())]),
            "It passes every must. It fails 1 should."
        );
        assert_eq!(
            summary(vec![
                ("a.a", Must, failed()),
                ("a.b", Must, passed()),
                ("a.c", Should, failed()),
                ("a.d", May, failed()),
                ("a.e", May, failed()),
                ("a.f", Must, skipped()),
            ]),
            "It fails 1 of 2 musts, 1 should and 2 mays. 1 check was not run: stopped."
        );
    }
}
