//! Reading one record. What stands around it is not its business, but for what it must follow.

use nuggets_game::Name;
use thiserror::Error;

use crate::bytes::Bytes;
use crate::head::{Head, Kind};
use crate::progress::Progress;
use crate::{Entry, Millis, What};

/// Why bytes are no good record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Damage {
    /// It ends too early.
    #[error("the record is not whole")]
    Torn,
    /// The first two bytes are none of a record.
    #[error("no record begins like this")]
    Unknown,
    /// Something was changed in it, or before it.
    #[error("the checksum is wrong")]
    Checksum,
    /// It can't stand there.
    #[error("such a record can't come here")]
    OutOfPlace,
}

/// A good record.
#[derive(Debug)]
pub(crate) struct Found {
    /// Its bytes.
    pub(crate) length: usize,
    /// What it tells of; a checkpoint tells of nothing.
    pub(crate) entry: Option<Entry>,
    /// The hash of the game's state behind it, if it has one.
    pub(crate) state: Option<u64>,
}

/// What a record says besides its time: something that happened, or how the game stands.
struct Said {
    what: Option<What>,
    stand: Option<Stand>,
}

/// How the game stands at a seal.
struct Stand {
    inputs: u32,
    state: u64,
}

/// Reads the record that these bytes begin with, and goes past it.
pub(crate) fn read(all: &[u8], progress: &mut Progress) -> Result<Found, Damage> {
    let mut bytes = Bytes::new(all);
    let head = Head::from_bytes(bytes.array().ok_or(Damage::Torn)?).ok_or(Damage::Unknown)?;
    let since = bytes.short(head.time_bytes).ok_or(Damage::Torn)?;
    let Said { what, stand } = read_said(head.kind, &mut bytes).ok_or(Damage::Torn)?;
    let at = Millis(progress.last.0.checked_add(since).ok_or(Damage::OutOfPlace)?);
    let mut after = progress.clone();
    let sum = after.pass(head.kind, at, bytes.so_far());
    check_sum(head.kind, sum, &mut bytes)?;
    let miscounts = stand.as_ref().is_some_and(|stand| stand.inputs != progress.inputs);
    if miscounts || !progress.admits(head.kind) {
        return Err(Damage::OutOfPlace);
    }
    *progress = after;
    let entry = what.map(|what| Entry { at, what });
    Ok(Found { length: bytes.taken(), entry, state: stand.map(|stand| stand.state) })
}

/// Do these bytes begin with a record that can be recognised without those before it?
pub(crate) fn is_seal(all: &[u8]) -> bool {
    let mut bytes = Bytes::new(all);
    let head = bytes.array().and_then(Head::from_bytes).filter(|head| head.kind.is_seal());
    let Some(head) = head else { return false };
    let said = bytes.take(usize::from(head.time_bytes) + 12);
    let Some(_) = said.and_then(|_| bytes.u32()) else { return false };
    let own = crc32fast::hash(bytes.so_far());
    bytes.u32() == Some(own)
}

fn read_said(kind: Kind, bytes: &mut Bytes) -> Option<Said> {
    let what = match kind {
        Kind::Press(letter, stroke) => Some(What::Press(letter, stroke)),
        Kind::Leave(letter) => Some(What::Leave(letter)),
        Kind::Join => {
            let given = bytes.text()?;
            let name = Name::new(given).filter(|name| name.as_str().as_bytes() == given)?;
            Some(What::Join { name, peer: bytes.peer().ok()? })
        }
        Kind::Watch => Some(What::Watch { peer: bytes.peer().ok()? }),
        Kind::Unwatch => Some(What::Unwatch),
        Kind::Resumed => Some(What::Resumed),
        Kind::Checkpoint => None,
        Kind::End(ending) => Some(What::End(ending)),
        Kind::Told => Some(What::Told),
    };
    let stand = if kind.is_seal() {
        Some(Stand { inputs: bytes.u32()?, state: bytes.u64()? })
    } else {
        None
    };
    Some(Said { what, stand })
}

/// A press has one byte of the sum, other records have all four; those that can be recognised on
/// their own have a sum of their own, too.
fn check_sum(kind: Kind, sum: u32, bytes: &mut Bytes) -> Result<(), Damage> {
    let sum = sum.to_le_bytes();
    let expected = if matches!(kind, Kind::Press(..)) { &sum[..1] } else { &sum };
    let found = bytes.take(expected.len()).ok_or(Damage::Torn)?;
    let is_right = if kind.is_seal() {
        let own = crc32fast::hash(bytes.so_far());
        bytes.u32().ok_or(Damage::Torn)? == own
    } else {
        true
    };
    if is_right && found == expected { Ok(()) } else { Err(Damage::Checksum) }
}
