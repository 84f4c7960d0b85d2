//! `nuggets play` as a game that people keep: it scrolls, has a panel, waits for its player, and ends with a
//! table from which to play again, watch or save.

use std::fs;
use std::path::Path;

use nuggets_record::{Recording, What};

use crate::fake_server::{FakeServer, STATUS};
use crate::play::leave_end_screen;
use crate::terminal::{NUGGETS, ORDINARY, PLAYER, Terminal, cursor, lines};

/// Starts `nuggets play` for Ann in a folder of its own.
fn play(folder: &Path, size: (u16, u16), options: &[&str]) -> Terminal {
    Terminal::start_in(folder, size, NUGGETS, &[&["play", "Ann"], options].concat())
}

/// True once the map is shown.
fn is_shown(screen: &vt100::Screen) -> bool {
    cursor(screen).is_some()
        && lines(screen).first().is_some_and(|line| line.starts_with("Player A"))
}

/// The recordings in the state folder, the oldest first.
fn recordings(folder: &Path) -> Vec<Recording> {
    let files = fs::read_dir(folder.join("nuggets/games")).unwrap();
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    let read =
        |path: &std::path::PathBuf| Recording::read(&fs::read(path).unwrap()).unwrap().recording;
    paths.iter().map(read).collect()
}

#[test]
fn large_maps_are_scrolled_in_an_ordinary_window() {
    let folder = tempfile::tempdir().unwrap();
    for map in ["grand", "narrow"] {
        let mut terminal =
            play(folder.path(), ORDINARY, &["--map", map, "--seed", "3", "--bots", "0"]);
        let screen = terminal.wait_for(is_shown);
        let at = cursor(&screen).unwrap();
        assert_eq!(screen.cell(at.0, at.1).unwrap().contents(), "@", "{map}");
        terminal.type_keys("\t");
        terminal.wait_for(|screen| lines(screen)[0].ends_with("  looking around; Tab returns"));
        terminal.type_keys("K\x1b[1;2B\x1b[1;2B\x1b[1;2C");
        terminal.type_keys("\t");
        terminal
            .wait_for(|screen| cursor(screen) == Some(at) && !lines(screen)[0].contains("looking"));
        terminal.type_keys("Q");
        leave_end_screen(&mut terminal);
        assert_eq!(terminal.wait_for_end().code, 0);
    }
}

#[test]
fn the_mouse_drags_a_map_that_scrolls() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal =
        play(folder.path(), ORDINARY, &["--map", "grand", "--seed", "3", "--bots", "0"]);
    let at = cursor(&terminal.wait_for(is_shown)).unwrap();
    terminal.type_keys("\x1b[<0;40;13M\x1b[<32;39;13M\x1b[<32;35;12M\x1b[<0;35;12m");
    terminal.wait_for(|screen| {
        lines(screen)[0].contains("looking around") && cursor(screen) == Some((at.0 - 1, at.1 - 5))
    });
}

#[test]
fn player_asks_for_a_larger_window_and_offers_to_scroll() {
    let server = FakeServer::new();
    let port = server.port.to_string();
    let mut terminal = Terminal::start((10, 40), PLAYER, &["127.0.0.1", &port, "Ann"]);
    server.accept();
    terminal.wait_for(|screen| screen.contents().contains("Or press s to scroll."));
    terminal.type_keys("ls");
    terminal.wait_for(|screen| cursor(screen) == Some((2, 9)));
    terminal.type_keys("j");
    assert_eq!(server.receive(), "KEY j", "what was typed before had no effect");
}

#[test]
fn with_the_option_player_scrolls_at_once() {
    let server = FakeServer::new();
    let port = server.port.to_string();
    let terminal = Terminal::start((10, 40), PLAYER, &["127.0.0.1", &port, "Ann", "--scroll"]);
    server.accept();
    let screen = terminal.wait_for(|screen| cursor(screen) == Some((2, 9)));
    assert_eq!(lines(&screen)[0], STATUS[..40].trim_end());
}

#[test]
fn a_wide_window_has_a_panel_that_a_key_toggles() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = play(folder.path(), (40, 120), &["--seed", "34", "--bots", "2"]);
    let all = ["A Ann (you)", "B scout", "C scout", "* gold left"];
    terminal.wait_for(|screen| all.iter().all(|text| screen.contents().contains(text)));
    terminal.type_keys("i");
    terminal.wait_for(|screen| !screen.contents().contains("gold left"));
    terminal.type_keys("i");
    terminal.wait_for(|screen| screen.contents().contains("gold left"));
}

#[test]
fn the_bots_wait_for_the_first_key() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["--seed", "34", "--bots", "2", "--pace", "1"];
    let mut terminal = play(folder.path(), (40, 120), &words);
    terminal.wait_for(|screen| screen.contents().contains("C scout"));
    terminal.wait_for(|screen| lines(screen)[0].ends_with("  any key starts; ? for help"));
    // Two pages of help take the bots longer than their first keys would.
    for _ in 0..2 {
        terminal.type_keys("?");
        terminal.wait_for(|screen| screen.contents().contains("Press any key to continue."));
        terminal.type_keys("x");
        terminal.wait_for(|screen| !screen.contents().contains("Press any key to continue."));
    }
    terminal.type_keys("j");
    terminal.wait_for(|screen| !lines(screen)[0].contains("250 nuggets unclaimed"));
    terminal.type_keys("Q");
    leave_end_screen(&mut terminal);
    terminal.wait_for_end();
    let recording = recordings(folder.path()).remove(0);
    let presses = recording.entries().filter_map(|entry| match entry.what {
        What::Press(letter, _) => Some(char::from(letter.as_byte())),
        _ => None,
    });
    let presses: Vec<char> = presses.collect();
    assert_eq!(presses.first(), Some(&'A'), "the person pressed the first key");
    assert!(presses.len() > 5, "then the bots played");
}

