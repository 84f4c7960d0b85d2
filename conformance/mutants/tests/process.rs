//! Faulty servers as real processes: arguments, announcements, exit codes and signals.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use nuggets_testkit::{ProcessEnd, ServerProcess, UdpClient, run_command};

const SEGV: i32 = 11;

fn mutant(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mutant_server"));
    command.args(words);
    command
}

fn run_to_exit(words: &[&str]) -> ProcessEnd {
    run_command(&mut mutant(words), b"")
}

fn start(words: &[&str]) -> ServerProcess {
    ServerProcess::start(mutant(words).stderr(Stdio::null()))
}

/// Lets 26 players join and quit, which ends the game.
fn play_to_the_end(server: ServerProcess) -> ProcessEnd {
    let clients: Vec<UdpClient> = (0..26).map(|_| UdpClient::new(server.port())).collect();
    for client in &clients {
        client.send("PLAY Ann");
        assert!(client.receive_text().starts_with("OK "));
    }
    for client in &clients {
        client.send("KEY Q");
        client.wait_for("QUIT");
    }
    server.end()
}

#[test]
fn all_faults_are_listed_and_described() {
    let list = run_to_exit(&["--list"]).stdout;
    let names: BTreeSet<&str> = list.lines().collect();
    assert!(names.len() > 60 && names.len() == list.lines().count() && names.contains("none"));
    let described = run_to_exit(&["--describe"]).stdout;
    for (name, line) in list.lines().zip(described.lines()) {
        let fields: Vec<&str> = line.split('\t').collect();
        assert_eq!((fields[0], fields.len()), (name, 4));
        assert!(["wrong", "allowed"].contains(&fields[2]), "{line}");
    }
    assert_eq!(run_to_exit(&["no-such-fault", "main"]).status.code(), Some(2));
    assert_eq!(run_to_exit(&[]).status.code(), Some(2));
}

#[test]
fn wrong_arguments_are_rejected_without_the_fault() {
    let cases: [(&str, &[&str], i32); 6] = [
        ("exit-zero-no-arguments", &[], 2),
        ("exit-zero-too-many-arguments", &["main", "7", "8"], 2),
        ("exit-zero-seed-word", &["main", "x"], 2),
        ("exit-zero-seed-zero", &["main", "0"], 2),
        ("exit-zero-seed-negative", &["main", "-4"], 2),
        ("exit-zero-no-map", &["no-such-map"], 1),
    ];
    for (_, words, code) in cases {
        let ended = run_to_exit(&[&["none"], words].concat());
        assert_eq!(ended.status.code(), Some(code), "{words:?}");
        assert!(!ended.stderr.is_empty() && ended.stdout.is_empty());
        assert!(run_to_exit(&[&["silent-rejection"], words].concat()).stderr.is_empty());
        for (fault, faulty, _) in cases {
            let code = run_to_exit(&[&[fault], words].concat()).status.code();
            assert_eq!(code == Some(0), faulty == words, "{fault} {words:?}");
        }
    }
    assert_eq!(run_to_exit(&["seed-required", "main"]).status.code(), Some(2));
    assert_eq!(run_to_exit(&["crash-no-map", "no-such-map"]).status.signal(), Some(SEGV));
    assert_eq!(run_to_exit(&["crash-no-arguments"]).status.signal(), Some(SEGV));
}

#[test]
fn wrong_arguments_are_accepted_with_the_fault() {
    for words in [
        &["accepts-too-many-arguments", "main", "7", "8"][..],
        &["accepts-seed-word", "main", "x"],
        &["accepts-seed-zero", "main", "0"],
        &["accepts-seed-negative", "main", "-4"],
        &["none", "main", "-4", "--dialect", "2019"],
        &["none", "--dialect", "2019", "main"],
    ] {
        assert!(start(words).port() > 0, "{words:?}");
    }
}

#[test]
fn the_table_is_printed_and_the_exit_code_is_0_without_the_fault() {
    for (fault, is_printed, code) in
        [("none", true, 0), ("exits-one-at-end", true, 1), ("table-not-printed", false, 0)]
    {
        let ProcessEnd { stdout: table, status, .. } =
            play_to_the_end(start(&[fault, "main", "7"]));
        assert_eq!(table.starts_with("GAME OVER:\nA          0 Ann\n"), is_printed, "{table}");
        assert_eq!(status.code(), Some(code));
    }
    let ended = play_to_the_end(start(&["crash-at-end", "main", "7"]));
    assert_eq!(ended.status.signal(), Some(SEGV));
}

#[test]
fn the_table_is_printed_with_less_or_more_with_the_fault() {
    for (fault, has_heading, has_extra_line) in [
        ("none", true, false),
        ("printed-table-no-heading", false, false),
        ("prints-extra-line", true, true),
    ] {
        let table = play_to_the_end(start(&[fault, "main", "7"])).stdout;
        assert!(table.contains("A          0 Ann\n"), "{table}");
        assert_eq!(table.starts_with("GAME OVER:\n"), has_heading, "{table}");
        assert_eq!(table.ends_with("\nBye!\n"), has_extra_line, "{table}");
    }
}

#[test]
fn displays_to_a_closed_socket_are_fatal() {
    let running = start(&["crash-on-vanished-clients", "main", "7"]);
    let ann = UdpClient::new(running.port());
    let ben = UdpClient::new(running.port());
    for client in [&ann, &ben] {
        client.send(b"PLAY Somebody");
        assert!(client.receive_text().starts_with("OK "));
    }
    for key in [b"KEY H", b"KEY L", b"KEY H", b"KEY L"] {
        ann.send(key);
    }
    ann.send(b"SPECTATE");
    ann.wait_for("ERROR");
    drop(ben);
    for key in [b"KEY H", b"KEY L", b"KEY H", b"KEY L"] {
        ann.send(key);
    }
    assert_eq!(running.end().status.signal(), Some(SEGV));
}

#[test]
fn a_fatal_message_is_fatal() {
    let running = start(&["crash-on-empty", "main", "7"]);
    UdpClient::new(running.port()).send(b"");
    assert_eq!(running.end().status.signal(), Some(SEGV));

    let running = start(&["exits-on-malformed", "main", "7"]);
    UdpClient::new(running.port()).send(b"HELLO");
    assert_eq!(running.end().status.code(), Some(1));
}

#[test]
fn received_messages_are_logged_to_stdout() {
    let ended = play_to_the_end(start(&["debug-on-stdout", "main", "7"]));
    assert!(ended.stdout.contains("8 bytes from "));
}

#[test]
fn a_delayed_answer_is_the_same_answer() {
    for fault in ["none", "slow-answers", "noisy-stderr"] {
        let running = start(&[fault, "main", "7"]);
        let client = UdpClient::new(running.port());
        let received = client.play("Ann");
        assert_eq!(received[..3], ["OK A", "GRID 21 79", "GOLD 0 0 250"]);
        assert!(received[3].starts_with("DISPLAY\n"));
    }
}

#[test]
fn the_same_seed_gives_the_same_game_without_the_fault() {
    let first_display = |fault, seed| {
        let running = start(&[fault, "main", seed]);
        let client = UdpClient::new(running.port());
        client.send(b"SPECTATE");
        client.wait_for("DISPLAY")
    };
    assert!(
        first_display("none", "7") == first_display("none", "7")
            && first_display("none", "7") != first_display("none", "8")
    );
    assert_eq!(
        first_display("same-game-for-all-seeds", "7"),
        first_display("same-game-for-all-seeds", "8")
    );
    assert_ne!(
        first_display("other-game-for-same-seed", "7"),
        first_display("other-game-for-same-seed", "7")
    );
}
