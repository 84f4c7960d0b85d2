//! What does and what doesn't get onto the screen: colours, the log, a server's control bytes.

use vt100::Color;

use crate::fake_server::{FakeServer, ROOM, STATUS, shown, wait_for_room};
use crate::temp_file::TempFile;
use crate::terminal::{ORDINARY, PLAYER, Terminal, lines, status};

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
    let (server, mut terminal) = FakeServer::with_player_given(options, variables);
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

#[test]
fn each_kind_of_thing_has_its_color() {
    let (_server, terminal) = FakeServer::with_player();
    let screen = terminal.wait_for(|_| true);
    let color = |row, col| {
        let cell = screen.cell(row, col).unwrap();
        (cell.contents().to_owned(), cell.fgcolor())
    };
    let colored = |symbol: &str, index| (symbol.to_owned(), Color::Idx(index));
    assert_eq!(color(2, 5), colored("*", 3), "gold is yellow");
    assert_eq!(color(2, 9), colored("@", 15), "you are white");
    assert_eq!(color(2, 16), colored("B", 204), "B is pink");
    assert_eq!(color(1, 0), colored("+", 6), "walls are cyan");
    assert_eq!(color(2, 22), colored("#", 12), "passages are light blue");
    assert_eq!(color(2, 1), (".".to_owned(), Color::Default));
    assert!(screen.cell(2, 9).unwrap().inverse());
    assert!(screen.cell(2, 5).unwrap().bold());
}

#[test]
fn colours_are_on_unless_the_environment_turns_them_off() {
    assert!(is_colored(&[], &[]));
    assert!(is_colored(&[], &[("NO_COLOR", "")]));
    assert!(!is_colored(&[], &[("NO_COLOR", "1")]));
    assert!(!is_colored(&[], &[("TERM", "dumb")]));
}

#[test]
fn the_color_option_overrides_the_environment() {
    assert!(!is_colored(&["--color", "never"], &[]));
    assert!(is_colored(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(is_colored(&["--color", "always"], &[("TERM", "dumb")]));
}

#[test]
fn without_colours_you_and_the_gold_still_stand_out() {
    let (_server, terminal) = FakeServer::with_player_given(&["--color", "never"], &[]);
    let screen = terminal.wait_for(|_| true);
    let weight = |row, col| {
        let cell = screen.cell(row, col).unwrap();
        (cell.inverse(), cell.bold())
    };
    assert_eq!(
        [weight(2, 9), weight(2, 5), weight(2, 1)],
        [(true, true), (false, true), (false, false)]
    );
}

#[test]
fn control_bytes_of_a_server_never_reach_the_terminal() {
    let (server, mut terminal) = FakeServer::with_player();
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
    let terminal = Terminal::start_player(server.port, &[], &[]);
    server.receive_any();
    server.send(b"NO \x1b]0;owned\x07");
    let ended = terminal.wait_for_end();
    let place = format!("127.0.0.1:{}", server.port);
    assert_eq!(ended.lines, [format!("error: {place} refused: ?]0;owned?")]);
    assert!(!ended.raw.contains(&b'\x07'));
}

/// A player that receives a malformed message, which is logged, and quits.
fn hear_nonsense(server: &FakeServer, terminal: &mut Terminal) {
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
    let mut terminal = Terminal::start_player(server.port, &["--log", "trace"], &[]);
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
    let mut terminal = Terminal::start_player(server.port, &options, &[]);
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
    let mut terminal = Terminal::start(ORDINARY, "sh", &["-c", &line]);
    hear_nonsense(&server, &mut terminal);
    assert_eq!(terminal.wait_for_end().lines, ["Thanks for playing!"]);
    check_log(&file.text());
}
