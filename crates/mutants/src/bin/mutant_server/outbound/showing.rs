//! Who is shown a move, and who is told that a message was no good.

use nuggets_protocol::ClientMessage;

use super::is_for_spectator;
use crate::datagram::{Datagram, leave_out};
use crate::fault::Fault;
use crate::mutant::{Mutant, Turn};

pub(super) fn bend(mutant: &Mutant, turn: &Turn, sent: &mut Vec<Datagram>) {
    if turn.stroke().is_some() {
        show_move(mutant, turn, sent);
    }
    complain(mutant, turn, sent);
    if mutant.fault == Fault::ReplacedStillShown {
        let pictures: Vec<Vec<u8>> = sent
            .iter()
            .filter(|datagram| datagram.is("DISPLAY") && is_for_spectator(mutant, datagram))
            .map(|datagram| datagram.bytes.clone())
            .collect();
        for to in &mutant.seats.replaced {
            sent.extend(pictures.iter().map(|bytes| Datagram::new(*to, bytes.clone())));
        }
    }
}

fn show_move(mutant: &Mutant, turn: &Turn, sent: &mut Vec<Datagram>) {
    let is_picture = |datagram: &Datagram| datagram.is("DISPLAY");
    match mutant.fault {
        Fault::SpectatorNotShown if is_first_move(mutant, turn) => {
            leave_out(sent, |d| is_picture(d) && is_for_spectator(mutant, d));
        }
        Fault::MovesNotShown => {
            leave_out(sent, |d| is_picture(d) && d.to != turn.from && !is_for_spectator(mutant, d));
        }
        Fault::MoverNotShown => leave_out(sent, |d| is_picture(d) && d.to == turn.from),
        Fault::SwapNotTold => leave_out(sent, |d| {
            let letter = mutant.seats.letter(d.to);
            is_picture(d) && letter.is_some_and(|letter| turn.swapped.contains(&letter))
        }),
        Fault::BlockedShows if sent.is_empty() && mutant.active(turn.from).is_some() => {
            let is_here = |to| mutant.seats.spectator == Some(to) || mutant.active(to).is_some();
            sent.extend(mutant.pictures.iter().filter(|picture| is_here(picture.to)).cloned());
        }
        Fault::BlockedComplains if sent.is_empty() && mutant.active(turn.from).is_some() => {
            let why = mutant.dialect.complaint("There is a wall.");
            sent.push(Datagram::new(turn.from, why.to_bytes()));
        }
        _ => {}
    }
}

fn is_first_move(mutant: &Mutant, turn: &Turn) -> bool {
    mutant.active(turn.from).is_some_and(|mover| !mutant.moved.contains(&mover))
}

fn complain(mutant: &Mutant, turn: &Turn, sent: &mut Vec<Datagram>) {
    let is_malformed = ClientMessage::parse(&turn.heard).is_err();
    let is_complaint = |datagram: &Datagram| {
        datagram.is_complaint() && datagram.bytes != mutant.dialect.nameless().to_bytes()
    };
    match mutant.fault {
        Fault::NoComplaints => leave_out(sent, is_complaint),
        Fault::MalformedQuits if is_malformed => {
            for datagram in sent {
                datagram.bytes = b"QUIT Malformed message.".to_vec();
            }
        }
        Fault::ComplaintNoWord => {
            for datagram in sent.iter_mut().filter(|datagram| is_complaint(datagram)) {
                let word = datagram.word().len() + 1;
                datagram.bytes.drain(..word);
            }
        }
        _ => {}
    }
}
