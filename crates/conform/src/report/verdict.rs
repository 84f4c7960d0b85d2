//! The verdict in plain words.

use super::{Level, Outcome, Report};

/// One sentence or two: what holds, what doesn't, what nobody judged.
pub(super) fn in_words(report: &Report) -> String {
    let not_judged = match report.results.len() - report.score(|_| true).of {
        0 => String::new(),
        some => format!(" {} not judged: {}.", were(some, "check"), reasons(report)),
    };
    what_holds(report) + &not_judged
}

fn what_holds(report: &Report) -> String {
    let (all, musts) = (report.score(|_| true), report.score_of(Level::Must));
    if all.of == 0 {
        return "Nothing was judged.".into();
    }
    if !musts.is_full() {
        let rest = match broken_below_must(report) {
            Some(rest) => format!(" It also breaks {rest}."),
            None => String::new(),
        };
        return format!("It breaks {} of {}.{rest}", musts.broken(), counted(musts.of, "must"));
    }
    match broken_below_must(report) {
        Some(rest) => format!("It keeps every must. It breaks {rest}."),
        None => format!("It keeps {}.", every(all.of)),
    }
}

fn every(clauses: usize) -> String {
    if clauses == 1 {
        "the one clause judged".into()
    } else {
        format!("all {clauses} clauses judged")
    }
}

fn broken_below_must(report: &Report) -> Option<String> {
    let broken = [Level::Should, Level::May].map(|level| (report.score_of(level).broken(), level));
    let parts: Vec<String> = broken
        .into_iter()
        .filter(|(broken, _)| *broken > 0)
        .map(|(broken, level)| counted(broken, &level.to_string()))
        .collect();
    (!parts.is_empty()).then(|| parts.join(" and "))
}

fn reasons(report: &Report) -> String {
    let mut reasons: Vec<&str> = vec![];
    for judged in &report.results {
        match &judged.outcome {
            Outcome::Skipped { why } if !reasons.contains(&why.as_str()) => reasons.push(why),
            _ => {}
        }
    }
    reasons.join("; ")
}

fn were(number: usize, noun: &str) -> String {
    let verb = if number == 1 { "was" } else { "were" };
    format!("{} {verb}", counted(number, noun))
}

pub(super) fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::made_up::{failed, judged, passed, report, skipped};

    fn words(results: Vec<(&'static str, Level, Outcome)>) -> String {
        let results = results.into_iter().map(|(id, level, outcome)| judged(id, level, outcome));
        in_words(&report(results.collect()))
    }

    #[test]
    fn the_verdict_says_what_holds_and_what_doesnt() {
        assert_eq!(words(vec![]), "Nothing was judged.");
        assert_eq!(words(vec![("a.a", Level::Must, passed())]), "It keeps the one clause judged.");
        assert_eq!(
            words(vec![("a.a", Level::Must, passed()), ("a.b", Level::May, passed())]),
            "It keeps all 2 clauses judged."
        );
        assert_eq!(
            words(vec![("a.a", Level::Must, passed()), ("a.b", Level::Should, failed())]),
            "It keeps every must. It breaks 1 should."
        );
        assert_eq!(
            words(vec![
                ("a.a", Level::Must, failed()),
                ("a.b", Level::Must, passed()),
                ("a.c", Level::Should, failed()),
                ("a.d", Level::May, failed()),
                ("a.e", Level::May, failed()),
                ("a.f", Level::Must, skipped()),
            ]),
            "It breaks 1 of 2 musts. It also breaks 1 should and 2 mays. 1 check was not judged: \
             stopped."
        );
    }
}
