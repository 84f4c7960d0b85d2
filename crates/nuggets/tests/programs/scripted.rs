//! A player among pipes and files: keys from a script, the last picture as plain text.

use std::process::Command;
use std::thread::{self, JoinHandle};

use nuggets_testkit::{FakeServer, ORDINARY, ProcessEnd, PseudoTerminal, lines, run_command};

use crate::room_screen::{STATUS, shown};
use crate::starting::{PLAYER, start_server};
use crate::temp_file::TempFile;

/// Starts `player` for Ann with this script on its standard input, which then ends.
fn start(port: u16, script: &'static [u8]) -> JoinHandle<ProcessEnd> {
    let args = ["127.0.0.1".to_owned(), port.to_string(), "Ann".to_owned()];
    thread::spawn(move || run_command(Command::new(PLAYER).args(args), script))
}

/// What a script leaves behind that has seen the room.
fn last_picture(status: &str) -> String {
    shown(status).join("\n") + "\n"
}

#[test]
fn a_script_plays_and_the_last_picture_is_printed_as_plain_text() {
    let host = start_server(&["main", "1"]);
    let ended = start(host.port(), b"llLjQ").join().unwrap();
    let room = [
        "               +-----------+",
        "               #.....*.....#",
        "               |..........@|",
        "               +-----------+",
    ];
    let expected = [&[STATUS], &[""; 6][..], &room, &[""; 11], &["Thanks for playing!\n"]];
    assert_eq!(ended.stdout, expected.concat().join("\n"));
    assert!(!ended.stderr.contains('\x1b'));
    assert_eq!(ended.status.code(), Some(0));
}

#[test]
fn the_end_of_a_script_quits() {
    for script in [&b"l\r\n"[..], b"lQhhh"] {
        let server = FakeServer::new();
        let player = start(server.port, script);
        server.accept();
        assert_eq!(server.receive(), "KEY l");
        server.reply_to_quit("Thanks for playing!");
        let ended = player.join().unwrap();
        assert_eq!(ended.stdout, last_picture(STATUS) + "Thanks for playing!\n");
        assert_eq!(ended.status.code(), Some(0));
    }
}

#[test]
fn the_end_of_a_game_is_printed_below_the_last_picture() {
    let server = FakeServer::new();
    let player = start(server.port, b"l");
    server.accept();
    server.receive();
    server.send("GOLD 250 250 0");
    server.send("QUIT GAME OVER:\nA        250 Ann\n");
    let ended = player.join().unwrap();
    let picture = last_picture("Player A has 250 nuggets (0 nuggets unclaimed).");
    assert_eq!(ended.stdout, picture + "GAME OVER:\nA        250 Ann\n");
    assert_eq!(ended.status.code(), Some(0));
}

#[test]
fn a_rejection_goes_to_stderr_and_nothing_to_stdout() {
    let server = FakeServer::new();
    let player = start(server.port, b"l");
    server.receive_any();
    server.send("NO");
    let ended = player.join().unwrap();
    let stderr = &ended.stderr;
    let place = format!("127.0.0.1:{}", server.port);
    // The log may be there as well.
    let rejection = format!("error: {place} refused: the game is full");
    assert!(stderr.lines().any(|line| line == rejection), "{stderr}");
    assert_eq!((&*ended.stdout, ended.code()), ("", Some(1)));
}

#[test]
fn a_script_in_a_terminal_is_drawn() {
    let server = FakeServer::new();
    let line = format!("printf l | {PLAYER:?} 127.0.0.1 {} Ann", server.port);
    let terminal = PseudoTerminal::start(ORDINARY, "sh", &["-c", &line]);
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
    let mut terminal = PseudoTerminal::start(ORDINARY, "sh", &["-c", &line]);
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
