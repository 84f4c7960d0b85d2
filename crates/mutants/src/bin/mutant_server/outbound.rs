//! What goes out, bent before anybody hears it. One file for each kind.

use nuggets_game::{Point, Viewer};

use crate::datagram::{Datagram, leave_out};
use crate::fault::Fault;
use crate::mutant::{Mutant, Turn};

mod ending;
mod form;
mod gold;
mod joining;
mod pictures;
mod quitting;
mod showing;

/// What is sent in place of the room's answers.
pub(crate) fn bend(mutant: &mut Mutant, turn: &Turn, answers: Vec<Datagram>) -> Vec<Datagram> {
    let mut sent = answers;
    // The room is honest about its variants; a wrong server isn't.
    leave_out(&mut sent, |datagram| {
        datagram.is_complaint() && contains(&datagram.bytes, b"House rules:")
    });
    remember(mutant, turn);
    let right: Vec<Datagram> = sent.iter().filter(|d| d.is("DISPLAY")).cloned().collect();
    pictures::bend(mutant, turn, &mut sent);
    for picture in right {
        mutant.pictures.retain(|earlier| earlier.to != picture.to);
        mutant.pictures.push(picture);
    }
    joining::bend(mutant, turn, &mut sent);
    gold::bend(mutant, turn, &mut sent);
    showing::bend(mutant, turn, &mut sent);
    quitting::bend(mutant, turn, &mut sent);
    ending::bend(mutant, turn, &mut sent);
    relabel(mutant, &mut sent);
    form::bend(mutant.fault, &mut sent);
    sent
}

fn contains(bytes: &[u8], words: &[u8]) -> bool {
    bytes.windows(words.len()).any(|window| window == words)
}

/// What later pictures and tables need to know of this turn.
fn remember(mutant: &mut Mutant, turn: &Turn) {
    let players = mutant.room.game().players();
    mutant.piles_taken.resize(players.len(), 0);
    let mover = mutant.seats.letter(turn.from);
    if let Some(count) = mover.and_then(|mover| mutant.piles_taken.get_mut(mover.index())) {
        *count += u32::try_from(turn.taken.len()).unwrap_or(u32::MAX);
    }
    match mutant.fault {
        Fault::QuitterStays => {
            let pairs = turn.before.players().iter().zip(players);
            let left = pairs.filter(|(_, is)| is.at().is_none());
            mutant.ghosts.extend(left.filter_map(|(was, _)| Some((was.letter(), was.at()?))));
        }
        Fault::QuitterWalks => {
            let quitter = mover.filter(|mover| players[mover.index()].at().is_none());
            mutant.ghosts.retain(|(ghost, _)| Some(*ghost) != quitter);
            if let Some(quitter) = quitter.filter(|_| turn.stroke().is_some()) {
                let is_free = |at: &Point| mutant.room.game().symbol_at(*at) == b'.';
                let at = mutant.map.room_spots().into_iter().find(is_free);
                mutant.ghosts.extend(at.map(|at| (quitter, at)));
            }
        }
        Fault::SwapOnOneSpot => {
            mutant.ghosts.retain(|(ghost, _)| Some(*ghost) != mover);
            let shared = mover.and_then(|mover| players[mover.index()].at());
            for letter in &turn.swapped {
                mutant.ghosts.retain(|(ghost, _)| ghost != letter);
                mutant.ghosts.extend(shared.map(|at| (*letter, at)));
            }
        }
        _ => {}
    }
}

/// Everybody's letter as it is given here.
fn relabel(mutant: &Mutant, sent: &mut [Datagram]) {
    for datagram in sent {
        if datagram.is("OK")
            && let Some(letter) = datagram.bytes.last_mut()
        {
            *letter = mutant.labels.drawn(*letter);
        }
        for drawn in datagram.rows().into_iter().flatten() {
            *drawn = mutant.labels.drawn(*drawn);
        }
    }
}

/// Is it for the one who watches?
fn is_for_spectator(mutant: &Mutant, datagram: &Datagram) -> bool {
    mutant.seats.viewer(datagram.to) == Some(Viewer::Spectator)
}
