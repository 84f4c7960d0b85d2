//! A game in a real terminal: keys, help, notes, windows of all sizes.

use crate::fake_server::{FakeServer, ROOM, STATUS, shown, wait_for_room};
use crate::host::Host;
use crate::play::leave_end_screen;
use crate::terminal::{NUGGETS, ORDINARY, PLAYER, Terminal, cursor, lines, status};

/// Each of these keys reaches the server as `KEY` and this letter.
fn check_sent(keys: &[(&str, char)]) {
    let (server, mut terminal) = FakeServer::with_player();
    for (typed, letter) in keys {
        terminal.type_keys(typed);
        assert_eq!(server.receive(), format!("KEY {letter}"), "after {typed:?}");
    }
}

/// The player of seed 1 on the main map, one row above where it lands.
const ONE_UP: [&str; 11] = [
    "Player A has 0 nuggets (250 nuggets unclaimed).",
    "",
    "",
    "",
    "",
    "",
    "",
    "               +-----------+",
    "               #...@.*.....#",
    "               |...........|",
    "               +-----------+",
];

#[test]
fn the_player_moves_and_the_cursor_follows() {
    let host = Host::start(&["main", "1"]);
    let mut terminal = Terminal::start_player(host.port, &[], &[]);
    terminal.wait_for(|screen| cursor(screen) == Some((9, 19)));
    terminal.type_keys("k");
    terminal.wait_for_lines(&ONE_UP);
    terminal.wait_for(|screen| cursor(screen) == Some((8, 19)));
    terminal.type_keys("L");
    terminal.wait_for_lines(&[
        "Player A has 1 nuggets (249 nuggets unclaimed).  GOLD received: 1",
        "",
        "",
        "",
        "",
        "",
        "",
        "               +-----------+         #",
        "               #...........#############@",
        "               |...........|            #",
        "               +-----------+",
    ]);
    terminal.wait_for(|screen| cursor(screen) == Some((8, 40)));
}

#[test]
fn nuggets_play_is_a_whole_game_in_one_command() {
    let words = ["play", "Ann", "--bots", "0", "--map", "main", "--seed", "1"];
    let mut terminal = Terminal::start(ORDINARY, NUGGETS, &words);
    terminal.wait_for(|screen| cursor(screen) == Some((9, 19)));
    terminal.check_taken();
    terminal.type_keys("k");
    terminal.wait_for_lines(&ONE_UP);
    terminal.type_keys("Q");
    leave_end_screen(&mut terminal);
    let ended = terminal.wait_for_end();
    assert_eq!((ended.lines, ended.code), (vec!["Thanks for playing!".to_owned()], 0));
}

#[test]
fn arrow_and_navigation_keys_step() {
    check_sent(&[
        ("\x1b[D", 'h'),
        ("\x1b[C", 'l'),
        ("\x1b[A", 'k'),
        ("\x1b[B", 'j'),
        ("\x1bOC", 'l'),
        ("\x1b[H", 'y'),
        ("\x1b[1~", 'y'),
        ("\x1b[5~", 'u'),
        ("\x1b[F", 'b'),
        ("\x1b[4~", 'b'),
        ("\x1b[6~", 'n'),
    ]);
}

#[test]
fn arrow_and_navigation_keys_with_shift_sprint() {
    check_sent(&[
        ("\x1b[1;2D", 'H'),
        ("\x1b[1;2C", 'L'),
        ("\x1b[1;2A", 'K'),
        ("\x1b[1;2B", 'J'),
        ("\x1b[1;2H", 'Y'),
        ("\x1b[5;2~", 'U'),
        ("\x1b[1;2F", 'B'),
        ("\x1b[6;2~", 'N'),
    ]);
}

#[test]
fn digits_step_as_on_a_keypad() {
    check_sent(&[
        ("7", 'y'),
        ("8", 'k'),
        ("9", 'u'),
        ("4", 'h'),
        ("6", 'l'),
        ("1", 'b'),
        ("2", 'j'),
        ("3", 'n'),
    ]);
}

