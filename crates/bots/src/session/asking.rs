//! Asking the server for something, and asking again while it does not answer: to be let in, or to be
//! let go.

use std::time::Duration;

use nuggets_protocol::ClientMessage;

use super::{Effect, Ending, Session, Stage, WONDER_TRIES};

/// A question that waits for its answer: to be let in, or to be let go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asking {
    pub(super) next: Duration,
    pub(super) asked: u32,
    pause: Duration,
}

impl Session {
    pub(super) fn ask_to_join(&mut self, now: Duration) {
        self.ask(now, self.limits.join_pause);
        self.send_join();
    }

    pub(super) fn ask(&mut self, now: Duration, pause: Duration) {
        self.asking = Some(Asking { next: now + pause, asked: 1, pause });
    }

    fn send_join(&mut self) {
        self.effects.push_back(Effect::Send(ClientMessage::Play(&self.name).to_bytes()));
    }

    /// Puts the question once more, or gives it up. The pauses before joining grow.
    pub(super) fn ask_again(&mut self, now: Duration) {
        let Some(asking) = &mut self.asking else { return };
        let (is_leaving, tries) = match self.stage {
            Stage::Leaving => (true, self.limits.quit_tries),
            Stage::Wondering => (true, WONDER_TRIES),
            _ => (false, self.limits.join_tries),
        };
        if asking.asked >= tries {
            return self.give_up_asking();
        }
        asking.asked += 1;
        if !is_leaving {
            asking.pause *= 2;
        }
        asking.next = now + asking.pause;
        match is_leaving {
            true => self.send_key(b'Q'),
            false if self.is_let_in() => {}
            false => self.send_join(),
        }
    }

    /// Whoever has a letter and hears of the game is in it: some servers take a second `PLAY` for a
    /// second player.
    pub(super) fn is_let_in(&self) -> bool {
        self.scene.letter().is_some() && self.scene.has_begun()
    }

    pub(super) fn give_up_asking(&mut self) {
        self.asking = None;
        match self.stage {
            Stage::Joining => {
                let ending = match self.complaint.take() {
                    Some(why) => Ending::Refused(why),
                    None if self.has_heard => Ending::NotShown,
                    None => Ending::NoAnswer,
                };
                self.leave(ending);
            }
            Stage::Leaving => self.leave(Ending::LeftWithoutGoodbye),
            Stage::Wondering => self.leave(Ending::Quit(String::new())),
            // One can play without knowing one's letter.
            Stage::Playing | Stage::Left => {}
        }
    }
}
