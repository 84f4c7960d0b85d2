//! `nuggets replay` in a terminal: what a person sees, and that the terminal is given back.

use nuggets_testkit::{ORDINARY, PseudoTerminal, status};
use rustix::process::Signal;

use crate::maps::Scratch;
use crate::replay::good;
use crate::starting::NUGGETS;

fn recording(test: &str) -> (Scratch, String) {
    let scratch = Scratch::new(test);
    let file = scratch.file("game.nuggets", &good());
    (scratch, file)
}

#[test]
fn a_replay_ends_on_signals() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let (_scratch, file) = recording("signals");
        let terminal = PseudoTerminal::start(ORDINARY, NUGGETS, &["replay", &file]);
        terminal.wait_for(|screen| status(screen).contains("playing"));
        terminal.signal(signal);
        assert_eq!(terminal.wait_for_end().code, 0, "{signal:?}");
    }
}

#[test]
fn a_replay_can_be_suspended_and_continued() {
    let (_scratch, file) = recording("aside");
    let login = r#""$@"; echo "put aside"; read -r _; fg; echo "ended with $?""#;
    let mut terminal = PseudoTerminal::start_in_shell(login, NUGGETS, &["replay", &file]);
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
