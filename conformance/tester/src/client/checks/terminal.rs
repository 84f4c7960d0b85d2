//! The state in which the client leaves the terminal.

use super::{GRID_DISPLAY, SERVER_TO_CLIENTS};
use crate::client::ClientTest;
use crate::{Check, Section, ensure};

const SECTION: Section = Section::new("Terminal", SERVER_TO_CLIENTS);
const CLOSED: &str = "The mine is closed.";

pub(super) const CHECKS: &[Check<ClientTest>] = &[
    SECTION.should(
        "terminal.modes",
        "When the client has exited, the terminal's modes are as before.",
        |test| {
            test.play_and_quit(CLOSED)?;
            let (before, after) = test.window()?.modes();
            ensure(before == after, format!("the modes of before: {before}"), after)
        },
    ),
    SECTION.should(
        "terminal.screen",
        "When the client has exited, it has left the alternate screen.",
        |test| {
            test.play_and_quit(CLOSED)?;
            let is_left = test.screen().is_none_or(|screen| !screen.alternate_screen());
            let actual = "the terminal still shows the alternate screen";
            ensure(is_left, "the original screen is back", actual)
        },
    ),
    SECTION.should(
        "terminal.cursor",
        "When the client has exited, the cursor is visible again.",
        |test| {
            test.play_and_quit(CLOSED)?;
            let is_visible = test.screen().is_none_or(|screen| !screen.hide_cursor());
            ensure(is_visible, "the cursor is visible again", "it is still hidden")
        },
    ),
    // An echo stays where the cursor was.
    SECTION.source(GRID_DISPLAY).should(
        "terminal.echo",
        "Keys that are pressed are not echoed on the screen.",
        |test| {
            test.play()?;
            b"hjkl".iter().try_for_each(|&key| test.press(key))?;
            test.fence()?;
            test.expect_map()
        },
    ),
];
