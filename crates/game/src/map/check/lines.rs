//! The rules for the text of a map file: its characters, the length of its lines, its size.

use std::collections::BTreeMap;

use nuggets_protocol::counted;

use super::{Flaw, Found, MapRule};
use crate::map::parse::{Character, FilePosition, MapError};
use crate::map::text::Text;

/// Every unknown character.
pub(super) fn unknown_characters(text: &Text) -> impl Iterator<Item = Found> {
    text.unknown_characters().map(|(at, found)| {
        let is_mark =
            found == Character::Char('\u{feff}') && at == FilePosition { line: 1, column: 1 };
        let flaw = Flaw {
            at,
            // A byte order mark stands before the first column.
            length: usize::from(!is_mark),
            what: format!("{found} is no map character"),
            advice: if is_mark {
                "Save the file as plain ASCII, without a byte order mark".to_string()
            } else {
                "Put one of the map's own characters here: a blank or - | + . #".to_string()
            },
        };
        (MapRule::KnownCharacters, flaw)
    })
}

/// Every line that is not as long as the others.
pub(super) fn uneven_lines(text: &Text) -> impl Iterator<Item = Found> {
    let (width, whose) = usual_width(text);
    (1..).zip(&text.lines).filter(move |(_, cells)| cells.len() != width).map(
        move |(line, cells)| {
            let length = cells.len();
            let flaw = Flaw {
                at: FilePosition { line, column: length.min(width) + 1 },
                length: length.saturating_sub(width),
                what: format!("this line has {}, but {whose} {width}", counted(length, "column")),
                advice: width_advice(length, width),
            };
            (MapRule::EqualLines, flaw)
        },
    )
}

/// The width that lines should have, and a phrase that says whose width it is. A few lines that are
/// too long must not make all others wrong; but where many differ, an editor stripped trailing blanks,
/// and the widest line is right.
fn usual_width(text: &Text) -> (usize, &'static str) {
    let mut lines_of: BTreeMap<usize, usize> = BTreeMap::new();
    for line in &text.lines {
        *lines_of.entry(line.len()).or_default() += 1;
    }
    let all = text.lines.len();
    let few_longer = |width: usize| {
        let longer = text.lines.iter().filter(|line| line.len() > width).count();
        longer <= (all / 10).max(1)
    };
    let most = lines_of.into_iter().find(|(_, lines)| lines * 2 > all).map(|(width, _)| width);
    let most = most.filter(|&width| width > 0 && few_longer(width));
    most.map_or((text.size().1, "the widest has"), |width| (width, "most have"))
}

fn width_advice(length: usize, width: usize) -> String {
    if length < width {
        let blanks = counted(width - length, "blank");
        format!(
            "Add {blanks} at its end if rock is meant there: the server does so, with a warning"
        )
    } else {
        let columns = counted(length - width, "column");
        format!("Take the last {columns} away, or give every other line as many")
    }
}

/// The only flaw of a file without a gridpoint.
pub(super) fn empty() -> Found {
    let flaw = Flaw {
        at: FilePosition { line: 1, column: 1 },
        length: 0,
        what: "there is nothing in the file".to_string(),
        advice: "Draw a map in it".to_string(),
    };
    (MapRule::EnoughSpots, flaw)
}

/// The flaw of a file whose map is too large.
pub(super) fn too_large(text: &Text, error: &MapError) -> Option<Found> {
    let MapError::TooLarge { at, rows, cols, advice } = error else { return None };
    // The line may be shorter than the widest one, which makes the map too large.
    let length = text.lines.get(at.line - 1).map_or(0, Vec::len);
    let column = at.column.min(length + 1);
    let flaw = Flaw {
        at: FilePosition { line: at.line, column },
        length: usize::from(column <= length),
        what: format!(
            "from here on a map of {rows}x{cols} (lines x columns) is too large: its picture must \
             fit one datagram"
        ),
        advice: format!("Make it smaller: {advice}"),
    };
    Some((MapRule::FitsADatagram, flaw))
}
