//! `nuggets bot HOST PORT` and `nuggets bot LINK`: joins a game with bots, then each game that the server announces
//! after it, and reports their results.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use nuggets_bots::{BotResult, BotSettings, BotTeam};
use nuggets_game::Letter;
use serde_json::json;
use tracing::info;

use crate::args::{BadArgument, BotArgs};
use crate::player::{NamedServer, name_bytes};
use crate::signals::stop_on_signals;
use crate::{log, print, seed};

pub(crate) fn run(args: &BotArgs) -> anyhow::Result<ExitCode> {
    let server = NamedServer::read(&args.hostname, args.port.as_deref())?;
    let log = log::to_stderr(args.log);
    let settings = BotSettings {
        place: server.place,
        target: server.target,
        brains: args.brain.clone(),
        count: count(args)?,
        name: args.name.as_deref().map(name_bytes),
        pace_ms: args.pace,
        seed: args.seed.map_or_else(seed::choose_number, Ok)?,
    };
    let stop = stop_on_signals()?;
    let programs = match args.programs.start(&stop) {
        Err(_) if stop.load(Ordering::Relaxed) => return Ok(ExitCode::SUCCESS),
        started => started?,
    };
    let bots = settings.count + programs.len();
    info!("bots: {bots}, seed: {}", settings.seed);
    let team = BotTeam { programs, stop: Arc::clone(&stop), ..BotTeam::new(&settings) };
    let mut are_all_good = true;
    let mut report_game = |results: &[BotResult]| {
        report(args, &settings.place, results).map(|is_good| are_all_good &= is_good)
    };
    let mut reported = Ok(());
    let last = if args.one_game {
        nuggets_bots::run(team)
    } else {
        nuggets_bots::run_games(team, |results| {
            let written = report_game(&results);
            reported = std::mem::replace(&mut reported, Ok(())).and(written);
        })
    };
    // Flushes the log, so that the report comes after it.
    drop(log);
    report_game(&last)?;
    reported?;
    Ok(if are_all_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints the results of a game; returns true if no bot has failed.
fn report(args: &BotArgs, place: &str, results: &[BotResult]) -> anyhow::Result<bool> {
    if results.is_empty() {
        return Ok(true);
    }
    let report = if args.json { as_json(results) } else { as_table(results) };
    if !report.is_empty() {
        print::text(&format!("{report}\n"))?;
    }
    let failures = failures(results, place);
    for failure in &failures {
        print::to_stderr(format_args!("error: {failure}"));
    }
    Ok(failures.is_empty())
}

/// The number of bots with brains; an error if too many bots and programs would join.
fn count(args: &BotArgs) -> Result<usize, BadArgument> {
    let programs = args.programs.bot_cmd.len();
    let own = args.count.map_or(usize::from(programs == 0), usize::from);
    if own + programs > Letter::COUNT {
        let most = Letter::COUNT;
        return Err(BadArgument(format!(
            "{} bots can't play together: at most {most} players can join. Give a lower --count or \
             fewer --bot-cmd",
            own + programs
        )));
    }
    Ok(own)
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
            "brain": result.brain,
            "letter": result.letter,
            "purse": result.purse,
            "keys": result.keys,
            "ended": result.outcome.describe("the server"),
            "success": result.outcome.is_success() && result.failure.is_none(),
            "failure": result.failure.as_ref().map(|failure| json!({
                "what": failure.fault.to_string(),
                "stderr": failure.stderr,
            })),
        })
    });
    format!("{:#}", json!({ "bots": bots.collect::<Vec<_>>() }))
}

/// The failures, each once with the names of all bots that it happened to.
fn failures(results: &[BotResult], place: &str) -> Vec<String> {
    let mut grouped: Vec<(String, Vec<String>)> = Vec::new();
    let programs = results.iter().filter_map(|result| {
        let failure = result.failure.as_ref()?;
        Some((format!("left the game: program {failure}"), vec![shown_name(result)]))
    });
    grouped.extend(programs);
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
    use nuggets_bots::{ProgramFailure, ProgramFault};
    use nuggets_session::SessionOutcome::{self, *};

    use super::*;

    fn result(name: &str, letter: Option<char>, purse: u32, outcome: SessionOutcome) -> BotResult {
        let name = name.as_bytes().to_vec();
        let brain = "miner".to_owned();
        BotResult { name, brain, letter, purse, keys: 9, outcome, failure: None }
    }

    #[test]
    fn a_failure_of_a_program_is_reported_with_its_stderr() {
        let fault = ProgramFault::Died("exited".to_owned());
        let failure = ProgramFailure { line: "./it".into(), fault, stderr: "oops".into() };
        let left = result("monty", Some('A'), 3, Left { farewell: "Bye.".into() });
        let results = [BotResult { failure: Some(failure), ..left }];
        let words =
            "monty: left the game: program './it': exited\nThe end of its stderr:\n  | oops";
        assert_eq!(failures(&results, "here:1"), [words]);
        let read: serde_json::Value = serde_json::from_str(&as_json(&results)).unwrap();
        let bot = &read["bots"][0];
        assert_eq!((&bot["success"], &bot["failure"]["stderr"]), (&json!(false), &json!("oops")));
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
            "ended": "the server said goodbye: Goodbye.", "success": true, "failure": null,
        }]});
        assert_eq!(read, expected);
    }
}
