//! What a person can press, as the client understands it, and what of it goes on the wire.
//! It must not know what a terminal sends for a key.

use nuggets_atlas::{Direction, Stroke};

/// A key that somebody pressed.
///
/// ```
/// use nuggets_atlas::Direction;
/// use nuggets_client::Key;
///
/// assert_eq!(Key::Char('l').wire(), Some(b'l'));
/// assert_eq!(Key::Sprint(Direction::Right).wire(), Some(b'L'));
/// assert_eq!(Key::Char('4').wire(), Some(b'h'), "the keypad");
/// assert_eq!(Key::Other.wire(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A character.
    Char(char),
    /// A key that points somewhere, such as an arrow.
    Step(Direction),
    /// The same together with Shift.
    Sprint(Direction),
    /// The tabulator.
    Tab,
    /// The same together with Shift.
    BackTab,
    /// Ctrl-C, or a signal that asks the client to leave.
    Interrupt,
    /// Ctrl-D.
    EndOfInput,
    /// Any other key.
    Other,
}

impl Key {
    /// The character to send for this key; nothing for a key that no server could understand.
    pub fn wire(self) -> Option<u8> {
        match self {
            Self::Char(c) => match on_keypad(c) {
                Some(direction) => Some(direction.letter()),
                None => u8::try_from(c).ok().filter(|&byte| is_sendable(byte)),
            },
            Self::Step(direction) => Some(Stroke::Step(direction).key()),
            Self::Sprint(direction) => Some(Stroke::Sprint(direction).key()),
            Self::Tab | Self::BackTab | Self::Interrupt | Self::EndOfInput | Self::Other => None,
        }
    }

    /// Whether this key asks to leave the game.
    pub(crate) fn quits(self) -> bool {
        matches!(self, Self::Char('Q') | Self::Interrupt | Self::EndOfInput)
    }
}

/// Where the digits of a keypad point, seen from the 5 in the middle.
fn on_keypad(digit: char) -> Option<Direction> {
    Some(match digit {
        '1' => Direction::DownLeft,
        '2' => Direction::Down,
        '3' => Direction::DownRight,
        '4' => Direction::Left,
        '6' => Direction::Right,
        '7' => Direction::UpLeft,
        '8' => Direction::Up,
        '9' => Direction::UpRight,
        _ => return None,
    })
}

/// Whether `KEY` can carry this byte: printable ASCII and the blank.
pub(crate) fn is_sendable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wires(keys: impl IntoIterator<Item = Key>) -> String {
        let wire = |key: Key| char::from(key.wire().expect("each of these is sent"));
        keys.into_iter().map(wire).collect()
    }

    #[test]
    fn pointing_keys_step_and_with_shift_they_sprint() {
        assert_eq!(wires(Direction::ALL.map(Key::Step)), "hlkjyubn");
        assert_eq!(wires(Direction::ALL.map(Key::Sprint)), "HLKJYUBN");
    }

    #[test]
    fn the_keypad_points_from_its_middle() {
        assert_eq!(wires("789456123".chars().map(Key::Char)), "ykuh5lbjn");
        assert_eq!(Key::Char('0').wire(), Some(b'0'));
    }

    #[test]
    fn every_other_printable_character_goes_out_as_it_is() {
        for byte in (b' '..=b'~').filter(|b| !b"12346789".contains(b)) {
            assert_eq!(Key::Char(char::from(byte)).wire(), Some(byte));
        }
    }

    #[test]
    fn what_no_server_could_understand_is_not_sent() {
        for key in [
            Key::Char('\u{7f}'),
            Key::Char('\n'),
            Key::Char('\u{1b}'),
            Key::Char('é'),
            Key::Char('\u{20ac}'),
            Key::Tab,
            Key::BackTab,
            Key::Interrupt,
            Key::EndOfInput,
            Key::Other,
        ] {
            assert_eq!(key.wire(), None, "{key:?}");
        }
    }
}
