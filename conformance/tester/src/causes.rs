//! Causes of failures: finds the failures that follow from others, so that a report shows each fault once.
//!
//! The evidence decides, not the prerequisites in the catalogue alone:
//!
//! 1. A check that passed has passed, whatever else failed.
//! 2. A check whose failure is *because of* another requirement never got to its own subject. If that
//!    requirement failed, or a prerequisite failed in the same way, it is not judged and follows from it.
//!    If none did, nothing else would show the fault: the check has failed.
//! 3. A check that failed on its own subject has failed. It follows from a prerequisite that failed in the same way:
//!    both miss the same message, or miss messages of one type and received the same instead, or received the same wrong
//!    answer, apart from numbers, or ended with the same signal or exit code. Another wrong answer is a separate fault,
//!    and so is a wrong map.

use crate::catalogue::Catalogue;
use crate::{CheckFailure, CheckOutcome, CheckResult, Obstacle, ProgramKind};

/// Applies these rules to the results of all checks: sets `cause`, and turns unjudged results without a cause into
/// failures.
pub fn find_causes(kind: ProgramKind, results: &mut [CheckResult]) {
    let mut causes: Vec<Cause> =
        results.iter().map(|result| cause_of(kind, result, results)).collect();
    for index in 0..causes.len() {
        // Of checks that wait for each other, the first is to blame.
        if chain(index, results, &causes).any(|next| next == index) {
            causes[index] = Cause::Itself;
        }
    }
    for (result, cause) in results.iter_mut().zip(&causes) {
        if *cause == Cause::Itself
            && let CheckOutcome::NotJudged(failure) = &result.outcome
        {
            let failure = CheckFailure { obstacle: None, ..failure.clone() };
            result.outcome = CheckOutcome::Failed(failure);
        }
    }
    for index in 0..causes.len() {
        let root = chain(index, results, &causes).last().map(|root| &results[root]);
        let root = root.filter(|root| matches!(root.outcome, CheckOutcome::Failed(_)));
        results[index].cause = root.map(|root| root.requirement.id);
    }
}

/// Returns the chain of causes of a result, at most as many as there are results.
fn chain(index: usize, results: &[CheckResult], causes: &[Cause]) -> impl Iterator<Item = usize> {
    let next = move |at: &usize| match causes[*at] {
        Cause::Other(id) => results.iter().position(|result| result.requirement.id == id),
        Cause::None | Cause::Itself => None,
    };
    std::iter::successors(next(&index), next).take(results.len())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// It passed or was not run, or its cause was not run.
    None,
    Itself,
    /// The requirement with this id.
    Other(&'static str),
}

fn cause_of(kind: ProgramKind, result: &CheckResult, results: &[CheckResult]) -> Cause {
    let Some(failure) = failure_of(result) else { return Cause::None };
    let find = |id: &str| results.iter().find(|result| result.requirement.id == id);
    match failure.obstacle {
        Some(Obstacle::Other) => return Cause::None,
        Some(Obstacle::Requirement(id)) => match find(id).map(|needed| &needed.outcome) {
            None | Some(CheckOutcome::Skipped { .. }) => return Cause::None,
            Some(CheckOutcome::Passed) => {}
            Some(CheckOutcome::Failed(_) | CheckOutcome::NotJudged(_)) => return Cause::Other(id),
        },
        None => {}
    }
    let explains = |id: &&'static str| {
        let needed = find(id).and_then(failure_of);
        needed.is_some_and(|needed| ends_alike(needed, failure))
    };
    let needed = Catalogue::of(kind).prerequisites(result.requirement.id);
    needed.into_iter().find(explains).map_or(Cause::Itself, Cause::Other)
}

fn failure_of(result: &CheckResult) -> Option<&CheckFailure> {
    match &result.outcome {
        CheckOutcome::Failed(failure) | CheckOutcome::NotJudged(failure) => Some(failure),
        CheckOutcome::Passed | CheckOutcome::Skipped { .. } => None,
    }
}

