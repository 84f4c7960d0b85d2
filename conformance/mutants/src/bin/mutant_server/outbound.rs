//! Faults in sent messages. One file for each kind of message; the form of messages stands here.

use nuggets_game::Point;

use crate::datagram::{Datagram, remove, send_twice};
use crate::fault::Fault;
use crate::mutant::{Mutant, Turn};

mod display;
mod gold;
mod join;
mod moves;
mod quit;

/// What is sent in place of the room's answers.
pub(crate) fn rewrite(mutant: &mut Mutant, turn: &Turn, answers: Vec<Datagram>) -> Vec<Datagram> {
    let mut sent = answers;
    // The room announces its house rules; a faulty server does not know that it has any.
    remove(&mut sent, |datagram| {
        datagram.is_error_reply() && contains(&datagram.bytes, b"House rules:")
    });
    remember(mutant, turn);
    let correct: Vec<Datagram> = sent.iter().filter(|d| d.is("DISPLAY")).cloned().collect();
    display::apply(mutant, turn, &mut sent);
    for datagram in correct {
        mutant.last_displays.retain(|earlier| earlier.to != datagram.to);
        mutant.last_displays.push(datagram);
    }
    join::apply(mutant, turn, &mut sent);
    gold::apply(mutant, turn, &mut sent);
    moves::apply(mutant, turn, &mut sent);
    quit::apply(mutant, turn, &mut sent);
    replace_letters(mutant, &mut sent);
    if mutant.fault == Fault::DisplayTwice {
        send_twice(&mut sent, |datagram| datagram.is("DISPLAY"));
    }
    for datagram in &mut sent {
        change_form(mutant.fault, &mut datagram.bytes);
    }
    sent
}

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

/// Notes what later pictures and tables depend on.
fn remember(mutant: &mut Mutant, turn: &Turn) {
    let players = mutant.room.game().players();
    mutant.piles_collected.resize(players.len(), 0);
    let mover = mutant.seats.letter(turn.from);
    if let Some(count) = mover.and_then(|mover| mutant.piles_collected.get_mut(mover.index())) {
        *count += u32::try_from(turn.collected.len()).unwrap_or(u32::MAX);
    }
    match mutant.fault {
        Fault::QuitterStaysOnMap => {
            let pairs = turn.before.players().iter().zip(players);
            let left = pairs.filter(|(_, is)| is.at().is_none());
            mutant.misplaced.extend(left.filter_map(|(was, _)| Some((was.letter(), was.at()?))));
        }
        Fault::QuitterReappears => {
            let quitter = mover.filter(|mover| players[mover.index()].at().is_none());
            mutant.misplaced.retain(|(letter, _)| Some(*letter) != quitter);
            if let Some(quitter) = quitter.filter(|_| turn.stroke().is_some()) {
                let is_free = |at: &Point| mutant.room.game().symbol_at(*at) == b'.';
                let at = mutant.map.room_spots().into_iter().find(is_free);
                mutant.misplaced.extend(at.map(|at| (quitter, at)));
            }
        }
        Fault::SwapOnOneSpot => {
            mutant.misplaced.retain(|(letter, _)| Some(*letter) != mover);
            let shared = mover.and_then(|mover| players[mover.index()].at());
            for swapped in &turn.swapped {
                mutant.misplaced.retain(|(letter, _)| letter != swapped);
                mutant.misplaced.extend(shared.map(|at| (*swapped, at)));
            }
        }
        _ => {}
    }
}

/// Replaces the room's letters by those that players are shown as.
fn replace_letters(mutant: &Mutant, sent: &mut [Datagram]) {
    for datagram in sent {
        if datagram.is("OK")
            && let Some(letter) = datagram.bytes.last_mut()
        {
            *letter = mutant.letters.of_symbol(*letter);
        }
        for symbol in datagram.rows_mut().into_iter().flatten() {
            *symbol = mutant.letters.of_symbol(*symbol);
        }
    }
}

/// Changes the form of `OK` and `DISPLAY`.
fn change_form(fault: Fault, bytes: &mut Vec<u8>) {
    if bytes.starts_with(b"OK ") {
        match fault {
            Fault::OkLowerCase => bytes[3..].make_ascii_lowercase(),
            Fault::OkNewline => bytes.push(b'\n'),
            Fault::OkNoBlank => drop(bytes.remove(2)),
            _ => {}
        }
    } else if bytes.starts_with(b"DISPLAY\n") {
        match fault {
            Fault::DisplayNoLastNewline => drop(bytes.pop()),
            Fault::DisplayLastRowMissing => {
                let rows = &bytes[..bytes.len() - 1];
                let end = rows.iter().rposition(|byte| *byte == b'\n').unwrap_or_default();
                bytes.truncate(end + 1);
            }
            Fault::DisplayTrailingNul => bytes.push(0),
            Fault::DisplayRowsTrimmed => {
                let rows = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
                *bytes = rows.collect::<Vec<_>>().join(&b'\n');
            }
            Fault::DisplayBlankAfterWord => bytes["DISPLAY".len()] = b' ',
            _ => {}
        }
    }
}
