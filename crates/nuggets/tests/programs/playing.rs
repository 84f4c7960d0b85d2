//! A game in a real terminal: keys, the mouse, the bell, windows of all sizes.

use nuggets_testkit::{FakeServer, ORDINARY, PseudoTerminal, cursor, lines, status};
use vt100::MouseProtocolMode;

use crate::room_screen::join_fake_server_with;
use crate::starting::{PLAYER, start_server};

/// The sequences that terminals send for arrows and navigation keys, with and without Shift, and other characters.
#[test]
fn keys_of_a_terminal_reach_the_server() {
    // `o` explores only with leave to do so.
    let (server, mut terminal) = join_fake_server_with(&["--no-auto"], &[]);
    for (sequences, letters) in [
        (&["\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B", "\x1bOC"][..], "hlkjl"),
        (&["\x1b[H", "\x1b[1~", "\x1b[5~", "\x1b[F", "\x1b[4~", "\x1b[6~"], "yyubbn"),
        (&["\x1b[1;2D", "\x1b[1;2C", "\x1b[1;2A", "\x1b[1;2B"], "HLKJ"),
        (&["\x1b[1;2H", "\x1b[5;2~", "\x1b[1;2F", "\x1b[6;2~"], "YUBN"),
        (&["7", "8", "9", "4", "6", "1", "2", "3"], "ykuhlbjn"),
    ] {
        for (typed, letter) in sequences.iter().zip(letters.chars()) {
            terminal.type_keys(typed);
            assert_eq!(server.receive(), format!("KEY {letter}"), "after {typed:?}");
        }
    }
    let others: String = (' '..='~').filter(|c| !"12346789?Q".contains(*c)).collect();
    terminal.type_keys(&others);
    let keys: String = others.chars().map(|_| server.receive().split_off("KEY ".len())).collect();
    assert_eq!(keys, others);
    for unknown in ["\x1bOP", "\x1bx", "é", "\r", "\x7f", "\x1b[1;5C"] {
        terminal.type_keys(unknown);
        terminal.type_keys("h");
        assert_eq!(server.receive(), "KEY h", "after {unknown:?}");
    }
}

#[test]
fn a_player_that_is_robbed_is_told_with_a_bell_that_can_be_turned_off() {
    for (options, rings) in [(&[][..], true), (&["--no-bell"], false)] {
        let (server, mut terminal) = join_fake_server_with(options, &[]);
        server.send("GOLD 5 5 245");
        terminal.wait_for(|screen| status(screen).contains("has 5 nuggets"));
        server.send("GOLD 0 0 245");
        terminal.wait_for(|screen| status(screen).contains("ROBBED of 5"));
        terminal.type_keys("Q");
        server.reply_to_quit("Thanks for playing!");
        assert_eq!(terminal.wait_for_end().raw.contains(&7), rings, "{options:?}");
    }
}

#[test]
fn a_terminal_that_is_too_small_is_reported_until_it_is_enlarged() {
    let host = start_server(&["main", "1"]);
    let port = host.port().to_string();
    let terminal = PseudoTerminal::start((10, 40), PLAYER, &["127.0.0.1", &port, "Ann"]);
    let is_playing = |screen: &_| cursor(screen) == Some((9, 19));
    let is_too_small = |screen: &_| lines(screen).join(" ").starts_with("The window is too small");
    terminal.wait_for(is_too_small);
    terminal.resize(24, 80);
    let whole = lines(&terminal.wait_for(is_playing));
    terminal.resize(21, 80);
    terminal.wait_for(is_too_small);
    terminal.resize(1, 1);
    terminal.wait_for_lines(&["T"]);
    terminal.resize(50, 200);
    terminal.wait_for(is_playing);
    terminal.wait_for_lines(&whole);
}

/// The report of a terminal when the left button goes down and up again here, counted from 0.
fn click(row: u16, col: u16) -> String {
    let place = format!("0;{};{}", col + 1, row + 1);
    format!("\x1b[<{place}M\x1b[<{place}m")
}

#[test]
fn the_mouse_is_captured_only_for_a_player_who_may_walk_by_clicks() {
    let (server, mut terminal) = join_fake_server_with(&[], &[]);
    terminal.type_keys(&click(2, 3));
    assert_eq!(server.receive(), "KEY h");
    for (words, mode) in [
        (&["Ann"][..], MouseProtocolMode::ButtonMotion),
        (&["Ann", "--no-auto"], MouseProtocolMode::None),
        (&[], MouseProtocolMode::None),
    ] {
        let server = FakeServer::new();
        let port = server.port.to_string();
        let words = [&["127.0.0.1", &port], words].concat();
        let terminal = PseudoTerminal::start(ORDINARY, PLAYER, &words);
        server.accept();
        let screen = terminal.wait_for(|screen| screen.contents().contains("250"));
        assert_eq!(screen.mouse_protocol_mode(), mode, "{words:?}");
    }
}
