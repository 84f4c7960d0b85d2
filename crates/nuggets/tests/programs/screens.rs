//! What a person sees and presses in the terminal, where no other file is about it: what happens is noted, the
//! screen can be drawn again, spectators look around, and the bots wait whenever nothing is shown.

use std::fs;
use std::path::Path;

use nuggets_record::{Reading, Recording, What};
use vt100::Screen;

use crate::fake_server::{FakeServer, ROOM, STATUS, shown};
use crate::host::Host;
use crate::play::leave_end_screen;
use crate::terminal::{NUGGETS, ORDINARY, PLAYER, Terminal, cursor, lines};

fn status(screen: &Screen) -> String {
    lines(screen).first().cloned().unwrap_or_default()
}

/// Waits until the note right of the status line ends like this.
fn notes(terminal: &Terminal, note: &str) {
    terminal.wait_for(|screen| status(screen).ends_with(&format!("  {note}")));
}

/// How many keys the bots have pressed in the only game in this folder. The person is A.
fn keys_of_bots(folder: &Path) -> usize {
    let Ok(mut files) = fs::read_dir(folder.join("nuggets/games")) else { return 0 };
    let Some(file) = files.next() else { return 0 };
    let bytes = fs::read(file.unwrap().path()).unwrap();
    let Ok(Reading { recording, .. }) = Recording::read(&bytes) else { return 0 };
    let is_bot = |what: &What| matches!(what, What::Press(letter, _) if letter.as_byte() != b'A');
    recording.entries().filter(|entry| is_bot(&entry.what)).count()
}

#[test]
fn a_step_into_a_wall_and_a_swap_are_noted() {
    let (server, mut terminal) = FakeServer::with_player();
    terminal.type_keys("k");
    terminal.wait_for_lines(&shown(&format!("{STATUS}  a wall is in the way")));
    assert_eq!(server.receive(), "KEY k");
    let beside = ROOM.replace("@......B", "......@B");
    let swapped = ROOM.replace("@......B", "......B@");
    server.send(format!("DISPLAY\n{beside}"));
    terminal.type_keys("l");
    assert_eq!(server.receive(), "KEY l");
    server.send(format!("DISPLAY\n{swapped}"));
    notes(&terminal, "swapped with B");
    // A theft from another player is not gold that was found.
    server.send("GOLD 7 7 250");
    notes(&terminal, "you stole 7 nuggets");
}

#[test]
fn ctrl_l_draws_over_what_another_program_has_written() {
    let (_server, mut terminal) = FakeServer::with_player();
    terminal.scribble("\x1b[2;1Hwall: the printer is on fire");
    terminal.wait_for(|screen| screen.contents().contains("the printer is on fire"));
    terminal.type_keys("\x0c");
    terminal.wait_for_lines(&shown(STATUS));
}

#[test]
fn words_that_do_not_fit_beside_the_status_line_are_shown_below_the_map() {
    let (server, terminal) = FakeServer::with_player();
    let words = "five more minutes, then everybody goes home";
    server.send(format!("ERROR Notice: {words}"));
    terminal.wait_for(|screen| lines(screen).last().is_some_and(|line| line == words));
}

#[test]
fn a_spectator_scrolls_with_the_keys_that_move_players_and_opens_the_panel() {
    let server = FakeServer::new();
    let port = server.port.to_string();
    let mut terminal = Terminal::start((6, 20), PLAYER, &["127.0.0.1", &port, "--scroll"]);
    assert_eq!(server.receive_any(), "SPECTATE");
    let blanks = " ".repeat(60);
    let wide: String = ROOM.lines().flat_map(|line| [line, &blanks, "\n"]).collect();
    for message in ["GRID 3 84", "GOLD 0 0 250", &format!("DISPLAY\n{wide}")] {
        server.send(message);
    }
    terminal.wait_for(|screen| lines(screen).iter().any(|line| line.starts_with("|....*")));
    terminal.type_keys("L");
    terminal.wait_for(|screen| !lines(screen).iter().any(|line| line.starts_with("|....*")));
    terminal.type_keys("\t");
    terminal.wait_for(|screen| lines(screen).iter().any(|line| line.starts_with("|....*")));
    terminal.resize(20, 140);
    terminal.type_keys("i");
    terminal.wait_for(|screen| screen.contents().contains("* gold left"));
    terminal.type_keys("i");
    terminal.wait_for(|screen| !screen.contents().contains("* gold left"));
    terminal.type_keys("Q");
    while server.receive_any() != "KEY Q" {}
    server.send("QUIT Thanks for watching!");
    assert_eq!(terminal.wait_for_end().lines, ["Thanks for watching!"]);
}

