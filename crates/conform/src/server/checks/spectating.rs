//! Spectators: what they are sent, and that they disturb nobody.

use nuggets_game::Point;

use super::deeds::{
    free_steps, has_not_heard, hears, hears_word, is_unchanged, start_with_ann, still_moves,
};
use super::gold::opposite;
use super::walks::letter;
use crate::chapter::Chapter;
use crate::server::picture::Picture;
use crate::server::{Caller, ServerStage};
use crate::{Check, Dialects, Failure, Verdict};

const CHAPTER: Chapter =
    Chapter { section: "Spectators", source: "Network protocol, Spectator to server" };
const TO_CLIENTS: &str = "Network protocol, Server to clients";
const MISORDERED: &str = "Network protocol, Misordered messages";

pub(super) const CHECKS: &[Check<ServerStage>] = &[
    CHAPTER.must("spectate.grid", "A new spectator is sent GRID with the map's size.", |stage| {
        let mut watcher = asks_to_watch(stage)?;
        let (rows, cols) = stage.size()?;
        hears(&mut watcher, &format!("GRID {rows} {cols}"))
    }),
    CHAPTER.must(
        "spectate.gold",
        "A new spectator is sent GOLD 0 0 r, where r is what nobody has found yet.",
        |stage| {
            let mut watcher = asks_to_watch(stage)?;
            hears(&mut watcher, "GOLD 0 0 250")
        },
    ),
    CHAPTER.must("spectate.display", "A new spectator is sent a DISPLAY.", |stage| {
        stage.start()?;
        stage.look().map(|_| ())
    }),
    CHAPTER.must("spectate.no-letter", "A spectator is given no letter.", |stage| {
        let mut watcher = asks_to_watch(stage)?;
        hears_word(&mut watcher, &["DISPLAY"])?;
        stage.fence()?;
        has_not_heard(&mut watcher, 0, &["OK"], "no OK for a spectator")?;
        let players = stage.look()?.all(|cell| cell == b'@' || cell.is_ascii_uppercase()).len();
        if players == 0 {
            return Ok(());
        }
        Err(Failure::new("nobody on the map of a game without players", "a letter or @ on it"))
    }),
    CHAPTER
        .must(
            "spectate.whole-map",
            "The spectator is shown every gridpoint, all gold and all players.",
            sees_everything,
        )
        .said_in(TO_CLIENTS),
    CHAPTER.must("spectate.replaced", "A spectator that is replaced is told to QUIT.", |stage| {
        let (mut first, _second) = is_replaced(stage)?;
        hears_word(&mut first, &["QUIT"]).map(|_| ())
    }),
    CHAPTER.must(
        "spectate.forgotten",
        "A spectator that was replaced is sent nothing more; its keys have no effect on the new one.",
        is_forgotten,
    ),
    CHAPTER
        .must("spectate.quit", "A spectator that presses Q is told to QUIT.", |stage| {
            let mut watcher = watches(stage)?;
            watcher.press('Q');
            hears_word(&mut watcher, &["QUIT"]).map(|_| ())
        })
        .said_in(TO_CLIENTS),
    CHAPTER
        .should(
            "spectate.words",
            "A spectator that quits or is replaced is told so in the words of the document's \
             examples.",
            |stage| {
                let (mut first, mut second) = is_replaced(stage)?;
                hears(&mut first, "QUIT You have been replaced by a new spectator.")?;
                second.press('Q');
                hears(&mut second, "QUIT Thanks for watching!")
            },
        )
        .only_in(Dialects::Only2021)
        .said_in(TO_CLIENTS),
    CHAPTER.must(
        "spectate.keys",
        "A spectator's keys other than Q have no effect.",
        keys_have_no_effect,
    ),
    CHAPTER.should(
        "spectate.after-quit",
        "After its Q a spectator is a client no more: it is sent neither DISPLAY nor GOLD.",
        is_no_client_after_its_q,
    ),
    CHAPTER
        .may(
            "spectate.again",
            "SPECTATE again from the spectator itself is answered again, without QUIT.",
            |stage| {
                let mut watcher = watches(stage)?;
                let from = watcher.heard().len();
                watcher.say_surely(b"SPECTATE");
                hears_word(&mut watcher, &["GRID"])?;
                hears_word(&mut watcher, &["DISPLAY"])?;
                has_not_heard(&mut watcher, from, &["QUIT"], "it is not replaced by itself")
            },
        )
        .only_in(Dialects::Only2021)
        .said_in(MISORDERED),
];

fn asks_to_watch(stage: &mut ServerStage) -> Result<Caller, Failure> {
    stage.start()?;
    let mut watcher = stage.caller("watcher")?;
    watcher.say(b"SPECTATE");
    Ok(watcher)
}

