//! From what a terminal reports to the keys and clicks that the client understands.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use nuggets_atlas::Direction;
use ratatui::layout::Position;

use crate::Key;

/// What a press of a key or a button asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pressed {
    /// Something for the client.
    Key(Key),
    /// Ctrl-Z: something for the shell that started us.
    Suspend,
    /// The left button of the mouse, here in the window.
    Click(Position),
}

/// What was pressed, if this is about a key or the left button going down.
pub(crate) fn pressed(event: &Event) -> Option<Pressed> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(meaning(*key)),
        Event::Mouse(mouse) => click(*mouse),
        _ => None,
    }
}

/// Together with Shift, Alt or Control a click is something for the terminal or its owner.
fn click(event: MouseEvent) -> Option<Pressed> {
    let is_ours = event.kind == MouseEventKind::Down(MouseButton::Left);
    let is_plain = event.modifiers.is_empty();
    (is_ours && is_plain).then(|| Pressed::Click(Position::new(event.column, event.row)))
}

fn meaning(event: KeyEvent) -> Pressed {
    let shift = event.modifiers.contains(KeyModifiers::SHIFT);
    let modified = event.modifiers.difference(KeyModifiers::SHIFT);
    if modified == KeyModifiers::CONTROL {
        return with_control(event.code);
    }
    Pressed::Key(match (event.code, direction(event.code)) {
        _ if !modified.is_empty() => Key::Other,
        (KeyCode::Char(c), _) => Key::Char(c),
        (KeyCode::Tab, _) if !shift => Key::Tab,
        (KeyCode::Tab | KeyCode::BackTab, _) => Key::BackTab,
        (_, Some(direction)) if shift => Key::Sprint(direction),
        (_, Some(direction)) => Key::Step(direction),
        _ => Key::Other,
    })
}

fn with_control(code: KeyCode) -> Pressed {
    match code {
        KeyCode::Char('c' | 'C') => Pressed::Key(Key::Interrupt),
        KeyCode::Char('d' | 'D') => Pressed::Key(Key::EndOfInput),
        KeyCode::Char('z' | 'Z') => Pressed::Suspend,
        _ => Pressed::Key(Key::Other),
    }
}

/// Arrows, and the corners of the block above them as on a keypad.
fn direction(code: KeyCode) -> Option<Direction> {
    Some(match code {
        KeyCode::Left => Direction::Left,
        KeyCode::Right => Direction::Right,
        KeyCode::Up => Direction::Up,
        KeyCode::Down => Direction::Down,
        KeyCode::Home => Direction::UpLeft,
        KeyCode::PageUp => Direction::UpRight,
        KeyCode::End => Direction::DownLeft,
        KeyCode::PageDown => Direction::DownRight,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(code: KeyCode, modifiers: KeyModifiers) -> Option<Pressed> {
        pressed(&Event::Key(KeyEvent::new(code, modifiers)))
    }

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Key {
        match typed(code, modifiers) {
            Some(Pressed::Key(key)) => key,
            other => panic!("{code:?} with {modifiers:?} is {other:?}"),
        }
    }

    #[test]
    fn pointing_keys_step_and_with_shift_they_sprint() {
        let codes = [
            (KeyCode::Left, Direction::Left),
            (KeyCode::Right, Direction::Right),
            (KeyCode::Up, Direction::Up),
            (KeyCode::Down, Direction::Down),
            (KeyCode::Home, Direction::UpLeft),
            (KeyCode::PageUp, Direction::UpRight),
            (KeyCode::End, Direction::DownLeft),
            (KeyCode::PageDown, Direction::DownRight),
        ];
        for (code, direction) in codes {
            assert_eq!(key(code, KeyModifiers::NONE), Key::Step(direction));
            assert_eq!(key(code, KeyModifiers::SHIFT), Key::Sprint(direction));
            assert_eq!(key(code, KeyModifiers::ALT), Key::Other);
            assert_eq!(key(code, KeyModifiers::CONTROL), Key::Other);
        }
    }

    #[test]
    fn characters_are_themselves_unless_alt_or_control_is_held() {
        assert_eq!(key(KeyCode::Char('l'), KeyModifiers::NONE), Key::Char('l'));
        assert_eq!(key(KeyCode::Char('L'), KeyModifiers::SHIFT), Key::Char('L'));
        assert_eq!(key(KeyCode::Char('é'), KeyModifiers::NONE), Key::Char('é'));
        assert_eq!(key(KeyCode::Char('l'), KeyModifiers::ALT), Key::Other);
        assert_eq!(key(KeyCode::Char('l'), KeyModifiers::CONTROL), Key::Other);
        let both = KeyModifiers::CONTROL | KeyModifiers::ALT;
        assert_eq!(key(KeyCode::Char('c'), both), Key::Other);
    }

    #[test]
    fn three_control_keys_have_a_meaning() {
        let control = KeyModifiers::CONTROL;
        assert_eq!(key(KeyCode::Char('c'), control), Key::Interrupt);
        assert_eq!(key(KeyCode::Char('d'), control), Key::EndOfInput);
        assert_eq!(typed(KeyCode::Char('z'), control), Some(Pressed::Suspend));
    }

    #[test]
    fn terminals_tell_of_the_tabulator_with_shift_in_two_ways() {
        assert_eq!(key(KeyCode::Tab, KeyModifiers::NONE), Key::Tab);
        assert_eq!(key(KeyCode::Tab, KeyModifiers::SHIFT), Key::BackTab);
        assert_eq!(key(KeyCode::BackTab, KeyModifiers::SHIFT), Key::BackTab);
        assert_eq!(key(KeyCode::BackTab, KeyModifiers::NONE), Key::BackTab);
    }

    #[test]
    fn every_other_key_is_unknown() {
        for code in
            [KeyCode::F(1), KeyCode::Esc, KeyCode::Enter, KeyCode::Backspace, KeyCode::Insert]
        {
            assert_eq!(key(code, KeyModifiers::NONE), Key::Other, "{code:?}");
        }
    }

    #[test]
    fn a_held_key_repeats_and_a_released_one_says_nothing() {
        let event = |kind| {
            let code = KeyCode::Char('l');
            Event::Key(KeyEvent::new_with_kind(code, KeyModifiers::NONE, kind))
        };
        let step = Some(Pressed::Key(Key::Char('l')));
        assert_eq!(pressed(&event(KeyEventKind::Repeat)), step);
        assert_eq!(pressed(&event(KeyEventKind::Release)), None);
        assert_eq!(pressed(&Event::Resize(80, 24)), None);
    }

    #[test]
    fn of_the_mouse_only_the_left_button_going_down_counts() {
        let event = |kind, modifiers| {
            pressed(&Event::Mouse(MouseEvent { kind, column: 7, row: 2, modifiers }))
        };
        let left = MouseEventKind::Down(MouseButton::Left);
        let click = Some(Pressed::Click(Position::new(7, 2)));
        assert_eq!(event(left, KeyModifiers::NONE), click);
        for modifier in [KeyModifiers::SHIFT, KeyModifiers::ALT, KeyModifiers::CONTROL] {
            assert_eq!(event(left, modifier), None, "{modifier:?}");
        }
        for kind in [
            MouseEventKind::Up(MouseButton::Left),
            MouseEventKind::Drag(MouseButton::Left),
            MouseEventKind::Down(MouseButton::Right),
            MouseEventKind::Down(MouseButton::Middle),
            MouseEventKind::Moved,
            MouseEventKind::ScrollDown,
            MouseEventKind::ScrollUp,
        ] {
            assert_eq!(event(kind, KeyModifiers::NONE), None, "{kind:?}");
        }
    }
}
