//! A program that panics restores the terminal. This test runs itself as a child in a pseudo-terminal
//! and checks its state afterwards.

use std::env;
use std::process::Command;

use nuggets_testkit::{ORDINARY, PseudoTerminal};
use nuggets_tui::{Terminal, TerminalModes};
use ratatui::style::Style;

const IS_CHILD: &str = "NUGGETS_TEST_IS_CHILD";

/// The child process, not a test of its own.
#[test]
#[ignore = "the child of the test below"]
fn child() {
    if env::var_os(IS_CHILD).is_none() {
        return;
    }
    let modes = TerminalModes { keys: true, screen: true, mouse: true };
    let mut terminal = Terminal::enter(modes).unwrap();
    terminal
        .draw(|_, cells| {
            cells.set_string(0, 0, "all is well", Style::new());
            None
        })
        .unwrap();
    crossterm::event::read().unwrap();
    panic!("on purpose");
}

#[test]
fn a_panic_restores_the_terminal_before_its_message_is_written() {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "child", "--ignored", "--nocapture"]);
    command.env(IS_CHILD, "yes").env("RUST_BACKTRACE", "0");
    let mut observed = PseudoTerminal::start_command(ORDINARY, &command);
    let screen = observed.wait_for(|screen| screen.contents().contains("all is well"));
    assert!(screen.hide_cursor());
    observed.check_taken();
    observed.type_keys("x");
    let screen = observed.wait_for(|screen| screen.contents().contains("on purpose"));
    assert!(!screen.alternate_screen() && !screen.hide_cursor());
    assert!(!screen.contents().contains("all is well"));
    assert_ne!(observed.wait_for_end().code, 0);
}
