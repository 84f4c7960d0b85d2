//! Windows that are too small for the map.

use std::time::Duration;

use crate::client::fake_game::FakeGame;
use crate::client::test_run::{ClientStart, USUAL_SIZE};
use crate::client::{ClientTest, screen};
use crate::{CheckFailure, CheckTable, Verdict};

/// The map of these checks. It needs 22 rows and 79 columns.
const ROWS: u16 = 21;
const COLS: u16 = 79;

/// The time after enlarging the window before the check presses keys and resends: some clients wait for Enter or Space.
const HELP_AFTER: Duration = Duration::from_millis(300);

pub(super) const CHECKS: CheckTable<ClientTest> = &[
    ("window.rows", |test| waits_for_larger_window(test, (10, 100))),
    ("window.cols", |test| waits_for_larger_window(test, (24, 60))),
    ("window.told", |test| {
        start_in_window(test, (10, 60))?;
        let expected = format!("the necessary size is shown: {} rows and {COLS} columns", ROWS + 1);
        test.wait_until(&expected, shows_needed_size)
    }),
    ("window.least", |test| {
        start_in_window(test, (ROWS + 1, COLS + 1))?;
        let expected = "the map is shown in a window that is just large enough";
        test.wait_until(expected, ClientTest::shows_map)?;
        test.expect_map()
    }),
    ("window.resized", |test| {
        // Resizes the window. The client need not react to the new size, but it must keep running.
        test.play()?;
        test.resize((5, 20));
        let before = test.lines();
        test.game.change();
        test.send_display();
        test.holds_within(test.timeout() / 2, |it| it.lines() != before);
        test.resize((40, 132));
        test.type_keys(b"h");
        let has_key = |it: &ClientTest| it.has_received(b"KEY h");
        test.wait_until_with("the message `KEY h`", test.timeout(), has_key, |it| {
            it.type_keys(b"h");
        })
    }),
];

fn waits_for_larger_window(test: &mut ClientTest, size: (u16, u16)) -> Verdict {
    start_in_window(test, size)?;
    // Whether the needed size is shown is the subject of another check.
    test.holds_within(test.timeout() / 2, shows_needed_size);
    if let Some(exit) = test.try_exit() {
        let actual = format!("{exit}, before the window was enlarged");
        let failure = CheckFailure::new("it waits for a larger window", actual);
        return Err(failure.with_drawing(test.drawing()));
    }
    test.resize(USUAL_SIZE);
    if !test.holds_within(HELP_AFTER, ClientTest::shows_map) {
        let expected = "the map is shown in the larger window";
        test.wait_until_retrying(expected, ClientTest::shows_map, |it| {
            it.type_keys(b"\r\n ");
            it.send_welcome();
        })?;
    }
    test.expect_map()
}

/// True if the screen shows the needed size. One or two rows more are allowed, and either number may come first.
fn shows_needed_size(test: &ClientTest) -> bool {
    let printed = test.printed();
    let words = screen::words(&printed).into_iter().flat_map(|word| word.split('x'));
    let numbers: Vec<u16> = words.flat_map(str::parse).collect();
    let has = |least: u16| numbers.iter().any(|number| (least..=least + 3).contains(number));
    has(ROWS) && has(COLS)
}

fn start_in_window(test: &mut ClientTest, size: (u16, u16)) -> Verdict {
    test.game = FakeGame::large(ROWS.into(), COLS.into());
    test.start(&ClientStart { size, ..ClientStart::PLAYER })?;
    test.first_message()?;
    test.send_welcome();
    Ok(())
}
