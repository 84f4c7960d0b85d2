//! Colours, the log and the control bytes of a server: what reaches the screen and what does not.

use nuggets_testkit::{FakeServer, ORDINARY, PseudoTerminal, ROOM, lines, status};

use crate::room_screen::{STATUS, join_fake_server, join_fake_server_with, shown, wait_for_room};
use crate::starting::PLAYER;
use crate::temp_file::TempFile;

/// True if a player with these options and variables sees the room in colours.
fn is_colored(options: &[&str], variables: &[(&str, &str)]) -> bool {
    let (_server, terminal) = join_fake_server_with(options, variables);
    let screen = terminal.wait_for(|_| true);
    let (rows, cols) = screen.size();
    let (rows, cols) = (rows.get(), cols.get());
    let cells = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
    let mut colors = cells.filter_map(|(row, col)| Some(screen.cell(row, col)?.fgcolor()));
    colors.any(|color| color != vt100::Color::Default)
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

/// With each option the log of a malformed message, with the control bytes written out, goes to a file or nowhere.
#[test]
fn the_log_goes_to_a_file_or_a_redirected_stderr_and_never_over_the_screen() {
    for (options, has_file) in
        [("--log trace", false), ("--log debug --log-file", true), ("--log debug 2>", true)]
    {
        let server = FakeServer::new();
        let (port, file) = (server.port, TempFile::new("log"));
        let path = if has_file { file.path() } else { "" };
        let line = format!("exec {PLAYER:?} 127.0.0.1 {port} Ann {options} {path}");
        let mut terminal = PseudoTerminal::start(ORDINARY, "sh", &["-c", &line]);
        server.accept();
        wait_for_room(&terminal);
        server.send(b"BOO \x1b[5m");
        terminal.wait_for_lines(&shown(&format!("{STATUS}  malformed message")));
        terminal.type_keys("hQ");
        assert_eq!(server.receive(), "KEY h");
        server.reply_to_quit("Thanks for playing!");
        let ended = terminal.wait_for_end();
        assert_eq!(ended.lines, ["Thanks for playing!"]);
        let raw = String::from_utf8(ended.raw).unwrap();
        assert!(!["INFO", "DEBUG", "WARN"].iter().any(|level| raw.contains(level)), "{raw:?}");
        let log = if has_file { file.text() } else { continue };
        let parts = ["INFO the server has answered", "DEBUG sent", "WARN unknown message"];
        for part in parts.into_iter().chain(["KEY h", r"BOO \x1b[5m"]) {
            assert!(log.contains(part) && !log.contains('\x1b'), "no {part:?} in\n{log}");
        }
    }
}
