//! Bad networks and hostile traffic: the server as it is meant to run, over real sockets.

use std::net::{Ipv4Addr, UdpSocket};
use std::process::Command;
use std::time::Duration;

use nuggets_testkit::{LIMIT, ServerProcess, UdpClient, now};
use rustix::process::Signal;

use crate::starting::start_server_with_resends;
use crate::temp_file::TempFile;

fn start(options: &[&str]) -> ServerProcess {
    start_server_with_resends(&[&["main", "1"], options].concat())
}

/// All 26 letters are used and nobody is left, so nobody could play any more.
#[test]
fn a_server_that_stays_begins_the_next_game_when_all_players_have_left() {
    let journal = TempFile::new("stay-journal");
    let first = format!("{}.1", journal.path());
    let args = ["main", "7", "--stay", "--no-resends", "--linger", "0", "--journal"];
    let args = [&args[..], &[journal.path()]].concat();
    let host = start_server_with_resends(&args);
    let port = host.port();
    for _ in 0..26 {
        let client = UdpClient::new(port);
        client.play("Eve");
        client.send(b"KEY Q");
        while !client.receive_text().starts_with("QUIT") {}
    }
    let ann = UdpClient::new(port);
    let started = now();
    // The last game may still be ending.
    loop {
        ann.send(b"PLAY Ann");
        let text = ann.receive_text();
        if text == "OK A" {
            break;
        }
        assert!(started.elapsed() < LIMIT, "{text}");
    }
    host.signal(Signal::TERM);
    let ended = host.end();
    assert!(ended.status.success());
    assert_eq!(ended.stdout.matches("GAME OVER").count(), 2, "{}", ended.stdout);
    assert!(ended.stderr.contains("seed 7") && ended.stderr.contains("seed 8"), "{}", ended.stderr);
    assert!(std::path::Path::new(&first).exists());
    let again = start_server_with_resends(&args);
    assert_eq!(again.port(), port, "the second game is resumed, with its own seed");
    drop(again);
    let _ = std::fs::remove_file(first);
}

/// How often all threads of a process have gone to sleep.
#[cfg(target_os = "linux")]
fn sleeps(host: &ServerProcess) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", host.id())).unwrap();
    let sleeps = tasks.map(|task| {
        let status = std::fs::read_to_string(task.unwrap().path().join("status")).unwrap();
        let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        count.unwrap().trim().parse::<u64>().unwrap()
    });
    sleeps.sum()
}

#[test]
#[cfg(target_os = "linux")]
fn an_idle_server_sleeps_until_something_happens() {
    let host = start(&["--no-resends", "--idle-timeout", "3600"]);
    let ann = UdpClient::new(host.port());
    ann.play("Ann");
    std::thread::sleep(Duration::from_millis(200));
    let before = sleeps(&host);
    std::thread::sleep(Duration::from_secs(3));
    let woken = sleeps(&host) - before;
    assert!(woken <= 10, "{woken} times in three seconds");
    answered(&ann);
    let stopping = now();
    host.signal(Signal::TERM);
    assert!(host.end().status.success());
    assert!(stopping.elapsed() < LIMIT / 2, "a signal wakes it");
}

/// How much memory a process holds, in kilobytes.
#[cfg(target_os = "linux")]
fn memory_kb(host: &ServerProcess) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", host.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

/// A flood from 400 addresses of this machine, in rounds, and what happens in between. How many
/// datagrams it was.
#[cfg(target_os = "linux")]
fn flood(port: u16, rounds: usize, mut between: impl FnMut()) -> usize {
    let source = |[high, low]: [u8; 2]| Ipv4Addr::new(127, 9, high, low);
    let open = |number: u16| UdpSocket::bind((source(number.to_be_bytes()), 0)).unwrap();
    let sockets: Vec<UdpSocket> = (1..=400).map(open).collect();
    let words: [&[u8]; 6] =
        [b"PLAY flood", b"SPECTATE", b"KEY l", b"KEY Q", b"\xff\x1b[2J\x00", &[b'P'; 4000]];
    let mut sent = 0;
    for round in 0..rounds {
        for (number, socket) in sockets.iter().enumerate() {
            let word = words[(number + round) % words.len()];
            sent += usize::from(socket.send_to(word, (Ipv4Addr::LOCALHOST, port)).is_ok());
        }
        between();
    }
    sent
}

#[test]
#[cfg(target_os = "linux")]
fn a_flood_is_rate_limited_and_others_are_still_served() {
    let log = TempFile::new("flood-log");
    let started = now();
    let mut server = Command::new(env!("CARGO_BIN_EXE_server"));
    server.args(["main", "1", "--limit-private", "--limit-seats", "4"]);
    let file = std::fs::File::create(log.path()).unwrap();
    let host = ServerProcess::start(server.stderr(file));
    let ann = UdpClient::new(host.port());
    assert_eq!(ann.play("Ann")[0], "OK A");
    // She shows that she listens: keys over time.
    for _ in 0..8 {
        answered(&ann);
        std::thread::sleep(Duration::from_millis(450));
    }
    let before = memory_kb(&host);
    // One address tries for more seats than are its share.
    let greedy: Vec<UdpClient> = (0..20).map(|_| UdpClient::new(host.port())).collect();
    let sent = flood(host.port(), 100, || {
        for client in &greedy {
            client.send(b"PLAY greedy");
        }
        answered(&ann);
    });
    assert!(sent > 20_000, "only {sent} datagrams");
    let grown = memory_kb(&host).saturating_sub(before);
    assert!(grown <= 32 * 1024, "{grown} KB more");
    host.signal(Signal::TERM);
    let table = host.end().stdout;
    let rows: Vec<&str> = table.lines().skip(1).collect();
    assert!(rows.len() <= 26, "{table}");
    let greedy = rows.iter().filter(|row| row.ends_with(" greedy")).count();
    assert!(greedy <= 3, "with Ann four seats from one address: {table}");
    let (log, lines) = (log.text(), log.text().lines().count() as u64);
    let limit = 300 + 51 * (started.elapsed().as_secs() + 1);
    assert!(lines <= limit, "{lines} lines in the log for {sent} datagrams");
    assert!(log.contains("A joins from 127.0.0.1") && !log.contains('\x1b'));
}

/// Sends a key without effect until it is answered.
#[cfg(target_os = "linux")]
fn answered(client: &UdpClient) {
    let started = now();
    client.socket.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    // A key may be lost in a flood.
    let mut buffer = vec![0; 1 << 16];
    loop {
        assert!(started.elapsed() < LIMIT, "an honest player is not answered");
        client.send(b"KEY ?");
        while let Ok(length) = client.socket.recv(&mut buffer) {
            if buffer[..length].starts_with(b"ERROR unknown") {
                return;
            }
        }
    }
}
