//! What the operator of a server can ask for and choose.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use nuggets_testkit::{PseudoTerminal, UdpClient, lines, run_command};
use rustix::process::Signal;

use crate::several_games::{ONE_NUGGET, Scene, join, shows, wait_for_start, win};

#[test]
fn the_operator_asks_over_the_local_socket() {
    let scene = Scene::new();
    let host = scene.start(&["--control", "sock", "--start-key"]);
    let mode = fs::metadata(scene.path("sock")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let ann = UdpClient::new(host.port());
    join(&ann, "Ann");
    let (code, status) = scene.ask(&["status"]);
    assert_eq!(code, Some(0));
    let port = host.port();
    let first = format!(
        "game, map tiny.txt, seed 7, port {port}: not begun, 1 player, 1 of 1 nuggets left"
    );
    assert!(status.starts_with(&first), "{status}");
    assert!(status.contains("A 'Ann' at 127.0.0.1:"), "{status}");
    assert_eq!(scene.ask(&["start"]), (Some(0), "the game begins\n".into()));
    wait_for_start(&ann);
    let refused = "error: there is no game that waits for its start\n";
    assert_eq!(scene.ask(&["start"]), (Some(1), refused.into()));
    assert_eq!(scene.ask(&["say", "five", "minutes"]), (Some(0), "said: five minutes\n".into()));
    assert_eq!(ann.receive_text(), "ERROR Notice: five minutes");
    assert_eq!(scene.ask(&["kick", "B"]).0, Some(1));
    let (code, why) = scene.ask(&["dance"]);
    assert_eq!(code, Some(2));
    assert!(why.contains("invalid request 'dance': type `status`"), "{why}");
    assert_eq!(scene.ask(&["kick", "A"]), (Some(0), "removed A\n".into()));
    assert_eq!(ann.receive_text(), "QUIT The host has removed you from the game.");
    host.signal(Signal::TERM);
    assert!(host.end().status.success());
    let (code, why) = scene.ask(&["status"]);
    assert_eq!(code, Some(1));
    assert!(why.contains("no server listens there") && why.contains("--control"), "{why}");
}

#[test]
fn a_game_that_the_operator_has_started_does_not_wait_again_after_a_crash() {
    let scene = Scene::new();
    let args = ["--control", "sock", "--start-key", "--journal", "j"];
    let mut host = scene.start(&args);
    let ann = UdpClient::new(host.port());
    join(&ann, "Ann");
    assert_eq!(scene.ask(&["start"]).0, Some(0));
    wait_for_start(&ann);
    host.kill();
    let host = scene.start(&args);
    wait_for_start(&ann);
    let (_, status) = scene.ask(&["status"]);
    assert!(status.contains("playing, 1 player, 1 of 1 nuggets left"), "{status}");
    assert_eq!(win(&ann), "A          1 Ann");
    assert!(host.end().status.success());
}

#[test]
fn the_operator_ends_a_game_and_stops_the_server_and_both_have_results() {
    let scene = Scene::new();
    let args = ["--control", "sock", "--games", "forever", "--pause", "0", "--results", "r.jsonl"];
    let host = scene.start(&args);
    let ann = UdpClient::new(host.port());
    join(&ann, "Ann");
    let next = "ERROR Next game: 0 seconds after this one, on this port";
    while ann.receive_text() != next {}
    assert_eq!(scene.ask(&["end"]), (Some(0), "the game ends\n".into()));
    assert_eq!(ann.receive_text(), next);
    assert_eq!(ann.receive_text(), "QUIT GAME OVER:\nA          0 Ann");
    let bob = UdpClient::new(host.port());
    join(&bob, "Bob");
    assert_eq!(scene.ask(&["stop"]).0, Some(0));
    while !bob.receive_text().starts_with("QUIT GAME OVER:\n") {}
    assert_eq!(bob.receive_text(), "QUIT The server is shutting down.");
    assert!(host.end().status.success());
    let lines = scene.read("r.jsonl");
    let results: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(results.len(), 2);
    assert_eq!((&results[0]["end"], &results[0]["game"]), (&"ended by host".into(), &1.into()));
    let last = (&results[1]["end"], &results[1]["players"][0]["name"]);
    assert_eq!(last, (&"stopped".into(), &"Bob".into()));
}

#[test]
fn a_killed_servers_socket_is_replaced_and_a_running_ones_is_not() {
    let scene = Scene::new();
    let mut host = scene.start(&["--control", "sock"]);
    let mut second = Command::new(env!("CARGO_BIN_EXE_server"));
    second.current_dir(scene.folder.path()).args(["main", "--control", "sock"]);
    let refused = run_command(&mut second, b"");
    assert_eq!(refused.code(), Some(1));
    let why = refused.stderr;
    assert!(why.contains("another server listens at 'sock'"), "{why}");
    host.kill();
    let gone = scene.ctl(&["status"]);
    let why = gone.stderr;
    assert!(gone.status.code() == Some(1) && why.contains("its server has ended"), "{why}");
    let _host = scene.start(&["--control", "sock"]);
    assert!(scene.ctl(&["status"]).status.success());
}

#[test]
fn a_log_file_and_the_line_for_others() {
    let scene = Scene::new();
    let host = scene.start(&["--bind", "127.0.0.1", "--log-file", "log"]);
    let port = host.port();
    host.signal(Signal::TERM);
    let ended = host.end();
    assert_eq!(ended.stderr, format!("Others join with: player 127.0.0.1 {port} YOURNAME\n"));
    assert!(scene.read("log").contains("map 'tiny.txt' (4x5), seed 7, dialect 2021"));
}

#[test]
fn the_operator_types_requests_into_the_terminal_and_enter_begins_the_game() {
    let scene = Scene::new();
    let args = [&["tiny.txt", "7", "--start-key", "--bind", "127.0.0.1"], &ONE_NUGGET[..]].concat();
    let mut server = PseudoTerminal::start_in(
        scene.folder.path(),
        (24, 120),
        env!("CARGO_BIN_EXE_server"),
        &args,
    );
    shows(&server, "Others join with: player 127.0.0.1 ");
    let screen = server.wait_for(|screen| screen.contents().contains("waiting at port"));
    let announced =
        lines(&screen).into_iter().find(|line| line.contains("waiting at port")).unwrap();
    let port = announced.rsplit(' ').next().unwrap().parse().unwrap();
    let ann = UdpClient::new(port);
    join(&ann, "Ann");
    server.type_keys("status\r");
    shows(&server, "not begun, 1 player, 1 of 1 nuggets left");
    server.type_keys("\r");
    shows(&server, "the game begins");
    wait_for_start(&ann);
    server.type_keys("help\r");
    shows(&server, "type `status`");
    server.type_keys("jump\r");
    shows(&server, "unknown request 'jump'");
    server.type_keys("end\r");
    while !ann.receive_text().starts_with("QUIT GAME OVER:\n") {}
    assert_eq!(server.wait_for_end().code, 0);
}
