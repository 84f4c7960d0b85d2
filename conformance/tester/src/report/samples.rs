//! Reports for tests.

use super::batch::{Build, Team, TeamProgram};
use super::{CheckOutcome, CheckResult, ConformanceReport, ProgramKind};
use crate::{
    CannotRun, CheckFailure, Dialects, Exchange, ExchangeKind, Requirement, RequirementLevel,
};

pub(crate) fn report(results: Vec<CheckResult>) -> ConformanceReport {
    ConformanceReport {
        kind: ProgramKind::Server,
        program: "./their-server".into(),
        dialect: "2021".into(),
        tester: "0.1.0".into(),
        millis: 12_345,
        results,
    }
}

pub(crate) fn requirement(id: &'static str, level: RequirementLevel) -> Requirement {
    Requirement {
        id,
        level,
        section: if id.starts_with("join") { "Joining" } else { "Keys" },
        source: "Requirements, Protocol",
        text: "The server answers.",
        dialects: Dialects::Both,
        in_2019: None,
        needs: "",
    }
}

pub(crate) fn result(
    id: &'static str,
    level: RequirementLevel,
    outcome: CheckOutcome,
) -> CheckResult {
    let repeat = format!("nuggets conform server --dialect 2021 --only {id} -- ./their-server");
    let result = CheckResult::new(requirement(id, level), outcome);
    CheckResult { repeat, tries: 1, millis: 120, ..result }
}

pub(crate) fn passed() -> CheckOutcome {
    CheckOutcome::Passed
}

pub(crate) fn failed() -> CheckOutcome {
    CheckOutcome::Failed(CheckFailure::new("OK A", "nothing"))
}

pub(crate) fn not_judged() -> CheckOutcome {
    let failure = CheckFailure::retryable("a map", "nothing").because_of("join.order");
    CheckOutcome::NotJudged(failure)
}

pub(crate) fn skipped() -> CheckOutcome {
    CheckOutcome::Skipped { why: "stopped".into() }
}

pub(crate) fn exchange(millis: u64, who: &str, kind: ExchangeKind, text: &str) -> Exchange {
    Exchange { at_ms: millis, who: who.into(), kind, text: text.into() }
}

/// One of each: a crash with hostile output, a drawing, a `DISPLAY`, a check that could not judge, one
/// that was not run.
pub(crate) fn mixed() -> ConformanceReport {
    use RequirementLevel::{May, Must, Should};
    let sight =
        CheckFailure::new("the same picture", "another\nat row 1").with_drawing("+--+\n|.?|\n+--+");
    let hostile = CheckFailure::new("OK A", "<script>alert(1)</script>\x1b[2J")
        .with_crash("it was killed by signal 11 (SIGSEGV), after: KEY \u{202e}");
    let mut order = result("join.order", Must, CheckOutcome::Failed(hostile));
    order.exchanges = vec![
        exchange(5, "Ann", ExchangeKind::In, "PLAY Ann"),
        exchange(12, "Ann", ExchangeKind::Out, r"DISPLAY\n+--+\n|@.|\n+--+\n"),
        exchange(13, "<b>", ExchangeKind::Note, "lost </pre><script>x</script>"),
    ];
    order.left_out = 4;
    order.tries = 3;
    report(vec![
        result("join.first", Must, passed()),
        result("keys.sight", Should, CheckOutcome::Failed(sight)),
        order,
        result("keys.wall", May, passed()),
        result("keys.late", Must, skipped()),
        CheckResult { cause: Some("join.order"), ..result("keys.blind", Must, not_judged()) },
    ])
}

/// Three teams, one with a hostile name, one whose build failed.
pub(crate) fn teams() -> Vec<Team> {
    let good = report(vec![result("join.first", RequirementLevel::Must, passed())]);
    let build = |error: Option<&str>| Build {
        command: "make <all>".into(),
        error: error.map(Into::into),
        output: "cc -o server\x1b[31m </pre><script>".into(),
        millis: 1_234,
    };
    let team = |name: &str, page: &str, error, result| Team {
        name: name.into(),
        page: page.into(),
        build: (name != "alpha").then(|| build(error)),
        programs: vec![TeamProgram { kind: ProgramKind::Server, result }],
    };
    let missing = CannotRun("no server found: <build> it".into());
    vec![
        team("alpha", "alpha.html", None, Ok(mixed())),
        team("<b>&\"'\x1b", "a b#?%\"<.html", None, Ok(good)),
        team("gamma", "gamma.html", Some("it exited with code 2"), Err(missing)),
    ]
}
