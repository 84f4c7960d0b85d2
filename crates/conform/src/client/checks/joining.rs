//! How the client asks to be let in, and what it makes of the answer.

use nuggets_protocol::Dialect;

use crate::chapter::Chapter;
use crate::client::ClientStage;
use crate::client::stage::{Start, shown};
use crate::client::view;
use crate::suite::Stage;
use crate::{Check, Dialects, Failure, Verdict};

const JOINING: Chapter =
    Chapter { section: "Joining", source: "Network protocol, Player to server" };

pub(super) const CHECKS: &[Check<ClientStage>] = &[
    JOINING.must(
        "join.play",
        "With a name, the client's first message is PLAY, one space and that name, and nothing else.",
        play,
    ),
    JOINING.must(
        "join.blanks",
        "A name may contain blanks, and all of it is sent.",
        blanks,
    ),
    JOINING
        .must(
            "join.spectate",
            "Without a name, the client's first message is the word SPECTATE and nothing else.",
            spectate,
        )
        .said_in("Network protocol, Spectator to server"),
    JOINING
        .should("join.hostname", "The server may be given by its name as well as by its address.", hostname)
        .said_in("Requirements, Client"),
    JOINING.must(
        "join.shown",
        "A player that is answered with OK, GRID, GOLD and DISPLAY sees the map.",
        is_shown,
    ),
    JOINING
        .must("join.watched", "A spectator that is answered with GRID, GOLD and DISPLAY sees the map.", watched)
        .said_in("Network protocol, Spectator to server"),
    JOINING.should(
        "join.once",
        "A client that is answered at once asks only once.",
        once,
    ),
    JOINING
        .must(
            "join.full",
            "QUIT in answer to PLAY ends the client, and the explanation stands on the terminal.",
            full,
        )
        .only_in(Dialects::Only2021),
    JOINING
        .should(
            "join.no-name",
            "With a blank name the client ends and says why, by itself or in the server's words.",
            no_name,
        )
        .only_in(Dialects::Only2021),
    JOINING
        .should("join.no", "NO in answer to PLAY is told to the user.", refused)
        .only_in(Dialects::Only2019),
    JOINING
        .should("join.cut-name", "A name of more than 50 characters is cut before it is sent.", cut_name)
        .only_in(Dialects::Only2019)
        .said_in("Requirements of 2019, Player"),
    JOINING
        .may("join.long-name", "A name of more than 50 characters is sent whole or cut at 50.", long_name)
        .only_in(Dialects::Only2021),
];

fn play(stage: &mut ClientStage) -> Verdict {
    first_is(stage, &Start::PLAYER, "PLAY Ann")
}

fn blanks(stage: &mut ClientStage) -> Verdict {
    let start = Start { name: Some("Ann van der Berg"), ..Start::PLAYER };
    first_is(stage, &start, "PLAY Ann van der Berg")
}

fn spectate(stage: &mut ClientStage) -> Verdict {
    first_is(stage, &Start::SPECTATOR, "SPECTATE")
}

fn hostname(stage: &mut ClientStage) -> Verdict {
    first_is(stage, &Start { host: "localhost", ..Start::PLAYER }, "PLAY Ann")
}

fn first_is(stage: &mut ClientStage, start: &Start, message: &str) -> Verdict {
    stage.start(start)?;
    let first = stage.first()?;
    if first == message.as_bytes() {
        return Ok(());
    }
    Err(Failure::new(format!("the first message is `{message}`"), shown(&first)))
}

fn is_shown(stage: &mut ClientStage) -> Verdict {
    stage.play()
}

fn watched(stage: &mut ClientStage) -> Verdict {
    stage.watch()
}

/// Tried again before it counts: where our own answer was late, it may well ask again.
fn once(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    stage.fence()?;
    stage.empty();
    match stage.asked() {
        1 => Ok(()),
        _ if stage.has_lost() => Ok(()),
        more => Err(Failure::silence("one question to join", format!("{more} of them"))),
    }
}

fn full(stage: &mut ClientStage) -> Verdict {
    const WHY: &str = "Game is full: no more players can join.";
    stage.start(&Start::PLAYER)?;
    stage.first()?;
    stage.send_away(&format!("QUIT {WHY}"), &[WHY])
}

fn no_name(stage: &mut ClientStage) -> Verdict {
    const WHY: &str = "Sorry - you must provide player's name.";
    const WISH: &str = "the client ends, and says that a name is missing";
    stage.let_end();
    stage.start(&Start { name: Some(" "), ..Start::PLAYER })?;
    if stage.end_unless_heard(WISH)?.is_some() {
        let said = !stage.printed().is_empty();
        return if said { Ok(()) } else { Err(Failure::new(WISH, "it ended without a word")) };
    }
    stage.send_away(&format!("QUIT {WHY}"), &[WHY])
}

/// Some close the game then, others keep the player at a status line that says so.
fn refused(stage: &mut ClientStage) -> Verdict {
    stage.start(&Start::PLAYER)?;
    stage.first()?;
    stage.let_end();
    stage.say(b"NO");
    let wish = "the client tells its user that the server said NO, and why that may be";
    stage.until(wish, &[b"NO".to_vec()], |it| sounds_like_a_refusal(&it.printed()))
}

fn sounds_like_a_refusal(text: &str) -> bool {
    const WORDS: [&str; 12] = [
        "no", "not", "full", "many", "unable", "cannot", "can", "couldn", "denied", "refused",
        "rejected", "sorry",
    ];
    let text = text.to_lowercase();
    view::words(&text).iter().any(|word| WORDS.contains(word))
}

/// Letters and digits in turn, so that it shows where it was cut.
fn name_of(length: usize) -> String {
    "Abcdefghi0".chars().cycle().take(length).collect()
}

fn cut_name(stage: &mut ClientStage) -> Verdict {
    long_name_is_sent(stage, |length| (49..=50).contains(&length))
}

fn long_name(stage: &mut ClientStage) -> Verdict {
    long_name_is_sent(stage, |length| length >= 49)
}

fn long_name_is_sent(stage: &mut ClientStage, fits: fn(usize) -> bool) -> Verdict {
    let name = name_of(80);
    stage.start(&Start { name: Some(&name), ..Start::PLAYER })?;
    let first = stage.first()?;
    let sent = first.strip_prefix(b"PLAY ").unwrap_or_default();
    if name.as_bytes().starts_with(sent) && fits(sent.len()) {
        return Ok(());
    }
    let wish = match stage.dialect() {
        Dialect::V2021 => "PLAY and the name, whole or cut at 50 characters",
        Dialect::V2019 => "PLAY and the first 50 characters of the name",
    };
    Err(Failure::new(wish, shown(&first)))
}
