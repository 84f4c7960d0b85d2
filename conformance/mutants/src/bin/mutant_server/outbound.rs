//! Faults in sent messages: other pictures, other numbers, other text, missing messages, additional ones. The form of
//! messages is here.

use nuggets_game::Point;

use crate::datagram::Outbound;
use crate::fault::Fault;
use crate::mutant::{MessageTurn, Mutant};

mod added;
mod display;
mod dropped;
mod gold;
mod reworded;

/// Returns the messages to send in place of the room's answers.
pub(crate) fn rewrite(
    mutant: &mut Mutant,
    turn: &MessageTurn,
    answers: Vec<Outbound>,
) -> Vec<Outbound> {
    let mut sent = answers;
    // The room announces its house rules; a faulty server does not know that it has any.
    sent.retain(|datagram| {
        !datagram.is_error_reply() || !contains(&datagram.bytes, b"House rules:")
    });
    remember(mutant, turn);
    let correct: Vec<Outbound> = sent.iter().filter(|d| d.is("DISPLAY")).cloned().collect();
    display::apply(mutant, turn, &mut sent);
    for datagram in correct {
        mutant.last_displays.retain(|earlier| earlier.to != datagram.to);
        mutant.last_displays.push(datagram);
    }
    gold::apply(mutant, turn, &mut sent);
    sent.retain(|datagram| !dropped::is_dropped(mutant, turn, datagram));
    for datagram in &mut sent {
        if let Some(bytes) = reworded::reworded(mutant, turn, datagram) {
            datagram.bytes = bytes;
        }
    }
    added::apply(mutant, turn, &mut sent);
    replace_letters(mutant, &mut sent);
    for fault in [mutant.fault, mutant.slip] {
        if fault == Fault::UnknownMessages {
            add_unknown_messages(&mut sent);
        }
        for datagram in &mut sent {
            change_form(fault, &mut datagram.bytes);
        }
    }
    sent
}

fn add_unknown_messages(sent: &mut Vec<Outbound>) {
    let with_unknown = |datagram: Outbound| {
        let is_display = datagram.is("DISPLAY");
        let unknown = is_display.then(|| Outbound::new(datagram.to, b"STATUS ok"));
        unknown.into_iter().chain([datagram])
    };
    *sent = std::mem::take(sent).into_iter().flat_map(with_unknown).collect();
}

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

/// Records the state that later pictures and tables depend on.
fn remember(mutant: &mut Mutant, turn: &MessageTurn) {
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

/// Replaces the room's letters by the letters that the fault shows.
fn replace_letters(mutant: &Mutant, sent: &mut [Outbound]) {
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

/// Changes the form of a message.
fn change_form(fault: Fault, bytes: &mut Vec<u8>) {
    match fault {
        Fault::BytesAfterEnd => bytes.extend(b"\0\x07junk"),
        Fault::GridTwoBlanks if bytes.starts_with(b"GRID ") => bytes.insert(4, b' '),
        Fault::GoldTabs if bytes.starts_with(b"GOLD ") => replace_blanks(&mut bytes[5..]),
        Fault::GoldLaterTabs if bytes.starts_with(b"GOLD ") && !bytes.starts_with(b"GOLD 0") => {
            replace_blanks(&mut bytes[5..]);
        }
        _ if bytes.starts_with(b"OK ") => change_ok(fault, bytes),
        _ if bytes.starts_with(b"DISPLAY\n") => change_display(fault, bytes),
        _ => {}
    }
}

fn replace_blanks(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte == b' ').for_each(|byte| *byte = b'\t');
}

fn change_ok(fault: Fault, bytes: &mut Vec<u8>) {
    match fault {
        Fault::OkNoLetter => bytes.truncate(3),
        Fault::OkLowerCase => bytes[3..].make_ascii_lowercase(),
        Fault::OkNewline => bytes.push(b'\n'),
        Fault::OkNoBlank => drop(bytes.remove(2)),
        _ => {}
    }
}

fn change_display(fault: Fault, bytes: &mut Vec<u8>) {
    const WORD: usize = "DISPLAY".len();
    let rows = || bytes[..bytes.len() - 1].split(|byte| *byte == b'\n');
    match fault {
        Fault::DisplayNoLastNewline => drop(bytes.pop()),
        Fault::DisplayLastRowMissing => {
            let end = rows().next_back().map_or(0, <[u8]>::len);
            bytes.truncate(bytes.len() - end - 1);
        }
        Fault::DisplayTrailingNul => bytes.push(0),
        Fault::DisplayRowsTrimmed => {
            let rows = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
            *bytes = rows.collect::<Vec<_>>().join(&b'\n');
        }
        Fault::DisplayBlankAfterWord => bytes[WORD] = b' ',
        Fault::DisplayHeadBlank => bytes.insert(WORD, b' '),
        Fault::DisplayLeadingNewline => bytes.insert(WORD, b'\n'),
        Fault::DisplayExtraColumn => {
            let rows: Vec<&[u8]> = rows().skip(1).collect();
            *bytes = [b"DISPLAY\n", &rows.join(&b" \n"[..])[..], b" \n"].concat();
        }
        Fault::DisplayNoNewlines => {
            let rows: Vec<&[u8]> = rows().skip(1).collect();
            *bytes = [b"DISPLAY\n", &rows.concat()[..]].concat();
        }
        Fault::DisplayExtraRow => {
            let width = rows().next_back().map_or(0, <[u8]>::len);
            bytes.resize(bytes.len() + width, b' ');
            bytes.push(b'\n');
        }
        _ => {}
    }
}
