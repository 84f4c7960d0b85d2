//! The two bytes that every record begins with: its kind, and the number of bytes of time that follow.
//!
//! They alone give the length of a press, so they contain check bits of their own: one flipped bit
//! never makes a reader look for a checksum in the wrong place.

use nuggets_game::{Letter, Stroke, Viewer};

use crate::RecordingEnd;

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Press(Letter, Stroke),
    Leave(Letter),
    Join,
    Watch,
    Unwatch,
    Resumed,
    Checkpoint,
    End(RecordingEnd),
    EndDelivered,
    /// Since format version 3.
    Heard(Viewer),
    /// Since format version 3.
    Begun,
}

/// The kind of a record, and the number of its bytes of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prefix {
    pub(crate) kind: Kind,
    pub(crate) time_bytes: u8,
}

const PREFIX_BYTES: usize = 2;
/// Three bits hold the number of bytes of time.
pub(crate) const MAX_TIME_BYTES: u8 = 7;

/// A stroke is encoded as its index in this list.
const KEYS: &[u8; 16] = b"hlkjyubnHLKJYUBN";
const FIRST_LEAVE: u16 = 16 * 26;
const FIRST_OTHER: u16 = FIRST_LEAVE + 26;
/// The kinds without a letter; each is encoded as its index in this list.
const OTHERS: [Kind; 8] = [
    Kind::Join,
    Kind::Watch,
    Kind::Unwatch,
    Kind::Resumed,
    Kind::Checkpoint,
    Kind::End(RecordingEnd::Over),
    Kind::End(RecordingEnd::Closed),
    Kind::EndDelivered,
];
const FIRST_HEARD: u16 = FIRST_OTHER + 8;
const HEARD_SPECTATOR: u16 = FIRST_HEARD + 26;
/// The kinds that were added later, encoded as their index in this list.
const LATER: [Kind; 3] =
    [Kind::End(RecordingEnd::ByHost), Kind::End(RecordingEnd::Stalemate), Kind::Begun];
const FIRST_LATER: u16 = HEARD_SPECTATOR + 1;
/// The exclusive or of the four hexadecimal digits of a prefix. Not 0: a block of zeros is not a record.
const CHECK: u16 = 0xa;

impl Kind {
    /// True if such a record holds a state hash and a second checksum over itself alone, by which it
    /// is found after damage.
    pub(crate) fn is_self_checked(self) -> bool {
        matches!(self, Self::Checkpoint | Self::End(_))
    }

    /// The number of checksum bits in such a record.
    pub(crate) fn check_bits(self) -> u32 {
        match self {
            Self::Press(..) => 8,
            kind if kind.is_self_checked() => 64,
            _ => 32,
        }
    }

    /// True if the record is an input of the game.
    pub(crate) fn is_input(self) -> bool {
        matches!(self, Self::Press(..) | Self::Leave(_) | Self::Join)
    }

    fn code(self) -> u16 {
        match self {
            Self::Press(letter, stroke) => number(letter) * 16 + index(KEYS, &stroke.key()),
            Self::Leave(letter) => FIRST_LEAVE + number(letter),
            Self::Heard(Viewer::Player(letter)) => FIRST_HEARD + number(letter),
            Self::Heard(Viewer::Spectator) => HEARD_SPECTATOR,
            later if LATER.contains(&later) => FIRST_LATER + index(&LATER, &later),
            other => FIRST_OTHER + index(&OTHERS, &other),
        }
    }

    fn from_code(code: u16) -> Option<Self> {
        let letter = |number: u16| Letter::nth(number.into());
        if code < FIRST_LEAVE {
            let stroke = Stroke::from_key(KEYS[usize::from(code % 16)])?;
            return Some(Self::Press(letter(code / 16)?, stroke));
        }
        if code < FIRST_OTHER {
            return letter(code - FIRST_LEAVE).map(Self::Leave);
        }
        if code < FIRST_HEARD {
            return OTHERS.get(usize::from(code - FIRST_OTHER)).copied();
        }
        if code == HEARD_SPECTATOR {
            return Some(Self::Heard(Viewer::Spectator));
        }
        if code >= FIRST_LATER {
            return LATER.get(usize::from(code - FIRST_LATER)).copied();
        }
        letter(code - FIRST_HEARD).map(|letter| Self::Heard(Viewer::Player(letter)))
    }
}

