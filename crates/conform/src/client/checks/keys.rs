//! What is pressed goes to the server.

use crate::chapter::Chapter;
use crate::client::ClientStage;
use crate::client::stage::{Start, shown};
use crate::client::window::Keys;
use crate::suite::Stage;
use crate::{Check, Failure, Verdict};

const KEYS: Chapter = Chapter { section: "Keys", source: "Network protocol, Player to server" };

pub(super) const CHECKS: &[Check<ClientStage>] = &[
    KEYS.must(
        "keys.steps",
        "Each of h j k l y u b n is sent when it is pressed, as one message KEY and the key.",
        steps,
    ),
    KEYS.must(
        "keys.sprints",
        "Each of H J K L Y U B N is sent when it is pressed, as one message KEY and the key.",
        sprints,
    ),
    KEYS.must("keys.quit", "Q is sent as KEY Q.", quit),
    KEYS.must("keys.spectator-quit", "The spectator's Q is sent as KEY Q.", spectator_quit)
        .said_in("Requirements, Client interface: Spectator keystrokes"),
    KEYS.must("keys.silent", "Keys are sent even while nothing comes from the server.", silent),
    KEYS.should("keys.burst", "Keys that are pressed quickly are all sent, in their order.", burst),
    KEYS.should("keys.spectator-other", "Other keys of the spectator do no harm.", spectator_other)
        .said_in("Requirements, Client interface: Spectator keystrokes"),
    KEYS.should("keys.eof", "At the end of its input the client sends KEY Q.", eof)
        .said_in("Requirements, Client"),
    KEYS.may("keys.ctrl-d", "Ctrl-D at the terminal is an end of input: KEY Q is sent.", ctrl_d)
        .said_in("Requirements, Client"),
    KEYS.may(
        "keys.no-input",
        "A client that never has anything to read sends KEY Q or ends.",
        no_input,
    )
    .said_in("Requirements, Client"),
];

fn steps(stage: &mut ClientStage) -> Verdict {
    are_sent(stage, b"hjklyubn")
}

fn sprints(stage: &mut ClientStage) -> Verdict {
    are_sent(stage, b"HJKLYUBN")
}

/// After each of them the map is another, as in a game.
fn are_sent(stage: &mut ClientStage, keys: &[u8]) -> Verdict {
    stage.play()?;
    for &key in keys {
        stage.stroke(key)?;
        stage.fence()?;
    }
    stage.expect_silence()
}

fn quit(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    stage.let_end();
    stage.stroke(b'Q')
}

fn spectator_quit(stage: &mut ClientStage) -> Verdict {
    stage.watch()?;
    stage.let_end();
    stage.stroke(b'Q')
}

fn silent(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    b"hJkL".iter().try_for_each(|&key| stage.stroke(key))
}

fn burst(stage: &mut ClientStage) -> Verdict {
    const KEYS: &[u8] = b"hjklHJKLyubn";
    stage.play()?;
    stage.type_keys(KEYS);
    for &key in KEYS {
        let message = [b"KEY ", &[key][..]].concat();
        match stage.expect_message(&message, |_| {}) {
            // One of them was thrown away: nobody can tell.
            Err(_) if stage.has_lost() => return Ok(()),
            judged => judged?,
        }
    }
    Ok(())
}

fn spectator_other(stage: &mut ClientStage) -> Verdict {
    stage.watch()?;
    stage.type_keys(b"hL%");
    stage.fence()?;
    // Whatever it made of them, it still takes a Q.
    stage.let_end();
    stage.type_keys(b"Q");
    stage.until_again("the message `KEY Q`", heard_quit, |it| it.type_keys(b"Q"))
}

fn eof(stage: &mut ClientStage) -> Verdict {
    stage.join(&Start { keys: Keys::Pipe, ..Start::PLAYER })?;
    stage.let_end();
    stage.end_input();
    let quit = stage.until("the message `KEY Q` at the end of the input", &[], heard_quit);
    quit.map_err(|failure| stage.settle(failure, heard_quit))
}

fn ctrl_d(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    stage.let_end();
    stage.type_keys(b"\x04");
    let limit = stage.usual_wait();
    stage.until_with("the message `KEY Q`", limit, |it| !it.heard().is_empty(), |_| {})?;
    match stage.heard().front() {
        Some(came) if came != b"KEY Q" => Err(Failure::new("the message `KEY Q`", shown(came))),
        _ => Ok(()),
    }
}

fn no_input(stage: &mut ClientStage) -> Verdict {
    stage.let_end();
    stage.start(&Start { keys: Keys::Nothing, ..Start::PLAYER })?;
    let wish = "the message `KEY Q`, or the end of the client";
    if stage.end_unless_heard(wish)?.is_some() {
        return Ok(());
    }
    stage.welcome();
    let welcome = stage.room.welcome();
    match stage.until(wish, &welcome, heard_quit) {
        Err(_) if stage.ending().is_some() => Ok(()),
        judged => judged.map_err(|failure| stage.settle(failure, heard_quit)),
    }
}

fn heard_quit(stage: &ClientStage) -> bool {
    stage.heard().iter().any(|message| message == b"KEY Q")
}
