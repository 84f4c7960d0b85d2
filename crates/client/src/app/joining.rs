//! The way in: asking to join, and asking again for as long as something essential is missing.

use nuggets_protocol::{ClientMessage, MAX_NAME_BYTES};

use super::asking::Asking;
use super::leaving::SENT_AWAY;
use super::{App, Effect, Ending, JOIN_TRIES, Stage, note};
use crate::Millis;

impl App {
    pub(super) fn ask_to_join(&mut self, now: Millis) {
        self.asking = Some(Asking::new(now, JOIN_TRIES));
        self.send_join();
    }

    fn send_join(&mut self) {
        let bytes = match &self.join.name {
            Some(name) => ClientMessage::Play(&presentable(name)).to_bytes(),
            None => ClientMessage::Spectate.to_bytes(),
        };
        self.effects.push_back(Effect::Send(bytes));
    }

    /// Something about the game was told: we are in. An answer is complete with the letter and the
    /// first picture.
    pub(super) fn welcome(&mut self) {
        if self.stage == Stage::Joining {
            self.stage = Stage::Playing;
        }
        let complete = !self.lacks_a_place() && self.scene.picture().is_some();
        if self.stage == Stage::Playing && complete {
            self.asking = None;
        }
    }

    /// Whether to ask again can help. What a server tells only once may be lost: gold and pictures
    /// come again. Once one of these has come we are in the game, and some servers take a second
    /// `PLAY` for a second player: then only our letter is worth asking for.
    fn lacks_a_place(&self) -> bool {
        let lettered = self.scene.letter().is_some() || self.join.is_spectator();
        !lettered || self.scene.size().is_none() && !self.scene.has_begun()
    }

    pub(super) fn ask_again(&mut self, now: Millis) {
        match self.stage {
            Stage::Joining => self.send_join(),
            Stage::Playing if self.lacks_a_place() => self.send_join(),
            Stage::Leaving => {
                self.send_key(b'Q');
                self.put_note(now, note::PARTING);
            }
            Stage::Wondering => self.send_key(b'Q'),
            Stage::Playing | Stage::Left => {}
        }
    }

    pub(super) fn give_up_asking(&mut self) {
        self.asking = None;
        match self.stage {
            Stage::Joining => {
                let ending = match self.complaint.take() {
                    Some(why) => Ending::Refused(why),
                    None if self.has_heard => Ending::Nonsense,
                    None => Ending::NoAnswer,
                };
                self.leave(ending);
            }
            Stage::Leaving => self.leave(Ending::LeftWithoutGoodbye),
            Stage::Wondering => self.leave(Ending::Quit(SENT_AWAY.to_owned())),
            Stage::Playing | Stage::Left => {}
        }
    }
}

/// A name as a server takes it: cut, and without newlines, of which one at the end would spoil the
/// message. The server sees to the rest.
fn presentable(name: &[u8]) -> Vec<u8> {
    let cut = name.iter().take(MAX_NAME_BYTES);
    cut.map(|&byte| if byte == b'\n' { b'_' } else { byte }).collect()
}
