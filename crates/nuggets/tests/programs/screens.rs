//! What a person sees and presses in the terminal, where no other file is about it: what happens is noted, the
//! screen can be drawn again, spectators look around, and the bots wait whenever nothing is shown.

use std::fs;
use std::path::Path;

use nuggets_record::{Reading, RecordedEvent, Recording};
use nuggets_testkit::{ORDINARY, PseudoTerminal, cursor, lines, status};

use crate::play::leave_end_screen;
use crate::room_screen::{STATUS, join_fake_server, shown};
use crate::starting::NUGGETS;

/// Waits until the note right of the status line ends like this.
fn notes(terminal: &PseudoTerminal, note: &str) {
    terminal.wait_for(|screen| status(screen).ends_with(&format!("  {note}")));
}

/// How many keys the bots have pressed in the only game in this folder. The person is A.
fn keys_of_bots(folder: &Path) -> usize {
    let Ok(mut files) = fs::read_dir(folder.join("nuggets/games")) else { return 0 };
    let Some(file) = files.next() else { return 0 };
    let bytes = fs::read(file.unwrap().path()).unwrap();
    let Ok(Reading { recording, .. }) = Recording::read(&bytes) else { return 0 };
    let is_bot = |what: &RecordedEvent| matches!(what, RecordedEvent::Press(letter, _) if letter.as_byte() != b'A');
    recording.entries().filter(|entry| is_bot(&entry.what)).count()
}

#[test]
fn ctrl_l_draws_over_what_another_program_has_written() {
    let (_server, mut terminal) = join_fake_server();
    terminal.scribble("\x1b[2;1Hwall: the printer is on fire");
    terminal.wait_for(|screen| screen.contents().contains("the printer is on fire"));
    terminal.type_keys("\x0c");
    terminal.wait_for_lines(&shown(STATUS));
}

#[test]
fn the_watcher_of_an_own_game_sees_every_purse() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["play", "--watch", "--bots", "2", "--pace", "5", "--map", "narrow"];
    let mut terminal = PseudoTerminal::start_in(folder.path(), (30, 140), NUGGETS, &words);
    // All of the gold is in the purses of the panel, whatever was taken so far. The bots join in any order.
    terminal.wait_for(|screen| {
        let number = |name: &str| {
            let line = lines(screen).into_iter().find(|line| line.contains(name))?;
            line.rsplit(' ').next()?.parse::<u32>().ok()
        };
        let all = [" scout 1 ", " scout 2 ", "* gold left"].map(number);
        all[2].is_some_and(|left| left < 250) && all.into_iter().sum::<Option<u32>>() == Some(250)
    });
    terminal.type_keys("Q");
    leave_end_screen(&mut terminal);
    assert_eq!(terminal.wait_for_end().code, 0);
}

/// Waits until this many keys of bots are in the recording, and so were pressed.
fn wait_for_keys(folder: &Path, more_than: usize) -> usize {
    loop {
        let keys = keys_of_bots(folder);
        if keys > more_than {
            return keys;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn the_bots_stand_still_while_the_game_is_paused_or_can_not_be_seen() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["play", "Ann", "--bots", "2", "--brain", "wanderer", "--pace", "2", "--no-wait"];
    let mut terminal = PseudoTerminal::start_in(folder.path(), ORDINARY, NUGGETS, &words);
    // They begin without a key.
    wait_for_keys(folder.path(), 0);
    let tiny = |terminal: &PseudoTerminal, rows, cols, words: &str| {
        terminal.resize(rows, cols);
        terminal.wait_for(|screen| lines(screen).concat().contains(words));
    };
    for pause in ["p", "?", "small"] {
        match pause {
            "p" => {
                terminal.type_keys("p");
                notes(&terminal, "paused; any key continues");
            }
            "?" => {
                terminal.type_keys("?");
                terminal.wait_for(|screen| screen.contents().contains("Press any key to"));
            }
            _ => tiny(&terminal, 4, 30, "too small"),
        }
        // A key that was being sent when the pause began may still arrive.
        let mut keys = keys_of_bots(folder.path());
        loop {
            std::thread::sleep(std::time::Duration::from_millis(200));
            let later = keys_of_bots(folder.path());
            if later == keys {
                break;
            }
            assert!(later - keys < 20, "{pause}: the bots go on");
            keys = later;
        }
        match pause {
            "small" => tiny(&terminal, 24, 80, "Player A has"),
            _ => terminal.type_keys("p"),
        }
        wait_for_keys(folder.path(), keys);
    }
    terminal.type_keys("Q");
    leave_end_screen(&mut terminal);
    assert_eq!(terminal.wait_for_end().code, 0);
}

#[test]
fn the_end_screen_ignores_other_keys_and_ctrl_c_leaves_it() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["play", "Ann", "--bots", "0", "--seed", "1"];
    let mut terminal = PseudoTerminal::start_in(folder.path(), ORDINARY, NUGGETS, &words);
    terminal.wait_for(|screen| cursor(screen).is_some() && status(screen).starts_with("Player A"));
    terminal.type_keys("Q");
    terminal.wait_for(|screen| screen.contents().contains("  r  play again"));
    // The recording is written once; a second file is not overwritten, and the screen says so.
    terminal.type_keys("xw");
    terminal.wait_for(|screen| screen.contents().contains("Written to main-1.nuggets"));
    terminal.type_keys("w");
    terminal.wait_for(|screen| screen.contents().contains("exists"));
    terminal.type_keys("\x03");
    assert_eq!(terminal.wait_for_end().code, 0);
}

#[test]
fn without_recordings_replay_says_where_they_would_come_from() {
    let folder = tempfile::tempdir().unwrap();
    let terminal = PseudoTerminal::start_in(folder.path(), ORDINARY, NUGGETS, &["replay"]);
    let ended = terminal.wait_for_end();
    assert_eq!(ended.code, 2);
    assert!(ended.lines.concat().contains("nuggets play"), "{:?}", ended.lines);
}
