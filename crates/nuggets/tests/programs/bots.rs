//! `nuggets bot`: bots over real sockets against the real server.

use std::process::{Child, Command, Stdio};

use nuggets_testkit::{FakeServer, ProcessEnd, UdpClient, closed_port, run_command};
use rustix::process::{Pid, Signal, kill_process};

use crate::arguments::{MORE, check};
use crate::starting::{NUGGETS, start_server, start_server_with_resends};

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
fn results_can_be_printed_as_json() {
    let host = start_server(&["narrow", "3"]);
    let ended = run(host.port(), "--pace 0 --brain scout --json --log off");
    let read: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let bot = &read["bots"][0];
    assert_eq!(
        (&bot["name"], &bot["brain"], &bot["letter"], &bot["purse"], &bot["success"]),
        (&"scout".into(), &"scout".into(), &"A".into(), &250.into(), &true.into())
    );
    assert!(bot["keys"].as_u64().unwrap() > 10);
}

#[test]
fn a_closed_port_has_its_own_message() {
    let (_held, closed) = closed_port();
    let bots = run(closed, "--count 2 --log off");
    assert_eq!(
        bots.stderr,
        format!(
            "error: miner 1, miner 2: nothing listens at 127.0.0.1:{closed}: the port is closed. Is a \
             Nuggets server running there?\n"
        )
    );
    assert_eq!((&*bots.stdout, bots.status.code()), ("", Some(1)));
}

#[test]
fn a_full_game_rejects_a_bot_in_both_dialects() {
    for (dialect, why) in
        [("2021", "Game is full: no more players can join."), ("2019", "the game is full")]
    {
        let host = start_server(&["main", "1", "--dialect", dialect]);
        let seats: Vec<UdpClient> = (0..26).map(|_| UdpClient::new(host.port())).collect();
        for seat in &seats {
            seat.play("Ann");
        }
        let bot = run(host.port(), "--log off");
        let rejected = format!("error: miner: 127.0.0.1:{} refused: {why}\n", host.port());
        assert_eq!(bot.stderr, rejected);
        assert_eq!(bot.status.code(), Some(1));
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
fn a_server_that_disappears_during_the_game_is_reported() {
    let server = FakeServer::new();
    let port = server.port;
    let bot = start(port, "--pace 10 --log off");
    server.accept();
    server.receive();
    let _closed = server.close();
    let ended = bot.wait_with_output().unwrap();
    let lost = format!("error: miner: 127.0.0.1:{port} has stopped answering\n");
    assert_eq!((text(&ended.stderr), ended.status.code()), (&lost[..], Some(1)));
}

#[test]
fn joins_and_endings_are_logged() {
    let host = start_server(&["narrow", "3"]);
    let bots = run(host.port(), "--pace 0 --count 2 --seed 9");
    let log = &bots.stderr;
    for words in ["bots: 2, seed: 9", "joined letter=A", "joined letter=B", "the game is over"] {
        assert!(log.contains(words), "{log}");
    }
}

#[test]
fn an_unknown_brain_and_a_wrong_port_are_rejected() {
    let brain = "error: invalid value 'genius' for '--brain <BRAIN>'\n  \
                 [possible values: wanderer, scout, miner]\n";
    check(NUGGETS, "bot localhost 1 --brain genius", 2, &format!("{brain}{MORE}"));
    let ended = nuggets_testkit::run(NUGGETS, &["bot", "localhost", "0"]);
    assert!(ended.stderr.starts_with("error: invalid port '0': give a number from 1 to 65535."));
    assert_eq!(ended.code(), Some(2));
}

#[test]
fn the_help_lists_every_brain() {
    let help = nuggets_testkit::run(NUGGETS, &["bot", "--help"]).stdout;
    assert!(help.contains("Usage: nuggets bot [OPTIONS] <HOST> <PORT>"), "{help}");
    for kind in nuggets_bots::BrainKind::ALL {
        assert!(help.contains(kind.word()) && help.contains(kind.about()), "{help}");
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

#[test]
fn bots_that_wait_for_the_next_game_end_with_the_server() {
    for dialect in ["2021", "2019"] {
        let args = ["narrow", "3", "--games", "2", "--linger", "60000", "--dialect", dialect];
        let host = start_server_with_resends(&args);
        let mut bots = start(host.port(), "--pace 0 --log off");
        let mut table = [0; 19];
        std::io::Read::read_exact(bots.stdout.as_mut().unwrap(), &mut table).unwrap();
        assert_eq!(text(&table), "A        250 miner\n");
        host.signal(Signal::INT);
        let ended = bots.wait_with_output().unwrap();
        assert_eq!((text(&ended.stderr), ended.status.code()), ("", Some(0)), "{dialect}");
        assert_eq!(text(&ended.stdout), "", "no game, no results");
    }
}
