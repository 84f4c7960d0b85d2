//! The server program: what it announces, how it stops, what can't disturb it.

use nuggets_testkit::{ServerProcess, UdpClient};
use rustix::process::Signal;

use crate::starting::{start_server, start_server_command};

#[test]
fn a_chosen_seed_is_logged_and_repeats_the_game() {
    let host = start_server(&["main"]);
    let joined = UdpClient::new(host.port()).play("Ann");
    host.signal(Signal::TERM);
    let log = host.end().stderr;
    let seed = log.split("seed ").nth(1).unwrap().split(',').next().unwrap().to_string();

    let again = start_server(&["main", &seed]);
    assert_eq!(UdpClient::new(again.port()).play("Ann"), joined);
}

#[test]
fn ctrl_c_and_sigterm_end_the_game_and_print_the_table() {
    for signal in [Signal::INT, Signal::TERM] {
        let host = start_server(&["main", "1"]);
        let ann = UdpClient::new(host.port());
        let watcher = UdpClient::new(host.port());
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
fn ipv4_and_ipv6_both_reach_a_server_on_all_interfaces() {
    let host = start_server(&["main", "1"]);
    assert_eq!(UdpClient::to(("127.0.0.1", host.port())).play("four")[0], "OK A");
    if std::net::UdpSocket::bind("[::1]:0").is_err() {
        return; // This machine has no IPv6.
    }
    assert_eq!(UdpClient::to(("::1", host.port())).play("six")[0], "OK B");
}

#[test]
fn the_log_can_be_turned_off_and_stdout_has_only_the_announcement() {
    let host = start_server(&["main", "1", "--log", "off"]);
    let ann = UdpClient::new(host.port());
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
    let host = start_server_command(command.args(["server", "main", "1"]));
    assert_eq!(UdpClient::new(host.port()).play("Ann")[1], "GRID 21 79");
}

#[test]
fn a_log_pipe_that_is_not_read_does_not_stop_the_game() {
    // The pipe to this test is full long before the last of these is logged.
    let host = start_server(&["main", "1"]);
    let ann = UdpClient::new(host.port());
    let unknown = UdpClient::new(host.port());
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
    let host = ServerProcess::start(command.args(["main", "1"]).stderr(full));
    let ann = UdpClient::new(host.port());
    ann.play("Ann");
    ann.send(b"nonsense");
    assert!(ann.receive_text().starts_with("ERROR malformed message"));
    host.signal(Signal::TERM);
    assert_eq!(ann.receive_text(), "QUIT GAME OVER:\nA          0 Ann");
}
