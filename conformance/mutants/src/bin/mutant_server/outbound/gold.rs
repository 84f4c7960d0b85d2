//! Faults in the numbers of `GOLD`.

use crate::datagram::{GoldNumbers, Outbound};
use crate::fault::Fault;
use crate::mutant::{MessageTurn, Mutant};
use crate::world::LEFT_TOO_EARLY;

pub(super) fn apply(mutant: &Mutant, turn: &MessageTurn, sent: &mut [Outbound]) {
    let mut to_sender = sent.iter().filter(|datagram| datagram.to == turn.from);
    let collectors =
        if turn.joined.is_some() { None } else { to_sender.next().and_then(Outbound::gold) };
    for datagram in sent {
        if let Some(gold) = datagram.gold() {
            datagram.set_gold(wrong_numbers(mutant, turn, datagram, collectors, gold));
        }
    }
}

/// Returns the numbers that the fault sends. `collectors` are those for the player that has just collected gold.
fn wrong_numbers(
    mutant: &Mutant,
    turn: &MessageTurn,
    datagram: &Outbound,
    collectors: Option<GoldNumbers>,
    gold: GoldNumbers,
) -> GoldNumbers {
    let GoldNumbers { found, purse, remaining } = gold;
    let is_collectors = collectors.is_some() && datagram.to == turn.from;
    let is_spectators = mutant.seats.is_spectator(datagram.to);
    let others = collectors.filter(|_| !is_collectors && !is_spectators);
    match (mutant.fault, others) {
        (Fault::RemainingFrozen, _) => GoldNumbers { remaining: mutant.total_gold(), ..gold },
        (Fault::GoldFullForLateJoin, _) if turn.adds_player(mutant.room.game()) => {
            GoldNumbers { remaining: mutant.total_gold(), ..gold }
        }
        (Fault::OverTooEarly, _) => GoldNumbers { remaining: remaining + LEFT_TOO_EARLY, ..gold },
        (Fault::NeverOver, _) => GoldNumbers { remaining: remaining - 1, ..gold },
        (Fault::NuggetLost, _) => {
            let letter = mutant.seats.letter(datagram.to);
            let lost = letter.map_or(0, |letter| mutant.piles_collected[letter.index()]);
            let piles = if is_collectors { turn.collected.len() } else { 0 };
            let found = found.saturating_sub(u32::try_from(piles).unwrap_or(u32::MAX));
            GoldNumbers { found, purse: purse.saturating_sub(lost), remaining }
        }
        (Fault::GoldFoundZero, _) if collectors.is_some() => GoldNumbers { found: 0, ..gold },
        (Fault::GoldOthersFound, Some(others)) => GoldNumbers { found: others.found, ..gold },
        (Fault::GoldOthersPurse, Some(others)) => GoldNumbers { purse: others.purse, ..gold },
        (Fault::GoldSpectatorFound, _) if is_spectators => collectors.unwrap_or(gold),
        (Fault::PurseNotAccumulated, _) if is_collectors => GoldNumbers { purse: found, ..gold },
        (Fault::SprintGoldLastOnly, _) if is_collectors => {
            let last = turn.collected.last();
            GoldNumbers { found: last.map_or(found, |(_, size)| *size), ..gold }
        }
        _ => gold,
    }
}