/// A spectator that has its picture.
fn watches(stage: &mut ServerStage) -> Result<Caller, Failure> {
    let mut watcher = asks_to_watch(stage)?;
    hears_word(&mut watcher, &["DISPLAY"])?;
    watcher.skip();
    Ok(watcher)
}

/// A spectator and who takes its place.
fn is_replaced(stage: &mut ServerStage) -> Result<(Caller, Caller), Failure> {
    let first = watches(stage)?;
    let mut second = stage.caller("second")?;
    second.say_surely(b"SPECTATE");
    Ok((first, second))
}

fn sees_everything(stage: &mut ServerStage) -> Verdict {
    stage.start()?;
    let mut players = vec![];
    for name in ["Ann", "Bob", "Cat"] {
        players.push(stage.player(name)?);
    }
    let letters: Vec<char> = players.iter().filter_map(|player| player.letter).collect();
    let picture = stage.look()?;
    let sight = stage.sight()?;
    let mut expected = picture.clone();
    for (cell, tile) in expected.cells.iter_mut().zip(sight.map().tiles()) {
        let is_occupant = *cell == b'*' || letters.contains(&char::from(*cell));
        if !(is_occupant && tile.is_spot()) {
            *cell = tile.as_char();
        }
    }
    is_unchanged(&expected, &picture, "being a spectator")
        .map_err(|failure| Failure { expected: "the map as it is".into(), ..failure })?;
    let on_map = letters.iter().filter(|letter| picture.only(**letter as u8).is_some()).count();
    let piles = picture.gold().len();
    if on_map == 3 && piles > 0 {
        return Ok(());
    }
    let came = format!("{on_map} players and {piles} piles");
    Err(Failure::new("3 players and at least one pile", came))
}

fn is_forgotten(stage: &mut ServerStage) -> Verdict {
    let mut ann = start_with_ann(stage)?;
    let mut first = stage.caller("first")?;
    first.say_surely(b"SPECTATE");
    hears_word(&mut first, &["DISPLAY"])?;
    stage.look()?;
    hears_word(&mut first, &["QUIT"])?;
    let from = first.heard().len();
    still_moves(stage, &mut ann)?;
    has_not_heard(&mut first, from, &["DISPLAY", "GOLD"], "nothing more for who was replaced")?;
    let steps = free_steps(stage, &ann)?;
    let before = stage.place_of(&ann)?;
    stage.watcher()?.skip();
    first.press('Q');
    is_shown_a_step(stage, &mut ann, &steps, before)
}

/// Some step is shown to the one that watches, whichever. Nobody looks meanwhile: a new spectator
/// would take its place.
fn is_shown_a_step(
    stage: &mut ServerStage,
    mover: &mut Caller,
    steps: &[(char, Point)],
    before: Point,
) -> Verdict {
    let (rows, cols) = stage.size()?;
    let watcher = stage.watcher()?;
    let from = watcher.heard().len();
    let is_shown = |(key, _): &(char, Point)| {
        mover.press(*key);
        let shown = watcher.wait_for(|message| {
            let picture = Picture::read(message, rows, cols).ok()?;
            (picture.only(letter(mover)) != Some(before)).then_some(())
        });
        shown.is_some()
    };
    let is_shown = steps.iter().any(is_shown);
    has_not_heard(watcher, from, &["QUIT"], "the new spectator stays")?;
    if is_shown {
        return Ok(());
    }
    Err(Failure::silence("the new spectator is shown moves", watcher.told_since(from)))
}

/// Nobody looks until the end: a new spectator would take the place of one that was not forgotten.
fn is_no_client_after_its_q(stage: &mut ServerStage) -> Verdict {
    let mut ann = start_with_ann(stage)?;
    let steps = free_steps(stage, &ann)?;
    let mut watcher = stage.caller("watcher")?;
    watcher.say_surely(b"SPECTATE");
    hears_word(&mut watcher, &["DISPLAY"])?;
    watcher.press('Q');
    hears_word(&mut watcher, &["QUIT"])?;
    let mut is_step = |key: char| {
        ann.skip();
        ann.press(key);
        ann.wait_for_start("DISPLAY").is_some()
    };
    // Whether movers are shown their moves is another check's business.
    let key = steps.iter().map(|(key, _)| *key).find(|key| is_step(*key)).unwrap_or('h');
    // What came with the farewell is of the same moment.
    watcher.skip();
    let from = watcher.heard().len();
    is_step(opposite(key));
    stage.fence()?;
    has_not_heard(&mut watcher, from, &["DISPLAY", "GOLD"], "no DISPLAY or GOLD after its QUIT")
}

fn keys_have_no_effect(stage: &mut ServerStage) -> Verdict {
    let mut ann = start_with_ann(stage)?;
    let before = stage.look()?;
    for key in "hljkyubnHLJKYUBN".chars() {
        stage.watcher()?.press(key);
    }
    let after = stage.look()?;
    is_unchanged(&before, &after, "a spectator's key")?;
    still_moves(stage, &mut ann)
}
