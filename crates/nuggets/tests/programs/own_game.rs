//! `nuggets play` as a game that people keep: it scrolls, has a panel, waits for its player, and ends with a
//! table from which to play again, watch or save.

use std::fs;
use std::path::Path;

use nuggets_record::{Entry, RecordedEvent, Recording};
use nuggets_testkit::{ORDINARY, PseudoTerminal, cursor, lines, status};

use crate::play::leave_end_screen;
use crate::starting::NUGGETS;

/// Starts `nuggets play` for Ann in a folder of its own.
fn play(folder: &Path, size: (u16, u16), options: &[&str]) -> PseudoTerminal {
    PseudoTerminal::start_in(folder, size, NUGGETS, &[&["play", "Ann"], options].concat())
}

/// True once the map is shown.
fn is_shown(screen: &vt100::Screen) -> bool {
    cursor(screen).is_some() && status(screen).starts_with("Player A")
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
fn the_bots_wait_for_the_first_key() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["--seed", "34", "--bots", "2", "--pace", "1"];
    let mut terminal = play(folder.path(), (40, 120), &words);
    terminal.wait_for(|screen| screen.contents().contains("C scout"));
    terminal.wait_for(|screen| status(screen).ends_with("  any key starts; ? for help"));
    // Two pages of help take the bots longer than their first keys would.
    for _ in 0..2 {
        terminal.type_keys("?");
        terminal.wait_for(|screen| screen.contents().contains("Press any key to continue."));
        terminal.type_keys("x");
        terminal.wait_for(|screen| !screen.contents().contains("Press any key to continue."));
    }
    terminal.type_keys("j");
    terminal
        .wait_for(|screen| is_shown(screen) && !status(screen).contains("250 nuggets unclaimed"));
    terminal.type_keys("Q");
    leave_end_screen(&mut terminal);
    terminal.wait_for_end();
    let recording = recordings(folder.path()).remove(0);
    let presses = recording.entries().filter_map(|entry| match entry.what {
        RecordedEvent::Press(letter, _) => Some(char::from(letter.as_byte())),
        _ => None,
    });
    let presses: Vec<char> = presses.collect();
    assert_eq!(presses.first(), Some(&'A'), "the person pressed the first key");
    assert!(presses.len() > 5, "then the bots played");
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
    terminal.wait_for(is_shown);
    terminal.type_keys("Q");
    terminal.wait_for(|screen| screen.contents().contains("  r  play again"));
    assert!(!terminal.wait_for(|_| true).contents().contains("seed 1\n"), "a new seed");
    terminal.type_keys("q");
    let ended = terminal.wait_for_end();
    assert_eq!((ended.code, ended.lines), (0, vec!["Thanks for playing!".to_owned(); 3]));
    let saved = Recording::read(&fs::read(folder.path().join("main-1.nuggets")).unwrap()).unwrap();
    assert_eq!(saved.recording.header.setup.seed.to_string(), "1");
    assert_eq!(recordings(folder.path()).len(), 3);

    let mut list = PseudoTerminal::start_in(folder.path(), ORDINARY, NUGGETS, &["replay"]);
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

/// Two rooms without a way between them.
const TWO_PARTS: &str = "+---+---+\n|...|...|\n|...|...|\n|...|...|\n+---+---+\n";

#[test]
fn a_game_ends_when_the_gold_that_is_left_is_out_of_reach_and_is_recorded_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("two.txt"), TWO_PARTS).unwrap();
    let rules = ["--gold", "9", "--min-piles", "9", "--max-piles", "9", "--players", "1"];
    let args = [&["--map", "two.txt", "--seed", "3", "--bots", "0"], &rules[..]].concat();
    let mut terminal = play(folder.path(), ORDINARY, &args);
    terminal.wait_for(|screen| screen.contents().contains("some gold is out of reach"));
    // Whatever room it is, this takes all gold in it.
    terminal.type_keys("HKLjHjL");
    let over = "The game has ended because the gold that is left is out of reach.";
    let screen = terminal.wait_for(|screen| screen.contents().contains(over));
    assert!(screen.contents().contains("unclaimed"), "{}", screen.contents());
    leave_end_screen(&mut terminal);
    assert_eq!(terminal.wait_for_end().code, 0);
    let recording = recordings(folder.path()).pop().unwrap();
    assert_eq!(recording.end(), Some(nuggets_record::RecordingEnd::Stalemate));
    nuggets_record::verify(&recording).unwrap();
}

