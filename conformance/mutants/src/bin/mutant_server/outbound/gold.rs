//! Faults in `GOLD`.

use nuggets_game::Viewer;

use crate::datagram::{GoldNumbers, Outbound, remove, send_twice};
use crate::fault::Fault;
use crate::mutant::{MessageTurn, Mutant};
use crate::world::LEFT_TOO_EARLY;

pub(super) fn apply(mutant: &Mutant, turn: &MessageTurn, sent: &mut Vec<Outbound>) {
    for datagram in sent.iter_mut() {
        if let Some(gold) = datagram.gold() {
            datagram.set_gold(always_wrong(mutant, datagram, gold));
        }
    }
    if turn.joined.is_some() {
        return;
    }
    let is_gold = |datagram: &Outbound| datagram.is("GOLD");
    let is_to_sender = |datagram: &Outbound| datagram.to == turn.from;
    match mutant.fault {
        Fault::GoldEveryMove if turn.stroke().is_some() && turn.collected.is_empty() => {
            send_before_displays(mutant, sent);
        }
        Fault::GoldOnlyAtJoin => remove(sent, is_gold),
        Fault::GoldOnlyToCollector => remove(sent, |d| is_gold(d) && !is_to_sender(d)),
        Fault::GoldNotSentToSpectator => {
            remove(sent, |d| is_gold(d) && mutant.seats.is_spectator(d.to));
        }
        Fault::GoldTwice => send_twice(sent, |d| is_gold(d) && is_to_sender(d)),
        // A final table stays after both.
        Fault::GoldAfterDisplay => sent.sort_by_key(|datagram| match datagram.word() {
            b"DISPLAY" => 0,
            b"GOLD" => 1,
            _ => 2,
        }),
        _ => {}
    }
    let collectors = sent.iter().find(|d| is_to_sender(d)).and_then(Outbound::gold);
    let Some(collectors) = collectors else { return };
    for datagram in sent {
        if let Some(gold) = datagram.gold() {
            datagram.set_gold(wrong_in_round(mutant, turn, datagram, collectors, gold));
        }
    }
}

fn send_before_displays(mutant: &Mutant, sent: &mut Vec<Outbound>) {
    let game = mutant.room.game();
    let gold = |display: &Outbound| {
        let purse = match mutant.seats.viewer(display.to) {
            Some(Viewer::Player(letter)) => game.player(letter).purse(),
            _ => 0,
        };
        let mut datagram = Outbound::new(display.to, []);
        datagram.set_gold(GoldNumbers { found: 0, purse, remaining: game.remaining() });
        datagram
    };
    let added: Vec<Outbound> = sent.iter().filter(|d| d.is("DISPLAY")).map(gold).collect();
    sent.splice(0..0, added);
}

/// Returns the wrong numbers for the round after gold was collected.
fn wrong_in_round(
    mutant: &Mutant,
    turn: &MessageTurn,
    datagram: &Outbound,
    collectors: GoldNumbers,
    gold: GoldNumbers,
) -> GoldNumbers {
    let is_collectors = datagram.to == turn.from;
    let is_spectators = mutant.seats.is_spectator(datagram.to);
    let is_others = !is_collectors && !is_spectators;
    let piles = u32::try_from(turn.collected.len()).unwrap_or(u32::MAX);
    match mutant.fault {
        Fault::GoldFoundZero => GoldNumbers { found: 0, ..gold },
        Fault::GoldOthersFound if is_others => GoldNumbers { found: collectors.found, ..gold },
        Fault::GoldOthersPurse if is_others => GoldNumbers { purse: collectors.purse, ..gold },
        Fault::GoldSpectatorFound if is_spectators => collectors,
        Fault::PurseNotAccumulated if is_collectors => GoldNumbers { purse: gold.found, ..gold },
        Fault::NuggetLost if is_collectors => {
            GoldNumbers { found: gold.found.saturating_sub(piles), ..gold }
        }
        Fault::SprintGoldLastOnly if is_collectors => GoldNumbers {
            found: turn.collected.last().map_or(gold.found, |(_, size)| *size),
            ..gold
        },
        _ => gold,
    }
}

/// The numbers that are wrong in every `GOLD`.
fn always_wrong(mutant: &Mutant, datagram: &Outbound, gold: GoldNumbers) -> GoldNumbers {
    match mutant.fault {
        Fault::RemainingFrozen => GoldNumbers { remaining: mutant.total_gold(), ..gold },
        Fault::OverTooEarly => GoldNumbers { remaining: gold.remaining + LEFT_TOO_EARLY, ..gold },
        Fault::NeverOver => GoldNumbers { remaining: gold.remaining - 1, ..gold },
        Fault::NuggetLost => {
            let letter = mutant.seats.letter(datagram.to);
            let lost = letter.map_or(0, |letter| mutant.piles_collected[letter.index()]);
            GoldNumbers { purse: gold.purse.saturating_sub(lost), ..gold }
        }
        _ => gold,
    }
}