/// True if both miss the same message, got the same wrong answer, or ended in the same way.
fn ends_alike(one: &CheckFailure, two: &CheckFailure) -> bool {
    match (&one.crash, &two.crash) {
        (None, None) if one.is_retryable != two.is_retryable => false,
        (None, None) if one.is_retryable => misses_the_same(one, two),
        (None, None) => {
            let has_drawing = one.drawing.is_some() || two.drawing.is_some();
            !has_drawing && without_numbers(&one.actual) == without_numbers(&two.actual)
        }
        (Some(one), Some(two)) => exit(one) == exit(two),
        _ => false,
    }
}

/// True if both expected the same message, or if both miss messages of one type and got the same instead: a missing
/// GOLD does not explain a missing DISPLAY, and the refusal of a name does not explain that the game is full.
fn misses_the_same(one: &CheckFailure, two: &CheckFailure) -> bool {
    if without_numbers(&one.expected) == without_numbers(&two.expected) {
        return true;
    }
    let words = message_words(&one.expected);
    let others = message_words(&two.expected);
    let is_one_kind =
        words.is_empty() || others.is_empty() || words.iter().any(|word| others.contains(word));
    is_one_kind && without_numbers(&one.actual) == without_numbers(&two.actual)
}

/// Returns the message types that a text mentions.
fn message_words(text: &str) -> Vec<&str> {
    const WORDS: [&str; 6] = ["OK", "GRID", "GOLD", "DISPLAY", "QUIT", "ERROR"];
    let words = text.split(|c: char| !c.is_ascii_alphabetic());
    words.filter(|word| WORDS.contains(word)).collect()
}

/// Returns the part of a text that stays the same if the fault shows elsewhere: numbers differ, and so do blanks in
/// quoted messages.
fn without_numbers(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit() && *c != ' ').collect()
}

