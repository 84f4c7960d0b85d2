//! A person at the terminal, as far as no other file is about it: the screen can be drawn again, a
//! watcher sees every purse, and the bots wait for the person.

use std::fs;
use std::path::Path;

use nuggets_record::{Reading, RecordedEvent, Recording};
use nuggets_testkit::{ORDINARY, PseudoTerminal, lines, status};

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
fn the_bots_wait_for_the_first_key_and_stand_still_while_the_game_is_paused() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["play", "Ann", "--bots", "2", "--brain", "wanderer", "--pace", "2"];
    let mut terminal = PseudoTerminal::start_in(folder.path(), ORDINARY, NUGGETS, &words);
    notes(&terminal, "any key starts; ? for help");
    assert_eq!(keys_of_bots(folder.path()), 0);
    terminal.type_keys("j");
    wait_for_keys(folder.path(), 0);
    terminal.type_keys("p");
    notes(&terminal, "paused; any key continues");
    // A key that was being sent when the pause began may still arrive.
    let mut keys = keys_of_bots(folder.path());
    loop {
        std::thread::sleep(std::time::Duration::from_millis(200));
        let later = keys_of_bots(folder.path());
        if later == keys {
            break;
        }
        assert!(later - keys < 20, "the bots go on");
        keys = later;
    }
    terminal.type_keys("p");
    wait_for_keys(folder.path(), keys);
    terminal.type_keys("Q");
    leave_end_screen(&mut terminal);
    assert_eq!(terminal.wait_for_end().code, 0);
}
