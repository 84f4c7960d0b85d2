//! `nuggets replay` in a terminal: what a person sees, and that the terminal is given back.

use rustix::process::Signal;
use vt100::Screen;

use crate::maps::Scratch;
use crate::replay::good;
use crate::terminal::{NUGGETS, ORDINARY, Terminal, lines};

fn recording(test: &str) -> (Scratch, String) {
    let scratch = Scratch::new(test);
    let file = scratch.file("game.nuggets", &good());
    (scratch, file)
}

fn status(screen: &Screen) -> String {
    lines(screen).first().cloned().unwrap_or_default()
}

#[test]
fn a_replay_can_be_paused_and_sought_and_shown_from_other_views() {
    let (_scratch, file) = recording("watching");
    let mut terminal = Terminal::start(ORDINARY, NUGGETS, &["replay", &file]);
    let screen = terminal.wait_for(|screen| status(screen).contains("playing 1x"));
    assert!(screen.alternate_screen() && screen.hide_cursor());
    terminal.wait_for(|screen| status(screen).ends_with("playing 1x  spectator  2 left  A 7 B 0"));
    terminal.type_keys(" ");
    terminal.wait_for(|screen| status(screen).contains("paused"));
    // Home, one input on, the next gold.
    terminal.type_keys("\x1b[H");
    terminal.wait_for(|screen| status(screen) == "00:00/01:02  paused 1x  spectator  9 left");
    terminal.type_keys("..");
    terminal
        .wait_for(|screen| status(screen) == "00:01/01:02  paused 1x  spectator  9 left  A 0 B 0");
    terminal.type_keys("gA");
    let dashes = "-".repeat(74);
    terminal.wait_for_lines(&[
        "00:01/01:02  paused 1x  as A  2 left  A 7 B 0",
        "+-----+",
        "|@....#",
        "+-----+",
        "",
        &format!("=A{dashes}-B--"),
        "00:01 A takes 7 (2 left)",
        "00:01 B joins: Bob",
        "00:00 A joins: Ann",
    ]);
    // Shift and Tab, back to the spectator; End.
    terminal.type_keys("\x1b[Z\x1b[F");
    terminal
        .wait_for(|screen| status(screen) == "01:02/01:02  ended 1x  spectator  0 left  A 7 B 2");
    terminal.type_keys("?");
    terminal.wait_for(|screen| screen.contents().contains("Press any key to continue."));
    terminal.type_keys("x");
    terminal.wait_for(|screen| status(screen).contains("ended"));
    terminal.type_keys("q");
    let ended = terminal.wait_for_end();
    assert_eq!((ended.code, ended.lines), (0, vec![]));
}

#[test]
fn a_replay_plays_at_any_speed_to_the_end() {
    let (_scratch, file) = recording("speed");
    let mut terminal = Terminal::start(ORDINARY, NUGGETS, &["replay", &file, "--eyes", "B"]);
    terminal.wait_for(|screen| status(screen).contains("playing 1x"));
    terminal.type_keys("++++++");
    terminal.wait_for(|screen| status(screen).starts_with("01:02/01:02  ended 64x  as B"));
    terminal.type_keys("\x03");
    assert_eq!(terminal.wait_for_end().code, 0);
}

#[test]
fn a_replay_in_a_terminal_that_is_too_small_shows_the_size_it_needs() {
    let (_scratch, file) = recording("small");
    let mut terminal = Terminal::start((5, 40), NUGGETS, &["replay", &file]);
    terminal.wait_for(|screen| lines(screen).concat().contains("but needs 7 and 20."));
    terminal.resize(7, 20);
    terminal.wait_for(|screen| status(screen).starts_with("00:0"));
    terminal.type_keys("q");
    assert_eq!(terminal.wait_for_end().code, 0);
}

#[test]
fn a_replay_ends_on_signals() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let (_scratch, file) = recording("signals");
        let terminal = Terminal::start(ORDINARY, NUGGETS, &["replay", &file]);
        terminal.wait_for(|screen| status(screen).contains("playing"));
        terminal.signal(signal);
        assert_eq!(terminal.wait_for_end().code, 0, "{signal:?}");
    }
}

#[test]
fn a_replay_can_be_suspended_and_continued() {
    let (_scratch, file) = recording("aside");
    let login = r#""$@"; echo "put aside"; read -r _; fg; echo "ended with $?""#;
    let mut terminal = Terminal::start_in_shell(login, NUGGETS, &["replay", &file]);
    terminal.wait_for(|screen| status(screen).contains("playing"));
    terminal.type_keys(" ");
    terminal.wait_for(|screen| status(screen).contains("paused"));
    terminal.type_keys("\x1a");
    terminal.wait_for(|screen| screen.contents().contains("put aside"));
    terminal.check_given_back();
    terminal.type_keys("\n");
    terminal.wait_for(|screen| screen.alternate_screen() && status(screen).contains("paused"));
    terminal.type_keys("q");
    let ended = terminal.wait_for_end();
    assert!(ended.lines.contains(&"ended with 0".to_owned()), "{:?}", ended.lines);
}
