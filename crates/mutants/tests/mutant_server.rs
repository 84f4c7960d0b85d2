//! The mutants as real processes: arguments, announcements, exit codes and signals.
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::collections::HashSet;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::net::{Ipv4Addr, UdpSocket};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

/// Far longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(60);
const SEGV: i32 = 11;

fn mutant(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mutant_server"));
    command.args(words);
    command
}

fn end(words: &[&str]) -> Output {
    mutant(words).output().unwrap()
}

/// A mutant that plays; ended with its guard.
struct Playing {
    child: Child,
    stdout: BufReader<ChildStdout>,
    port: u16,
}

impl Playing {
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
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.connect((Ipv4Addr::LOCALHOST, self.port)).unwrap();
        socket
    }

    /// Everybody joins and quits, and so the game is over.
    fn play_to_the_end(&self) {
        let clients: Vec<UdpSocket> = (0..26).map(|_| self.client()).collect();
        for client in &clients {
            client.send(b"PLAY Ann").unwrap();
            assert!(hear(client).starts_with(b"OK "));
        }
        for client in &clients {
            client.send(b"KEY Q").unwrap();
            while !hear(client).starts_with(b"QUIT") {}
        }
    }

    fn rest_of_stdout(&mut self) -> String {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        rest
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn hear(client: &UdpSocket) -> Vec<u8> {
    let mut buffer = vec![0; 1 << 16];
    let length = loop {
        match client.recv(&mut buffer) {
            Err(why) if why.kind() == ErrorKind::Interrupted => {}
            heard => break heard.unwrap(),
        }
    };
    buffer.truncate(length);
    buffer
}

#[test]
fn all_faults_are_listed_and_described() {
    let list = String::from_utf8(end(&["--list"]).stdout).unwrap();
    let names: HashSet<&str> = list.lines().collect();
    assert!(names.len() > 60 && names.len() == list.lines().count() && names.contains("none"));
    let described = String::from_utf8(end(&["--describe"]).stdout).unwrap();
    for (name, line) in list.lines().zip(described.lines()) {
        let fields: Vec<&str> = line.split('\t').collect();
        assert_eq!((fields[0], fields.len()), (name, 4));
        assert!(["wrong", "allowed"].contains(&fields[2]), "{line}");
    }
    assert_eq!(end(&["no-such-fault", "main"]).status.code(), Some(2));
    assert_eq!(end(&[]).status.code(), Some(2));
}

#[test]
fn wrong_arguments_are_refused_unless_that_is_the_fault() {
    let cases: [(&str, &[&str], i32); 6] = [
        ("exit-zero-no-arguments", &[], 2),
        ("exit-zero-too-many", &["main", "7", "8"], 2),
        ("exit-zero-seed-word", &["main", "x"], 2),
        ("exit-zero-seed-zero", &["main", "0"], 2),
        ("exit-zero-seed-negative", &["main", "-4"], 2),
        ("exit-zero-no-map", &["no-such-map"], 1),
    ];
    for (_, words, code) in cases {
        let ended = end(&[&["none"], words].concat());
        assert_eq!(ended.status.code(), Some(code), "{words:?}");
        assert!(!ended.stderr.is_empty() && ended.stdout.is_empty());
        assert!(end(&[&["silent-refusal"], words].concat()).stderr.is_empty());
        for (fault, faulty, _) in cases {
            let code = end(&[&[fault], words].concat()).status.code();
            assert_eq!(code == Some(0), faulty == words, "{fault} {words:?}");
        }
    }
    assert_eq!(end(&["seed-required", "main"]).status.code(), Some(2));
    assert_eq!(end(&["crash-no-map", "no-such-map"]).status.signal(), Some(SEGV));
    assert_eq!(end(&["crash-no-arguments"]).status.signal(), Some(SEGV));
}

#[test]
fn wrong_arguments_are_taken_if_that_is_the_fault() {
    for words in [
        &["takes-too-many", "main", "7", "8"][..],
        &["takes-seed-word", "main", "x"],
        &["takes-seed-zero", "main", "0"],
        &["takes-seed-negative", "main", "-4"],
        &["none", "main", "-4", "--dialect", "2019"],
        &["none", "--dialect", "2019", "main"],
    ] {
        assert!(Playing::start(words).port > 0, "{words:?}");
    }
}

#[test]
fn the_end_is_printed_and_the_exit_is_0_unless_that_is_the_fault() {
    for (fault, is_printed, code) in
        [("none", true, 0), ("exits-one-at-end", true, 1), ("table-not-printed", false, 0)]
    {
        let mut playing = Playing::start(&[fault, "main", "7"]);
        playing.play_to_the_end();
        let table = playing.rest_of_stdout();
        assert_eq!(table.starts_with("GAME OVER:\nA          0 Ann\n"), is_printed, "{table}");
        assert_eq!(playing.child.wait().unwrap().code(), Some(code));
    }
    let mut playing = Playing::start(&["crash-at-end", "main", "7"]);
    playing.play_to_the_end();
    assert_eq!(playing.child.wait().unwrap().signal(), Some(SEGV));
}

#[test]
fn the_end_is_printed_with_less_or_more_if_that_is_the_fault() {
    for (fault, is_headed, has_more) in
        [("none", true, false), ("prints-no-head", false, false), ("chatter-at-end", true, true)]
    {
        let mut playing = Playing::start(&[fault, "main", "7"]);
        playing.play_to_the_end();
        let table = playing.rest_of_stdout();
        assert!(table.contains("A          0 Ann\n"), "{table}");
        assert_eq!(table.starts_with("GAME OVER:\n"), is_headed, "{table}");
        assert_eq!(table.ends_with("\nBye!\n"), has_more, "{table}");
    }
}

#[test]
fn moves_that_are_shown_to_somebody_who_is_gone_are_fatal() {
    let mut playing = Playing::start(&["dies-when-clients-vanish", "main", "7"]);
    let (ann, ben) = (playing.client(), playing.client());
    for client in [&ann, &ben] {
        client.send(b"PLAY Somebody").unwrap();
        assert!(hear(client).starts_with(b"OK "));
    }
    for key in [b"KEY H", b"KEY L", b"KEY H", b"KEY L"] {
        ann.send(key).unwrap();
    }
    ann.send(b"SPECTATE").unwrap();
    while !hear(&ann).starts_with(b"ERROR") {}
    drop(ben);
    for key in [b"KEY H", b"KEY L", b"KEY H", b"KEY L"] {
        ann.send(key).unwrap();
    }
    assert_eq!(playing.child.wait().unwrap().signal(), Some(SEGV));
}

#[test]
fn a_fatal_message_is_fatal() {
    let mut playing = Playing::start(&["crash-on-empty", "main", "7"]);
    playing.client().send(b"").unwrap();
    assert_eq!(playing.child.wait().unwrap().signal(), Some(SEGV));

    let mut playing = Playing::start(&["exits-on-malformed", "main", "7"]);
    playing.client().send(b"HELLO").unwrap();
    assert_eq!(playing.child.wait().unwrap().code(), Some(1));
}

#[test]
fn what_is_heard_can_be_seen_on_stdout() {
    let mut playing = Playing::start(&["debug-on-stdout", "main", "7"]);
    playing.play_to_the_end();
    assert!(playing.rest_of_stdout().contains("8 bytes from "));
}

#[test]
fn a_late_answer_is_the_same_answer() {
    for fault in ["none", "slow-answers", "noisy-stderr"] {
        let playing = Playing::start(&[fault, "main", "7"]);
        let client = playing.client();
        client.send(b"PLAY Ann").unwrap();
        let heard: Vec<Vec<u8>> = (0..4).map(|_| hear(&client)).collect();
        assert_eq!(heard[..3], [&b"OK A"[..], b"GRID 21 79", b"GOLD 0 0 250"]);
        assert!(heard[3].starts_with(b"DISPLAY\n"));
    }
}

#[test]
fn the_same_seed_gives_the_same_game_unless_that_is_the_fault() {
    let look = |fault, seed| {
        let playing = Playing::start(&[fault, "main", seed]);
        let client = playing.client();
        client.send(b"SPECTATE").unwrap();
        (0..3).fold(vec![], |_, _| hear(&client))
    };
    assert!(look("none", "7") == look("none", "7") && look("none", "7") != look("none", "8"));
    assert_eq!(look("same-game-for-all-seeds", "7"), look("same-game-for-all-seeds", "8"));
    assert_ne!(look("other-game-for-same-seed", "7"), look("other-game-for-same-seed", "7"));
}