#[test]
fn pausing_and_keys_without_a_meaning_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = play(folder.path(), ORDINARY, &["--seed", "34", "--bots", "1"]);
    terminal.wait_for(is_shown);
    for (key, note) in [
        ("x", "unknown key; ? lists the keys"),
        ("q", "Q (capital) leaves the game"),
        ("p", "paused; any key continues"),
    ] {
        terminal.type_keys(key);
        terminal.wait_for(|screen| lines(screen)[0].ends_with(&format!("  {note}")));
    }
    terminal.type_keys("p");
    terminal.wait_for(|screen| lines(screen)[0].ends_with("unclaimed)."));
    terminal.type_keys("\x0c");
    terminal
        .wait_for(|screen| cursor(screen).is_some() && lines(screen)[0].ends_with("unclaimed)."));
}

#[test]
fn after_the_game_one_plays_again_watches_or_saves_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = play(folder.path(), ORDINARY, &["--seed", "1", "--bots", "0"]);
    let is_at_start = |screen: &vt100::Screen| cursor(screen) == Some((9, 19));
    terminal.wait_for(is_at_start);
    terminal.type_keys("kLQ");
    terminal.wait_for_lines(&[
        "GAME OVER",
        "You win with 1 nugget!",
        "You are number 1 of 1 with 1 nugget.",
        "",
        "   1. A      1  Ann (you)",
        "      *    249  unclaimed",
        "",
        "Map main, seed 1",
        "",
        "  r  play again, with a new seed",
        "  s  play the same seed again",
        "  v  watch the replay",
        "  w  write the recording into this folder",
        "  q  leave",
    ]);
    terminal.type_keys("w");
    terminal.wait_for(|screen| screen.contents().contains("Written to main-1.nuggets"));
    terminal.type_keys("v");
    terminal.wait_for(|screen| screen.contents().contains("spectator"));
    terminal.type_keys("q");
    terminal.wait_for(|screen| screen.contents().contains("  r  play again"));
    terminal.type_keys("s");
    terminal.wait_for(is_at_start);
    terminal.type_keys("Q");
    terminal.wait_for(|screen| screen.contents().contains("Map main, seed 1"));
    terminal.type_keys("r");
    terminal
        .wait_for(|screen| cursor(screen).is_some() && lines(screen)[0].starts_with("Player A"));
    terminal.type_keys("Q");
    terminal.wait_for(|screen| screen.contents().contains("  r  play again"));
    assert!(!terminal.wait_for(|_| true).contents().contains("seed 1\n"), "a new seed");
    terminal.type_keys("q");
    let ended = terminal.wait_for_end();
    assert_eq!((ended.code, ended.lines), (0, vec!["Thanks for playing!".to_owned(); 3]));
    let saved = Recording::read(&fs::read(folder.path().join("main-1.nuggets")).unwrap()).unwrap();
    assert_eq!(saved.recording.header.setup.seed.to_string(), "1");
    assert_eq!(recordings(folder.path()).len(), 3);

    let mut list = Terminal::start_in(folder.path(), ORDINARY, NUGGETS, &["replay"]);
    list.wait_for(|screen| screen.contents().contains("Which one, 1 to 3?"));
    list.type_keys("9\r3\r");
    list.wait_for(|screen| screen.alternate_screen() && screen.contents().contains("spectator"));
    list.type_keys("q");
    assert_eq!(list.wait_for_end().code, 0);
}

#[test]
fn an_interrupt_leaves_without_a_question() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = play(folder.path(), ORDINARY, &["--seed", "1", "--bots", "0"]);
    terminal.wait_for(is_shown);
    terminal.type_keys("\x03");
    let ended = terminal.wait_for_end();
    assert_eq!((ended.code, ended.lines), (0, vec!["Thanks for playing!".to_owned()]));
}

#[test]
fn a_map_whose_gold_cannot_all_be_reached_says_so_before_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let wall = format!("+{0}+ +{0}+", "-".repeat(20));
    let row = format!("|{0}| |{0}|", ".".repeat(20));
    let map = [vec![wall.clone()], vec![row; 8], vec![wall]].concat().join("\n") + "\n";
    fs::write(folder.path().join("two-rooms.txt"), map).unwrap();
    let words = ["--map", "two-rooms.txt", "--bots", "0", "--seed", "1"];
    let mut terminal = play(folder.path(), ORDINARY, &words);
    terminal.wait_for(|screen| {
        lines(screen).first().is_some_and(|line| line.ends_with("  some gold is out of reach"))
    });
    terminal.type_keys("Q");
    leave_end_screen(&mut terminal);
    terminal.wait_for_end();
}