#[test]
fn every_other_printable_character_is_sent_as_it_is() {
    // The one that explores is one of them only without leave to do so.
    let (server, mut terminal) = FakeServer::with_player_given(&["--no-auto"], &[]);
    let others: String = (' '..='~').filter(|c| !"12346789?Q".contains(*c)).collect();
    terminal.type_keys(&others);
    let keys: String = others.chars().map(|_| server.receive().split_off("KEY ".len())).collect();
    assert_eq!(keys, others);
}

#[test]
fn an_unknown_key_is_not_sent_and_noted() {
    let (server, mut terminal) = FakeServer::with_player();
    for (name, key) in [
        ("F1", "\x1bOP"),
        ("Alt-x", "\x1bx"),
        ("a letter outside ASCII", "é"),
        ("Esc", "\x1b"),
        ("Enter", "\r"),
        ("Backspace", "\x7f"),
        ("Ctrl-Right", "\x1b[1;5C"),
    ] {
        terminal.type_keys(key);
        terminal.wait_for_lines(&shown(&format!("{STATUS}  unknown keystroke")));
        terminal.type_keys("h");
        assert_eq!(server.receive(), "KEY h", "after {name}");
        // A server that does not answer for seconds would be noted instead.
        server.send("GOLD 0 0 250");
        terminal.wait_for_lines(&shown(STATUS));
    }
}

#[test]
fn a_question_mark_opens_help_and_the_closing_key_is_not_sent() {
    let (server, mut terminal) = FakeServer::with_player();
    terminal.type_keys("?");
    let screen =
        terminal.wait_for(|screen| screen.contents().contains("Press any key to continue."));
    let help = lines(&screen);
    assert_eq!((&*help[0], &*help[1]), (STATUS, "NUGGETS"));
    assert!(help.iter().all(|line| ROOM.lines().all(|row| row.trim_end() != line)), "{help:#?}");
    assert_eq!(help.last().unwrap(), "Press any key to continue.");
    assert_eq!(cursor(&screen), None);
    for closing in ["Q", "h", "?", "\x1b[C", "\t", "\x04"] {
        terminal.type_keys(closing);
        wait_for_room(&terminal);
        terminal.type_keys("?");
        terminal.wait_for_lines(&help);
    }
    terminal.type_keys(" l");
    assert_eq!(server.receive(), "KEY l");
}

#[test]
fn error_replies_are_shown_beside_the_status_line() {
    let (server, terminal) = FakeServer::with_player();
    for (message, status) in [
        ("ERROR that is a wall", "Player A has 0 nuggets (250 nuggets unclaimed).  that is a wall"),
        ("NO such key", "Player A has 0 nuggets (250 nuggets unclaimed).  such key"),
        ("NO", "Player A has 0 nuggets (250 nuggets unclaimed).  NO"),
        ("GOLD 5 5 245", "Player A has 5 nuggets (245 nuggets unclaimed).  GOLD received: 5"),
    ] {
        server.send(message);
        terminal.wait_for_lines(&shown(status));
    }
}

