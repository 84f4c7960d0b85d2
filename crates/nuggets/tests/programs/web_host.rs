//! Terminal people and bots in games of `nuggets serve`: over WebSocket, with and without TLS, from Rust and Python.

use std::process::{Child, ChildStdin, Command, Stdio};

use nuggets_testkit::{ProcessEnd, WebHost, run_command, wait_until};
use serde_json::{Value, json};

use crate::starting::{NUGGETS, PLAYER};

const WEB_BOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/web_bot.py");
const CERT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/web_host/cert.pem");
const KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/web_host/key.pem");

/// Waits until the row of a game in the lobby is as wanted.
fn wait_for_row(host: &WebHost, link: &str, is_wanted: impl Fn(&Value) -> bool) {
    let game = link.rsplit('/').next().unwrap();
    wait_until("a row of the lobby", || is_wanted(&host.visitor().game(game)));
}

/// Creates a game on a small map and returns its link.
fn create(host: &WebHost, mut spec: Value) -> String {
    spec["map"] = json!({ "built_in": "narrow" });
    host.url(&format!("/g/{}", host.visitor().create_game(&spec)))
}

/// Starts a program with an open pipe as its input.
fn start(program: &str, words: &[&str]) -> (Child, ChildStdin) {
    let mut command = Command::new(program);
    let command = command.args(words).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let stdin = child.stdin.take().unwrap();
    (child, stdin)
}

fn run(program: &str, words: &[&str], script: &str) -> ProcessEnd {
    let mut command = Command::new(program);
    run_command(command.args(words).env_remove("SSL_CERT_FILE"), script.as_bytes())
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

#[test]
fn the_python_bot_finishes_a_game_over_websocket() {
    let host = WebHost::start(NUGGETS, &[]);
    let link = create(&host, json!({}));
    let bot = run("python3", &[WEB_BOT, &link, "Monty"], "");
    assert_eq!(bot.stderr, "");
    assert_eq!(bot.stdout, "A        250 Monty\n");
    assert!(bot.status.success());
}

#[test]
fn bots_play_over_websocket_while_the_host_is_killed_and_started_again() {
    let mut host = WebHost::start(NUGGETS, &[]);
    let link = create(&host, json!({}));
    let words = ["bot", &link, "--count", "3", "--pace", "150", "--name", "Robby", "--log", "off"];
    let (bots, _stdin) = start(NUGGETS, &words);
    // They press keys when all of them have joined.
    wait_for_row(&host, &link, |row| row["gold_left"].as_u64() < Some(250));
    host.kill();
    host.start_again();
    let ended = bots.wait_with_output().unwrap();
    assert_eq!(text(&ended.stderr), "");
    let table = text(&ended.stdout);
    let purses = table.lines().map(|row| row[2..12].trim().parse::<u32>().unwrap());
    assert_eq!((table.lines().count(), purses.sum::<u32>()), (3, 250), "{table}");
    assert!(ended.status.success());
}

#[test]
fn a_script_plays_and_another_watches() {
    let host = WebHost::start(NUGGETS, &[]);
    let link = create(&host, json!({}));
    let ended = run(PLAYER, &[&link, "Ann", "--log", "off"], "hljkQ");
    assert_eq!(ended.stderr, "");
    let printed = ended.stdout;
    assert!(printed.starts_with("Player A has "), "{printed}");
    assert!(printed.ends_with("Thanks for playing!\n"), "{printed}");
    assert!(ended.status.success());
    let ended = run(PLAYER, &[&format!("{link}/watch")], "Q");
    let printed = ended.stdout;
    assert!(printed.starts_with("Spectator: ") && printed.contains('*'), "{printed}");
    assert!(printed.ends_with("Thanks for watching!\n"), "{printed}");
}

#[test]
fn who_is_not_let_in_is_told_why() {
    let host = WebHost::start(NUGGETS, &[]);
    let link = create(&host, json!({ "rules": { "players": 1 } }));
    let (mut first, stdin) = start(PLAYER, &[&link, "Ann"]);
    wait_for_row(&host, &link, |row| row["players"].to_string().contains("Ann"));
    let ended = run(PLAYER, &[&link, "Bob"], "Q");
    assert_eq!(ended.stdout, "Game is full: no more players can join.\n");
    assert!(ended.status.success(), "as in the specification");
    drop(stdin);
    first.wait().unwrap();

    let unknown = format!("http://{}/g/aaaaaaaaaaaa", host.address());
    let ended = run(PLAYER, &[&unknown, "Ann"], "Q");
    let why = format!("there is no game at {unknown}: check the link");
    assert!(ended.stderr.contains(&why), "{}", ended.stderr);
    assert_eq!(ended.status.code(), Some(1));
    let ended = run(NUGGETS, &["bot", &unknown, "--log", "off"], "");
    assert!(ended.stderr.contains(&why), "{}", ended.stderr);
    assert_eq!(ended.status.code(), Some(1));
}

#[test]
fn over_tls_the_certificate_must_be_trusted() {
    let host = WebHost::start(NUGGETS, &["--tls-cert", CERT, "--tls-key", KEY]);
    // There is no such game: the host says so over the encrypted connection.
    let link = format!("https://localhost:{}/g/aaaaaaaaaaaa", host.address().port());
    let untrusted = run(PLAYER, &[&link, "Ann"], "Q");
    let stderr = untrusted.stderr;
    assert!(stderr.contains("no trust in the certificate of localhost"), "{stderr}");
    assert!(stderr.contains("SSL_CERT_FILE"), "{stderr}");
    assert_eq!(untrusted.status.code(), Some(1));

    let mut trusting = Command::new(PLAYER);
    let ended = run_command(trusting.args([&link, "Ann"]).env("SSL_CERT_FILE", CERT), b"");
    let stderr = ended.stderr;
    assert!(stderr.contains(&format!("there is no game at {link}")), "{stderr}");
}
