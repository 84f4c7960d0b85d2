//! Terminal people and bots in games of `nuggets serve`: over WebSocket, with and without TLS, from Rust and Python.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::{Child, ChildStdin, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::arguments::NUGGETS;
use crate::free_port::free_port;
use crate::host::{LIMIT, now};

const PLAYER: &str = env!("CARGO_BIN_EXE_player");
const WEB_BOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/web_bot.py");
const CERT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/web_host/cert.pem");
const KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/web_host/key.pem");

/// A web host. It is killed when the test is over, however it ends.
struct WebHost {
    folder: TempDir,
    address: SocketAddr,
    options: Vec<String>,
    child: Child,
}

impl WebHost {
    fn start(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()));
        let options: Vec<String> = options.iter().map(ToString::to_string).collect();
        let child = serve(&folder, address, &options);
        Self { folder, address, options, child }
    }

    /// Kills it without warning, and starts it again.
    fn restart(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.child = serve(&self.folder, self.address, &self.options);
    }

    /// Sends a request and returns the answer.
    fn ask(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Waits until a player of this name has joined.
    fn wait_for_player(&self, link: &str, name: &str) {
        self.wait_until(link, |row| row["players"].to_string().contains(name));
    }

    /// Waits until the row of a game in the lobby is as wanted.
    fn wait_until(&self, link: &str, is_wanted: impl Fn(&Value) -> bool) {
        let game = link.rsplit('/').next().unwrap();
        let Self { address, .. } = self;
        let request = format!(
            "GET /api/games/{game} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n"
        );
        let started = now();
        loop {
            let answer = self.ask(&request);
            let (_, row) = answer.split_once("\r\n\r\n").unwrap();
            if is_wanted(&serde_json::from_str(row).unwrap_or_else(|_| panic!("{answer}"))) {
                return;
            }
            assert!(started.elapsed() < LIMIT, "{answer}");
        }
    }

    /// Creates a game on a small map and returns its link.
    fn create(&self, mut spec: Value) -> String {
        spec["map"] = json!({ "built_in": "narrow" });
        let body = spec.to_string();
        let Self { address, .. } = self;
        let answer = self.ask(&format!(
            "POST /api/games HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ));
        let (_, json) = answer.split_once("\r\n\r\n").unwrap();
        let json: Value = serde_json::from_str(json).unwrap_or_else(|_| panic!("{answer}"));
        format!("http://{address}/g/{}", json["id"].as_str().unwrap_or_else(|| panic!("{answer}")))
    }
}

impl Drop for WebHost {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(folder: &TempDir, address: SocketAddr, options: &[String]) -> Child {
    let mut child = Command::new(NUGGETS)
        .args(["serve", "--log", "warn", "--listen", &address.to_string(), "--data"])
        .arg(folder.path())
        .args(options)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("Open http"), "announced {line:?}");
    child
}

/// Starts a program with an open pipe as its input.
fn start(program: &str, words: &[&str]) -> (Child, ChildStdin) {
    let mut command = Command::new(program);
    command.args(words).env_remove("SSL_CERT_FILE");
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let stdin = child.stdin.take().unwrap();
    (child, stdin)
}

fn run(program: &str, words: &[&str], script: &str) -> Output {
    let (child, mut stdin) = start(program, words);
    stdin.write_all(script.as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

#[test]
fn the_python_bot_finishes_a_game_over_websocket() {
    let host = WebHost::start(&[]);
    let link = host.create(json!({}));
    let bot = run("python3", &[WEB_BOT, &link, "Monty"], "");
    assert_eq!(text(&bot.stderr), "");
    assert_eq!(text(&bot.stdout), "A        250 Monty\n");
    assert!(bot.status.success());
}

#[test]
fn bots_play_over_websocket_while_the_host_is_killed_and_started_again() {
    let mut host = WebHost::start(&[]);
    let link = host.create(json!({}));
    let words = ["bot", &link, "--count", "3", "--pace", "150", "--name", "Robby", "--log", "off"];
    let (bots, _stdin) = start(NUGGETS, &words);
    // They press keys when all of them have joined.
    host.wait_until(&link, |row| row["gold_left"].as_u64() < Some(250));
    host.restart();
    let ended = bots.wait_with_output().unwrap();
    assert_eq!(text(&ended.stderr), "");
    let table = text(&ended.stdout);
    let purses = table.lines().map(|row| row[2..12].trim().parse::<u32>().unwrap());
    assert_eq!((table.lines().count(), purses.sum::<u32>()), (3, 250), "{table}");
    assert!(ended.status.success());
}

#[test]
fn a_script_plays_and_another_watches() {
    let host = WebHost::start(&[]);
    let link = host.create(json!({}));
    let ended = run(PLAYER, &[&link, "Ann", "--log", "off"], "hljkQ");
    assert_eq!(text(&ended.stderr), "");
    let printed = text(&ended.stdout);
    assert!(printed.starts_with("Player A has "), "{printed}");
    assert!(printed.ends_with("Thanks for playing!\n"), "{printed}");
    assert!(ended.status.success());
    let ended = run(PLAYER, &[&format!("{link}/watch")], "Q");
    let printed = text(&ended.stdout);
    assert!(printed.starts_with("Spectator: ") && printed.contains('*'), "{printed}");
    assert!(printed.ends_with("Thanks for watching!\n"), "{printed}");
}

#[test]
fn who_is_not_let_in_is_told_why() {
    let host = WebHost::start(&[]);
    let link = host.create(json!({ "rules": { "players": 1 } }));
    let (mut first, stdin) = start(PLAYER, &[&link, "Ann"]);
    host.wait_for_player(&link, "Ann");
    let ended = run(PLAYER, &[&link, "Bob"], "Q");
    assert_eq!(text(&ended.stdout), "Game is full: no more players can join.\n");
    assert!(ended.status.success(), "as in the specification");
    drop(stdin);
    first.wait().unwrap();

    let unknown = format!("http://{}/g/aaaaaaaaaaaa", host.address);
    let ended = run(PLAYER, &[&unknown, "Ann"], "Q");
    let why = format!("there is no game at {unknown}: check the link");
    assert!(text(&ended.stderr).contains(&why), "{}", text(&ended.stderr));
    assert_eq!(ended.status.code(), Some(1));
    let ended = run(NUGGETS, &["bot", &unknown, "--log", "off"], "");
    assert!(text(&ended.stderr).contains(&why), "{}", text(&ended.stderr));
    assert_eq!(ended.status.code(), Some(1));
}

#[test]
fn a_host_that_does_not_run_is_reported() {
    let link = format!("http://127.0.0.1:{}/g/aaaaaaaaaaaa", free_port());
    let ended = run(PLAYER, &[&link, "Ann"], "Q");
    let why = format!("error: nothing listens at {link}: the port is closed");
    assert!(text(&ended.stderr).starts_with(&why), "{}", text(&ended.stderr));
    assert_eq!(ended.status.code(), Some(1));
}

#[test]
fn over_tls_the_certificate_must_be_trusted() {
    let host = WebHost::start(&["--tls-cert", CERT, "--tls-key", KEY]);
    // There is no such game: the host says so over the encrypted connection.
    let link = format!("https://localhost:{}/g/aaaaaaaaaaaa", host.address.port());
    let untrusted = run(PLAYER, &[&link, "Ann"], "Q");
    let stderr = text(&untrusted.stderr);
    assert!(stderr.contains("no trust in the certificate of localhost"), "{stderr}");
    assert!(stderr.contains("SSL_CERT_FILE"), "{stderr}");
    assert_eq!(untrusted.status.code(), Some(1));

    let mut trusting = Command::new(PLAYER);
    trusting.args([&link, "Ann"]).env("SSL_CERT_FILE", CERT).stdin(Stdio::null());
    let ended = trusting.output().unwrap();
    let stderr = text(&ended.stderr);
    assert!(stderr.contains(&format!("there is no game at {link}")), "{stderr}");
}
