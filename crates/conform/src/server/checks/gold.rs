//! Gold: how much, where, who is told when it is taken.

use std::collections::BTreeSet;

use nuggets_game::{Direction, Point, Tile};

use super::harvest::collect;
use super::taking::{Find, Gold, approach_pile, finds, is_told, purse, take_nearest, takes};
use super::walks::{go, is_just, letter, redrawn, start_on};
use crate::chapter::Chapter;
use crate::server::caller::gold;
use crate::server::picture::Picture;
use crate::server::{Caller, ServerStage, TestMap, follow};
use crate::{Check, Failure, Verdict};

const CHAPTER: Chapter = Chapter { section: "Gold", source: "Requirements, introduction" };
const SERVER: &str = "Requirements, Server";
const CONSTANTS: &str = "Requirements, Constants";
const INTERFACE: &str = "Requirements, Client interface";
const TO_CLIENTS: &str = "Network protocol, Server to clients";

/// All gold of a game.
const TOTAL: u32 = 250;
/// So many starts show what is left to chance.
const STARTS: u64 = 8;

pub(super) const CHECKS: &[Check<ServerStage>] = &[
    CHAPTER
        .must("gold.piles", "The gold lies in 10 to 30 piles, whatever the seed.", |stage| {
            for (seed, truth) in starts(stage, "main")? {
                let piles = truth.gold().len();
                if !(10..=30).contains(&piles) {
                    let came = format!("{piles} piles with seed {seed}");
                    return Err(Failure::new("10 to 30 piles at the start", came));
                }
            }
            Ok(())
        })
        .said_in(CONSTANTS),
    CHAPTER.should("gold.piles-vary", "The number of piles is left to chance.", |stage| {
        let counts: BTreeSet<usize> =
            starts(stage, "main")?.iter().map(|(_, truth)| truth.gold().len()).collect();
        if counts.len() > 1 {
            return Ok(());
        }
        let came = format!("always {counts:?} piles");
        Err(Failure::new(format!("numbers of piles that vary over {STARTS} seeds"), came))
    }),
    CHAPTER.must("gold.in-rooms", "Every pile lies in a room, none in a passage.", |stage| {
        for (seed, truth) in starts(stage, "maze")? {
            let sight = stage.sight()?;
            let in_room = |at: &Point| sight.map().tile(*at) == Some(Tile::Room);
            if let Some(at) = truth.gold().into_iter().find(|at| !in_room(at)) {
                let came = format!("a pile at {at} with seed {seed}");
                return Err(Failure::new("gold on room spots only", came));
            }
        }
        Ok(())
    }),
    CHAPTER
        .must("gold.taker", "Whoever takes a pile is sent GOLD n p r, n being its size.", |stage| {
            let [mut ann] = start_on(stage, "yard", ["Ann"])?;
            let remaining = remaining(&mut ann);
            let Find { more, told: (found, purse, left) } = take_nearest(stage, &mut ann)?;
            adds_up((0, remaining), (more, purse, left))?;
            if found == more {
                return Ok(());
            }
            let expected = format!("'GOLD {more} {purse} {left}'");
            Err(Failure::new(expected, format!("'GOLD {found} {purse} {left}'")))
        })
        .said_in(TO_CLIENTS),
    CHAPTER
        .must(
            "gold.adds-up",
            "Every pile that is taken goes from what remains to a purse.",
            |stage| {
                let [mut ann] = start_on(stage, "yard", ["Ann"])?;
                let mut before = (0, remaining(&mut ann));
                for _ in 0..4 {
                    let Find { more, told: (_, purse, remaining) } = take_nearest(stage, &mut ann)?;
                    adds_up(before, (more, purse, remaining))?;
                    before = (purse, remaining);
                }
                Ok(())
            },
        )
        .said_in(TO_CLIENTS),
    CHAPTER
        .must("gold.others", "When gold is taken, the others are sent GOLD with n 0.", |stage| {
            let [mut ann, mut bob] = start_on(stage, "yard", ["Ann", "Bob"])?;
            let (key, _) = approach_pile(stage, &mut ann)?;
            bob.skip();
            let (_, _, remaining) = takes(&mut ann, key)?.told;
            let from = bob.heard().len();
            let told = bob.wait_for(|message| gold(message).filter(|told| told.2 == remaining));
            match told {
                Some((0, _, _)) => Ok(()),
                Some((n, p, r)) => {
                    Err(Failure::new("n is 0 for the others", format!("'GOLD {n} {p} {r}'")))
                }
                None => {
                    let expected = format!("Bob is sent GOLD 0 p {remaining}");
                    Err(Failure::silence(expected, bob.told_since(from)))
                }
            }
        })
        .said_in(TO_CLIENTS),
    CHAPTER
        .must("gold.others-purse", "The p that others are sent is their own purse.", |stage| {
            let [mut ann, mut bob] = start_on(stage, "yard", ["Ann", "Bob"])?;
            let (_, bobs, _) = take_nearest(stage, &mut bob)?.told;
            let (key, _) = approach_pile(stage, &mut ann)?;
            bob.skip();
            let (_, _, remaining) = takes(&mut ann, key)?.told;
            is_told(&mut bob, (0, bobs, remaining))
        })
        .said_in(TO_CLIENTS),
    CHAPTER
        .must("gold.spectator", "When gold is taken, the spectator is sent GOLD 0 0 r.", |stage| {
            let [mut ann] = start_on(stage, "yard", ["Ann"])?;
            let (key, _) = approach_pile(stage, &mut ann)?;
            stage.watcher()?.skip();
            let (_, _, remaining) = takes(&mut ann, key)?.told;
            is_told(stage.watcher()?, (0, 0, remaining))
        })
        .said_in(TO_CLIENTS),
    CHAPTER.must("gold.gone", "A pile that was taken is gone for good, and no other.", |stage| {
        let [mut ann] = start_on(stage, "yard", ["Ann"])?;
        let (key, pile) = approach_pile(stage, &mut ann)?;
        let before = stage.look()?;
        let from = stage.place_of(&ann)?;
        ann.press(key);
        let after = stage.look()?;
        let expected = redrawn(stage, &before, &[(from, None), (pile, Some(letter(&ann)))])?;
        is_just(&expected, &after, "the player stands where the pile was")?;
        // Whence it came there is no gold.
        let back = opposite(key);
        ann.press(back);
        let after = stage.look()?;
        let expected = redrawn(stage, &expected, &[(from, Some(letter(&ann))), (pile, None)])?;
        is_just(&expected, &after, "nothing is left where the pile was")?;
        let told = ann.last_gold();
        for key in [key, back, key, back] {
            ann.press(key);
        }
        stage.fence()?;
        let now = ann.last_gold();
        if told.map(|told| (told.1, told.2)) == now.map(|now| (now.1, now.2)) {
            return Ok(());
        }
        Err(Failure::new("nothing is found there again", format!("first {told:?}, then {now:?}")))
    }),
    CHAPTER
        .must(
            "gold.sprint",
            "A sprint takes all gold on its way and is not stopped by it.",
            |stage| sprints_over(stage, 1),
        )
        .said_in(INTERFACE),
    CHAPTER
        .must("gold.sprint-several", "A sprint takes several piles on its way.", |stage| {
            sprints_over(stage, 2)
        })
        .said_in(INTERFACE),
    CHAPTER.must("gold.late", "Who joins later is told what remains then.", |stage| {
        let [mut ann] = start_on(stage, "yard", ["Ann"])?;
        let (_, _, remaining) = take_nearest(stage, &mut ann)?.told;
        let mut bob = stage.player("Bob")?;
        let expected = format!("the second player is sent 'GOLD 0 0 {remaining}'");
        match bob.last_gold() {
            Some(told) if told == (0, 0, remaining) => Ok(()),
            Some((n, p, r)) => Err(Failure::new(expected, format!("'GOLD {n} {p} {r}'"))),
            None => Err(Failure::silence(expected, "no GOLD")),
        }
    }),
    CHAPTER
        .must(
            "gold.sum",
            "All piles together are 250 nuggets; each is found once.",
            all_is_found_once,
        )
        .said_in(CONSTANTS),
    CHAPTER
        .should("gold.sizes-vary", "The sizes of the piles are left to chance.", |stage| {
            let [ann] = start_on(stage, "yard", ["Ann"])?;
            let mut players = [ann];
            collect(stage, &mut players, 1)?;
            let sizes: BTreeSet<u32> =
                finds(&mut players[0]).iter().map(|find| find.more).collect();
            if sizes.len() > 2 {
                return Ok(());
            }
            Err(Failure::new("piles of many sizes", format!("only the sizes {sizes:?}")))
        })
        .said_in(SERVER),
];

