//! The next game on the same port: after the final table we ask to join again if the server has announced one.

use nuggets_protocol::{ServerMessage, house_rules};
use nuggets_time::Timestamp;

use super::leaving::final_table;
use super::{Session, SessionStage, Update};
use crate::SessionPolicy;
use crate::retry::Retry;
use crate::text::clean_lines;

impl Session {
    /// Creates a session for the game that follows one that is over. It first asks after a pause, and then
    /// repeatedly: the server may keep sending the end of the last game for a while.
    pub fn for_next_game(now: Timestamp, name: Option<&[u8]>, policy: SessionPolicy) -> Self {
        let mut session = Self::new(now, name, policy);
        session.effects.clear();
        session.awaits_next_game = true;
        session.retry = Some(Retry::start(now, policy.next_game));
        session
    }

    /// True if the server has announced another game on the same port.
    pub fn is_next_game_announced(&self) -> bool {
        self.is_next_game_announced
    }

    /// True if the last game is over and the next has not accepted us yet.
    pub fn awaits_next_game(&self) -> bool {
        self.awaits_next_game && self.stage == SessionStage::Joining
    }

    /// Handles the resent end of the last game: the server is running, so we keep asking.
    pub(super) fn handle_last_end(&mut self, now: Timestamp) -> Update {
        if self.retry.is_some_and(|retry| retry.tries() > 1) {
            self.retry = Some(Retry::start(now, self.policy.next_game));
        }
        Update::Stage
    }

    /// True if this error reply is the next game's answer to a key of the last one, because we have not asked to join
    /// yet.
    pub(super) fn is_late_answer(&self, text: &[u8]) -> bool {
        let has_asked = self.retry.is_none_or(|retry| retry.tries() > 1);
        self.awaits_next_game() && !has_asked && text != house_rules::SHUTTING_DOWN.as_bytes()
    }

    /// Handles a message after the end. A server that is stopping says goodbye directly after the table, so there is
    /// no next game.
    pub(super) fn handle_message_after_end(&mut self, bytes: &[u8]) -> Update {
        let is_goodbye = match ServerMessage::parse_leniently(bytes).map(|read| read.message) {
            Ok(ServerMessage::Quit(text)) => {
                !text.is_empty() && final_table(&clean_lines(&text)).is_none()
            }
            // Any other `NO` answers a key that was still in flight.
            Ok(ServerMessage::No(text)) => *text == *house_rules::SHUTTING_DOWN.as_bytes(),
            _ => false,
        };
        self.is_next_game_announced &= !is_goodbye;
        Update::Stage
    }

    /// Records that the next game has accepted us. Whether another one follows is up to its server to announce.
    pub(super) fn begin_next_game(&mut self) {
        if self.awaits_next_game() {
            self.is_next_game_announced = false;
        }
    }
}
