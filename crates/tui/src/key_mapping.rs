//! Key mapping: from the events of a terminal to the keys and clicks that the programs understand.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use nuggets_protocol::Direction;
use ratatui::layout::Position;

use crate::{Key, TerminalEvent};

/// Returns the event of a pressed key or of the left mouse button; `None` for everything else.
pub(crate) fn map_event(event: &Event) -> Option<TerminalEvent> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(map_key(*key)),
        Event::Mouse(mouse) => map_mouse(*mouse),
        _ => None,
    }
}

/// A press together with Shift, Alt or Control is left to the terminal.
fn map_mouse(event: MouseEvent) -> Option<TerminalEvent> {
    let at = Position::new(event.column, event.row);
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) if event.modifiers.is_empty() => {
            Some(TerminalEvent::MouseDown(at))
        }
        MouseEventKind::Drag(MouseButton::Left) => Some(TerminalEvent::MouseDrag(at)),
        MouseEventKind::Up(MouseButton::Left) => Some(TerminalEvent::MouseUp(at)),
        _ => None,
    }
}

fn map_key(event: KeyEvent) -> TerminalEvent {
    let shift = event.modifiers.contains(KeyModifiers::SHIFT);
    let modified = event.modifiers.difference(KeyModifiers::SHIFT);
    if modified == KeyModifiers::CONTROL {
        return map_control_key(event.code);
    }
    TerminalEvent::Key(match (event.code, direction(event.code)) {
        _ if !modified.is_empty() => Key::Other,
        (KeyCode::Char(c), _) => Key::Char(c),
        (KeyCode::Tab, _) if !shift => Key::Tab,
        (KeyCode::Tab | KeyCode::BackTab, _) => Key::BackTab,
        (_, Some(direction)) if shift => Key::Sprint(direction),
        (_, Some(direction)) => Key::Step(direction),
        _ => Key::Other,
    })
}

fn map_control_key(code: KeyCode) -> TerminalEvent {
    match code {
        KeyCode::Char('c' | 'C') => TerminalEvent::Key(Key::Interrupt),
        KeyCode::Char('d' | 'D') => TerminalEvent::Key(Key::EndOfInput),
        KeyCode::Char('l' | 'L') => TerminalEvent::Key(Key::Redraw),
        KeyCode::Char('z' | 'Z') => TerminalEvent::SuspendKey,
        _ => TerminalEvent::Key(Key::Other),
    }
}

/// Arrows; Home, End, Page Up and Page Down are the diagonals, as on a keypad.
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

    fn typed(code: KeyCode, modifiers: KeyModifiers) -> Option<TerminalEvent> {
        map_event(&Event::Key(KeyEvent::new(code, modifiers)))
    }

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Key {
        match typed(code, modifiers) {
            Some(TerminalEvent::Key(key)) => key,
            other => panic!("{code:?} with {modifiers:?} is {other:?}"),
        }
    }

    #[test]
    fn direction_keys_step_and_with_shift_they_sprint() {
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
    fn characters_are_mapped_to_themselves_unless_alt_or_control_is_held() {
        assert_eq!(key(KeyCode::Char('l'), KeyModifiers::NONE), Key::Char('l'));
        assert_eq!(key(KeyCode::Char('L'), KeyModifiers::SHIFT), Key::Char('L'));
        assert_eq!(key(KeyCode::Char('é'), KeyModifiers::NONE), Key::Char('é'));
        assert_eq!(key(KeyCode::Char('l'), KeyModifiers::ALT), Key::Other);
        assert_eq!(key(KeyCode::Char('k'), KeyModifiers::CONTROL), Key::Other);
        let both = KeyModifiers::CONTROL | KeyModifiers::ALT;
        assert_eq!(key(KeyCode::Char('c'), both), Key::Other);
    }

    #[test]
    fn four_control_keys_are_mapped() {
        let control = KeyModifiers::CONTROL;
        assert_eq!(key(KeyCode::Char('c'), control), Key::Interrupt);
        assert_eq!(key(KeyCode::Char('d'), control), Key::EndOfInput);
        assert_eq!(key(KeyCode::Char('l'), control), Key::Redraw);
        assert_eq!(typed(KeyCode::Char('z'), control), Some(TerminalEvent::SuspendKey));
    }

    #[test]
    fn both_reports_of_shift_tab_are_mapped() {
        assert_eq!(key(KeyCode::Tab, KeyModifiers::NONE), Key::Tab);
        assert_eq!(key(KeyCode::Tab, KeyModifiers::SHIFT), Key::BackTab);
        assert_eq!(key(KeyCode::BackTab, KeyModifiers::SHIFT), Key::BackTab);
        assert_eq!(key(KeyCode::BackTab, KeyModifiers::NONE), Key::BackTab);
    }

    #[test]
    fn every_other_key_is_mapped_to_other() {
        for code in
            [KeyCode::F(1), KeyCode::Esc, KeyCode::Enter, KeyCode::Backspace, KeyCode::Insert]
        {
            assert_eq!(key(code, KeyModifiers::NONE), Key::Other, "{code:?}");
        }
    }

    #[test]
    fn a_held_key_repeats_and_a_released_one_is_ignored() {
        let event = |kind| {
            let code = KeyCode::Char('l');
            Event::Key(KeyEvent::new_with_kind(code, KeyModifiers::NONE, kind))
        };
        let step = Some(TerminalEvent::Key(Key::Char('l')));
        assert_eq!(map_event(&event(KeyEventKind::Repeat)), step);
        assert_eq!(map_event(&event(KeyEventKind::Release)), None);
        assert_eq!(map_event(&Event::Resize(80, 24)), None);
    }

    #[test]
    fn only_the_left_mouse_button_is_mapped() {
        let event = |kind, modifiers| {
            map_event(&Event::Mouse(MouseEvent { kind, column: 7, row: 2, modifiers }))
        };
        let at = Position::new(7, 2);
        let none = KeyModifiers::NONE;
        let left = MouseEventKind::Down(MouseButton::Left);
        assert_eq!(event(left, none), Some(TerminalEvent::MouseDown(at)));
        let drag = event(MouseEventKind::Drag(MouseButton::Left), none);
        assert_eq!(drag, Some(TerminalEvent::MouseDrag(at)));
        let up = event(MouseEventKind::Up(MouseButton::Left), none);
        assert_eq!(up, Some(TerminalEvent::MouseUp(at)));
        for modifier in [KeyModifiers::SHIFT, KeyModifiers::ALT, KeyModifiers::CONTROL] {
            assert_eq!(event(left, modifier), None, "{modifier:?}");
        }
        for kind in [
            MouseEventKind::Up(MouseButton::Right),
            MouseEventKind::Drag(MouseButton::Middle),
            MouseEventKind::Down(MouseButton::Right),
            MouseEventKind::Down(MouseButton::Middle),
            MouseEventKind::Moved,
            MouseEventKind::ScrollDown,
            MouseEventKind::ScrollUp,
        ] {
            assert_eq!(event(kind, none), None, "{kind:?}");
        }
    }
}
