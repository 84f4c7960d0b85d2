//! The terminal as the client leaves it.

use crate::chapter::Chapter;
use crate::client::ClientStage;
use crate::client::room::farewell;
use crate::{Check, Failure, Verdict};

const TERMINAL: Chapter =
    Chapter { section: "Terminal", source: "Network protocol, Server to clients" };

pub(super) const CHECKS: &[Check<ClientStage>] = &[
    TERMINAL.should(
        "terminal.modes",
        "When the client has ended, the terminal's modes are as before.",
        modes,
    ),
    TERMINAL.should(
        "terminal.screen",
        "When the client has ended, the screen it has drawn on is left.",
        screen,
    ),
    TERMINAL.should(
        "terminal.cursor",
        "When the client has ended, the cursor is seen again.",
        cursor,
    ),
    TERMINAL
        .should("terminal.echo", "What is pressed is not written on the screen.", echo)
        .said_in("Requirements, Client interface: Grid display"),
];

fn modes(stage: &mut ClientStage) -> Verdict {
    leave(stage)?;
    let (before, after) = stage.window()?.modes();
    if before == after {
        return Ok(());
    }
    Err(Failure::new(format!("the modes of before: {before}"), after))
}

fn screen(stage: &mut ClientStage) -> Verdict {
    leave(stage)?;
    match stage.screen() {
        Some(screen) if screen.alternate_screen() => Err(Failure::new(
            "the screen of before is back",
            "the terminal still shows the screen for programs that fill it",
        )),
        _ => Ok(()),
    }
}

fn cursor(stage: &mut ClientStage) -> Verdict {
    leave(stage)?;
    match stage.screen() {
        Some(screen) if screen.hide_cursor() => {
            Err(Failure::new("the cursor is seen again", "it is still hidden"))
        }
        _ => Ok(()),
    }
}

/// The spectator too, and in the middle of it: an echo stays where the cursor was.
fn echo(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    for key in *b"hjkl" {
        stage.stroke(key)?;
    }
    stage.fence()?;
    stage.expect_grid()
}

fn leave(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    let message = farewell(stage.dialect(), "The mine is closed.");
    stage.say(&message);
    stage.end("the client ends after QUIT", &[message]).map(|_| ())
}
