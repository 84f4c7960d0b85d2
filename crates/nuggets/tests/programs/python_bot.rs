//! The bot of the documentation, `docs/bot.py`: it plays whole games against the real server, and
//! by lines in the arena.

use std::process::Command;

use nuggets_testkit::{run, run_command};

use crate::starting::{NUGGETS, start_server};

const BOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/bot.py");

/// Plays alone until the game is over; what it prints at the end.
fn play(port: u16) -> String {
    let bot = run("python3", &[BOT, "127.0.0.1", &port.to_string(), "Monty"]);
    assert_eq!(bot.stderr, "");
    assert!(bot.status.success());
    bot.stdout
}

#[test]
fn the_python_bot_finishes_a_game_in_both_dialects() {
    for (dialect, end) in [("2021", "QUIT GAME OVER:"), ("2019", "GAMEOVER")] {
        let host = start_server(&["main", "5", "--dialect", dialect]);
        assert_eq!(play(host.port()), format!("{end}\nA        250 Monty\n"));
        assert_eq!(host.end().stdout, "GAME OVER:\nA        250 Monty\n");
    }
}

#[test]
fn the_python_bot_plays_in_the_arena() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let words = ["arena", "--bots", "wanderer:1", "--bot-cmd", "python3 arena_bot.py", "--csv"];
    let more = ["--games", "2", "--map", "narrow", "--bot-time", "60000"];
    let ended = run_command(Command::new(NUGGETS).args(words).args(more).current_dir(dir), b"");
    assert!(ended.status.success(), "{ended:?}");
    let table = ended.stdout;
    let purse = |name: &str| {
        let row = table.lines().find(|line| line.starts_with(name)).unwrap();
        row.split(',').nth(4).unwrap().parse::<f64>().unwrap()
    };
    assert!(purse("monty") > purse("wanderer"), "{table}");
}

/// docs/bots.md and the README promise it.
#[test]
fn the_python_bot_has_less_than_fifty_lines() {
    let code = std::fs::read_to_string(BOT).unwrap();
    let lines = code.lines().count();
    assert!(lines < 50, "{lines} lines");
}
