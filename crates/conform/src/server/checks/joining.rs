//! Joining as a player: what is answered, in which order and in which words.

use nuggets_protocol::DISPLAY_HEAD;

use super::deeds::{
    has_not_heard, has_word, hears, hears_word, is_unchanged, start_with_ann, still_moves,
};
use crate::chapter::Chapter;
use crate::server::caller::brief;
use crate::server::picture::Picture;
use crate::server::{Caller, Heard, ServerStage};
use crate::{Check, Dialects, Failure, Level, Verdict};

const CHAPTER: Chapter =
    Chapter { section: "Joining", source: "Network protocol, Player to server" };
const TO_CLIENTS: &str = "Network protocol, Server to clients";
const MISORDERED: &str = "Network protocol, Misordered messages";
const INTRODUCTION: &str = "Requirements, introduction";
const MODULE_OF_2019: &str = "Implementation of 2019, Server module";

pub(super) const CHECKS: &[Check<ServerStage>] = &[
    CHAPTER.must(
        "join.ok",
        "PLAY and a name is answered with OK, one blank and one letter from A to Z.",
        is_given_a_letter,
    ),
    CHAPTER
        .must("join.grid", "A new player is sent GRID with the map's rows and columns.", |stage| {
            let mut ann = asks_to_play(stage)?;
            let (rows, cols) = stage.size()?;
            hears(&mut ann, &format!("GRID {rows} {cols}"))
        })
        .said_in(TO_CLIENTS),
    CHAPTER
        .must(
            "join.gold",
            "The first player is sent GOLD 0 0 250: nothing found, an empty purse, all gold left.",
            |stage| {
                let mut ann = asks_to_play(stage)?;
                hears(&mut ann, "GOLD 0 0 250")
            },
        )
        .said_in(TO_CLIENTS),
    CHAPTER
        .must(
            "join.display",
            "A new player is sent DISPLAY, a newline and every row of the map with a newline.",
            is_shown_a_picture,
        )
        .said_in(TO_CLIENTS),
    CHAPTER.must("join.order", "OK comes first; GRID comes before DISPLAY.", is_answered_in_order),
    CHAPTER.must(
        "join.own-letter",
        "Two players under one name, from two addresses, are two players with two letters.",
        same_names_are_two_players,
    ),
];

/// What others see of it, and what comes of joining twice.
pub(super) const MORE_CHECKS: &[Check<ServerStage>] = &[
    CHAPTER
        .should(
            "join.others-see",
            "When a player joins, everybody else is sent a DISPLAY.",
            others_see_a_newcomer,
        )
        .said_in(INTRODUCTION),
    CHAPTER
        .may(
            "join.again",
            "The same PLAY again from the same address is no second player.",
            |stage| second_play(stage, "PLAY Ann"),
        )
        .said_in(MISORDERED)
        .in_2019(Level::May, MODULE_OF_2019),
    CHAPTER
        .may(
            "join.other-name",
            "PLAY with another name from the address of a player is no second player.",
            |stage| second_play(stage, "PLAY Zoe"),
        )
        .said_in(MISORDERED)
        .in_2019(Level::May, MODULE_OF_2019),
    CHAPTER
        .may(
            "join.answer-again",
            "The same PLAY again is answered like the first, in case the answer was lost.",
            is_answered_again,
        )
        .only_in(Dialects::Only2021)
        .said_in(MISORDERED),
    CHAPTER
        .may(
            "join.player-spectates",
            "A player that sends SPECTATE remains a player.",
            spectating_player_plays_on,
        )
        .only_in(Dialects::Only2021)
        .said_in(MISORDERED),
];

/// Somebody asks to play; the answers are still to come.
fn asks_to_play(stage: &mut ServerStage) -> Result<Caller, Failure> {
    stage.start()?;
    let mut ann = stage.caller("Ann")?;
    ann.say(b"PLAY Ann");
    Ok(ann)
}

fn is_given_a_letter(stage: &mut ServerStage) -> Verdict {
    let mut ann = asks_to_play(stage)?;
    let message = hears_word(&mut ann, &["OK"])?;
    match message[..] {
        [b'O', b'K', b' ', b'A'..=b'Z'] => Ok(()),
        _ => Err(Failure::new("'OK A' or another letter, and nothing behind it", brief(&message))),
    }
}

fn is_shown_a_picture(stage: &mut ServerStage) -> Verdict {
    let mut ann = asks_to_play(stage)?;
    let message = hears_word(&mut ann, &["DISPLAY"])?;
    let (rows, cols) = stage.size()?;
    let expected =
        format!("DISPLAY, a newline, and {rows} rows of {cols} characters and a newline");
    Picture::read(&message, rows, cols).map(|_| ()).map_err(|why| Failure::new(expected, why))
}

