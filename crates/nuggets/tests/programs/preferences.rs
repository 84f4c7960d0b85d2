//! The config file and the environment: which preference counts, and what is said about a wrong one.

use std::fs;
use std::path::Path;
use std::process::Command;

use nuggets_testkit::{
    FakeServer, ORDINARY, ProcessEnd, PseudoTerminal, cursor, lines, run_command,
};

use crate::starting::NUGGETS;

/// Writes the config file of a user whose folder this is.
fn write_config(folder: &Path, text: &str) {
    fs::create_dir_all(folder.join("nuggets")).unwrap();
    fs::write(folder.join("nuggets/config.toml"), text).unwrap();
}

fn nuggets(folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> ProcessEnd {
    let mut command = Command::new(NUGGETS);
    command.args(args).env("XDG_CONFIG_HOME", folder).env_remove("NUGGETS_CONFIG");
    run_command(command.envs(variables.iter().copied()), b"")
}

#[test]
fn config_show_names_the_origin_of_every_value() {
    let folder = tempfile::tempdir().unwrap();
    write_config(folder.path(), "map = \"grand\"\nbots = 5\n[host]\nmax-games = 3\n");
    let shown = nuggets(folder.path(), &["config", "show"], &[("NUGGETS_BOTS", "7")]);
    let text = shown.stdout;
    let line = |key: &str| text.lines().find(|line| line.starts_with(key)).unwrap().to_owned();
    assert!(line("bots ").contains(" 7 ") && line("bots ").ends_with("variable NUGGETS_BOTS"));
    assert!(line("map ").contains(" grand ") && line("map ").ends_with("nuggets/config.toml"));
    assert!(line("pace ").contains(" 1000 ") && line("pace ").ends_with("default"));
    let path = nuggets(folder.path(), &["config", "path"], &[]);
    assert!(path.stdout.ends_with("nuggets/config.toml\n"));
}

#[test]
fn a_wrong_key_is_reported_with_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    write_config(folder.path(), "bots = 5\nbels = true\n");
    let ended = nuggets(folder.path(), &["play", "--watch"], &[]);
    let text = ended.stderr;
    assert_eq!(ended.status.code(), Some(2), "{text}");
    assert!(
        text.contains("can't use the config file") && text.contains("line 2, column 1"),
        "{text}"
    );
    assert!(text.contains("bels"), "{text}");
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

/// The whole output of a game in lines: nothing is drawn over, so the transcript is the screen.
#[test]
fn a_game_in_lines_is_a_transcript() {
    let folder = tempfile::tempdir().unwrap();
    let server = FakeServer::new();
    let port = server.port.to_string();
    let words = ["player", "127.0.0.1", &port, "Ann", "--lines"];
    let mut terminal = PseudoTerminal::start_in(folder.path(), ORDINARY, NUGGETS, &words);
    server.accept();
    let mut expected = vec![
        "You are player A. You have 0 nuggets, 250 left. ? lists the keys.",
        "B comes into sight",
        "gold in sight, 4 left",
    ];
    terminal.wait_for_lines(&expected);
    terminal.type_keys("v");
    expected.push("1 of 3: gold, 4 left, 4 steps");
    terminal.wait_for_lines(&expected);
    terminal.type_keys("w");
    assert_eq!(server.receive(), "KEY h");
    terminal.type_keys("k");
    assert_eq!(server.receive(), "KEY k");
    expected.push("a wall is in the way");
    terminal.wait_for_lines(&expected);
    server.send("GOLD 5 5 245");
    expected.extend(["you found 5 nuggets", "You have 5 nuggets, 245 left."]);
    terminal.wait_for_lines(&expected);
    terminal.type_keys("Q");
    server.reply_to_quit("Thanks for playing!");
    expected.push("Thanks for playing!");
    let ended = terminal.wait_for_end();
    assert_eq!(ended.lines, expected);
    let raw = String::from_utf8(ended.raw).unwrap();
    assert!(!raw.contains("\x1b[?1049h") && !raw.contains("\x1b[2J"), "{raw:?}");
}
