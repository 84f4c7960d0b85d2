//! Keys that the user has bound to actions: each stands for the key that has the action by default.

use std::collections::BTreeMap;

use crate::Key;

/// A map from bound characters to the characters that they stand for.
///
/// ```
/// use nuggets_tui::{Key, KeyBindings};
///
/// let mut keys = KeyBindings::default();
/// assert!(keys.bind('e', 'o', "explore") && !keys.bind('e', 'i', "panel"), "bound twice");
/// assert_eq!(keys.translate(Key::Char('e')), Key::Char('o'));
/// assert_eq!(keys.translate(Key::Char('x')), Key::Char('x'));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyBindings {
    usual_by_key: BTreeMap<char, (char, &'static str)>,
}

impl KeyBindings {
    /// Lets `key` stand for `usual`, the key that has this action. False if it is bound already.
    pub fn bind(&mut self, key: char, usual: char, action: &'static str) -> bool {
        let is_free = !self.usual_by_key.contains_key(&key);
        if is_free {
            self.usual_by_key.insert(key, (usual, action));
        }
        is_free
    }

    /// The key that this one stands for.
    pub fn translate(&self, key: Key) -> Key {
        match key {
            Key::Char(typed) => {
                Key::Char(self.usual_by_key.get(&typed).map_or(typed, |(usual, _)| *usual))
            }
            other => other,
        }
    }

    /// Every bound key with the name of its action.
    pub fn named(&self) -> impl Iterator<Item = (char, &'static str)> {
        self.usual_by_key.iter().map(|(&key, &(_, action))| (key, action))
    }
}