/// Returns the exit of the program, without the messages that were sent to it before.
fn exit(crash: &str) -> &str {
    crash.split_once(';').map_or(crash, |(exit, _)| exit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RequirementLevel::Must;
    use crate::report::samples::{passed, result, skipped};

    const NOTHING: fn() -> CheckFailure = || CheckFailure::retryable("a message", "nothing");
    const WRONG: fn() -> CheckFailure = || CheckFailure::new("a message", "another");

    /// Expects these verdicts on the checks of a server with these outcomes: the outcome, and `< cause` where there is
    /// one.
    fn expect<const N: usize>(rows: [(&'static str, CheckOutcome, &str); N]) {
        let expected: Vec<String> =
            rows.iter().map(|(id, _, verdict)| format!("{id}: {verdict}")).collect();
        let results = rows.into_iter().map(|(id, outcome, _)| result(id, Must, outcome));
        let mut results: Vec<CheckResult> = results.collect();
        find_causes(ProgramKind::Server, &mut results);
        let describe = |CheckResult { requirement, outcome, cause, .. }: &CheckResult| {
            let outcome = match outcome {
                CheckOutcome::Passed => "passed",
                CheckOutcome::Failed(_) => "failed",
                CheckOutcome::NotJudged(_) => "not judged",
                CheckOutcome::Skipped { .. } => "skipped",
            };
            let cause = cause.map(|cause| format!(" < {cause}")).unwrap_or_default();
            format!("{}: {outcome}{cause}", requirement.id)
        };
        assert_eq!(results.iter().map(describe).collect::<Vec<_>>(), expected);
    }

    fn failed(failure: CheckFailure) -> CheckOutcome {
        CheckOutcome::Failed(failure)
    }

    fn blocked(failure: CheckFailure, id: &'static str) -> CheckOutcome {
        CheckOutcome::NotJudged(failure.because_of(id))
    }

    #[test]
    fn a_check_that_passed_has_passed_whatever_its_prerequisites_did() {
        expect([("move.h", failed(NOTHING()), "failed"), ("move.sprint-h", passed(), "passed")]);
    }

    #[test]
    fn a_check_that_could_not_begin_follows_from_what_it_needs() {
        expect([
            ("move.h", failed(WRONG()), "failed"),
            ("gold.taker", blocked(NOTHING(), "move.h"), "not judged < move.h"),
            ("over.taker", blocked(NOTHING(), "gold.taker"), "not judged < move.h"),
        ]);
    }

    #[test]
    fn no_fault_is_hidden_by_a_prerequisite_that_passed() {
        expect([
            ("move.h", passed(), "passed"),
            ("gold.taker", blocked(NOTHING(), "move.h"), "failed"),
        ]);
    }

    #[test]
    fn a_prerequisite_that_failed_alike_explains_what_the_one_that_passed_does_not() {
        expect([
            ("join.ok", passed(), "passed"),
            ("join.own-letter", blocked(NOTHING(), "join.ok"), "failed"),
            ("swap.step", blocked(NOTHING(), "join.ok"), "not judged < join.own-letter"),
        ]);
    }

    #[test]
    fn a_missing_message_explains_a_missing_message_but_no_wrong_one() {
        expect([
            ("move.h", failed(NOTHING()), "failed"),
            ("move.sprint-h", failed(NOTHING()), "failed < move.h"),
            ("move.wall", failed(WRONG()), "failed"),
            ("quit.farewell", failed(NOTHING()), "failed"),
        ]);
    }

    #[test]
    fn a_missing_message_does_not_explain_that_another_kind_is_missing() {
        let missing = |what| failed(CheckFailure::retryable(what, "nothing"));
        let spectator = missing("spectator is sent exactly 'GOLD 0 0 250'");
        expect([
            ("join.gold", missing("Ann is sent exactly 'GOLD 0 0 250'"), "failed"),
            ("spectate.gold", spectator, "failed < join.gold"),
            ("move.edge", missing("a new spectator is sent a DISPLAY of the whole map"), "failed"),
        ]);
    }

    #[test]
    fn what_came_instead_tells_apart_what_is_missing() {
        let missing = |expected, actual| failed(CheckFailure::retryable(expected, actual));
        let ann = missing("'PLAY Ann' is answered with OK, GOLD", "'QUIT Taken'");
        let kate = missing("'PLAY Kate' is answered with OK, GOLD", "'QUIT Full'");
        expect([
            ("join.own-letter", ann, "failed"),
            ("seats.letters", kate, "failed"),
            ("gold.others", missing("Bob is sent GOLD 0 p 249", "DISPLAY"), "failed"),
            ("name.empty", missing("Ann is sent exactly 'QUIT Sorry'", "'OK A'"), "failed"),
            ("name.blanks", missing("Ann is sent QUIT or ERROR", "'OK A'"), "failed < name.empty"),
        ]);
    }

    #[test]
    fn the_same_wrong_answer_is_the_same_fault_but_a_wrong_map_never_is() {
        let stays = |line| failed(CheckFailure::new("a step", format!("it stays at line {line}")));
        let elsewhere = failed(CheckFailure::new("a step", "it is at line 3"));
        let drawn = || failed(CheckFailure::new("a map", "the map differs").with_drawing("+-+"));
        expect([
            ("move.h", stays(3), "failed"),
            ("move.l", stays(14), "failed < move.h"),
            ("move.k", elsewhere, "failed"),
            ("move.passage", stays(7), "failed < move.h"),
            ("swap.step", drawn(), "failed"),
            ("swap.sprint", drawn(), "failed"),
        ]);
    }

    #[test]
    fn only_the_same_end_explains_a_crash() {
        let crash = |how: &str| failed(NOTHING().with_crash(how));
        expect([
            ("move.h", crash("it was killed by signal 11; after KEY h"), "failed"),
            ("move.sprint-h", crash("it was killed by signal 11; after KEY H"), "failed < move.h"),
            ("move.wall", crash("it was killed by signal 6; after KEY h"), "failed"),
            ("move.rock", failed(NOTHING()), "failed"),
        ]);
    }

    #[test]
    fn what_needs_something_that_was_not_run_is_not_judged() {
        let unknown = CheckOutcome::NotJudged(CheckFailure::not_judged("a room", "none"));
        expect([
            ("move.h", skipped(), "skipped"),
            ("gold.taker", blocked(NOTHING(), "move.h"), "not judged"),
            ("gold.gone", blocked(NOTHING(), "move.l"), "not judged"),
            ("seed.same", unknown, "not judged"),
        ]);
    }

    #[test]
    fn of_checks_that_wait_for_each_other_the_first_has_failed() {
        expect([
            ("join.ok", blocked(NOTHING(), "spectate.display"), "failed"),
            ("spectate.display", blocked(NOTHING(), "join.ok"), "not judged < join.ok"),
            ("spectate.quit", blocked(NOTHING(), "spectate.display"), "not judged < join.ok"),
        ]);
    }
}
