//! The server program: what it announces, how it stops, what can't disturb it.

use rustix::process::Signal;

use crate::free_port::free_port;
use crate::host::{Client, Host};

#[test]
fn the_same_seed_gives_the_same_game() {
    let play = |args: &[&str]| {
        let host = Host::start(args);
        let joined = Client::new(host.port).play("Ann");
        (host, joined)
    };
    let (_one, once) = play(&["main", "42"]);
    let (_two, again) = play(&["main", "42"]);
    assert_eq!(once, again);
    let (_three, other) = play(&["main", "43"]);
    assert_ne!(once, other);
}

#[test]
fn a_chosen_seed_is_logged_and_repeats_the_game() {
    let host = Host::start(&["main"]);
    let joined = Client::new(host.port).play("Ann");
    host.signal(Signal::TERM);
    let log = host.end().stderr;
    let seed = log.split("seed ").nth(1).unwrap().split(',').next().unwrap().to_string();

    let again = Host::start(&["main", &seed]);
    assert_eq!(Client::new(again.port).play("Ann"), joined);
}

#[test]
fn ctrl_c_and_sigterm_end_the_game_and_print_the_table() {
    for signal in [Signal::INT, Signal::TERM] {
        let host = Host::start(&["main", "1"]);
        let ann = Client::new(host.port);
        let watcher = Client::new(host.port);
        ann.play("Ann");
        watcher.send(b"SPECTATE");
        (0..3).for_each(|_| drop(watcher.receive()));
        host.signal(signal);
        for client in [&ann, &watcher] {
            assert_eq!(client.receive_text(), "QUIT GAME OVER:\nA          0 Ann");
            assert_eq!(client.receive_text(), "QUIT The server is shutting down.");
        }
        let ended = host.end();
        assert!(ended.status.success());
        assert_eq!(ended.stdout, "GAME OVER:\nA          0 Ann\n");
    }
}

#[test]
fn a_client_whose_port_is_closed_does_not_disturb_the_others() {
    let mut host = Host::start(&["main", "1"]);
    let ann = Client::new(host.port);
    let bob = Client::new(host.port);
    ann.play("Ann");
    bob.play("Bob");
    assert!(ann.receive_text().starts_with("DISPLAY\n"));
    drop(bob);
    // Each of these sends to Bob's closed port, which answers 'unreachable'.
    for key in ["l", "h", "l", "h", "j", "k"].repeat(20) {
        ann.send(format!("KEY {key}").as_bytes());
    }
    ann.send(b"KEY ?");
    while ann.receive_text() != "ERROR unknown keystroke" {}
    assert!(host.is_running());
    let carl = Client::new(host.port);
    assert_eq!(carl.play("Carl")[0], "OK C");
}

#[test]
fn ipv4_and_ipv6_both_reach_a_server_on_all_interfaces() {
    let host = Host::start(&["main", "1"]);
    assert_eq!(Client::to(("127.0.0.1", host.port)).play("four")[0], "OK A");
    if std::net::UdpSocket::bind("[::1]:0").is_err() {
        return; // This machine has no IPv6.
    }
    assert_eq!(Client::to(("::1", host.port)).play("six")[0], "OK B");
}

#[test]
fn bind_and_port_set_the_listening_address() {
    let free = free_port();
    let host = Host::start(&["main", "1", "--bind", "127.0.0.1", "--port", &free.to_string()]);
    assert_eq!(host.port, free);
    assert_eq!(Client::new(free).play("Ann")[0], "OK A");
}

#[test]
fn with_end_when_empty_the_game_ends_with_its_last_player() {
    let host = Host::start(&["main", "1", "--end-when-empty"]);
    let ann = Client::new(host.port);
    ann.play("Ann");
    ann.send(b"KEY Q");
    assert_eq!(ann.receive_text(), "QUIT Thanks for playing!");
    let ended = host.end();
    assert!(ended.status.success());
    assert_eq!(ended.stdout, "GAME OVER:\nA          0 Ann\n");
}