/// The first seed with which the first player can't reach the only pile.
fn seed_without_reach(map: &str) -> String {
    let map = nuggets_game::Map::parse(map.as_bytes()).unwrap().map;
    let rules = nuggets_game::Rules {
        nuggets: 1,
        min_piles: 1,
        max_piles: 1,
        max_players: 1,
        ..Default::default()
    };
    let is_out_of_reach = |seed: &u64| {
        let seed = nuggets_game::Seed::new(i64::try_from(*seed).unwrap());
        let setup =
            nuggets_game::Setup::new(map.clone(), rules, seed, nuggets_protocol::Dialect::V2021);
        let mut game = nuggets_game::Game::new(&setup).unwrap();
        let name = nuggets_game::Name::new(b"Ann").unwrap();
        game.apply(nuggets_game::Input::Join(name), &mut Vec::new());
        !game.is_gold_in_reach()
    };
    (1..1000).find(is_out_of_reach).unwrap().to_string()
}

#[test]
fn a_lone_player_in_a_part_without_gold_is_told_so_before_the_game_which_ends_soon() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("two.txt"), TWO_PARTS).unwrap();
    let seed = seed_without_reach(TWO_PARTS);
    let rules = ["--gold", "1", "--min-piles", "1", "--max-piles", "1", "--players", "1"];
    let args = [&["--map", "two.txt", "--seed", &seed, "--bots", "0"], &rules[..]].concat();
    let mut terminal = play(folder.path(), ORDINARY, &args);
    terminal.wait_for(|screen| screen.contents().contains("no gold is in reach; Q leaves"));
    terminal.type_keys("h");
    terminal.wait_for(|screen| screen.contents().contains("no gold in reach: ends in 5 s"));
    let over = "The game has ended because the gold that is left is out of reach.";
    terminal.wait_for(|screen| screen.contents().contains(over));
    leave_end_screen(&mut terminal);
    assert_eq!(terminal.wait_for_end().code, 0);
    let recording = recordings(folder.path()).pop().unwrap();
    assert_eq!(recording.end(), Some(nuggets_record::RecordingEnd::Stalemate));
}

#[test]
fn a_program_plays_along_and_its_failure_is_reported_after_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let program = r#"echo PLAY steady; n=0; while read -r line; do case "$line" in
        DISPLAY*) n=$((n+1)); [ $n = 3 ] && { echo oops >&2; exit 4; }; echo KEY L;; esac; done"#;
    let options = ["--bots", "0", "--bot-cmd", program, "--pace", "0", "--map", "narrow"];
    let options = [&options[..], &["--bot-time", "60000"]].concat();
    let mut terminal = play(folder.path(), (24, 160), &options);
    terminal.wait_for(is_shown);
    terminal.type_keys("h");
    terminal.wait_for(|screen| lines(screen).iter().any(|line| line.contains("steady")));
    // It leaves at its third turn.
    let has_left = |entry: &Entry| matches!(entry.what, RecordedEvent::Leave(_));
    while !recordings(folder.path())[0].entries().any(has_left) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    terminal.type_keys("Q");
    terminal.wait_for(|screen| {
        lines(screen).iter().any(|line| line.contains("steady left the game: program"))
    });
    leave_end_screen(&mut terminal);
    let ended = terminal.wait_for_end();
    assert_eq!(ended.code, 0);
    assert!(ended.lines.iter().any(|line| line.contains("| oops")), "{:?}", ended.lines);
}

#[test]
fn a_program_that_can_not_be_started_is_reported_before_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let terminal = play(folder.path(), ORDINARY, &["--bot-cmd", "./no-such-bot"]);
    let ended = terminal.wait_for_end();
    assert_eq!(ended.code, 1);
    assert!(ended.lines[0].starts_with("error: './no-such-bot': exited before it sent PLAY"));
    assert!(!folder.path().join("nuggets/games").exists(), "no game was begun");
}
