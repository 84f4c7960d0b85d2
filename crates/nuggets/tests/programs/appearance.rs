//! What does and what doesn't get onto the screen: colours, the log, a server's control bytes.

use nuggets_testkit::{FakeServer, ORDINARY, PseudoTerminal, ROOM, lines, status};

use crate::room_screen::{STATUS, join_fake_server, join_fake_server_with, shown, wait_for_room};
use crate::starting::{PLAYER, start_player};
use crate::temp_file::TempFile;

/// Whether a program has ever asked for a colour, be it the default one.
fn asks_for_colors(raw: &[u8]) -> bool {
    let text = String::from_utf8_lossy(raw);
    let is_color = |number: u8| matches!(number, 30..=49 | 90..=107);
    text.split("\x1b[").skip(1).any(|sequence| {
        let end = sequence.find(|c: char| !matches!(c, '0'..='9' | ';' | ':'));
        let (numbers, rest) = sequence.split_at(end.unwrap_or(sequence.len()));
        let mut numbers = numbers.split([';', ':']).filter_map(|number| number.parse().ok());
        rest.starts_with('m') && numbers.any(is_color)
    })
}

/// Whether a player with these options and variables, who sees the room and quits, has colours.
fn is_colored(options: &[&str], variables: &[(&str, &str)]) -> bool {
    let (server, mut terminal) = join_fake_server_with(options, variables);
    terminal.type_keys("Q");
    server.reply_to_quit("Thanks for playing!");
    asks_for_colors(&terminal.wait_for_end().raw)
}

#[test]
fn colour_sequences_are_recognised() {
    for colored in ["\x1b[33m*", "a\x1b[1;38;5;3mb", "\x1b[0m\x1b[97m", "\x1b[38:5:3m"] {
        assert!(asks_for_colors(colored.as_bytes()), "{colored:?}");
    }
    for plain in ["\x1b[33;40H", "\x1b[1m\x1b[0m\x1b[7m", "[33m", "\x1b[m", "\x1b[?1049h"] {
        assert!(!asks_for_colors(plain.as_bytes()), "{plain:?}");
    }
}

/// The rules are tested beside `ColorChoice`; here, that environment and option reach it.
#[test]
fn the_environment_turns_colours_off_and_the_option_overrides_it() {
    assert!(is_colored(&[], &[]));
    assert!(!is_colored(&[], &[("NO_COLOR", "1")]));
    assert!(!is_colored(&[], &[("TERM", "dumb")]));
    assert!(!is_colored(&["--color", "never"], &[]));
    assert!(is_colored(&["--color", "always"], &[("NO_COLOR", "1")]));
}

#[test]
fn control_bytes_of_a_server_never_reach_the_terminal() {
    let (server, mut terminal) = join_fake_server();
    // A title, a bell, blinking, another alphabet, and the one-byte forms of the same.
    let evil = b"\x1b]0;owned\x07\x1b[5m\x0e\x9d0;owned\x9c\x9b5m\t\r";
    let tame = "?]0;owned??[5m??0;owned??5m ?";
    server.send([b"ERROR ".as_slice(), evil].concat());
    terminal.wait_for_lines(&shown(&format!("{STATUS}  {tame}")));
    server.send([b"NO ".as_slice(), evil].concat());
    server.send([b"BOO ".as_slice(), evil].concat());
    terminal.wait_for_lines(&shown(&format!("{STATUS}  malformed message")));
    terminal.type_keys("h");
    assert_eq!(server.receive(), "KEY h");

    let picture =
        ROOM.replace("....*...", "\x1b[5m\x07\x0e\u{7f}\r").replace("....##", "\x1b]0;\x07#");
    server.send(format!("DISPLAY\n{picture}"));
    let row = "|?[5m????@......B?]0;?##";
    let screen = terminal.wait_for(|screen| lines(screen).get(2).is_some_and(|line| line == row));
    assert_eq!(status(&screen), STATUS);

    server.send([b"QUIT bye ".as_slice(), evil, b"\nall"].concat());
    let ended = terminal.wait_for_end();
    assert_eq!(ended.lines, [format!("bye {tame}"), "all".to_owned()]);
    for bytes in [&b"\x07"[..], b"\x1b]", b"\x1b[5m", b"\x0e", b"\t", b"\x7f", b"\x9b", b"\x9d"] {
        let found = ended.raw.windows(bytes.len()).any(|window| window == bytes);
        assert!(!found, "{:?} got through", bytes.escape_ascii().to_string());
    }
}

#[test]
fn control_bytes_in_a_rejection_are_removed() {
    let server = FakeServer::new();
    let terminal = start_player(server.port, &[], &[]);
    server.receive_any();
    server.send(b"NO \x1b]0;owned\x07");
    let ended = terminal.wait_for_end();
    let place = format!("127.0.0.1:{}", server.port);
    assert_eq!(ended.lines, [format!("error: {place} refused: ?]0;owned?")]);
    assert!(!ended.raw.contains(&b'\x07'));
}

/// A player that receives a malformed message, which is logged, and quits.
fn hear_nonsense(server: &FakeServer, terminal: &mut PseudoTerminal) {
    server.accept();
    wait_for_room(terminal);
    server.send(b"BOO \x1b[5m");
    terminal.wait_for_lines(&shown(&format!("{STATUS}  malformed message")));
    terminal.type_keys("h");
    assert_eq!(server.receive(), "KEY h");
    terminal.type_keys("Q");
    server.reply_to_quit("Thanks for playing!");
}

/// A log that tells of what came and went, with the control bytes written out.
fn check_log(log: &str) {
    for part in [
        "INFO the server has answered",
        "DEBUG sent",
        "KEY h",
        "WARN unknown message",
        r"BOO \x1b[5m",
    ] {
        assert!(log.contains(part), "no {part:?} in\n{log}");
    }
    assert!(!log.contains('\x1b'), "{log}");
}

#[test]
fn the_log_is_never_written_over_the_screen() {
    let server = FakeServer::new();
    let mut terminal = start_player(server.port, &["--log", "trace"], &[]);
    hear_nonsense(&server, &mut terminal);
    let ended = terminal.wait_for_end();
    assert_eq!(ended.lines, ["Thanks for playing!"]);
    let raw = String::from_utf8(ended.raw).unwrap();
    assert!(!["INFO", "DEBUG", "WARN"].iter().any(|level| raw.contains(level)), "{raw:?}");
}

#[test]
fn the_log_is_written_to_the_given_file() {
    let server = FakeServer::new();
    let file = TempFile::new("log-file");
    let options = ["--log", "debug", "--log-file", file.path()];
    let mut terminal = start_player(server.port, &options, &[]);
    hear_nonsense(&server, &mut terminal);
    assert_eq!(terminal.wait_for_end().lines, ["Thanks for playing!"]);
    check_log(&file.text());
}

#[test]
fn the_log_goes_to_a_redirected_stderr() {
    let server = FakeServer::new();
    let file = TempFile::new("stderr");
    let port = server.port;
    let path = file.path();
    let line = format!("exec {PLAYER:?} 127.0.0.1 {port} Ann --log debug 2> {path:?}");
    let mut terminal = PseudoTerminal::start(ORDINARY, "sh", &["-c", &line]);
    hear_nonsense(&server, &mut terminal);
    assert_eq!(terminal.wait_for_end().lines, ["Thanks for playing!"]);
    check_log(&file.text());
}
