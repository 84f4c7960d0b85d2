//! Quitting.

use super::deeds::{
    has_not_heard, has_word, hears, hears_word, is_unchanged, start_with_ann, still_moves,
};
use crate::chapter::Chapter;
use crate::server::{Caller, ServerStage};
use crate::{Check, Dialects, Failure, Level};

const CHAPTER: Chapter = Chapter { section: "Quitting", source: "Requirements, Server" };
const TO_CLIENTS: &str = "Network protocol, Server to clients";
const MODULE_OF_2019: &str = "Implementation of 2019, Server module";

pub(super) const CHECKS: &[Check<ServerStage>] = &[
    CHAPTER
        .must("quit.farewell", "A player that presses Q is told to QUIT.", |stage| {
            let mut ann = start_with_ann(stage)?;
            ann.press('Q');
            hears_word(&mut ann, &["QUIT"]).map(|_| ())
        })
        .said_in(TO_CLIENTS),
    CHAPTER
        .should(
            "quit.words",
            "A player that quits is told goodbye in the words of the document's example.",
            |stage| {
                let mut ann = start_with_ann(stage)?;
                ann.press('Q');
                hears(&mut ann, "QUIT Thanks for playing!")
            },
        )
        .only_in(Dialects::Only2021)
        .said_in(TO_CLIENTS),
    CHAPTER
        .must("quit.removed", "Whoever quits is no longer on the map.", |stage| {
            let (ann, _bob) = ann_quits(stage)?;
            let letter = ann.letter.unwrap_or('?');
            let shown = stage.look()?.all(|cell| char::from(cell) == letter).len();
            if shown == 0 {
                return Ok(());
            }
            Err(Failure::new(format!("no {letter} on the spectator's map"), "it is still there"))
        })
        .in_2019(Level::Should, MODULE_OF_2019),
    CHAPTER.should(
        "quit.others-see",
        "When a player quits, everybody else is sent a DISPLAY.",
        |stage| {
            let mut ann = start_with_ann(stage)?;
            let mut bob = stage.player("Bob")?;
            stage.look()?;
            bob.skip();
            ann.press('Q');
            stage.fence()?;
            // It was sent before the fence; a picture that comes later is a repeat of an old one.
            if bob.fresh().iter().any(|heard| has_word(&heard.bytes, &["DISPLAY"])) {
                return Ok(());
            }
            Err(Failure::silence("a DISPLAY for Bob when Ann quits", bob.told_since(0)))
        },
    ),
    CHAPTER.must("quit.goes-on", "When a player quits, the others play on.", |stage| {
        let (_ann, mut bob) = ann_quits(stage)?;
        still_moves(stage, &mut bob)
    }),
    CHAPTER.must("quit.for-good", "The keys of a player that has quit have no effect.", |stage| {
        let (mut ann, _bob) = ann_quits(stage)?;
        let before = stage.look()?;
        // A server may put it back on the map, and take it off again with its Q.
        for keys in ["hljkyubn", "HLJKYUBN", "Q"] {
            for key in keys.chars() {
                ann.press(key);
            }
            let after = stage.look()?;
            is_unchanged(&before, &after, "a key of a player that has quit")?;
        }
        Ok(())
    }),
    CHAPTER.should(
        "quit.silence",
        "Whoever has quit is a client no more: it is sent neither DISPLAY nor GOLD.",
        |stage| {
            let (mut ann, mut bob) = ann_quits(stage)?;
            // What came with the farewell is of the same moment.
            stage.fence()?;
            ann.skip();
            let from = ann.heard().len();
            still_moves(stage, &mut bob)?;
            has_not_heard(&mut ann, from, &["DISPLAY", "GOLD"], "no DISPLAY or GOLD after its QUIT")
        },
    ),
];

fn ann_quits(stage: &mut ServerStage) -> Result<(Caller, Caller), Failure> {
    let mut ann = start_with_ann(stage)?;
    let bob = stage.player("Bob")?;
    ann.press('Q');
    hears_word(&mut ann, &["QUIT"])?;
    ann.skip();
    Ok((ann, bob))
}
