//! The table of purses as a fault has it.

use nuggets_game::Letter;

use crate::fault::Fault;
use crate::mutant::Mutant;

/// One row.
struct Row {
    letter: u8,
    purse: u32,
    name: Vec<u8>,
}

/// The rows as they are shown, without a newline at the end.
pub(crate) fn rows(mutant: &Mutant) -> Vec<u8> {
    let mut rows = collect(mutant);
    match mutant.fault {
        Fault::TableReversed => rows.reverse(),
        Fault::TableByPurse => rows.sort_by_key(|row| row.purse),
        Fault::TableWrongPurses => rows.iter_mut().for_each(|row| row.purse += 1),
        Fault::TableExtraRow => rows.extend(nobody(mutant)),
        Fault::TableNoNames => rows.iter_mut().for_each(|row| row.name.clear()),
        _ => {}
    }
    let drawn: Vec<Vec<u8>> = rows.iter().map(|row| draw(mutant.fault, row)).collect();
    drawn.join(&b'\n')
}

fn collect(mutant: &Mutant) -> Vec<Row> {
    let is_listed = |is_here: bool| is_here || mutant.fault != Fault::QuitterNotInTable;
    let players = mutant.room.game().players().iter();
    players
        .filter(|player| is_listed(player.at().is_some()))
        .map(|player| {
            let letter = player.letter();
            let lost = mutant.piles_taken.get(letter.index()).copied().unwrap_or_default();
            Row {
                letter: mutant.labels.of(letter),
                purse: match mutant.fault {
                    Fault::NuggetLost => player.purse() - lost,
                    _ => player.purse(),
                },
                name: name(mutant, letter.index(), player.name().as_str()),
            }
        })
        .collect()
}

/// Whoever has the next letter; nobody if all have joined.
fn nobody(mutant: &Mutant) -> Option<Row> {
    let letter = Letter::nth(mutant.room.game().players().len())?;
    Some(Row { letter: letter.as_char(), purse: 0, name: b"Nobody".to_vec() })
}

fn name(mutant: &Mutant, index: usize, right: &str) -> Vec<u8> {
    let given = mutant.seats.names.get(index).map_or(right.as_bytes(), Vec::as_slice);
    match mutant.fault {
        Fault::NameNotCut => {
            let is_odd = |byte: &u8| !byte.is_ascii_graphic() && *byte != b' ' && *byte != b'\t';
            given.iter().map(|byte| if is_odd(byte) { b'_' } else { *byte }).collect()
        }
        Fault::NameNotCleaned => given.iter().copied().take(50).collect(),
        _ => right.into(),
    }
}

fn draw(fault: Fault, row: &Row) -> Vec<u8> {
    let letter = match fault {
        Fault::TableNoLetters => String::new(),
        _ => char::from(row.letter).to_string(),
    };
    let columns = match fault {
        Fault::TableOtherSpacing => format!("{letter} {} ", row.purse),
        Fault::TableWithCommas => format!("{letter}, {}, ", row.purse),
        Fault::TableWithBars => format!("| {letter} | {:>4} | ", row.purse),
        _ => format!("{letter} {:>10} ", row.purse),
    };
    let end: &[u8] = if fault == Fault::TableWithBars { b" |" } else { b"" };
    [columns.as_bytes(), &row.name, end].concat()
}
