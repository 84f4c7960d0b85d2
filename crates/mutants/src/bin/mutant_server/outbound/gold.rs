//! `GOLD` as a fault has it.

use nuggets_game::Viewer;

use super::is_for_spectator;
use crate::datagram::{Datagram, Gold, double, leave_out};
use crate::fault::Fault;
use crate::mutant::{Mutant, Turn};
use crate::world::LEFT_TOO_EARLY;

pub(super) fn bend(mutant: &Mutant, turn: &Turn, sent: &mut Vec<Datagram>) {
    recount(mutant, sent);
    if turn.welcomed.is_some() {
        return;
    }
    if mutant.fault == Fault::GoldEveryMove && turn.stroke().is_some() && turn.taken.is_empty() {
        tell_all(mutant, sent);
    }
    let is_gold = |datagram: &Datagram| datagram.is("GOLD");
    let is_theirs = |datagram: &Datagram| datagram.to == turn.from;
    match mutant.fault {
        Fault::GoldNever => leave_out(sent, is_gold),
        Fault::GoldOnlyToTaker => leave_out(sent, |d| is_gold(d) && !is_theirs(d)),
        Fault::GoldSpectatorNotTold => {
            leave_out(sent, |d| is_gold(d) && is_for_spectator(mutant, d));
        }
        Fault::GoldTwice => double(sent, |d| is_gold(d) && is_theirs(d)),
        // What else is sent stays behind both.
        Fault::GoldAfterDisplay => sent.sort_by_key(|datagram| match datagram.word() {
            b"DISPLAY" => 0,
            b"GOLD" => 1,
            _ => 2,
        }),
        _ => {}
    }
    let takers = sent.iter().find(|d| is_theirs(d)).and_then(Datagram::gold);
    let Some(takers) = takers else { return };
    for datagram in sent {
        if let Some(gold) = datagram.gold() {
            datagram.set_gold(tell(mutant, turn, datagram, gold, takers));
        }
    }
}

/// A `GOLD` before every picture.
fn tell_all(mutant: &Mutant, sent: &mut Vec<Datagram>) {
    let game = mutant.room.game();
    let tell = |datagram: &Datagram| {
        let purse = match mutant.seats.viewer(datagram.to) {
            Some(Viewer::Player(letter)) => game.player(letter).purse(),
            _ => 0,
        };
        let mut told = Datagram::new(datagram.to, []);
        told.set_gold(Gold { found: 0, purse, remaining: game.remaining() });
        told
    };
    let told: Vec<Datagram> = sent.iter().filter(|d| d.is("DISPLAY")).map(tell).collect();
    sent.splice(0..0, told);
}

/// What a fault tells in one round, where this would be right.
fn tell(mutant: &Mutant, turn: &Turn, datagram: &Datagram, gold: Gold, takers: Gold) -> Gold {
    let is_theirs = datagram.to == turn.from;
    let is_for_spectator = is_for_spectator(mutant, datagram);
    let is_other = !is_theirs && !is_for_spectator;
    let piles = u32::try_from(turn.taken.len()).unwrap_or(u32::MAX);
    match mutant.fault {
        Fault::GoldFoundZero => Gold { found: 0, ..gold },
        Fault::GoldOthersFound if is_other => Gold { found: takers.found, ..gold },
        Fault::GoldOthersPurse if is_other => Gold { purse: takers.purse, ..gold },
        Fault::GoldSpectatorFound if is_for_spectator => takers,
        Fault::PurseNotAdded if is_theirs => Gold { purse: gold.found, ..gold },
        Fault::NuggetLost if is_theirs => Gold { found: gold.found.saturating_sub(piles), ..gold },
        Fault::SprintGoldLastOnly if is_theirs => {
            Gold { found: turn.taken.last().map_or(gold.found, |(_, size)| *size), ..gold }
        }
        _ => gold,
    }
}

/// Numbers that are wrong in every message.
fn recount(mutant: &Mutant, sent: &mut [Datagram]) {
    for datagram in sent {
        let Some(gold) = datagram.gold() else { continue };
        let lost = match mutant.seats.viewer(datagram.to) {
            Some(Viewer::Player(letter)) => mutant.piles_taken[letter.index()],
            _ => 0,
        };
        datagram.set_gold(match mutant.fault {
            Fault::RemainingFrozen => {
                Gold { remaining: mutant.piles.iter().map(|(_, size)| size).sum(), ..gold }
            }
            Fault::OverTooEarly => Gold { remaining: gold.remaining + LEFT_TOO_EARLY, ..gold },
            Fault::NeverOver => Gold { remaining: gold.remaining - 1, ..gold },
            Fault::NuggetLost => Gold { purse: gold.purse.saturating_sub(lost), ..gold },
            _ => gold,
        });
    }
}
