//! What goes by itself in a real terminal: `o` explores, a click walks, `--no-auto` has neither.

use vt100::{MouseProtocolMode, Screen};

use crate::fake_server::{FakeServer, STATUS, shown};
use crate::host::Host;
use crate::terminal::{NUGGETS, ORDINARY, PLAYER, Terminal, cursor, lines, status};

/// Asks a terminal to report clicks and drags.
const CLICKS_ON: &[u8] = b"\x1b[?1002h";

/// What a terminal sends when this button goes down and up again here, counted from 0.
fn click(button: u8, row: u16, col: u16) -> String {
    let place = format!("{button};{};{}", col + 1, row + 1);
    format!("\x1b[<{place}M\x1b[<{place}m")
}

fn nuggets_in(screen: &Screen) -> u32 {
    let status = status(screen);
    let purse = status.strip_prefix("Player A has ").and_then(|rest| rest.split(' ').next());
    purse.and_then(|purse| purse.parse().ok()).unwrap_or_else(|| panic!("{status:?}"))
}

fn drawn_cells(screen: &Screen) -> usize {
    lines(screen)[1..].iter().flat_map(|line| line.bytes()).filter(|&byte| byte != b' ').count()
}

#[test]
fn the_explore_key_finds_gold_and_discovers_the_map() {
    let host = Host::start(&["main", "1"]);
    let mut terminal = Terminal::start_player(host.port, &[], &[]);
    let mut screen = terminal.wait_for(|screen| cursor(screen) == Some((9, 19)));
    let at_first = drawn_cells(&screen);
    let mut presses = 0;
    while nuggets_in(&screen) == 0 || drawn_cells(&screen) < 2 * at_first {
        let before = cursor(&screen);
        terminal.type_keys("o");
        screen = terminal.wait_for(|now| cursor(now).is_some() && cursor(now) != before);
        presses += 1;
        assert!(presses < 500, "{:#?}", lines(&screen));
    }
}

#[test]
fn capital_o_explores_until_something_new_is_in_sight() {
    let host = Host::start(&["main", "1"]);
    let mut terminal = Terminal::start_player(host.port, &[], &[]);
    let at_first = terminal.wait_for(|screen| cursor(screen) == Some((9, 19)));
    for _ in 0..50 {
        terminal.type_keys("O");
        let screen = terminal.wait_for(|screen| status(screen).contains("new in sight"));
        if drawn_cells(&screen) > drawn_cells(&at_first) {
            return;
        }
        terminal.type_keys("?");
        terminal.wait_for(|screen| screen.contents().contains("Press any key to continue."));
        terminal.type_keys(" ");
        terminal.wait_for(|screen| cursor(screen).is_some());
    }
    panic!("nothing was discovered");
}

#[test]
fn a_click_on_a_known_spot_walks_there() {
    let host = Host::start(&["main", "1"]);
    let mut terminal = Terminal::start_player(host.port, &[], &[]);
    terminal.wait_for(|screen| cursor(screen) == Some((9, 19)));
    terminal.type_keys(&click(0, 8, 26));
    terminal.wait_for(|screen| cursor(screen) == Some((8, 26)));
    terminal.type_keys(&click(0, 9, 16));
    terminal.wait_for(|screen| cursor(screen) == Some((9, 16)));
    terminal.type_keys(&click(0, 7, 16));
    terminal.wait_for(|screen| status(screen).ends_with("  no known path there"));
    terminal.type_keys("Q");
    terminal.wait_for_end();
}

#[test]
fn only_a_left_click_on_the_map_walks() {
    let (server, mut terminal) = FakeServer::with_player();
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
    let (server, mut terminal) = FakeServer::with_player_given(&["--no-auto"], &[]);
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
    let mut terminal = Terminal::start(ORDINARY, PLAYER, &["127.0.0.1", &port]);
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
        let terminal = Terminal::start(ORDINARY, NUGGETS, &words);
        let screen = terminal.wait_for(|screen| cursor(screen) == Some((9, 19)));
        assert_eq!(screen.mouse_protocol_mode(), mode, "{option}");
    }
}

#[test]
fn house_rules_are_announced_and_shown_in_the_help() {
    let (server, mut terminal) = FakeServer::with_player();
    server.send("ERROR House rules: vision 5, steal");
    terminal.wait_for_lines(&shown(&format!("{STATUS}  House rules: vision 5, steal")));
    terminal.type_keys("?");
    let help = terminal.wait_for(|screen| screen.contents().contains("Press any key to continue."));
    assert!(lines(&help).contains(&"House rules: vision 5, steal".to_owned()), "{help:?}");
}
