//! Faults in the recipients of a move, and in error replies.

use nuggets_protocol::{ClientMessage, QuitKind};

use crate::datagram::{Outbound, remove};
use crate::fault::Fault;
use crate::mutant::{MessageTurn, Mutant};

pub(super) fn apply(mutant: &Mutant, turn: &MessageTurn, sent: &mut Vec<Outbound>) {
    if turn.stroke().is_some() {
        change_recipients(mutant, turn, sent);
    }
    change_error_replies(mutant, turn, sent);
    if mutant.fault == Fault::ReplacedStillSentDisplay {
        let is_spectators = |d: &&Outbound| d.is("DISPLAY") && mutant.seats.is_spectator(d.to);
        let displays: Vec<Outbound> = sent.iter().filter(is_spectators).cloned().collect();
        for to in &mutant.seats.replaced_spectators {
            sent.extend(displays.iter().map(|display| Outbound { to: *to, ..display.clone() }));
        }
    }
}

fn change_recipients(mutant: &Mutant, turn: &MessageTurn, sent: &mut Vec<Outbound>) {
    let is_display = |datagram: &Outbound| datagram.is("DISPLAY");
    let is_spectators = |datagram: &Outbound| mutant.seats.is_spectator(datagram.to);
    let mover = mutant.active(turn.from);
    let is_blocked = sent.is_empty() && mover.is_some();
    match mutant.fault {
        Fault::FirstMoveNotSentToSpectator
            if mover.is_some_and(|mover| !mutant.moved.contains(&mover)) =>
        {
            remove(sent, |d| is_display(d) && is_spectators(d));
        }
        Fault::MovesNotSentToOthers => {
            remove(sent, |d| is_display(d) && d.to != turn.from && !is_spectators(d));
        }
        Fault::MovesNotSentToMover => remove(sent, |d| is_display(d) && d.to == turn.from),
        Fault::SwapNotSentToOther => remove(sent, |d| {
            let letter = mutant.seats.letter(d.to);
            is_display(d) && letter.is_some_and(|letter| turn.swapped.contains(&letter))
        }),
        Fault::BlockedMoveSendsDisplay if is_blocked => {
            let is_here = |to| mutant.seats.is_spectator(to) || mutant.active(to).is_some();
            sent.extend(mutant.last_displays.iter().filter(|last| is_here(last.to)).cloned());
        }
        Fault::BlockedMoveSendsError if is_blocked => {
            let error = mutant.dialect.error_reply("There is a wall.");
            sent.push(Outbound::new(turn.from, error.to_bytes()));
        }
        _ => {}
    }
}

fn change_error_replies(mutant: &Mutant, turn: &MessageTurn, sent: &mut Vec<Outbound>) {
    let blank_name = mutant.dialect.quit(QuitKind::BlankName).to_bytes();
    let is_error = |d: &Outbound| d.is_error_reply() && d.bytes != blank_name;
    match mutant.fault {
        Fault::NoErrorReplies => remove(sent, is_error),
        Fault::MalformedQuits if ClientMessage::parse(&turn.message).is_err() => {
            for datagram in sent {
                datagram.bytes = b"QUIT Malformed message.".to_vec();
            }
        }
        Fault::ErrorWordMissing => {
            for datagram in sent.iter_mut().filter(|datagram| is_error(datagram)) {
                let word = datagram.word().len() + 1;
                datagram.bytes.drain(..word);
            }
        }
        _ => {}
    }
}
