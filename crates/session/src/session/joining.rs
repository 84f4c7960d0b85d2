//! Joining: sends `PLAY` or `SPECTATE`, and resends it while an essential part of the answer is missing.

use nuggets_atlas::Picture;
use nuggets_protocol::ClientMessage;
use nuggets_time::Timestamp;

use super::{Effect, JoinProgress, Session, SessionStage};
use crate::retry::Retry;
use crate::{Acceptance, SessionOutcome};

impl Session {
    pub(super) fn ask_to_join(&mut self, now: Timestamp) {
        self.joining_since = now;
        self.retry = Some(Retry::start(now, self.policy.join));
        self.send_join();
    }

    /// Starts another round of tries.
    pub(super) fn ask_again(&mut self, now: Timestamp) {
        self.retry = Some(Retry::start(now, self.policy.join));
        self.retry_play();
    }

    /// True if the server may have given us a seat: it has sent something about the game, or it did not refuse the
    /// first try and its answers may have been lost.
    pub(super) fn may_have_seat(&self) -> bool {
        self.is_answered() || self.retry.is_some_and(|retry| retry.tries() > 1)
    }

    /// True if we keep asking after the last try: the server has answered, so we have a seat, but its answer is
    /// incomplete.
    pub(super) fn keeps_asking(&self, now: Timestamp) -> bool {
        match self.stage {
            SessionStage::Joining => {
                let end_of_round = now.after(self.policy.join.total_ms());
                let limit_ms = self.policy.max_silence_ms;
                let until = limit_ms.map(|limit_ms| self.joining_since.after(limit_ms));
                self.is_answered() && until.is_none_or(|until| end_of_round <= until)
            }
            SessionStage::Playing => !self.scene.has_begun() && self.lacks_answer(),
            _ => false,
        }
    }

    /// True if any message about the game has arrived.
    fn is_answered(&self) -> bool {
        self.scene.has_begun() || self.scene.letter().is_some() || self.scene.size().is_some()
    }

    fn send_join(&mut self) {
        let message = self.name.as_deref().map_or(ClientMessage::Spectate, ClientMessage::Play);
        self.effects.push_back(Effect::Send(message.to_bytes()));
    }

    /// Resends `PLAY` or `SPECTATE`, unless we are known to be in the game: some servers create a second player for a
    /// second `PLAY`. We ask again for messages that servers send only once (`OK`, `GRID`); gold and pictures are
    /// sent again anyway.
    pub(super) fn retry_play(&mut self) {
        if self.lacks_answer() {
            self.send_join();
        }
    }

    fn lacks_answer(&self) -> bool {
        let has_seat = self.has_letter() || self.is_spectator();
        let is_in_the_game = match self.policy.acceptance {
            Acceptance::AnyAnswer => {
                self.stage == SessionStage::Playing
                    && (self.scene.has_begun() || self.scene.size().is_some())
            }
            Acceptance::Playable => self.scene.has_begun(),
        };
        !(has_seat && is_in_the_game)
    }

    /// True if our letter is known, or never will be.
    fn has_letter(&self) -> bool {
        self.scene.letter().is_some() || self.received == JoinProgress::UnreadableOk
    }

    /// Updates the stage after a message about the game: checks whether we are accepted and whether the answer is
    /// complete.
    pub(super) fn update_acceptance(&mut self) {
        let has_letter = self.scene.letter().is_some();
        let is_accepted = match self.policy.acceptance {
            Acceptance::AnyAnswer => true,
            Acceptance::Playable => {
                let you = self.scene.picture().and_then(Picture::you);
                you.is_some() || has_letter && self.scene.has_begun()
            }
        };
        if self.stage == SessionStage::Joining && is_accepted {
            self.stage = SessionStage::Playing;
        }
        let is_complete =
            (self.has_letter() || self.is_spectator()) && self.scene.picture().is_some();
        if self.stage == SessionStage::Playing && is_complete {
            self.retry = None;
        }
    }

    pub(super) fn give_up_joining(&mut self) {
        let outcome = match self.last_error.take() {
            Some(reason) => SessionOutcome::Rejected { reason },
            None if self.received > JoinProgress::Nothing => SessionOutcome::NotAccepted,
            None => {
                let is_next = self.awaits_next_game;
                let policy = if is_next { self.policy.next_game } else { self.policy.join };
                let waited_ms = policy.total_ms();
                SessionOutcome::NoAnswer { tries: policy.max_tries, waited_ms }
            }
        };
        self.end(outcome);
    }
}
