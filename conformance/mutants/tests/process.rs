//! Faulty servers as real processes: arguments, announcements, exit codes and signals.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::net::{Ipv4Addr, UdpSocket};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

/// Far longer than any answer takes.
const TIMEOUT: Duration = Duration::from_secs(60);
const SEGV: i32 = 11;

fn mutant(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mutant_server"));
    command.args(words);
    command
}

fn run_to_exit(words: &[&str]) -> Output {
    mutant(words).output().unwrap()
}

/// A running mutant; killed on drop.
struct Running {
    child: Child,
    stdout: BufReader<ChildStdout>,
    port: u16,
}

impl Running {
    fn start(words: &[&str]) -> Self {
        let mut command = mutant(words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let port = line.trim().rsplit(' ').next().unwrap().parse().unwrap();
        Self { child, stdout, port }
    }

    fn client(&self) -> UdpSocket {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        socket.set_read_timeout(Some(TIMEOUT)).unwrap();
        socket.connect((Ipv4Addr::LOCALHOST, self.port)).unwrap();
        socket
    }

    /// 26 players join and quit, which ends the game.
    fn play_to_the_end(&self) {
        let clients: Vec<UdpSocket> = (0..26).map(|_| self.client()).collect();
        for client in &clients {
            client.send(b"PLAY Ann").unwrap();
            assert!(receive(client).starts_with(b"OK "));
        }
        for client in &clients {
            client.send(b"KEY Q").unwrap();
            while !receive(client).starts_with(b"QUIT") {}
        }
    }

    fn rest_of_stdout(&mut self) -> String {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        rest
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn receive(client: &UdpSocket) -> Vec<u8> {
    let mut buffer = vec![0; 1 << 16];
    let length = loop {
        match client.recv(&mut buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            received => break received.unwrap(),
        }
    };
    buffer.truncate(length);
    buffer
}

#[test]
fn all_faults_are_listed_and_described() {
    let list = String::from_utf8(run_to_exit(&["--list"]).stdout).unwrap();
    let names: BTreeSet<&str> = list.lines().collect();
    assert!(names.len() > 60 && names.len() == list.lines().count() && names.contains("none"));
    let described = String::from_utf8(run_to_exit(&["--describe"]).stdout).unwrap();
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
        assert!(Running::start(words).port > 0, "{words:?}");
    }
}

#[test]
fn the_table_is_printed_and_the_exit_code_is_0_without_the_fault() {
    for (fault, is_printed, code) in
        [("none", true, 0), ("exits-one-at-end", true, 1), ("table-not-printed", false, 0)]
    {
        let mut running = Running::start(&[fault, "main", "7"]);
        running.play_to_the_end();
        let table = running.rest_of_stdout();
        assert_eq!(table.starts_with("GAME OVER:\nA          0 Ann\n"), is_printed, "{table}");
        assert_eq!(running.child.wait().unwrap().code(), Some(code));
    }
    let mut running = Running::start(&["crash-at-end", "main", "7"]);
    running.play_to_the_end();
    assert_eq!(running.child.wait().unwrap().signal(), Some(SEGV));
}

#[test]
fn the_table_is_printed_with_less_or_more_with_the_fault() {
    for (fault, has_heading, has_extra_line) in [
        ("none", true, false),
        ("printed-table-no-heading", false, false),
        ("prints-extra-line", true, true),
    ] {
        let mut running = Running::start(&[fault, "main", "7"]);
        running.play_to_the_end();
        let table = running.rest_of_stdout();
        assert!(table.contains("A          0 Ann\n"), "{table}");
        assert_eq!(table.starts_with("GAME OVER:\n"), has_heading, "{table}");
        assert_eq!(table.ends_with("\nBye!\n"), has_extra_line, "{table}");
    }
}

#[test]
fn displays_to_a_closed_socket_are_fatal() {
    let mut running = Running::start(&["crash-on-vanished-clients", "main", "7"]);
    let ann = running.client();
    let ben = running.client();
    for client in [&ann, &ben] {
        client.send(b"PLAY Somebody").unwrap();
        assert!(receive(client).starts_with(b"OK "));
    }
    for key in [b"KEY H", b"KEY L", b"KEY H", b"KEY L"] {
        ann.send(key).unwrap();
    }
    ann.send(b"SPECTATE").unwrap();
    while !receive(&ann).starts_with(b"ERROR") {}
    drop(ben);
    for key in [b"KEY H", b"KEY L", b"KEY H", b"KEY L"] {
        ann.send(key).unwrap();
    }
    assert_eq!(running.child.wait().unwrap().signal(), Some(SEGV));
}

#[test]
fn a_fatal_message_is_fatal() {
    let mut running = Running::start(&["crash-on-empty", "main", "7"]);
    running.client().send(b"").unwrap();
    assert_eq!(running.child.wait().unwrap().signal(), Some(SEGV));

    let mut running = Running::start(&["exits-on-malformed", "main", "7"]);
    running.client().send(b"HELLO").unwrap();
    assert_eq!(running.child.wait().unwrap().code(), Some(1));
}

#[test]
fn received_messages_are_logged_to_stdout() {
    let mut running = Running::start(&["debug-on-stdout", "main", "7"]);
    running.play_to_the_end();
    assert!(running.rest_of_stdout().contains("8 bytes from "));
}

#[test]
fn a_delayed_answer_is_the_same_answer() {
    for fault in ["none", "slow-answers", "noisy-stderr"] {
        let running = Running::start(&[fault, "main", "7"]);
        let client = running.client();
        client.send(b"PLAY Ann").unwrap();
        let received: Vec<Vec<u8>> = (0..4).map(|_| receive(&client)).collect();
        assert_eq!(received[..3], [&b"OK A"[..], b"GRID 21 79", b"GOLD 0 0 250"]);
        assert!(received[3].starts_with(b"DISPLAY\n"));
    }
}

#[test]
fn the_same_seed_gives_the_same_game_without_the_fault() {
    let first_display = |fault, seed| {
        let running = Running::start(&[fault, "main", seed]);
        let client = running.client();
        client.send(b"SPECTATE").unwrap();
        (0..3).fold(vec![], |_, _| receive(&client))
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
