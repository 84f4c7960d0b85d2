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
    terminal.type_keys("w");
    terminal.wait_for(|screen| screen.contents().contains("exists"));
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

/// Two rooms without a way between them.
const TWO_PARTS: &str = "+---+---+\n|...|...|\n|...|...|\n|...|...|\n+---+---+\n";

#[test]
fn a_game_ends_when_the_gold_that_is_left_is_out_of_reach_and_is_recorded_so() {
    // With the second seed the only pile is in the other room.
    for (seed, gold, hint, keys) in [
        ("3", "9", "some gold is out of reach", "HKLjHjL"),
        ("1", "1", "no gold is in reach; Q leaves", "h"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("two.txt"), TWO_PARTS).unwrap();
        let rules = ["--gold", gold, "--min-piles", gold, "--max-piles", gold, "--players", "1"];
        let args = [&["--map", "two.txt", "--seed", seed, "--bots", "0"], &rules[..]].concat();
        let mut terminal = play(folder.path(), ORDINARY, &args);
        terminal.wait_for(|screen| screen.contents().contains(hint));
        // Whatever room it is, this takes all gold in it.
        terminal.type_keys(keys);
        let over = "The game has ended because the gold that is left is out of reach.";
        let screen = terminal.wait_for(|screen| screen.contents().contains(over));
        assert!(screen.contents().contains("unclaimed"), "{}", screen.contents());
        leave_end_screen(&mut terminal);
        assert_eq!(terminal.wait_for_end().code, 0);
        let recording = recordings(folder.path()).pop().unwrap();
        assert_eq!(recording.end(), Some(nuggets_record::RecordingEnd::Stalemate));
        nuggets_record::verify(&recording).unwrap();
    }
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
