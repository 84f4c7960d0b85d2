//! The two bytes that every record begins with: its kind, and how many bytes of time follow.
//!
//! They alone say how long a press is. So they guard themselves: a reader never looks for a checksum
//! in the wrong place because one bit has flipped.

use nuggets_game::{Letter, Stroke};

use crate::Ending;

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
    End(Ending),
    Told,
}

/// A kind, and the number of bytes of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) kind: Kind,
    pub(crate) time_bytes: u8,
}

pub(crate) const HEAD_BYTES: usize = 2;
/// Three bits say how many bytes of time follow.
pub(crate) const MAX_TIME_BYTES: u8 = 7;

/// A stroke's place in this list is its number.
const KEYS: &[u8; 16] = b"hlkjyubnHLKJYUBN";
const FIRST_LEAVE: u16 = 16 * 26;
const FIRST_OTHER: u16 = FIRST_LEAVE + 26;
/// All kinds that name no letter, each in the place that is its number.
const OTHERS: [Kind; 8] = [
    Kind::Join,
    Kind::Watch,
    Kind::Unwatch,
    Kind::Resumed,
    Kind::Checkpoint,
    Kind::End(Ending::Over),
    Kind::End(Ending::Closed),
    Kind::Told,
];
/// The four digits of a head add up to this without carry. Not 0: a hole of zeros is no record.
const DIGITS: u16 = 0xa;

impl Kind {
    /// A record of this kind can be recognised without those before it.
    pub(crate) fn is_seal(self) -> bool {
        matches!(self, Self::Checkpoint | Self::End(_))
    }

    /// The game takes this.
    pub(crate) fn is_input(self) -> bool {
        matches!(self, Self::Press(..) | Self::Leave(_) | Self::Join)
    }

    fn code(self) -> u16 {
        match self {
            Self::Press(letter, stroke) => nth(letter) * 16 + place(KEYS, &stroke.key()),
            Self::Leave(letter) => FIRST_LEAVE + nth(letter),
            other => FIRST_OTHER + place(&OTHERS, &other),
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
        OTHERS.get(usize::from(code - FIRST_OTHER)).copied()
    }
}

fn nth(letter: Letter) -> u16 {
    u16::from(letter.as_char() - b'A')
}

fn place<T: PartialEq>(list: &[T], wanted: &T) -> u16 {
    (0..).zip(list).find(|(_, one)| *one == wanted).expect("every one is in the list").0
}

impl Head {
    /// Nine bits of kind, three of time, four of guard; the high byte first.
    pub(crate) fn to_bytes(self) -> [u8; HEAD_BYTES] {
        let said = self.kind.code() << 3 | u16::from(self.time_bytes);
        (said << 4 | (digits(said) ^ DIGITS)).to_be_bytes()
    }

    pub(crate) fn from_bytes(bytes: [u8; HEAD_BYTES]) -> Option<Self> {
        let word = u16::from_be_bytes(bytes);
        let time_bytes = bytes[1] >> 4 & MAX_TIME_BYTES;
        let kind = Kind::from_code(word >> 7).filter(|_| digits(word) == DIGITS)?;
        Some(Self { kind, time_bytes })
    }
}

/// The four hexadecimal digits, added without carry.
fn digits(word: u16) -> u16 {
    (word >> 12 ^ word >> 8 ^ word >> 4 ^ word) & 0xf
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<(u16, Head)> {
        let read = |word: u16| Head::from_bytes(word.to_be_bytes()).map(|head| (word, head));
        (0..=u16::MAX).filter_map(read).collect()
    }

    #[test]
    fn every_head_is_written_as_it_was_read() {
        let all = all();
        assert_eq!(all.len(), (16 * 26 + 26 + 8) * 8);
        for (word, head) in all {
            assert_eq!(u16::from_be_bytes(head.to_bytes()), word, "{head:?}");
        }
    }

    #[test]
    fn one_bit_more_or_less_makes_no_other_head() {
        for (word, head) in all() {
            for bit in 0..16 {
                let flipped = word ^ 1 << bit;
                assert_eq!(Head::from_bytes(flipped.to_be_bytes()), None, "{head:?} bit {bit}");
            }
        }
    }

    #[test]
    fn what_a_disk_leaves_in_a_hole_is_no_head() {
        assert_eq!(Head::from_bytes([0, 0]), None);
        assert_eq!(Head::from_bytes([0xff, 0xff]), None);
    }

    /// Every recording holds these numbers.
    #[test]
    fn the_numbers_of_kinds_never_change() {
        let bytes = |kind| Head { kind, time_bytes: 1 }.to_bytes();
        let (a, z) = (Letter::nth(0).unwrap(), Letter::nth(25).unwrap());
        let stroke = |key| Stroke::from_key(key).unwrap();
        assert_eq!(bytes(Kind::Press(a, stroke(b'h'))), [0x00, 0x1b]);
        assert_eq!(bytes(Kind::Press(z, stroke(b'N'))), [0xcf, 0x90]);
        assert_eq!(bytes(Kind::Leave(a)), [0xd0, 0x16]);
        assert_eq!(bytes(Kind::Join), [0xdd, 0x1b]);
        assert_eq!(bytes(Kind::End(Ending::Closed)), [0xe0, 0x15]);
        assert_eq!(bytes(Kind::Told), [0xe0, 0x9d]);
    }
}
