//! A player among pipes and files: keys from a script, the last picture as plain text.

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};

use crate::fake_server::{FakeServer, ROOM, STATUS, shown};
use crate::host::Host;
use crate::temp_file::TempFile;
use crate::terminal::{ORDINARY, PLAYER, Terminal, lines};

/// A player with a script. It is killed when the test is over, however it ends.
struct Script(Option<Child>);

impl Script {
    /// Waits until it has ended.
    fn end(mut self) -> Output {
        self.0.take().unwrap().wait_with_output().unwrap()
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Starts `player` for Ann with this script on its standard input, which then ends.
fn start(port: u16, script: &[u8]) -> Script {
    let mut child = Command::new(PLAYER)
        .args(["127.0.0.1", &port.to_string(), "Ann"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(script).unwrap();
    Script(Some(child))
}

fn stdout(output: &Output) -> &str {
    str::from_utf8(&output.stdout).unwrap()
}

/// What a script leaves behind that has seen the room.
fn last_picture(status: &str) -> String {
    shown(status).join("\n") + "\n"
}

#[test]
fn a_script_plays_and_the_last_picture_is_printed_as_plain_text() {
    let host = Host::start(&["main", "1"]);
    let ended = start(host.port, b"llLjQ").end();
    let room = [
        "               +-----------+",
        "               #.....*.....#",
        "               |..........@|",
        "               +-----------+",
    ];
    let expected = [&[STATUS], &[""; 6][..], &room, &[""; 11], &["Thanks for playing!\n"]];
    assert_eq!(stdout(&ended), expected.concat().join("\n"));
    assert!(!ended.stderr.contains(&b'\x1b'));
    assert_eq!(ended.status.code(), Some(0));
}

#[test]
fn the_end_of_a_script_quits() {
    for script in [&b"l"[..], b"l\n", b"l\r\n", b"lQ", b"lQhhh"] {
        let server = FakeServer::new();
        let player = start(server.port, script);
        server.accept();
        assert_eq!(server.receive(), "KEY l");
        server.reply_to_quit("Thanks for playing!");
        let ended = player.end();
        assert_eq!(stdout(&ended), last_picture(STATUS) + "Thanks for playing!\n");
        assert_eq!(ended.status.code(), Some(0));
    }
}

#[test]
fn an_empty_script_joins_and_quits() {
    let server = FakeServer::new();
    let player = start(server.port, b"");
    server.accept();
    server.reply_to_quit("Thanks for playing!");
    let ended = player.end();
    assert_eq!(stdout(&ended), last_picture(STATUS) + "Thanks for playing!\n");
}

#[test]
fn a_long_script_arrives_complete_and_in_order() {
    let server = FakeServer::new();
    let script: String = "hjklyubn".chars().cycle().take(600).collect();
    let player = start(server.port, script.as_bytes());
    server.accept();
    let keys: String = script.chars().map(|_| server.receive().split_off("KEY ".len())).collect();
    assert_eq!(keys, script);
    server.reply_to_quit("Thanks for playing!");
    assert_eq!(player.end().status.code(), Some(0));
}

#[test]
fn invalid_keys_in_a_script_are_skipped() {
    let server = FakeServer::new();
    let player = start(server.port, b"h\t\x1b\xc3\xa9\x00l");
    server.accept();
    assert_eq!(server.receive(), "KEY h");
    assert_eq!(server.receive(), "KEY l");
    server.reply_to_quit("Thanks for playing!");
    assert_eq!(player.end().status.code(), Some(0));
}

#[test]
fn the_end_of_a_game_is_printed_below_the_last_picture() {
    let server = FakeServer::new();
    let player = start(server.port, b"l");
    server.accept();
    server.receive();
    server.send("GOLD 250 250 0");
    server.send("QUIT GAME OVER:\nA        250 Ann\n");
    let ended = player.end();
    let picture = last_picture("Player A has 250 nuggets (0 nuggets unclaimed).");
    assert_eq!(stdout(&ended), picture + "GAME OVER:\nA        250 Ann\n");
    assert_eq!(ended.status.code(), Some(0));
}

#[test]
fn a_rejection_goes_to_stderr_and_nothing_to_stdout() {
    let server = FakeServer::new();
    let player = start(server.port, b"l");
    server.receive_any();
    server.send("NO");
    let ended = player.end();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    let place = format!("127.0.0.1:{}", server.port);
    // The log may be there as well.
    let rejection = format!("error: {place} refused: the game is full");
    assert!(stderr.lines().any(|line| line == rejection), "{stderr}");
    assert_eq!((ended.stdout, ended.status.code()), (vec![], Some(1)));
}

#[test]
fn control_bytes_of_a_server_are_not_printed() {
    let server = FakeServer::new();
    let player = start(server.port, b"l");
    server.accept();
    server.receive();
    server.send(format!("DISPLAY\n{}", ROOM.replace(".@.", "\x1b@\x07")));
    server.send(b"QUIT \x1b]0;owned\x07bye\r\x9b2J\n");
    let ended = player.end();
    let picture = last_picture(STATUS).replace(".@.", "?@?");
    assert_eq!(stdout(&ended), picture + "?]0;owned?bye??2J\n");
}

#[test]
fn a_script_in_a_terminal_is_drawn() {
    let server = FakeServer::new();
    let line = format!("printf l | {PLAYER:?} 127.0.0.1 {} Ann", server.port);
    let terminal = Terminal::start(ORDINARY, "sh", &["-c", &line]);
    server.accept();
    assert_eq!(server.receive(), "KEY l");
    terminal.wait_for(|screen| {
        // After a second of waiting for QUIT there is a note beside the status line.
        let lines = lines(screen);
        screen.alternate_screen() && lines.len() == 4 && lines[1..] == shown(STATUS)[1..]
    });
    server.reply_to_quit("Thanks for playing!");
    let ended = terminal.wait_for_end();
    assert_eq!(ended.lines, ["Thanks for playing!"]);
    assert_eq!(ended.code, 0);
}

#[test]
fn keys_come_from_a_terminal_while_output_goes_to_a_file() {
    let server = FakeServer::new();
    let port = server.port;
    let file = TempFile::new("picture");
    let log = TempFile::new("picture-log");
    let path = file.path();
    let log_path = log.path();
    let line = format!("exec {PLAYER:?} 127.0.0.1 {port} Ann --log-file {log_path:?} > {path:?}");
    let mut terminal = Terminal::start(ORDINARY, "sh", &["-c", &line]);
    server.accept();
    // Before that nothing reads the keys, and no screen shows when they are read.
    log.wait_for("the server has answered");
    // No newline follows: the keys come one by one.
    terminal.type_keys("h");
    assert_eq!(server.receive(), "KEY h");
    terminal.type_keys("\x1b[C");
    assert_eq!(server.receive(), "KEY l");
    terminal.type_keys("\x03");
    server.reply_to_quit("Thanks for playing!");
    let ended = terminal.wait_for_end();
    assert_eq!((ended.lines, ended.raw, ended.code), (vec![], vec![], 0));
    assert_eq!(file.text(), last_picture(STATUS) + "Thanks for playing!\n");
}
