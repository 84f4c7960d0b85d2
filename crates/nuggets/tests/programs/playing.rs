//! A game in a real terminal: keys, help, notes, windows of all sizes.

use nuggets_testkit::{ORDINARY, PseudoTerminal, cursor, lines, status};

use crate::play::leave_end_screen;
use crate::room_screen::join_fake_server_with;
use crate::starting::{NUGGETS, PLAYER, start_player, start_server};

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
    let host = start_server(&["main", "1"]);
    let mut terminal = start_player(host.port(), &[], &[]);
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
    let mut terminal = PseudoTerminal::start(ORDINARY, NUGGETS, &words);
    terminal.wait_for(|screen| cursor(screen) == Some((9, 19)));
    terminal.check_taken();
    terminal.type_keys("k");
    terminal.wait_for_lines(&ONE_UP);
    terminal.type_keys("Q");
    leave_end_screen(&mut terminal);
    let ended = terminal.wait_for_end();
    assert_eq!((ended.lines, ended.code), (vec!["Thanks for playing!".to_owned()], 0));
}

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

/// Waits until the terminal shows only that its size is not the needed one.
fn wait_for_too_small(terminal: &PseudoTerminal, (rows, cols): (u16, u16), needed: &str) {
    let words = format!(
        "The window is too small: it has {rows} rows and {cols} columns, but needs {needed}. Please \
         enlarge it. Or press s to scroll."
    );
    let screen = terminal.wait_for(|screen| lines(screen).join(" ") == words);
    assert_eq!(cursor(&screen), None);
}

#[test]
fn a_terminal_that_is_too_small_is_reported_until_it_is_enlarged() {
    let host = start_server(&["main", "1"]);
    let port = host.port().to_string();
    let terminal = PseudoTerminal::start((10, 40), PLAYER, &["127.0.0.1", &port, "Ann"]);
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
