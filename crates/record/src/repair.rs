//! Repairing one flipped bit of a record.
//!
//! The checksum of every record covers everything before it, so the records after a damaged one show what it
//! was: with the right bit they are valid again, with any other they are not. A bit is flipped back only if
//! that makes valid records with at least 32 bits of checksums, and no other bit does. So the three last keys of a file are
//! beyond repair, unless another record follows them.

use crate::progress::Progress;
use crate::record_frame::{self, Damage, MAX_RECORD_BYTES};

/// Damaged bytes of a file, and their original values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The offset of the first of them.
    pub offset: usize,
    /// The original bytes.
    pub bytes: Vec<u8>,
}

/// The minimum number of checksum bits that must agree with a repair.
const MIN_CHECK_BITS: u32 = 32;
/// The maximum number of bytes needed to find a flipped bit: every record has 8 bits of checksum or more.
pub(crate) const MAX_REPAIR_BYTES: usize = 4 * MAX_RECORD_BYTES;

/// The index of the byte and its value, if flipping one bit of the record at the start of these bytes makes it and
/// those after it valid.
pub(crate) fn find_flipped_bit(
    bytes: &[u8],
    progress: &Progress,
    why: Damage,
) -> Option<(usize, u8)> {
    // If the prefix is not valid, the flipped bit is in the prefix itself.
    let reach = if why == Damage::Unknown { 2 } else { MAX_RECORD_BYTES };
    let mut changed = bytes[..bytes.len().min(MAX_REPAIR_BYTES)].to_vec();
    let mut found = None;
    for index in 0..reach.min(changed.len()) {
        for bit in 0..8 {
            changed[index] ^= 1 << bit;
            if is_proven(&changed, index, progress.clone()) {
                if found.is_some() {
                    return None;
                }
                found = Some((index, changed[index]));
            }
            changed[index] ^= 1 << bit;
        }
    }
    found
}

/// True if the first record covers this index and enough checksum bits are right.
fn is_proven(bytes: &[u8], index: usize, mut progress: Progress) -> bool {
    let mut at = 0;
    let mut bits = 0;
    while bits < MIN_CHECK_BITS {
        let Ok(frame) = record_frame::read(&bytes[at..], &mut progress) else { return false };
        if at == 0 && index >= frame.length {
            return false;
        }
        at += frame.length;
        bits += frame.kind.check_bits();
    }
    true
}
