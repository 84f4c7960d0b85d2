//! Care for bad networks and silent people: what may be lost is said again, and who is gone is let
//! go. The protocol knows no acknowledgement, so this is a matter of time alone.

use nuggets_game::Letter;
use nuggets_record::Millis;

use super::{Notice, Peer, Room, Stage};

/// What a room does about bad networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Care {
    /// A client's last picture and gold are sent again when nothing newer has gone out for a while.
    pub repeats: bool,
    /// How long the room goes on telling the end to whoever may not have heard it.
    pub linger_ms: u64,
    /// A player who says nothing for so long has left.
    pub idle_timeout_ms: Option<u64>,
}

/// When a client's last picture is sent again, counted from when it was sent first.
pub(super) const REPEAT_AFTER_MS: [u64; 3] = [250, 1_000, 4_000];

impl Care {
    /// Nothing: every message is sent once, exactly as the documents have it.
    pub fn none() -> Self {
        Self { repeats: false, linger_ms: 0, idle_timeout_ms: None }
    }
}

impl Default for Care {
    fn default() -> Self {
        Self { repeats: true, linger_ms: 5_000, idle_timeout_ms: None }
    }
}

impl Room {
    /// When `handle_timeout` wants to be called.
    pub fn poll_timeout(&self) -> Option<Millis> {
        match self.stage {
            Stage::Over { .. } => Some(self.now),
            Stage::Open => self.next_repeat().into_iter().chain(self.next_farewell()).min(),
            Stage::Lingering { .. } => Some(self.end_of_lingering().min(self.next_last_word())),
            Stage::Told | Stage::Closed => None,
        }
    }

    /// The moment that `poll_timeout` spoke of may have come.
    pub fn handle_timeout(&mut self, now: Millis) {
        self.now = self.now.max(now);
        match self.stage {
            Stage::Over { is_written } => self.end(is_written),
            Stage::Open => {
                self.repeat_what_is_due();
                self.let_the_silent_go();
            }
            Stage::Lingering { .. } => self.linger(),
            Stage::Told | Stage::Closed => {}
        }
    }

    /// Nobody is there: what was sent to this peer came back. It is sent nothing more until it says
    /// something itself.
    pub fn handle_unreachable(&mut self, now: Millis, peer: Peer) {
        self.now = self.now.max(now);
        if self.seats.lose(peer) {
            self.notices.push_back(Notice::Unreachable(peer));
        }
        self.close_if_nobody_listens();
    }

    fn next_repeat(&self) -> Option<Millis> {
        if !self.care.repeats {
            return None;
        }
        self.seats.next_repeat()
    }

    fn next_farewell(&self) -> Option<Millis> {
        let limit = self.care.idle_timeout_ms?;
        self.seats.players().map(|(_, seat)| seat.heard_at.after(limit)).min()
    }

    fn repeat_what_is_due(&mut self) {
        if !self.care.repeats {
            return;
        }
        for index in 0..self.seats.len() {
            let Some((viewer, seat)) = self.seats.nth_mut(index) else { continue };
            let is_due = seat.next_repeat().is_some_and(|due| due <= self.now);
            if is_due {
                seat.repeats += 1;
                let peer = seat.peer;
                self.send(peer, &super::telling::gold_for(&self.game, viewer, 0));
                self.outbox.push_picture(peer, viewer);
            }
        }
    }

    fn let_the_silent_go(&mut self) {
        let Some(limit) = self.care.idle_timeout_ms else { return };
        while self.stage == Stage::Open
            && let Some((letter, peer)) = self.first_silent(limit)
        {
            self.notices.push_back(Notice::Idle(letter));
            self.take_leave(peer, letter, &self.dialect.dismissal(IDLE));
        }
    }

    fn first_silent(&self, limit: u64) -> Option<(Letter, Peer)> {
        let mut silent =
            self.seats.players().filter(|(_, seat)| seat.heard_at.after(limit) <= self.now);
        silent.next().map(|(letter, seat)| (letter, seat.peer))
    }
}

const IDLE: &str = "You have not pressed a key for too long and are out of the game.";
