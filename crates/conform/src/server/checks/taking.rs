//! Taking gold, and what everybody is told about it.

use nuggets_game::Point;

use super::walks::approach;
use crate::server::caller::gold;
use crate::server::{Caller, ServerStage, follow};
use crate::{Failure, Verdict};

/// The three numbers of a `GOLD`: found, purse, remaining.
pub(super) type Gold = (u32, u32, u32);

/// What a player has taken. How much that is tells its purse: the n of the message may be wrong, which
/// is only one check's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Find {
    /// What the purse has more.
    pub(super) more: u32,
    /// The message as it came.
    pub(super) told: Gold,
}

/// The pile that is nearest to a player, if there is one that can be reached.
pub(super) fn nearest_pile(
    stage: &mut ServerStage,
    caller: &Caller,
) -> Result<Option<Point>, Failure> {
    let truth = stage.look()?;
    let sight = stage.sight()?;
    let from = stage.place_of(caller)?;
    let ways = truth
        .gold()
        .into_iter()
        .filter_map(|pile| follow::walk(&sight, &truth, from, pile).map(|keys| (keys.len(), pile)));
    Ok(ways.min().map(|(_, pile)| pile))
}

/// Walks up to the nearest pile; the key of the last step, and where the pile is.
pub(super) fn approach_pile(
    stage: &mut ServerStage,
    caller: &mut Caller,
) -> Result<(char, Point), Failure> {
    let none = || Failure::new("a pile that can be reached", "there is none");
    let pile = nearest_pile(stage, caller)?.ok_or_else(none)?;
    let (key, _) = approach(stage, caller, pile)?;
    Ok((key, pile))
}

/// Takes the nearest pile; what the taker is told.
pub(super) fn take_nearest(stage: &mut ServerStage, caller: &mut Caller) -> Result<Find, Failure> {
    let (key, pile) = approach_pile(stage, caller)?;
    stage.watcher()?.skip();
    let told = takes(caller, key)?;
    let truth = stage.look()?;
    if truth.at(pile) != super::walks::letter(caller) {
        let who = caller.letter.unwrap_or('?');
        return Err(Failure::new(format!("player {who} on the pile at {pile}"), "it is elsewhere"));
    }
    Ok(told)
}

/// Presses a key that leads onto a pile; what the taker is told.
pub(super) fn takes(caller: &mut Caller, key: char) -> Result<Find, Failure> {
    caller.skip();
    let before = purse(caller);
    let from = caller.heard().len();
    caller.press(key);
    let is_lossy = caller.is_lossy();
    // What is lost is told again, even several times.
    let waits = if is_lossy { 4 } else { 1 };
    let mut wait = || caller.wait_for(|message| find(gold(message)?, before, is_lossy));
    let found = (0..waits).find_map(|_| wait());
    found.ok_or_else(|| {
        let who = caller.letter.unwrap_or('?');
        let expected = format!(
            "player {who} steps onto gold and is sent GOLD n p r with a purse p over {before}"
        );
        Failure::silence(expected, caller.told_since(from))
    })
}

/// What was found, if this tells of a find when so much was in the purse. Where datagrams are lost,
/// the one with the n may be among them: then it is as if it had come.
fn find((found, purse, remaining): Gold, before: u32, is_lossy: bool) -> Option<Find> {
    let more = purse.checked_sub(before).filter(|more| *more > 0)?;
    let found = if found == 0 && is_lossy { more } else { found };
    Some(Find { more, told: (found, purse, remaining) })
}

/// The purse as a player was last told.
pub(super) fn purse(caller: &mut Caller) -> u32 {
    caller.last_gold().map_or(0, |(_, purse, _)| purse)
}

/// Waits until a caller is told what remains; then all three numbers must be these.
pub(super) fn is_told(caller: &mut Caller, exact: Gold) -> Verdict {
    let from = caller.heard().len();
    let told = caller.wait_for(|message| gold(message).filter(|told| told.2 == exact.2));
    let (found, purse, remaining) = exact;
    let expected = format!("{} is sent 'GOLD {found} {purse} {remaining}'", caller.who());
    match told {
        Some(told) if told == exact => Ok(()),
        Some((n, p, r)) => Err(Failure::new(expected, format!("'GOLD {n} {p} {r}'"))),
        None => Err(Failure::silence(expected, caller.told_since(from))),
    }
}

/// Everything that a player has found, each find once: a server may tell it again.
pub(super) fn finds(caller: &mut Caller) -> Vec<Find> {
    caller.take_waiting();
    let is_lossy = caller.is_lossy();
    let mut finds: Vec<Find> = vec![];
    for told in caller.heard().iter().filter_map(|heard| gold(&heard.bytes)) {
        let before = finds.last().map_or(0, |last| last.told.1);
        finds.extend(find(told, before, is_lossy));
    }
    finds
}
