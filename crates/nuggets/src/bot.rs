//! `nuggets bot HOST PORT` and `nuggets bot LINK`: joins a game with bots and reports their results.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;

use nuggets_bots::{BotResult, BotSettings};
use serde_json::json;
use tracing::info;

use crate::args::BotArgs;
use crate::player::{Server, name_bytes};
use crate::signals::stop_on_signals;
use crate::{log, print, seed};

pub(crate) fn run(args: &BotArgs) -> anyhow::Result<ExitCode> {
    let server = Server::read(&args.hostname, args.port.as_deref())?;
    let log = log::to_stderr(args.log);
    let settings = BotSettings {
        place: server.place,
        target: server.target,
        brains: args.brain.clone(),
        count: args.count.into(),
        name: args.name.as_deref().map(name_bytes),
        pace_ms: args.pace,
        seed: args.seed.map_or_else(seed::choose_number, Ok)?,
    };
    let stop = stop_on_signals()?;
    info!("bots: {}, seed: {}", settings.count, settings.seed);
    let results = nuggets_bots::run(&settings, &stop);
    // Flushes the log, so that the report comes after it.
    drop(log);
    let report = if args.json { as_json(&results) } else { as_table(&results) };
    if !report.is_empty() {
        print::out(|out| writeln!(out, "{report}"))?;
    }
    let failures = failures(&results, &settings.place);
    for failure in &failures {
        print::to_stderr(format_args!("error: {failure}"));
    }
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The bots that joined, in the format of the server's final table.
fn as_table(results: &[BotResult]) -> String {
    let rows = results.iter().filter_map(|result| {
        let letter = result.letter?;
        Some((letter, format!("{letter} {:>10} {}", result.purse, shown_name(result))))
    });
    let rows: BTreeMap<char, String> = rows.collect();
    rows.into_values().collect::<Vec<_>>().join("\n")
}

fn as_json(results: &[BotResult]) -> String {
    let bots = results.iter().map(|result| {
        json!({
            "name": shown_name(result),
            "brain": result.brain.to_string(),
            "letter": result.letter,
            "purse": result.purse,
            "keys": result.keys,
            "ended": result.outcome.describe("the server"),
            "success": result.outcome.is_success(),
        })
    });
    format!("{:#}", json!({ "bots": bots.collect::<Vec<_>>() }))
}

/// The failures, each once with the names of all bots that it happened to.
fn failures(results: &[BotResult], place: &str) -> Vec<String> {
    let mut grouped: Vec<(String, Vec<String>)> = Vec::new();
    for result in results.iter().filter(|result| !result.outcome.is_success()) {
        let words = result.outcome.describe(place);
        match grouped.iter_mut().find(|(known, _)| *known == words) {
            Some((_, names)) => names.push(shown_name(result)),
            None => grouped.push((words, vec![shown_name(result)])),
        }
    }
    grouped.into_iter().map(|(words, names)| format!("{}: {words}", names.join(", "))).collect()
}

/// The name as a server shows it.
fn shown_name(result: &BotResult) -> String {
    let shown = |&byte: &u8| if matches!(byte, b' '..=b'~' | b'\t') { byte.into() } else { '_' };
    result.name.iter().take(nuggets_protocol::MAX_NAME_BYTES).map(shown).collect()
}

#[cfg(test)]
mod tests {
    use nuggets_bots::BrainKind;
    use nuggets_session::SessionOutcome::{self, *};

    use super::*;

    fn result(name: &str, letter: Option<char>, purse: u32, outcome: SessionOutcome) -> BotResult {
        let name = name.as_bytes().to_vec();
        BotResult { name, brain: BrainKind::Miner, letter, purse, keys: 9, outcome }
    }

    #[test]
    fn the_table_lists_bots_that_joined_by_letter() {
        let over = || GameOver { table: String::new() };
        let results = [
            result("one", Some('B'), 16, over()),
            result("two\x1b", Some('A'), 234, over()),
            result("three", None, 0, NoAnswer { tries: 6, waited_ms: 6_000 }),
        ];
        assert_eq!(as_table(&results), "A        234 two_\nB         16 one");
        assert_eq!(as_table(&results[2..]), "");
    }

    #[test]
    fn a_failure_of_several_bots_is_reported_once() {
        let results = [
            result("one", None, 0, PortClosed),
            result("two", None, 0, Rejected { reason: String::new() }),
            result("three", None, 0, PortClosed),
            result("four", Some('A'), 3, Left { farewell: "Goodbye.".into() }),
        ];
        assert_eq!(
            failures(&results, "here:1"),
            [
                "one, three: nothing listens at here:1: the port is closed. Is a Nuggets server \
                 running there?",
                "two: here:1 refused: the game is full",
            ]
        );
    }

    #[test]
    fn the_json_report_has_the_same_content() {
        let results = [result("one", Some('B'), 16, Left { farewell: "Goodbye.".into() })];
        let read: serde_json::Value = serde_json::from_str(&as_json(&results)).unwrap();
        let expected = json!({ "bots": [{
            "name": "one", "brain": "miner", "letter": "B", "purse": 16, "keys": 9,
            "ended": "the server said goodbye: Goodbye.", "success": true,
        }]});
        assert_eq!(read, expected);
    }
}
