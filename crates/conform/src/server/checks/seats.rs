//! Letters and the limit of 26: who may come in.

use super::deeds::{
    NAMES, has_word, hears_word, is_refused, is_unchanged, start_with_ann, still_moves,
};
use crate::chapter::Chapter;
use crate::server::caller::brief;
use crate::server::{Caller, ServerStage};
use crate::{Check, Failure, Verdict};

const CHAPTER: Chapter =
    Chapter { section: "Letters and seats", source: "Network protocol, Player to server" };
const SERVER: &str = "Requirements, Server";
const FULL: &str = "Game is full: no more players can join.";

pub(super) const CHECKS: &[Check<ServerStage>] = &[
    CHAPTER.must("seats.letters", "26 players can join, each with a letter of its own.", |stage| {
        let players = fill(stage)?;
        let mut letters: Vec<char> = players.iter().filter_map(|player| player.letter).collect();
        let given: String = letters.iter().collect();
        letters.sort_unstable();
        letters.dedup();
        if letters.len() == 26 {
            return Ok(());
        }
        Err(Failure::new("26 letters, each once", given))
    }),
    CHAPTER.may("seats.order", "Letters are given in the order A, B, C and so on.", |stage| {
        stage.start()?;
        let mut players = vec![];
        for (letter, name) in ('A'..='F').zip(["Zoe", "Yan", "Xia", "Will", "Vera", "Uma"]) {
            players.push(stage.player(name)?);
            let player = &players[players.len() - 1];
            if player.letter != Some(letter) {
                let came = player.letter.map_or("none".to_owned(), String::from);
                return Err(Failure::new(format!("the next letter, {letter}"), came));
            }
        }
        Ok(())
    }),
    CHAPTER.must(
        "seats.full",
        "The 27th player is told that the game is full, even when one of the 26 has quit, and the \
         game goes on.",
        full_game_stays_full,
    ),
    CHAPTER
        .must(
            "seats.letter-once",
            "The letter of a player that quit is not given to another.",
            |stage| {
                let mut ann = start_with_ann(stage)?;
                ann.press('Q');
                hears_word(&mut ann, &["QUIT"])?;
                let bob = stage.player("Bob")?;
                if bob.letter != ann.letter {
                    return Ok(());
                }
                Err(Failure::new("a new letter for the next player", "the quitter's letter again"))
            },
        )
        .said_in(SERVER),
    CHAPTER
        .must(
            "seats.no-return",
            "A player that has quit can't join again from its address.",
            nobody_returns,
        )
        .said_in(SERVER),
];

/// Lets 26 players join.
fn fill(stage: &mut ServerStage) -> Result<Vec<Caller>, Failure> {
    stage.start()?;
    NAMES.iter().map(|name| stage.player(name)).collect()
}

fn full_game_stays_full(stage: &mut ServerStage) -> Verdict {
    let mut players = fill(stage)?;
    let before = stage.look()?;
    let mut late = stage.caller("Late")?;
    late.say_surely(b"PLAY Late");
    is_refused(stage, &mut late, FULL)?;
    let after = stage.look()?;
    is_unchanged(&before, &after, "a 27th PLAY")?;
    players[3].press('Q');
    hears_word(&mut players[3], &["QUIT"])?;
    let mut later = stage.caller("Later")?;
    later.say_surely(b"PLAY Later");
    is_refused(stage, &mut later, FULL)?;
    still_moves(stage, &mut players[25])
}

fn nobody_returns(stage: &mut ServerStage) -> Verdict {
    let mut ann = start_with_ann(stage)?;
    let _bob = stage.player("Bob")?;
    ann.press('Q');
    hears_word(&mut ann, &["QUIT"])?;
    let before = stage.look()?;
    let from = ann.heard().len();
    ann.say_surely(b"PLAY Ann");
    let after = stage.look()?;
    is_unchanged(&before, &after, "PLAY from the address of a player that quit")?;
    is_not_let_in(&mut ann, from)
}

fn is_not_let_in(caller: &mut Caller, from: usize) -> Verdict {
    caller.take_waiting();
    let welcome = caller.heard()[from..].iter().find(|heard| has_word(&heard.bytes, &["OK"]));
    match welcome.map(|heard| brief(&heard.bytes)) {
        Some(came) => Err(Failure::new("no OK for it", came)),
        None => Ok(()),
    }
}