#[test]
fn the_watcher_of_an_own_game_sees_every_purse() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["play", "--watch", "--bots", "2", "--pace", "5", "--map", "narrow"];
    let mut terminal = Terminal::start_in(folder.path(), (30, 140), NUGGETS, &words);
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
    let mut terminal = Terminal::start_in(folder.path(), ORDINARY, NUGGETS, &words);
    // They begin without a key.
    wait_for_keys(folder.path(), 0);
    let tiny = |terminal: &Terminal, rows, cols, words: &str| {
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
    let mut terminal = Terminal::start_in(folder.path(), ORDINARY, NUGGETS, &words);
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
fn a_replay_of_a_large_map_scrolls_by_keypad_and_mouse_and_follows_again() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["play", "Ann", "--bots", "0", "--seed", "3", "--map", "grand"];
    let mut terminal = Terminal::start_in(folder.path(), ORDINARY, NUGGETS, &words);
    terminal.wait_for(|screen| cursor(screen).is_some() && status(screen).starts_with("Player A"));
    terminal.type_keys("HQ");
    terminal.wait_for(|screen| screen.contents().contains("  v  watch the replay"));
    terminal.type_keys("v");
    terminal.wait_for(|screen| status(screen).contains("spectator"));
    // To the start, then on to where the player has joined.
    terminal.type_keys(" \x1b[H.A");
    let followed = terminal
        .wait_for(|screen| status(screen).contains("paused") && status(screen).contains("as A"));
    // A part of the room around the player, which the overview does not show.
    let is_in_view = |screen: &Screen| screen.contents().contains("+-+.*..+-+");
    assert!(is_in_view(&followed));
    terminal.type_keys(&"6".repeat(20));
    terminal.wait_for(|screen| !is_in_view(screen));
    terminal.type_keys("5");
    terminal.wait_for(is_in_view);
    // Drags the map beyond the left edge of the window.
    terminal.type_keys("\x1b[<0;79;8M\x1b[<32;78;8M\x1b[<32;1;8M\x1b[<0;1;8m");
    terminal.wait_for(|screen| !is_in_view(screen));
    terminal.type_keys("5");
    terminal.wait_for(is_in_view);
    terminal.scribble("\x1b[12;1Hwall: the printer is on fire");
    terminal.wait_for(|screen| screen.contents().contains("the printer is on fire"));
    terminal.type_keys("\x0c");
    terminal.wait_for(|screen| {
        is_in_view(screen) && !screen.contents().contains("the printer is on fire")
    });
    terminal.type_keys("q");
    terminal.wait_for(|screen| screen.contents().contains("  r  play again"));
    terminal.type_keys("q");
    assert_eq!(terminal.wait_for_end().code, 0);
}

#[test]
fn without_recordings_replay_says_where_they_would_come_from() {
    let folder = tempfile::tempdir().unwrap();
    let terminal = Terminal::start_in(folder.path(), ORDINARY, NUGGETS, &["replay"]);
    let ended = terminal.wait_for_end();
    assert_eq!(ended.code, 2);
    assert!(ended.lines.concat().contains("nuggets play"), "{:?}", ended.lines);
}

#[test]
fn a_game_in_lines_lists_what_is_in_sight_both_ways_and_says_purse_and_keys() {
    let host = Host::start(&["main", "1"]);
    let port = host.port.to_string();
    let words = ["127.0.0.1", &port, "Ann", "--lines"];
    let mut terminal = Terminal::start((40, 100), PLAYER, &words);
    terminal.wait_for(|screen| screen.contents().contains("You are player A"));
    terminal.type_keys("s");
    let purse = "You have 0 nuggets, 250 left.";
    terminal.wait_for(|screen| lines(screen).iter().any(|line| line == purse));
    terminal.type_keys("v");
    terminal.wait_for(|screen| screen.contents().contains("1 of "));
    terminal.type_keys("vV");
    terminal.wait_for(|screen| screen.contents().matches("1 of ").count() == 2);
    // The pile that was listed first is the nearest: walking there takes it.
    terminal.type_keys("w");
    terminal.wait_for(|screen| screen.contents().contains("you found "));
    terminal.type_keys("?");
    terminal.wait_for(|screen| screen.contents().contains("walk"));
    terminal.type_keys("Q");
    let ended = terminal.wait_for_end();
    assert_eq!((ended.code, &ended.lines.last().unwrap()[..]), (0, "Thanks for playing!"));
}
