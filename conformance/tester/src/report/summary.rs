//! The result of a report in one or two sentences.

use std::fmt::Write as _;

use super::{CheckOutcome, ConformanceReport, RequirementLevel, Score};

/// Summarizes the passed, failed, unjudged and skipped checks.
pub(super) fn summarize(report: &ConformanceReport) -> String {
    let all = report.score(|_| true);
    let musts = report.score_of(RequirementLevel::Must);
    let below = [RequirementLevel::Should, RequirementLevel::May];
    let minor = by_level(report, Score::failed, &below);
    let judged = if all.not_judged == 0 { "" } else { "judged " };
    let of_musts = counted(musts.total, &format!("{judged}must"));
    let mut text = match (all.total + all.not_judged, musts.failed(), minor.as_str()) {
        (0, ..) => "No check was run.".to_owned(),
        (1, 0, "") if all.not_judged == 0 => "It passes the one check that was run.".to_owned(),
        (total, 0, "") if all.not_judged == 0 => {
            format!("It passes all {total} checks that were run.")
        }
        (_, 0, "") => format!("It fails none of {of_musts}."),
        (_, 0, minor) => format!("It passes every {judged}must. It fails {minor}."),
        (_, failed, "") => format!("It fails {failed} of {of_musts}."),
        (_, failed, minor) => format!("It fails {failed} of {of_musts}, {minor}."),
    };
    if all.not_judged > 0 {
        let _ = write!(
            text,
            " Not judged: {}.",
            by_level(report, |score| score.not_judged, &RequirementLevel::ALL)
        );
    }
    let skipped = report.results.len() - all.total - all.not_judged;
    if skipped > 0 {
        let verb = if skipped == 1 { "was" } else { "were" };
        let checks = counted(skipped, "check");
        let _ = write!(text, " {checks} {verb} not run: {}.", skip_reasons(report).join("; "));
    }
    text
}

/// The counts of these levels, such as `10 musts, 1 should and 2 mays`; empty if all are zero.
fn by_level(
    report: &ConformanceReport,
    count: fn(Score) -> usize,
    levels: &[RequirementLevel],
) -> String {
    let counts = levels.iter().map(|&level| (count(report.score_of(level)), level));
    let parts = counts.filter(|(count, _)| *count > 0);
    let mut parts: Vec<String> =
        parts.map(|(count, level)| counted(count, &level.to_string())).collect();
    let last = parts.pop().unwrap_or_default();
    if parts.is_empty() { last } else { format!("{} and {last}", parts.join(", ")) }
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
    use crate::report::samples::{failed, not_judged, passed, report, result, skipped};

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

    #[test]
    fn what_is_not_judged_is_neither_passed_nor_failed() {
        use RequirementLevel::{May, Must, Should};
        assert_eq!(
            summary(vec![("a.a", Must, passed()), ("a.b", Must, not_judged())]),
            "It fails none of 1 judged must. Not judged: 1 must."
        );
        assert_eq!(
            summary(vec![("a.a", Should, failed()), ("a.b", Must, not_judged())]),
            "It passes every judged must. It fails 1 should. Not judged: 1 must."
        );
        assert_eq!(
            summary(vec![
                ("a.a", Must, failed()),
                ("a.b", Must, passed()),
                ("a.c", Must, not_judged()),
                ("a.d", Must, not_judged()),
                ("a.e", Should, not_judged()),
                ("a.f", May, not_judged()),
            ]),
            "It fails 1 of 2 judged musts. Not judged: 2 musts, 1 should and 1 may."
        );
    }
}
