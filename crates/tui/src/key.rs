//! Keys as the programs understand them, and the character that a `KEY` message carries for each. `key_mapping` knows
//! the terminal's encoding of keys.

use nuggets_protocol::{Direction, Stroke};

/// A key that was pressed.
///
/// ```
/// use nuggets_protocol::Direction;
/// use nuggets_tui::Key;
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
    /// A key with a direction, such as an arrow.
    Step(Direction),
    /// A key with a direction, together with Shift.
    Sprint(Direction),
    /// Tab.
    Tab,
    /// Tab together with Shift.
    BackTab,
    /// Ctrl-C, or a signal that asks the program to end.
    Interrupt,
    /// Ctrl-D.
    EndOfInput,
    /// Ctrl-L: draw everything again.
    Redraw,
    /// Any other key.
    Other,
}

impl Key {
    /// The character to send for this key; none if `KEY` can't carry it.
    pub fn wire(self) -> Option<u8> {
        match self {
            Self::Char(c) => match keypad_direction(c) {
                Some(direction) => Some(direction.key()),
                None => u8::try_from(c).ok().filter(|&byte| is_sendable(byte)),
            },
            Self::Step(direction) => Some(Stroke::Step(direction).key()),
            Self::Sprint(direction) => Some(Stroke::Sprint(direction).key()),
            Self::Tab
            | Self::BackTab
            | Self::Interrupt
            | Self::EndOfInput
            | Self::Redraw
            | Self::Other => None,
        }
    }

    /// True if this key asks to leave the game.
    pub fn is_quit(self) -> bool {
        matches!(self, Self::Char('Q') | Self::Interrupt | Self::EndOfInput)
    }
}

/// The direction of a digit on a keypad, as seen from the 5 in the middle.
fn keypad_direction(digit: char) -> Option<Direction> {
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

/// True if `KEY` can carry this byte: printable ASCII, including the space.
pub fn is_sendable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wires(keys: impl IntoIterator<Item = Key>) -> String {
        let wire = |key: Key| char::from(key.wire().expect("each of these keys is sent"));
        keys.into_iter().map(wire).collect()
    }

    #[test]
    fn direction_keys_step_and_with_shift_they_sprint() {
        assert_eq!(wires(Direction::ALL.map(Key::Step)), "hlkjyubn");
        assert_eq!(wires(Direction::ALL.map(Key::Sprint)), "HLKJYUBN");
    }

    #[test]
    fn keypad_digits_are_directions_seen_from_the_5() {
        assert_eq!(wires("789456123".chars().map(Key::Char)), "ykuh5lbjn");
        assert_eq!(Key::Char('0').wire(), Some(b'0'));
    }

    #[test]
    fn every_other_printable_character_is_sent_unchanged() {
        for byte in (b' '..=b'~').filter(|b| !b"12346789".contains(b)) {
            assert_eq!(Key::Char(char::from(byte)).wire(), Some(byte));
        }
    }

    #[test]
    fn keys_that_a_message_cannot_carry_are_not_sent() {
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
            Key::Redraw,
            Key::Other,
        ] {
            assert_eq!(key.wire(), None, "{key:?}");
        }
    }
}
