//! A game of our own waits for its player: before the first key, while help or the screen that asks for a
//! larger window is up, and while it is paused. Then the bots stand still.

use nuggets_session::SessionStage;
use nuggets_tui::Key;

use super::{App, note};
use crate::layout::Fit;

/// The state of the bots in a game of our own: they play, or wait for a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// No key was pressed yet.
    NotBegun,
    /// They play.
    Running,
    /// The player has paused the game.
    Paused,
}

impl App {
    /// True if the bots have to stand still now.
    pub fn is_waiting(&self) -> bool {
        let Some(pause) = self.pause else { return false };
        let is_playing = self.session.stage() == SessionStage::Playing;
        let is_unseen = self.help_is_open || self.fit() == Some(Fit::TooSmall);
        is_playing && (pause != Pause::Running || is_unseen)
    }

    /// Starts or continues the game on any key. Returns true if the key has no other effect.
    pub(super) fn handle_pause_key(&mut self, key: Key) -> bool {
        let is_pause_key = key == Key::Char('p');
        match self.pause {
            // Reading the help page is not playing yet.
            Some(Pause::NotBegun) if matches!(key, Key::Char('?') | Key::Redraw) => false,
            Some(Pause::NotBegun | Pause::Paused) => {
                self.pause = Some(Pause::Running);
                is_pause_key
            }
            Some(Pause::Running) if is_pause_key => {
                self.pause = Some(Pause::Paused);
                self.stop_errand();
                true
            }
            Some(Pause::Running) | None => false,
        }
    }

    /// Returns the text of the note while the bots wait.
    pub(super) fn pause_text(&self) -> Option<&'static str> {
        if self.session.stage() != SessionStage::Playing {
            return None;
        }
        match self.pause? {
            Pause::NotBegun => Some(note::NOT_BEGUN),
            Pause::Paused => Some(note::PAUSED),
            Pause::Running => None,
        }
    }
}
