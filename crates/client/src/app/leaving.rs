//! The way out: saying that we go, being sent away, and going.

use super::asking::Asking;
use super::{App, Effect, Ending, QUIT_TRIES, Stage, WONDER_TRIES, note};
use crate::Millis;

/// Our words for a `QUIT` that has none.
pub(super) const SENT_AWAY: &str = "The server has ended the game for you.";

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

    /// The server sends us away. Where `QUIT` has no words, those just before it are the reason.
    pub(super) fn dismissed(&mut self, now: Millis, text: &str) {
        let why = match (text, self.complaint.take(), self.stage) {
            ("", _, Stage::Leaving) => "Goodbye.".to_owned(),
            ("", Some(why), _) => format!("The server has ended the game for you: {why}"),
            ("", None, Stage::Playing) => return self.wonder(now),
            ("", None, Stage::Wondering) => return,
            ("", None, _) => SENT_AWAY.to_owned(),
            (text, ..) => text.to_owned(),
        };
        self.leave(Ending::Quit(why));
    }

    /// Asks why we were sent away: if the game is over, the answer is its result.
    fn wonder(&mut self, now: Millis) {
        self.send_key(b'Q');
        self.stage = Stage::Wondering;
        self.asking = Some(Asking::new(now, WONDER_TRIES));
        self.help_is_open = false;
        self.stand_still();
        self.put_note(now, note::WONDERING);
    }

    pub(super) fn leave(&mut self, ending: Ending) {
        self.stage = Stage::Left;
        self.asking = None;
        self.note = None;
        self.stand_still();
        self.effects.push_back(Effect::Leave(ending));
    }
}
