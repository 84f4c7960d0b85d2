//! What goes by itself in a real terminal: `o` explores, a click walks, `--no-auto` has neither.

use nuggets_testkit::{FakeServer, ORDINARY, PseudoTerminal, cursor};
use vt100::MouseProtocolMode;

use crate::room_screen::{join_fake_server, join_fake_server_with};
use crate::starting::{NUGGETS, PLAYER};

/// Asks a terminal to report clicks and drags.
const CLICKS_ON: &[u8] = b"\x1b[?1002h";

/// What a terminal sends when this button goes down and up again here, counted from 0.
fn click(button: u8, row: u16, col: u16) -> String {
    let place = format!("{button};{};{}", col + 1, row + 1);
    format!("\x1b[<{place}M\x1b[<{place}m")
}

#[test]
fn only_a_left_click_on_the_map_walks() {
    let (server, mut terminal) = join_fake_server();
    let middle = 1;
    let right = 2;
    let shifted = 4;
    let wheel = 64;
    for button in [middle, right, shifted, wheel] {
        terminal.type_keys(&click(button, 2, 3));
    }
    terminal.type_keys(&click(0, 0, 3));
    terminal.type_keys(&click(0, 20, 3));
    terminal.type_keys("j");
    assert_eq!(server.receive(), "KEY j");
    terminal.type_keys(&click(0, 2, 3));
    assert_eq!(server.receive(), "KEY h");
}

#[test]
fn with_no_auto_o_is_a_plain_key_and_the_mouse_is_not_captured() {
    let (server, mut terminal) = join_fake_server_with(&["--no-auto"], &[]);
    terminal.type_keys("o");
    assert_eq!(server.receive(), "KEY o");
    terminal.type_keys(&click(0, 2, 3));
    terminal.type_keys("j");
    assert_eq!(server.receive(), "KEY j");
    terminal.type_keys("?");
    let help = terminal.wait_for(|screen| screen.contents().contains("Press any key to continue."));
    assert!(!help.contents().contains("click"), "{}", help.contents());
    terminal.type_keys("xQ");
    server.reply_to_quit("Thanks for playing!");
    check_never_took_clicks(&terminal.wait_for_end().raw);
}

fn check_never_took_clicks(raw: &[u8]) {
    assert!(!raw.windows(CLICKS_ON.len()).any(|bytes| bytes == CLICKS_ON));
}

#[test]
fn the_mouse_of_a_spectator_is_not_captured() {
    let server = FakeServer::new();
    let port = server.port.to_string();
    let mut terminal = PseudoTerminal::start(ORDINARY, PLAYER, &["127.0.0.1", &port]);
    server.accept();
    terminal.wait_for(|screen| screen.contents().starts_with("Spectator: 250"));
    // Of a spectator's keys only Q is sent.
    terminal.type_keys("oQ");
    server.reply_to_quit("Thanks for watching!");
    check_never_took_clicks(&terminal.wait_for_end().raw);
}

#[test]
fn play_supports_no_auto() {
    for (option, mode) in
        [("--color=auto", MouseProtocolMode::ButtonMotion), ("--no-auto", MouseProtocolMode::None)]
    {
        let words = ["play", "Ann", "--bots", "0", "--seed", "1", option];
        let terminal = PseudoTerminal::start(ORDINARY, NUGGETS, &words);
        let screen = terminal.wait_for(|screen| cursor(screen) == Some((9, 19)));
        assert_eq!(screen.mouse_protocol_mode(), mode, "{option}");
    }
}