fn all_is_found_once(stage: &mut ServerStage) -> Verdict {
    stage.start_on(&TestMap::named("yard"))?;
    // Before anybody comes: where players land is another check's business.
    let piles = stage.look()?.gold().len();
    let mut players = [stage.player("Ann")?, stage.player("Bob")?];
    collect(stage, &mut players, 1)?;
    let found = players.iter_mut().map(|player| finds(player).len()).sum::<usize>();
    if found + 1 != piles {
        let expected =
            format!("{piles} piles, all but one found: {} finds", piles.saturating_sub(1));
        return Err(Failure::new(expected, format!("{found} finds")));
    }
    let remain = players.iter_mut().filter_map(Caller::last_gold).map(|told| told.2).min();
    let purses: u32 = players.iter_mut().map(purse).sum();
    let remain = remain.unwrap_or(0);
    if purses + remain == TOTAL && remain > 0 {
        return Ok(());
    }
    let came = format!("{purses} in the purses, and {remain} remain with one pile left");
    Err(Failure::new(format!("{TOTAL} nuggets in all, some of them in the last pile"), came))
}

/// What nobody has found, as a caller was last told.
fn remaining(caller: &mut Caller) -> u32 {
    caller.last_gold().map_or(0, |(_, _, remaining)| remaining)
}

