//! The state in which the client leaves the terminal.

use crate::client::ClientTest;
use crate::{CheckTable, ensure};

const CLOSED: &str = "The mine is closed.";

pub(super) const CHECKS: CheckTable<ClientTest> = &[
    ("terminal.modes", |test| {
        test.play_and_quit(CLOSED)?;
        let (before, after) = test.window()?.modes();
        ensure(before == after, format!("the modes of before: {before}"), after)
    }),
    ("terminal.screen", |test| {
        test.play_and_quit(CLOSED)?;
        let is_left = test.screen().is_none_or(|screen| !screen.alternate_screen());
        let actual = "the terminal still shows the alternate screen";
        ensure(is_left, "the original screen is back", actual)
    }),
    ("terminal.cursor", |test| {
        test.play_and_quit(CLOSED)?;
        let is_visible = test.screen().is_none_or(|screen| !screen.hide_cursor());
        ensure(is_visible, "the cursor is visible again", "it is still hidden")
    }),
    // An echo stays where the cursor was.
    ("terminal.echo", |test| {
        test.play()?;
        b"hjkl".iter().try_for_each(|&key| test.press(key))?;
        test.fence()?;
        test.expect_map()
    }),
];
