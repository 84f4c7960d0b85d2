//! The config file in a terminal. Its values and errors are in `transcripts/files.console`.

use std::fs;
use std::path::Path;

use nuggets_testkit::{FakeServer, PseudoTerminal, cursor, lines};

use crate::starting::NUGGETS;

/// Writes the config file of a user whose folder this is.
fn write_config(folder: &Path, text: &str) {
    fs::create_dir_all(folder.join("nuggets")).unwrap();
    fs::write(folder.join("nuggets/config.toml"), text).unwrap();
}

#[test]
fn play_takes_name_map_panel_and_keys_from_the_file_and_options_win() {
    let folder = tempfile::tempdir().unwrap();
    let config = "name = \"Zoe\"\nbots = 0\npanel = false\n[keys]\npanel = \"e\"\nleft = \"a\"\n";
    write_config(folder.path(), config);
    let words = ["play", "--seed", "34"];
    let mut terminal = PseudoTerminal::start_in(folder.path(), (40, 120), NUGGETS, &words);
    let screen = terminal.wait_for(|screen| {
        cursor(screen).is_some()
            && lines(screen).first().is_some_and(|line| line.starts_with("Player"))
    });
    assert!(!screen.contents().contains("gold left"));
    let (row, col) = cursor(&screen).unwrap();
    terminal.type_keys("e");
    terminal.wait_for(|screen| screen.contents().contains("A Zoe (you)"));
    terminal.type_keys("a");
    terminal.wait_for(|screen| cursor(screen) == Some((row, col - 1)));
    drop(terminal);
    let words = ["play", "Ann", "--panel", "--seed", "34"];
    let terminal = PseudoTerminal::start_in(folder.path(), (40, 120), NUGGETS, &words);
    terminal.wait_for(|screen| screen.contents().contains("A Ann (you)"));
}

#[test]
fn player_scrolls_if_the_file_says_so() {
    let folder = tempfile::tempdir().unwrap();
    write_config(folder.path(), "scroll = true\n");
    let server = FakeServer::new();
    let port = server.port.to_string();
    let words = ["player", "127.0.0.1", &port, "Ann"];
    let terminal = PseudoTerminal::start_in(folder.path(), (10, 40), NUGGETS, &words);
    server.accept();
    terminal.wait_for(|screen| cursor(screen) == Some((2, 9)));
}
