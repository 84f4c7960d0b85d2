//! Windows that are too small for the map.

use std::time::Duration;

use crate::chapter::Chapter;
use crate::client::ClientStage;
use crate::client::room::Room;
use crate::client::stage::{ORDINARY, Start};
use crate::client::view;
use crate::{Check, Failure, Level, Verdict};

const WINDOW: Chapter = Chapter { section: "Window", source: "Requirements, Client interface" };

/// The map of these checks. It needs 22 rows and 79 columns.
const ROWS: u16 = 21;
const COLS: u16 = 79;

/// A window that has grown is looked at for so long before a key is pressed or something is sent
/// again: some clients wait for Enter or Space.
const HELP: Duration = Duration::from_millis(300);

pub(super) const CHECKS: &[Check<ClientStage>] = &[
    WINDOW.must(
        "window.rows",
        "A client whose window has too few rows waits until it is enlarged, then shows the map.",
        rows,
    ),
    WINDOW.must(
        "window.cols",
        "A client whose window has too few columns waits until it is enlarged, then shows the map.",
        cols,
    ),
    WINDOW
        .should("window.told", "In a window that is too small the necessary size is told.", told)
        .in_2019(Level::May, "Requirements, Player interface"),
    WINDOW
        .should("window.least", "A window of NR+1 rows and NC+1 columns is enough.", least)
        .said_in("Requirements, Client"),
    WINDOW.may("window.resized", "A window that is changed during the game does no harm.", resized),
];

fn rows(stage: &mut ClientStage) -> Verdict {
    waits(stage, (10, 100))
}

fn cols(stage: &mut ClientStage) -> Verdict {
    waits(stage, (24, 60))
}

fn waits(stage: &mut ClientStage, size: (u16, u16)) -> Verdict {
    begin(stage, size)?;
    // Whoever doesn't tell what it needs is judged elsewhere.
    let limit = stage.usual_wait() / 2;
    stage.comes_to(limit, tells_size);
    if let Some(ending) = stage.ending() {
        let came = format!("{ending}, before the window was enlarged");
        return Err(Failure::new("it waits for a larger window", came).drawn(stage.drawn()));
    }
    stage.resize(ORDINARY);
    if !stage.comes_to(HELP, ClientStage::shows_room) {
        stage.until_again(
            "the map is shown in the larger window",
            ClientStage::shows_room,
            |it| {
                it.type_keys(b"\r\n ");
                it.welcome();
            },
        )?;
    }
    stage.expect_grid()
}

fn told(stage: &mut ClientStage) -> Verdict {
    begin(stage, (10, 60))?;
    let wish = format!("the necessary size is told: {} rows and {COLS} columns", ROWS + 1);
    let welcome = stage.room.welcome();
    stage.until(&wish, &welcome, tells_size)
}

/// Not so strict: a row or two more than needed are a choice, and either number may come first.
fn tells_size(stage: &ClientStage) -> bool {
    let text = stage.printed();
    let words = view::words(&text).into_iter().flat_map(|word| word.split('x'));
    let numbers: Vec<u16> = words.flat_map(str::parse).collect();
    let has = |least: u16| numbers.iter().any(|number| (least..=least + 3).contains(number));
    has(ROWS) && has(COLS)
}

fn least(stage: &mut ClientStage) -> Verdict {
    begin(stage, (ROWS + 1, COLS + 1))?;
    let welcome = stage.room.welcome();
    stage.until("the map is shown in a window that is just large enough", &welcome, |it| {
        it.shows_room()
    })?;
    stage.expect_grid()
}

/// It need not notice, but it goes on. What it makes of the change itself is its own affair.
fn resized(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    stage.resize((5, 20));
    let before = stage.lines();
    stage.room.stir();
    let display = stage.room.display();
    stage.say(&display);
    let limit = stage.usual_wait() / 2;
    stage.comes_to(limit, |it| it.lines() != before);
    stage.resize((40, 132));
    stage.type_keys(b"h");
    let heard = |it: &ClientStage| it.heard().iter().any(|message| message == b"KEY h");
    stage.until_with("the message `KEY h`", stage.usual_wait(), heard, |it| it.type_keys(b"h"))
}

fn begin(stage: &mut ClientStage, size: (u16, u16)) -> Verdict {
    stage.room = Room::large(ROWS.into(), COLS.into());
    stage.start(&Start { size, ..Start::PLAYER })?;
    stage.first()?;
    stage.welcome();
    Ok(())
}