#[test]
fn with_sprint_stops_sprints_stop() {
    let shown = |options: &[&str]| {
        let host = Host::start(&[&["main", "1"], options].concat());
        let ann = Client::new(host.port);
        ann.play("Ann");
        // Seed 1 lands Ann on row 8, column 19, right below a pile of one nugget at 7, 21.
        for key in ["k", "L"] {
            ann.send(format!("KEY {key}").as_bytes());
        }
        let mut last = Vec::new();
        ann.send(b"KEY ?");
        loop {
            let message = ann.receive_text();
            if message.starts_with("ERROR") {
                return last;
            }
            last.push(message.lines().nth(8).unwrap_or_default().find('@'));
        }
    };
    assert_eq!(shown(&["--sprint-stops"]).last(), Some(&Some(21)));
    assert_eq!(shown(&[]).last(), Some(&Some(40)));
}

#[test]
fn with_changed_only_invisible_moves_are_not_sent() {
    let heard_by_ann = |options: &[&str]| {
        let host = Host::start(&[&["main", "1"], options].concat());
        let ann = Client::new(host.port);
        let bob = Client::new(host.port);
        // Seed 1 lands them in different rooms, Bob with a free spot above.
        ann.play("Ann");
        bob.play("Bob");
        bob.send(b"KEY k");
        assert!(bob.receive_text().starts_with("DISPLAY\n"));
        ann.send(b"KEY ?");
        std::iter::from_fn(|| {
            Some(ann.receive_text()).filter(|message| !message.starts_with("ERROR"))
        })
        .count()
    };
    assert_eq!(heard_by_ann(&["--changed-only"]), 0);
    assert_eq!(heard_by_ann(&[]), 2, "when Bob came and when he moved");
}

#[test]
fn malformed_messages_are_logged_harmlessly() {
    let host = Host::start(&["main", "1"]);
    let unknown = Client::new(host.port);
    unknown.send(b"\x1b[31mHELLO\x07");
    assert!(unknown.receive_text().starts_with("ERROR malformed message"));
    host.signal(Signal::TERM);
    let log = host.end().stderr;
    assert!(log.contains("WARN malformed message: expected PLAY name"), "{log}");
    assert!(log.contains(r"\x1b[31mHELLO\x07"), "{log}");
    assert!(!log.contains('\x1b') && !log.contains('\x07'));
}

#[test]
fn the_log_can_be_turned_off_and_stdout_has_only_the_announcement() {
    let host = Host::start(&["main", "1", "--log", "off"]);
    let ann = Client::new(host.port);
    ann.play("Ann");
    ann.send(b"nonsense");
    ann.receive();
    host.signal(Signal::TERM);
    let ended = host.end();
    assert_eq!(
        (ended.stdout.as_str(), ended.stderr.as_str()),
        ("GAME OVER:\nA          0 Ann\n", "")
    );
}

#[test]
fn nuggets_server_is_the_same_program() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_nuggets"));
    let host = Host::start_command(command.args(["server", "main", "1"]));
    assert_eq!(Client::new(host.port).play("Ann")[1], "GRID 21 79");
}

#[test]
fn a_log_pipe_that_is_not_read_does_not_stop_the_game() {
    // The pipe to this test is full long before the last of these is logged.
    let host = Host::start(&["main", "1"]);
    let ann = Client::new(host.port);
    let unknown = Client::new(host.port);
    for _ in 0..3_000 {
        unknown.send(b"nonsense");
        unknown.receive();
    }
    assert_eq!(ann.play("Ann")[0], "OK A");
}

#[test]
#[cfg(target_os = "linux")]
fn a_log_that_cannot_be_written_does_not_stop_the_game() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_server"));
    let host = Host::start_logging_to(command.args(["main", "1"]), full.into());
    let ann = Client::new(host.port);
    ann.play("Ann");
    ann.send(b"nonsense");
    assert!(ann.receive_text().starts_with("ERROR malformed message"));
    host.signal(Signal::TERM);
    assert_eq!(ann.receive_text(), "QUIT GAME OVER:\nA          0 Ann");
}