fn is_answered_in_order(stage: &mut ServerStage) -> Verdict {
    let mut ann = asks_to_play(stage)?;
    let place = |heard: &[Heard], word: &str| {
        heard.iter().position(|heard| has_word(&heard.bytes, &[word]))
    };
    let words = ["OK", "GRID", "GOLD", "DISPLAY"];
    // However they come, all four are waited for.
    for word in words {
        if place(ann.heard(), word).is_none() {
            ann.wait_for_start(word);
        }
    }
    let places = words.map(|word| place(ann.heard(), word));
    let came = ann.told_since(0);
    let [Some(ok), Some(grid), Some(_), Some(display)] = places else {
        return Err(Failure::silence("OK, GRID, GOLD and DISPLAY", came));
    };
    if ok == 0 && grid < display {
        return Ok(());
    }
    Err(Failure::new("OK first, and GRID before DISPLAY", came))
}

fn same_names_are_two_players(stage: &mut ServerStage) -> Verdict {
    let one = start_with_ann(stage)?;
    let two = stage.player("Ann")?;
    if one.letter != two.letter {
        return Ok(());
    }
    let letter = one.letter.unwrap_or('?');
    Err(Failure::new("two letters", format!("both were given {letter}")))
}

fn others_see_a_newcomer(stage: &mut ServerStage) -> Verdict {
    let mut ann = start_with_ann(stage)?;
    let mut watcher = stage.caller("watcher")?;
    watcher.say_surely(b"SPECTATE");
    hears_word(&mut watcher, &["DISPLAY"])?;
    ann.skip();
    watcher.skip();
    stage.player("Bob")?;
    stage.fence()?;
    for caller in [&mut ann, &mut watcher] {
        // It was sent before the fence; a picture that comes later is a repeat of an old one.
        if !caller.fresh().iter().any(|heard| has_word(&heard.bytes, &["DISPLAY"])) {
            let expected = format!("a DISPLAY for {} when Bob joins", caller.who());
            return Err(Failure::silence(expected, caller.told_since(0)));
        }
    }
    Ok(())
}

/// Somebody says PLAY twice: the map has one player more than before the first, and the next one
/// to come is given the next letter.
fn second_play(stage: &mut ServerStage, again: &str) -> Verdict {
    let mut ann = start_with_ann(stage)?;
    let before = stage.look()?;
    ann.skip();
    let from = ann.heard().len();
    ann.say_surely(again.as_bytes());
    let after = stage.look()?;
    is_unchanged(&before, &after, &format!("'{again}' from the address of player Ann"))?;
    ann.take_waiting();
    let given = format!("OK {}", ann.letter.unwrap_or('?'));
    let other = ann.heard()[from..]
        .iter()
        .find(|heard| heard.bytes.starts_with(b"OK ") && heard.bytes != given.as_bytes());
    if let Some(other) = other {
        let came = brief(&other.bytes);
        return Err(Failure::new("no second letter for one address", came));
    }
    still_moves(stage, &mut ann)
}

fn is_answered_again(stage: &mut ServerStage) -> Verdict {
    let mut ann = start_with_ann(stage)?;
    stage.fence()?;
    ann.skip();
    let from = ann.heard().len();
    ann.say_surely(b"PLAY Ann");
    let letter = ann.letter.unwrap_or('?');
    hears(&mut ann, &format!("OK {letter}"))?;
    stage.fence()?;
    ann.take_waiting();
    let again = &ann.heard()[from..];
    let missing = ["GRID", "GOLD", "DISPLAY"].into_iter().find(|word| {
        let is_it = |bytes: &[u8]| has_word(bytes, &[word]) || bytes.starts_with(DISPLAY_HEAD);
        !again.iter().any(|heard| is_it(&heard.bytes) && has_word(&heard.bytes, &[word]))
    });
    match missing {
        None => Ok(()),
        Some(word) => Err(Failure::silence(format!("{word} once more"), ann.told_since(from))),
    }
}

fn spectating_player_plays_on(stage: &mut ServerStage) -> Verdict {
    let mut ann = start_with_ann(stage)?;
    let before = stage.look()?;
    let from = ann.heard().len();
    ann.say_surely(b"SPECTATE");
    let after = stage.look()?;
    is_unchanged(&before, &after, "'SPECTATE' from the address of a player")?;
    has_not_heard(&mut ann, from, &["QUIT"], "a player that sends SPECTATE is not sent away")?;
    still_moves(stage, &mut ann)
}
