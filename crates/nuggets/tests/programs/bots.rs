//! `nuggets bot`: bots over real sockets against the real server.

use std::process::{Child, Command, Stdio};

use nuggets_testkit::{FakeServer, ProcessEnd, closed_port, run_command};
use rustix::process::{Pid, Signal, kill_process};

use crate::starting::{NUGGETS, start_server};

fn bot(port: u16, options: &[&str]) -> Command {
    let mut command = Command::new(NUGGETS);
    command.args(["bot", "127.0.0.1", &port.to_string()]).args(options);
    command
}

/// Starts `nuggets bot` against this port.
fn start(port: u16, options: &str) -> Child {
    let options: Vec<&str> = options.split(' ').collect();
    bot(port, &options).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn run(port: u16, options: &str) -> ProcessEnd {
    run_command(&mut bot(port, &options.split(' ').collect::<Vec<_>>()), b"")
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

/// The purses in a table, added up.
fn sum(table: &str) -> u32 {
    let purse = |row: &str| row[2..12].trim().parse::<u32>().unwrap();
    table.lines().map(purse).sum()
}

#[test]
fn twenty_six_bots_play_to_the_last_nugget_in_both_dialects() {
    for dialect in ["2021", "2019"] {
        let host = start_server(&["main", "21", "--dialect", dialect, "--log", "warn"]);
        let bots = run(host.port(), "--count 26 --brain miner,scout --pace 0 --seed 4 --log off");
        assert_eq!(bots.stderr, "");
        assert!(bots.status.success());
        let ended = host.end();
        let table = ended.stdout.strip_prefix("GAME OVER:\n").unwrap();
        assert_eq!(sum(table), 250);
        assert_eq!(table.lines().count(), 26);
        assert_eq!(bots.stdout, table, "the bots know what they got");
    }
}

#[test]
fn a_signal_makes_a_bot_quit() {
    for signal in [Signal::TERM, Signal::INT] {
        let server = FakeServer::new();
        let bot = start(server.port, "--brain wanderer --log off");
        server.accept();
        assert!(server.receive().starts_with("KEY "));
        kill_process(Pid::from_child(&bot), signal).unwrap();
        while server.receive() != "KEY Q" {}
        server.send("QUIT Thanks for playing!");
        let ended = bot.wait_with_output().unwrap();
        assert_eq!(text(&ended.stdout), "A          0 wanderer\n");
        assert_eq!((text(&ended.stderr), ended.status.code()), ("", Some(0)));
    }
}

#[test]
fn a_program_that_fails_is_reported_with_its_stderr() {
    let bot = |port: u16, command: &str| {
        let options = ["--bot-cmd", command, "--log", "off", "--bot-time", "60000"];
        run_command(&mut bot(port, &options), b"")
    };
    let host = start_server(&["narrow", "5", "--end-when-empty"]);
    let lost = bot(host.port(), "echo PLAY brief; read -r a; echo oops >&2; exit 3");
    assert_eq!(lost.status.code(), Some(1));
    assert_eq!(lost.stdout, "A          0 brief\n");
    assert!(lost.stderr.starts_with("error: brief: left the game: program 'echo PLAY brief"));
    assert!(
        lost.stderr
            .ends_with("exited during the game with code 3\nThe end of its stderr:\n  | oops\n"),
        "{}",
        lost.stderr
    );
    assert_eq!(host.end().stdout, "GAME OVER:\nA          0 brief\n", "it has left");

    // Nothing listens there, and nothing is sent: the program is reported first.
    let (_held, closed) = closed_port();
    let missing = bot(closed, "./no-such-bot");
    assert_eq!((missing.code(), &*missing.stdout), (Some(1), ""));
    let error = "error: './no-such-bot': exited before it sent PLAY with code 127 (the command was";
    assert!(missing.stderr.starts_with(error), "{}", missing.stderr);
}

#[test]
fn bots_join_the_next_game_by_themselves_and_report_each() {
    for dialect in ["2021", "2019"] {
        let args = ["narrow", "3", "--games", "3", "--pause", "0", "--dialect", dialect];
        let host = start_server(&[&args[..], &["--log", "warn"]].concat());
        let bots = run(host.port(), "--count 3 --brain miner,scout --pace 0 --seed 4 --log off");
        assert_eq!((&*bots.stderr, bots.status.code()), ("", Some(0)), "{dialect}");
        let tables = host.end().stdout;
        assert_eq!(tables.matches("GAME OVER:\n").count(), 3);
        assert_eq!(bots.stdout, tables.replace("GAME OVER:\n", ""));
        assert_eq!(sum(&bots.stdout), 3 * 250);
    }
}

#[test]
fn with_one_game_bots_leave_after_the_first() {
    let host = start_server(&["narrow", "3", "--games", "forever", "--pause", "0"]);
    let bots = run(host.port(), "--pace 0 --one-game --log off");
    assert_eq!((&*bots.stderr, bots.status.code()), ("", Some(0)));
    assert_eq!(bots.stdout, "A        250 miner\n");
}

#[test]
fn a_program_is_started_again_for_every_game() {
    let folder = tempfile::tempdir().unwrap();
    let arena_bot = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/arena_bot.py");
    let command = format!("echo started >>{}/starts; python3 {arena_bot}", folder.path().display());
    let host = start_server(&["narrow", "3", "--games", "2", "--pause", "0"]);
    let options = ["--bot-cmd", &command, "--count", "1", "--pace", "5", "--log", "off"];
    let options = [&options[..], &["--bot-time", "60000"]].concat();
    let bots = run_command(&mut bot(host.port(), &options), b"");
    assert_eq!((&*bots.stderr, bots.status.code()), ("", Some(0)));
    let starts = std::fs::read_to_string(folder.path().join("starts")).unwrap();
    assert_eq!(starts, "started\n".repeat(2));
    assert_eq!(sum(&bots.stdout), 2 * 250);
    assert_eq!(bots.stdout, host.end().stdout.replace("GAME OVER:\n", ""));
}
