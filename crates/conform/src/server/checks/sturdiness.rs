//! Floods, vanishing clients, long names: the server lives on.

use super::deeds::{NAMES, has_word, start_with_ann, still_moves};
use crate::chapter::Chapter;
use crate::server::{Caller, ServerStage};
use crate::{Check, Failure, Level, Verdict};

const CHAPTER: Chapter =
    Chapter { section: "Sturdiness", source: "Network protocol, Malformed messages" };
const SERVER: &str = "Requirements, Server";
const PROTOCOL: &str = "Network protocol";

/// So often a server that is busy with a flood is asked.
const FENCES: u32 = 20;

pub(super) const CHECKS: &[Check<ServerStage>] = &[
    CHAPTER
        .must("sturdy.long-name", "A name of thousands of characters does no harm.", |stage| {
            let mut ann = start_with_ann(stage)?;
            for length in [51, 100, 1000, 8000, 60_000] {
                let mut caller = stage.caller("long")?;
                caller.say_surely(format!("PLAY {}", "x".repeat(length)).as_bytes());
                stage.fence()?;
            }
            still_moves(stage, &mut ann)
        })
        .in_2019(Level::May, PROTOCOL),
    CHAPTER
        .must("sturdy.many-keys", "Thousands of keys at once do no harm.", |stage| {
            let mut ann = start_with_ann(stage)?;
            let mut bob = stage.player("Bob")?;
            let mut keys = "hljkyubnHLJKYUBN!1".chars().cycle();
            for _ in 0..3000 {
                ann.press(keys.next().unwrap_or('h'));
            }
            settles(stage, &mut ann)?;
            still_moves(stage, &mut bob)
        })
        .in_2019(Level::Should, "Design of 2019, Testing plan"),
    CHAPTER
        .must(
            "sturdy.many-joins",
            "However many ask to play, no more than 26 get in and the game goes on.",
            many_join,
        )
        .said_in(SERVER),
    CHAPTER
        .must("sturdy.junk", "Thousands of random datagrams do no harm.", junk)
        .in_2019(Level::May, PROTOCOL),
    CHAPTER
        .must(
            "sturdy.vanished",
            "Clients that are gone without a word do no harm to the others.",
            |stage| {
                let mut ann = start_with_ann(stage)?;
                for name in ["Bob", "Cat", "Dan"] {
                    drop(stage.player(name)?);
                }
                for _ in 0..5 {
                    still_moves(stage, &mut ann)?;
                }
                Ok(())
            },
        )
        .in_2019(Level::May, PROTOCOL),
];

/// Waits until the server has worked off what it was sent: it may need a while for a flood, and
/// what finds no place in its queue is lost. At last a fence is answered.
fn settles(stage: &mut ServerStage, caller: &mut Caller) -> Verdict {
    let mut last = Ok(());
    for _ in 0..FENCES {
        caller.skip();
        last = stage.fence();
        if last.is_ok() || stage.has_ended() {
            break;
        }
    }
    last
}

fn many_join(stage: &mut ServerStage) -> Verdict {
    let mut ann = start_with_ann(stage)?;
    let mut crowd: Vec<Caller> = vec![];
    for name in NAMES.iter().chain(&NAMES).chain(&NAMES).take(60) {
        let mut caller = stage.caller("crowd")?;
        caller.say_surely(format!("PLAY {name}").as_bytes());
        crowd.push(caller);
    }
    settles(stage, &mut ann)?;
    let players = stage.look()?.all(|cell| cell.is_ascii_uppercase()).len();
    if players > 26 {
        return Err(Failure::new("at most 26 players on the map", format!("{players}")));
    }
    let mut let_in = 1;
    for caller in &mut crowd {
        caller.take_waiting();
        let_in += usize::from(caller.heard().iter().any(|heard| has_word(&heard.bytes, &["OK"])));
    }
    if let_in > 26 {
        return Err(Failure::new("at most 26 players are sent OK", format!("{let_in}")));
    }
    still_moves(stage, &mut ann)
}

fn junk(stage: &mut ServerStage) -> Verdict {
    let mut ann = start_with_ann(stage)?;
    let mut others = vec![];
    for _ in 0..20 {
        others.push(stage.caller("stranger")?);
    }
    // `KEY Q` and whole words of joining are left to chance, which won't find them.
    let starts: [&[u8]; 6] = [b"", b"KEY ", b"PLAY", b"SPECTATE ", b"OK ", b"QUIT"];
    for number in 0..2000 {
        let start = starts[pick(stage, 6)];
        let length = 2 + pick(stage, 40);
        let tail: Vec<u8> = (0..length).map(|_| stage_byte(stage)).collect();
        let message = [start, &tail].concat();
        let place = number % others.len();
        others[place].say_surely(&message);
        if number % 200 == 199 {
            settles(stage, &mut ann)?;
        }
    }
    still_moves(stage, &mut ann)
}

fn pick(stage: &mut ServerStage, bound: u32) -> usize {
    usize::try_from(stage.chance.below(bound)).unwrap_or(0)
}

fn stage_byte(stage: &mut ServerStage) -> u8 {
    u8::try_from(stage.chance.below(256)).unwrap_or(0)
}