fn number(letter: Letter) -> u16 {
    u16::from(letter.as_byte() - b'A')
}

fn index<T: PartialEq>(list: &[T], wanted: &T) -> u16 {
    (0..).zip(list).find(|(_, one)| *one == wanted).expect("the list is complete").0
}

impl Prefix {
    /// Nine bits of kind, three of time, four of check; the high byte first.
    pub(crate) fn to_bytes(self) -> [u8; PREFIX_BYTES] {
        let content = self.kind.code() << 3 | u16::from(self.time_bytes);
        (content << 4 | (xor_digits(content) ^ CHECK)).to_be_bytes()
    }

    pub(crate) fn from_bytes(bytes: [u8; PREFIX_BYTES]) -> Option<Self> {
        let word = u16::from_be_bytes(bytes);
        let time_bytes = bytes[1] >> 4 & MAX_TIME_BYTES;
        let kind = Kind::from_code(word >> 7).filter(|_| xor_digits(word) == CHECK)?;
        Some(Self { kind, time_bytes })
    }
}

/// The exclusive or of the four hexadecimal digits.
fn xor_digits(word: u16) -> u16 {
    (word >> 12 ^ word >> 8 ^ word >> 4 ^ word) & 0xf
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<(u16, Prefix)> {
        let read = |word: u16| Prefix::from_bytes(word.to_be_bytes()).map(|prefix| (word, prefix));
        (0..=u16::MAX).filter_map(read).collect()
    }

    #[test]
    fn every_prefix_is_written_as_it_was_read() {
        let all = all();
        assert_eq!(all.len(), (16 * 26 + 26 + 8 + 27 + 3) * 8);
        for (word, prefix) in all {
            assert_eq!(u16::from_be_bytes(prefix.to_bytes()), word, "{prefix:?}");
        }
    }

    #[test]
    fn a_flipped_bit_gives_no_valid_prefix() {
        for (word, prefix) in all() {
            for bit in 0..16 {
                let flipped = word ^ 1 << bit;
                assert_eq!(Prefix::from_bytes(flipped.to_be_bytes()), None, "{prefix:?} bit {bit}");
            }
        }
    }

    #[test]
    fn zeros_and_ones_that_a_disk_leaves_are_no_prefix() {
        assert_eq!(Prefix::from_bytes([0, 0]), None);
        assert_eq!(Prefix::from_bytes([0xff, 0xff]), None);
    }

    /// Every recording holds these numbers.
    #[test]
    fn the_numbers_of_kinds_never_change() {
        let bytes = |kind| Prefix { kind, time_bytes: 1 }.to_bytes();
        let a = Letter::nth(0).unwrap();
        let z = Letter::nth(25).unwrap();
        let stroke = |key| Stroke::from_key(key).unwrap();
        assert_eq!(bytes(Kind::Press(a, stroke(b'h'))), [0x00, 0x1b]);
        assert_eq!(bytes(Kind::Press(z, stroke(b'N'))), [0xcf, 0x90]);
        assert_eq!(bytes(Kind::Leave(a)), [0xd0, 0x16]);
        assert_eq!(bytes(Kind::Join), [0xdd, 0x1b]);
        assert_eq!(bytes(Kind::End(RecordingEnd::Closed)), [0xe0, 0x15]);
        assert_eq!(bytes(Kind::EndDelivered), [0xe0, 0x9d]);
        assert_eq!(bytes(Kind::End(RecordingEnd::ByHost)), [0xee, 0x93]);
        assert_eq!(bytes(Kind::End(RecordingEnd::Stalemate)), [0xef, 0x1a]);
        assert_eq!(bytes(Kind::Begun), [0xef, 0x92]);
    }
}
