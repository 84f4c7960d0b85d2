//! Right checksums for the header of a recording, whatever it says.
//!
//! It knows just so much of the layout (see `docs/recording.md`).

use crc32fast::Hasher;

/// Before the name of the version that wrote it: eight bytes of magic, the format and the rules.
const BEFORE_VERSION: usize = 12;
/// Between the first checksum and the map's length.
const BEFORE_MAP: usize = 36;

/// The header with its checksums mended, and what comes behind it.
pub(super) fn header(data: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let version = usize::from(*data.get(BEFORE_VERSION)?);
    let origin = BEFORE_VERSION + 1 + version;
    let game = origin + 4;
    let length = data.get(game + BEFORE_MAP..)?.first_chunk()?;
    let map = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let end = (game + BEFORE_MAP + 4).checked_add(map)?;
    let rest = data.get(end.checked_add(4)?..)?;

    let mut hasher = Hasher::new();
    hasher.update(&data[..origin]);
    let first = hasher.clone().finalize();
    hasher = Hasher::new_with_initial(first);
    hasher.update(&data[game..end]);
    let second = hasher.finalize();
    let parts = [&data[..origin], &first.to_le_bytes(), &data[game..end], &second.to_le_bytes()];
    Some((parts.concat(), rest))
}