#[test]
fn a_player_that_is_robbed_is_told_with_a_bell_that_can_be_turned_off() {
    for (options, rings) in [(&[][..], true), (&["--no-bell"], false)] {
        let (server, mut terminal) = FakeServer::with_player_given(options, &[]);
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
fn the_notice_about_a_silent_server_stays_until_the_server_is_heard() {
    let (server, mut terminal) = FakeServer::with_player();
    let silent = format!("{STATUS}  server not answering; Q leaves");
    terminal.type_keys("l");
    terminal.wait_for_lines(&shown(&silent));
    // Another key neither clears it nor hides it behind a note of its own.
    terminal.type_keys("h\x1b[Z");
    assert_eq!([server.receive(), server.receive()], ["KEY l", "KEY h"]);
    terminal.wait_for_lines(&shown(&silent));
    server.send("GOLD 0 0 250");
    terminal.wait_for_lines(&shown(STATUS));
}

#[test]
fn a_malformed_message_changes_only_the_note() {
    let (server, mut terminal) = FakeServer::with_player();
    for message in ["", "BOO", "ok A", "OK AB", "GRID 0 24", "GOLD 1 2", "DISPLAY\n+-+\n|@|\n"] {
        server.send(message);
        terminal.wait_for_lines(&shown(&format!("{STATUS}  malformed message")));
        terminal.type_keys("h");
        terminal.wait_for_lines(&shown(STATUS));
    }
}

#[test]
fn the_next_key_clears_a_note() {
    let (server, mut terminal) = FakeServer::with_player();
    server.send("ERROR that is a wall");
    terminal.wait_for_lines(&shown(&format!("{STATUS}  that is a wall")));
    // The picture that shows the effect of the key is without the note from the beginning: the
    // first line is drawn first, the last line of the help last.
    terminal.type_keys("?");
    let screen =
        terminal.wait_for(|screen| screen.contents().contains("Press any key to continue."));
    assert_eq!(status(&screen), STATUS);
}

#[test]
fn a_note_expires() {
    let (server, terminal) = FakeServer::with_player();
    server.send("ERROR that is a wall");
    terminal.wait_for_lines(&shown(&format!("{STATUS}  that is a wall")));
    terminal.wait_for_lines(&shown(STATUS));
}

/// Waits until the terminal shows only that its size is not the needed one.
fn wait_for_too_small(terminal: &Terminal, (rows, cols): (u16, u16), needed: &str) {
    let words = format!(
        "The window is too small: it has {rows} rows and {cols} columns, but needs {needed}. Please \
         enlarge it. Or press s to scroll."
    );
    let screen = terminal.wait_for(|screen| lines(screen).join(" ") == words);
    assert_eq!(cursor(&screen), None);
}

#[test]
fn a_terminal_that_is_too_small_is_reported_until_it_is_enlarged() {
    let host = Host::start(&["main", "1"]);
    let port = host.port.to_string();
    let terminal = Terminal::start((10, 40), PLAYER, &["127.0.0.1", &port, "Ann"]);
    let is_playing = |screen: &_| cursor(screen) == Some((9, 19));
    let needed = "22 and 79";
    wait_for_too_small(&terminal, (10, 40), needed);
    terminal.resize(24, 80);
    let screen = terminal.wait_for(is_playing);
    let whole = lines(&screen);
    assert_eq!(whole[9], "               |...@.......|");

    terminal.resize(21, 80);
    wait_for_too_small(&terminal, (21, 80), needed);
    terminal.resize(22, 79);
    terminal.wait_for(is_playing);
    terminal.wait_for_lines(&whole);
    terminal.resize(22, 78);
    wait_for_too_small(&terminal, (22, 78), needed);
    terminal.resize(1, 1);
    terminal.wait_for_lines(&["T"]);
    terminal.resize(50, 200);
    terminal.wait_for(is_playing);
    terminal.wait_for_lines(&whole);
}

#[test]
fn the_status_line_may_be_wider_than_the_map() {
    let host = Host::start(&["narrow", "1"]);
    let port = host.port.to_string();
    let terminal = Terminal::start((41, 80), PLAYER, &["127.0.0.1", &port, "Ann"]);
    let narrow = [
        "Player A has 0 nuggets (250 nuggets unclaimed).",
        "         +-#--+",
        "         |.*..|",
        "         #....|",
        "         |*@*.|",
        "         |....|",
        "         |*..*|",
        "         +-#--+",
    ];
    let (status, room) = narrow.split_first().unwrap();
    let whole = [&[*status], &[""; 16][..], room].concat();
    terminal.wait_for_lines(&whole);
    terminal.resize(41, 48);
    wait_for_too_small(&terminal, (41, 48), "41 and 49");
    terminal.resize(41, 49);
    terminal.wait_for_lines(&whole);
    terminal.resize(40, 49);
    wait_for_too_small(&terminal, (40, 49), "41 and 49");
    terminal.resize(41, 51);
    terminal.wait_for_lines(&whole);
}
