//! Decoding one record: prefix, time, content, checksums. Reading a whole file is in `reader`.

use nuggets_game::Name;
use thiserror::Error;

use crate::encoding::ByteReader;
use crate::file_header::Format;
use crate::progress::Progress;
use crate::record_prefix::{Kind, Prefix};
use crate::{Entry, RecordedEvent, Timestamp};

/// Why bytes are not a valid record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Damage {
    /// The file ends within the record.
    #[error("the record is incomplete")]
    Torn,
    /// The first two bytes are not those of a record.
    #[error("no record begins with these bytes")]
    Unknown,
    /// The record, or something before it, was changed.
    #[error("the checksum is wrong")]
    Checksum,
    /// The record is valid, but not at this place.
    #[error("such a record can't come here")]
    OutOfPlace,
}

/// The maximum length of a record: a prefix, a time, a name, a peer and a checksum.
pub(crate) const MAX_RECORD_BYTES: usize = 2 + 7 + 51 + 257 + 4;

/// A valid record.
#[derive(Debug)]
pub(crate) struct RecordFrame {
    pub(crate) kind: Kind,
    /// Its length in bytes.
    pub(crate) length: usize,
    /// The entry; `None` for a checkpoint.
    pub(crate) entry: Option<Entry>,
    /// The state hash of the game after it, if it holds one.
    pub(crate) state: Option<u64>,
}

/// The content of a record besides its time.
struct RecordContent {
    what: Option<RecordedEvent>,
    state: Option<StateCheck>,
}

/// The state of the game in a checkpoint or an end.
struct StateCheck {
    inputs: u32,
    hash: u64,
}

/// Reads the record at the start of these bytes and advances past it.
pub(crate) fn read(all: &[u8], progress: &mut Progress) -> Result<RecordFrame, Damage> {
    let mut bytes = ByteReader::new(all);
    let prefix = bytes.array().ok_or(Damage::Torn)?;
    let Prefix { kind, time_bytes } = Prefix::from_bytes(prefix).ok_or(Damage::Unknown)?;
    if matches!(kind, Kind::Heard(_) | Kind::Begun) && progress.format < Format::V3 {
        return Err(Damage::Unknown);
    }
    let since = bytes.short(time_bytes).ok_or(Damage::Torn)?;
    let content = read_content(kind, progress.format, &mut bytes).ok_or(Damage::Torn)?;
    let at = Timestamp(progress.last.0.checked_add(since).ok_or(Damage::OutOfPlace)?);
    let mut after = progress.clone();
    let crc = after.advance(kind, at, bytes.consumed());
    check_crc(kind, crc, &mut bytes)?;
    let miscounts = content.state.as_ref().is_some_and(|state| state.inputs != progress.inputs);
    if miscounts || !progress.allows(kind) {
        return Err(Damage::OutOfPlace);
    }
    *progress = after;
    let entry = content.what.map(|what| Entry { at, what });
    Ok(RecordFrame {
        kind,
        length: bytes.taken(),
        entry,
        state: content.state.map(|state| state.hash),
    })
}

/// The maximum length of a self-checked record: a prefix, a time, inputs and state hash, two checksums.
pub(crate) const MAX_SELF_CHECKED_BYTES: usize = 2 + 7 + 12 + 4 + 4;

/// True if a record with a valid checksum over itself begins here. The bytes before it don't matter.
pub(crate) fn is_self_checked(all: &[u8]) -> bool {
    let mut bytes = ByteReader::new(all);
    let prefix = bytes.array().and_then(Prefix::from_bytes);
    let Some(prefix) = prefix.filter(|prefix| prefix.kind.is_self_checked()) else { return false };
    // The time, the content (inputs and state hash), and the checksum over the file.
    if bytes.take(usize::from(prefix.time_bytes) + 12 + 4).is_none() {
        return false;
    }
    let own_crc = crc32fast::hash(bytes.consumed());
    bytes.u32() == Some(own_crc)
}

fn read_content(kind: Kind, format: Format, bytes: &mut ByteReader) -> Option<RecordContent> {
    let what = match kind {
        Kind::Press(letter, stroke) => Some(RecordedEvent::Press(letter, stroke)),
        Kind::Leave(letter) => Some(RecordedEvent::Leave(letter)),
        Kind::Join => {
            let given = bytes.prefixed()?;
            let name = Name::new(given).filter(|name| name.as_str().as_bytes() == given)?;
            Some(RecordedEvent::Join { name, peer: bytes.peer(format).ok()? })
        }
        Kind::Watch => Some(RecordedEvent::Watch { peer: bytes.peer(format).ok()? }),
        Kind::Unwatch => Some(RecordedEvent::Unwatch),
        Kind::Heard(viewer) => Some(RecordedEvent::Heard(viewer)),
        Kind::Begun => Some(RecordedEvent::Begun),
        Kind::Resumed => Some(RecordedEvent::Resumed),
        Kind::Checkpoint => None,
        Kind::End(end) => Some(RecordedEvent::End(end)),
        Kind::EndDelivered => Some(RecordedEvent::EndDelivered),
    };
    let state = if kind.is_self_checked() {
        Some(StateCheck { inputs: bytes.u32()?, hash: bytes.u64()? })
    } else {
        None
    };
    Some(RecordContent { what, state })
}

/// A press holds one byte of the checksum over the file, other records hold all four; self-checked
/// ones also hold a checksum over themselves.
fn check_crc(kind: Kind, crc: u32, bytes: &mut ByteReader) -> Result<(), Damage> {
    let crc = crc.to_le_bytes();
    let expected = if matches!(kind, Kind::Press(..)) { &crc[..1] } else { &crc };
    let found = bytes.take(expected.len()).ok_or(Damage::Torn)?;
    let is_own_right = if kind.is_self_checked() {
        let own_crc = crc32fast::hash(bytes.consumed());
        bytes.u32().ok_or(Damage::Torn)? == own_crc
    } else {
        true
    };
    if is_own_right && found == expected { Ok(()) } else { Err(Damage::Checksum) }
}
