//! `nuggets bot HOST PORT`: lets bots play, and says what became of them.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use nuggets_bots::{Outcome, Settings};
use serde_json::json;
use tracing::info;

use crate::args::BotArgs;
use crate::player::{name_bytes, read_port};
use crate::signals::stop_on_signals;
use crate::{log, print, seed};

pub(crate) fn run(args: &BotArgs) -> anyhow::Result<ExitCode> {
    let port = read_port(&args.port)?;
    let log = log::to_stderr(args.log);
    let settings = Settings {
        addresses: nuggets_client::resolve(&args.hostname, port)?,
        brains: args.brain.clone(),
        count: args.count.into(),
        name: args.name.as_deref().map(name_bytes),
        pace: Duration::from_millis(args.pace),
        seed: args.seed.map_or_else(seed::choose_number, Ok)?,
    };
    let stop = stop_on_signals()?;
    info!("{} bots, seed {}", settings.count, settings.seed);
    let outcomes = nuggets_bots::run(&settings, &stop);
    // What is left of the log comes first.
    drop(log);
    let report = if args.json { as_json(&outcomes) } else { as_table(&outcomes) };
    if !report.is_empty() {
        print::out(|out| writeln!(out, "{report}"))?;
    }
    let join = nuggets_client::Join { host: args.hostname.clone(), port, name: None };
    let troubles = troubles(&outcomes, &join.place());
    for trouble in &troubles {
        // Nobody can be told that nobody can be told.
        let _ = writeln!(std::io::stderr(), "error: {trouble}");
    }
    Ok(if troubles.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Everybody who played, as the server's table has it.
fn as_table(outcomes: &[Outcome]) -> String {
    let rows = outcomes.iter().filter_map(|outcome| {
        let letter = outcome.letter?;
        Some((letter, format!("{letter} {:>10} {}", outcome.purse, shown_name(outcome))))
    });
    let rows: BTreeMap<char, String> = rows.collect();
    rows.into_values().collect::<Vec<_>>().join("\n")
}

fn as_json(outcomes: &[Outcome]) -> String {
    let bots = outcomes.iter().map(|outcome| {
        json!({
            "name": shown_name(outcome),
            "brain": outcome.brain.to_string(),
            "letter": outcome.letter,
            "purse": outcome.purse,
            "keys": outcome.keys,
            "ended": outcome.ending.words("the server"),
            "success": outcome.ending.is_success(),
        })
    });
    format!("{:#}", json!({ "bots": bots.collect::<Vec<_>>() }))
}

/// What went wrong, each thing once with everybody it happened to.
fn troubles(outcomes: &[Outcome], place: &str) -> Vec<String> {
    let mut met: Vec<(String, Vec<String>)> = Vec::new();
    for outcome in outcomes.iter().filter(|outcome| !outcome.ending.is_success()) {
        let words = outcome.ending.words(place);
        match met.iter_mut().find(|(known, _)| *known == words) {
            Some((_, names)) => names.push(shown_name(outcome)),
            None => met.push((words, vec![shown_name(outcome)])),
        }
    }
    met.into_iter().map(|(words, names)| format!("{}: {words}", names.join(", "))).collect()
}

/// The name as a server shows it.
fn shown_name(outcome: &Outcome) -> String {
    let shown = |&byte: &u8| if matches!(byte, b' '..=b'~' | b'\t') { byte.into() } else { '_' };
    outcome.name.iter().take(nuggets_protocol::MAX_NAME_BYTES).map(shown).collect()
}

#[cfg(test)]
mod tests {
    use nuggets_bots::{BrainKind, Ending};

    use super::*;

    fn outcome(name: &str, letter: Option<char>, purse: u32, ending: Ending) -> Outcome {
        let (name, brain) = (name.as_bytes().to_vec(), BrainKind::Miner);
        Outcome { name, brain, letter, purse, keys: 9, ending }
    }

    #[test]
    fn whoever_played_stands_in_the_table_in_the_order_of_letters() {
        let over = || Ending::GameOver(String::new());
        let outcomes = [
            outcome("one", Some('B'), 16, over()),
            outcome("two\x1b", Some('A'), 234, over()),
            outcome("three", None, 0, Ending::NoAnswer),
        ];
        assert_eq!(as_table(&outcomes), "A        234 two_\nB         16 one");
        assert_eq!(as_table(&outcomes[2..]), "");
    }

    #[test]
    fn a_trouble_of_several_is_told_once() {
        let outcomes = [
            outcome("one", None, 0, Ending::NobodyListens),
            outcome("two", None, 0, Ending::Refused(String::new())),
            outcome("three", None, 0, Ending::NobodyListens),
            outcome("four", Some('A'), 3, Ending::Quit("Goodbye.".into())),
        ];
        assert_eq!(
            troubles(&outcomes, "here:1"),
            [
                "one, three: nobody listens at here:1: the port is closed. Is a Nuggets server \
                 running there?",
                "two: here:1 refused: the game is full",
            ]
        );
    }

    #[test]
    fn the_json_says_the_same() {
        let outcomes = [outcome("one", Some('B'), 16, Ending::Quit("Goodbye.".into()))];
        let read: serde_json::Value = serde_json::from_str(&as_json(&outcomes)).unwrap();
        let expected = json!({ "bots": [{
            "name": "one", "brain": "miner", "letter": "B", "purse": 16, "keys": 9,
            "ended": "the server said goodbye: Goodbye.", "success": true,
        }]});
        assert_eq!(read, expected);
    }
}
