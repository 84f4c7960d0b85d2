//! The final table, with its faults.

use nuggets_game::Letter;

use crate::fault::Fault;
use crate::mutant::Mutant;

struct Row {
    letter: u8,
    purse: u32,
    name: Vec<u8>,
}

/// The rows without a newline at the end.
pub(crate) fn rows(mutant: &Mutant) -> Vec<u8> {
    let mut rows = collect(mutant);
    match mutant.fault {
        Fault::TableReversed => rows.reverse(),
        Fault::TableByPurse => rows.sort_by_key(|row| row.purse),
        Fault::TableWrongPurses => rows.iter_mut().for_each(|row| row.purse += 1),
        Fault::TableExtraRow => rows.extend(extra_row(mutant)),
        Fault::TableNoNames => rows.iter_mut().for_each(|row| row.name.clear()),
        _ => {}
    }
    let drawn: Vec<Vec<u8>> = rows.iter().map(|row| draw(mutant.fault, row)).collect();
    drawn.join(&b'\n')
}

fn collect(mutant: &Mutant) -> Vec<Row> {
    let lists_quitters = mutant.fault != Fault::QuitterNotInTable;
    let players = mutant.room.game().players().iter();
    players
        .filter(|player| lists_quitters || player.at().is_some())
        .map(|player| {
            let letter = player.letter();
            let collected = mutant.piles_collected.get(letter.index()).copied().unwrap_or_default();
            Row {
                letter: mutant.letters.of(letter),
                purse: match mutant.fault {
                    Fault::NuggetLost => player.purse() - collected,
                    _ => player.purse(),
                },
                name: name(mutant, letter.index(), player.name().as_str()),
            }
        })
        .collect()
}

/// A row with the next letter; `None` if all letters are used.
fn extra_row(mutant: &Mutant) -> Option<Row> {
    let letter = Letter::nth(mutant.room.game().players().len())?;
    Some(Row { letter: letter.as_byte(), purse: 0, name: b"Nobody".to_vec() })
}

fn name(mutant: &Mutant, index: usize, correct: &str) -> Vec<u8> {
    let given = mutant.seats.names.get(index).map_or(correct.as_bytes(), Vec::as_slice);
    match mutant.fault {
        Fault::NameNotTruncated => {
            let is_unprintable =
                |byte: &u8| !byte.is_ascii_graphic() && *byte != b' ' && *byte != b'\t';
            given.iter().map(|byte| if is_unprintable(byte) { b'_' } else { *byte }).collect()
        }
        Fault::NameNotCleaned => given.iter().copied().take(50).collect(),
        _ => correct.into(),
    }
}

fn draw(fault: Fault, row: &Row) -> Vec<u8> {
    let letter = match fault {
        Fault::TableNoLetters => String::new(),
        _ => char::from(row.letter).to_string(),
    };
    if fault == Fault::TableColumnsReordered {
        return [&row.name[..], format!(" {letter} {}", row.purse).as_bytes()].concat();
    }
    let columns = match fault {
        Fault::TableOtherSpacing => format!("{letter} {} ", row.purse),
        Fault::TableWithCommas => format!("{letter}, {}, ", row.purse),
        Fault::TableWithBars => format!("| {letter} | {:>4} | ", row.purse),
        _ => format!("{letter} {:>10} ", row.purse),
    };
    let end: &[u8] = if fault == Fault::TableWithBars { b" |" } else { b"" };
    [columns.as_bytes(), &row.name, end].concat()
}