/// The spectator's first picture for several seeds.
fn starts(stage: &mut ServerStage, map: &str) -> Result<Vec<(u64, Picture)>, Failure> {
    let map = TestMap::named(map);
    let start = |seed| {
        stage.start_with(&map, Some(seed))?;
        Ok((seed, stage.look()?))
    };
    (1..=STARTS).map(start).collect()
}

/// Before: purse and remaining. What was found must be in the one now, and no more in the other.
fn adds_up(before: (u32, u32), (found, purse, remaining): Gold) -> Verdict {
    if purse == before.0 + found && remaining + found == before.1 {
        return Ok(());
    }
    let after = (before.0 + found, before.1.saturating_sub(found));
    let expected = format!("'GOLD {found} {} {}'", after.0, after.1);
    Err(Failure::new(expected, format!("'GOLD {found} {purse} {remaining}'")))
}

/// The key that leads back.
pub(super) fn opposite(key: char) -> char {
    let way = Direction::ALL.into_iter().find(|way| char::from(way.key()) == key);
    let (down, right) = way.map_or((0, 0), Direction::offset);
    let back = Direction::ALL.into_iter().find(|way| way.offset() == (-down, -right));
    back.map_or(key, |way| char::from(way.key()))
}

/// A sprint over at least so many piles, with a spot to go behind the last of them.
fn sprints_over(stage: &mut ServerStage, piles: usize) -> Verdict {
    let [mut ann] = start_on(stage, "yard", ["Ann"])?;
    let (key, at) = sprint_over(stage, &ann, piles)?;
    go(stage, &mut ann, at)?;
    let before = stage.look()?;
    let path = follow::path(&*stage.sight()?, at, key);
    let (purse_before, remaining) = (purse(&mut ann), remaining(&mut ann));
    takes(&mut ann, key)?;
    let after = stage.look()?;
    let mut cells: Vec<(Point, Option<u8>)> = path.iter().map(|at| (*at, None)).collect();
    cells.push((at, None));
    cells.extend(path.last().map(|end| (*end, Some(letter(&ann)))));
    let expected = redrawn(stage, &before, &cells)?;
    is_just(&expected, &after, &format!("key {key} takes all gold on its way to the wall"))?;
    let mut last = (purse_before, remaining);
    for Find { more, told: (found, purse, remaining) } in finds(&mut ann) {
        if purse > purse_before {
            // That nothing was found is for gold.taker to blame, but some of it is not all.
            let found = if found == 0 { more } else { found };
            adds_up(last, (found, purse, remaining))?;
            last = (purse, remaining);
        }
    }
    Ok(())
}

/// From where, and with which key. The fewest piles that are enough.
fn sprint_over(
    stage: &mut ServerStage,
    caller: &Caller,
    piles: usize,
) -> Result<(char, Point), Failure> {
    let truth = stage.look()?;
    let sight = stage.sight()?;
    let from = stage.place_of(caller)?;
    let mut found = vec![];
    for at in sight.map().room_spots() {
        for key in "HLKJYUBN".chars() {
            let path = follow::path(&sight, at, key);
            let over = path.iter().filter(|at| truth.at(**at) == b'*').count();
            let ends_free = path.last().is_some_and(|end| !truth.is_taken(*end));
            let is_free = at == from || !truth.is_taken(at);
            if over >= piles && ends_free && is_free {
                let walk = follow::walk(&sight, &truth, from, at).map_or(usize::MAX, |w| w.len());
                found.push((over, walk, key, at));
            }
        }
    }
    let none = || Failure::silence(format!("a sprint over {piles} piles"), "none with this seed");
    found.into_iter().min().map(|(_, _, key, at)| (key, at)).ok_or_else(none)
}
