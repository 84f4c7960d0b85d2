//! Reports for tests.

use std::time::Duration;

use super::{Judged, Kind, Outcome, Report};
use crate::{Clause, Dialects, Exchange, Failure, Level, Way};

pub(crate) fn report(results: Vec<Judged>) -> Report {
    Report {
        kind: Kind::Server,
        program: "./their-server".into(),
        dialect: "2021".into(),
        tester: "0.1.0".into(),
        millis: 12_345,
        results,
    }
}

pub(crate) fn judged(id: &'static str, level: Level, outcome: Outcome) -> Judged {
    let clause = Clause {
        id,
        level,
        section: if id.starts_with("join") { "Joining" } else { "Keys" },
        source: "Requirements, Protocol",
        demand: "The server answers.",
        dialects: Dialects::Both,
        in_2019: None,
    };
    let repeat = format!("nuggets conform server --dialect 2021 --only {id} -- ./their-server");
    Judged { repeat, tries: 1, millis: 120, ..Judged::of(&clause, outcome) }
}

pub(crate) fn passed() -> Outcome {
    Outcome::Passed
}

pub(crate) fn failed() -> Outcome {
    Outcome::Failed(Failure::new("OK A", "nothing"))
}

pub(crate) fn skipped() -> Outcome {
    Outcome::Skipped { why: "stopped".into() }
}

pub(crate) fn exchange(millis: u64, who: &str, way: Way, text: &str) -> Exchange {
    Exchange { at: Duration::from_millis(millis), who: who.into(), way, text: text.into() }
}

/// Something of everything: a crash with hostile output, a drawing, a picture, a check that nobody
/// judged.
pub(crate) fn mixed() -> Report {
    let drawing = "+--+\n|.?|\n+--+";
    let sight = Failure::new("the same picture", "another\nat row 1").drawn(drawing);
    let hostile = Failure::new("OK A", "<script>alert(1)</script>\x1b[2J")
        .crashed("it was ended by signal 11 (SIGSEGV), after: KEY \u{202e}");
    let mut order = judged("join.order", Level::Must, Outcome::Failed(hostile));
    order.exchanges = vec![
        exchange(5, "Ann", Way::In, "PLAY Ann"),
        exchange(12, "Ann", Way::Out, r"DISPLAY\n+--+\n|@.|\n+--+\n"),
        exchange(13, "<b>", Way::Note, "lost </pre><script>x</script>"),
    ];
    order.left_out = 4;
    order.tries = 3;
    report(vec![
        judged("join.first", Level::Must, passed()),
        judged("keys.sight", Level::Should, Outcome::Failed(sight)),
        order,
        judged("keys.wall", Level::May, passed()),
        judged("keys.late", Level::Must, skipped()),
    ])
}
