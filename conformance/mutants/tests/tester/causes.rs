//! One fault of a program is one fault of its report: all other failures follow from it.

use nuggets_conformance::server::ServerTest;
use nuggets_conformance::suite::SuiteOptions;
use nuggets_conformance::{ConformanceReport, ProgramKind, find_causes};
use nuggets_protocol::Dialect;

/// The number of attempts. It is small because every attempt waits in vain for a message that a mutant never sends.
const OPTIONS: SuiteOptions = SuiteOptions { jobs: 6, tries: 2 };

/// Returns the report of a server with this fault, for the checks that `selected` selects.
fn report(fault: &str, selected: &[&str]) -> ConformanceReport {
    let words = [env!("CARGO_BIN_EXE_mutant_server"), fault];
    let mut results =
        crate::run::<ServerTest>(&words, Dialect::V2021, OPTIONS, |_, requirement| {
            selected.iter().any(|word| requirement.matches(word))
        });
    find_causes(ProgramKind::Server, &mut results);
    ConformanceReport {
        kind: ProgramKind::Server,
        program: fault.into(),
        dialect: "2021".into(),
        tester: String::new(),
        millis: 0,
        results,
    }
}

/// Each fault of a server, the checks that are run, and the one fault of its report.
const FAULTS: [(&str, &[&str], &str); 6] = [
    ("sprint-one-step", &["move"], "move.sprint-h"),
    ("ok-missing", &["join.ok", "join.own-letter", "move"], "join.ok"),
    ("crash-on-spectator", &["spectate", "move", "quit", "gold"], "spectate.grid"),
    ("up-down-swapped", &["move.h", "move.l", "move.k", "move.j", "quit"], "move.k"),
    ("moved-players-get-last-letter", &["move.whose", "swap", "gold.others"], "move.whose"),
    ("keys-turned", &["move", "gold", "swap", "quit"], "move.h"),
];

#[test]
fn each_fault_is_one_fault_of_the_report() {
    for (fault, selected, cause) in FAULTS {
        let report = report(fault, selected);
        let faults = report.faults();
        let ids: Vec<&str> = faults.iter().map(|fault| fault.result.requirement.id).collect();
        assert_eq!(ids, [cause], "{fault}");
        let failed: Vec<&str> = report.failures().iter().map(|(it, _)| it.requirement.id).collect();
        let not_judged: Vec<&str> =
            report.not_judged().iter().map(|(it, _)| it.requirement.id).collect();
        match fault {
            "sprint-one-step" => assert!(faults[0].failed.len() >= 8, "{faults:?}"),
            // It is judged on the rest.
            "crash-on-spectator" => {
                let others = not_judged.into_iter().filter(|id| !id.starts_with("spectate"));
                let expected = ["move.to-spectator", "gold.in-rooms", "gold.spectator"];
                assert_eq!(others.collect::<Vec<_>>(), expected);
            }
            // Keys that are wrong in the same way both count.
            "up-down-swapped" => assert_eq!(failed.len(), 2, "{failed:?}"),
            "moved-players-get-last-letter" => {
                assert_eq!(report.results.len() - not_judged.len(), 1, "{not_judged:?}");
            }
            "keys-turned" => {
                let is_key =
                    |id: &&str| id.rsplit(['.', '-']).next().is_some_and(|it| it.len() == 1);
                assert!(failed.iter().all(is_key) && failed.len() >= 14, "{failed:?}");
            }
            _ => {}
        }
    }
}

#[test]
fn what_others_are_sent_is_judged_only_if_they_are_sent_gold() {
    let report = report("gold-only-to-collector", &["gold", "swap"]);
    let failures: Vec<&str> = report.failures().iter().map(|(it, _)| it.requirement.id).collect();
    assert_eq!(failures, ["gold.others", "gold.spectator"]);
}
