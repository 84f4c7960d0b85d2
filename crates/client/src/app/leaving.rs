//! The way out: saying that we go, and going.

use super::asking::Asking;
use super::{App, Effect, Ending, QUIT_TRIES, Stage};
use crate::Millis;

impl App {
    /// Says that we go, and waits for the answer.
    pub(super) fn say_goodbye(&mut self, now: Millis) {
        self.send_key(b'Q');
        self.stage = Stage::Leaving;
        self.asking = Some(Asking::new(now, QUIT_TRIES));
        self.help_is_open = false;
        self.stand_still();
    }

    /// Says that we go, and goes. Before joining too: the answer to it may merely be lost.
    pub(super) fn turn_away(&mut self, ending: Ending) {
        self.send_key(b'Q');
        self.leave(ending);
    }

    pub(super) fn leave(&mut self, ending: Ending) {
        self.stage = Stage::Left;
        self.asking = None;
        self.note = None;
        self.stand_still();
        self.effects.push_back(Effect::Leave(ending));
    }
}
