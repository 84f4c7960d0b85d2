//! The end: everybody is told, and those who may not have heard it are told again for a moment.

use nuggets_record::{Ending, Millis, What};

use super::care::REPEAT_AFTER_MS;
use super::{Notice, Peer, Role, Room};

/// How far a room has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The game is on.
    Open,
    /// The game was over when it was taken up again, and its end is still to be told.
    Over {
        /// The journal says so.
        is_written: bool,
    },
    /// The game is over, and the end is being told.
    Lingering {
        /// Since when.
        since: Millis,
        /// How often it was told again.
        repeats: usize,
    },
    /// Whoever could be told was told. Only the journal doesn't say so yet.
    Told,
    /// Nothing more happens.
    Closed,
}

impl Room {
    /// Closes the room. A game that is on ends for everybody before its time, at once. Whoever has
    /// sent everything that a finished game had to tell calls this, too: then the journal learns that
    /// nothing is left to do.
    pub fn shut_down(&mut self) {
        match self.stage {
            Stage::Open => {
                self.notices.push_back(Notice::ShutDown);
                self.send_to_all(&self.dialect.dismissal(SHUTTING_DOWN));
                self.record(What::End(Ending::Closed));
            }
            Stage::Told => self.record(What::Told),
            // Somebody may not have heard the end: the journal can be taken up to tell it again.
            Stage::Over { .. } | Stage::Lingering { .. } | Stage::Closed => {}
        }
        self.stage = Stage::Closed;
    }

    /// The same when the last that happened must not be told: it couldn't be kept.
    pub fn break_off(&mut self) {
        self.shut_down();
        while self.outbox.pop().is_some() {}
        self.send_to_all(&self.dialect.dismissal(SHUTTING_DOWN));
    }

    pub(super) fn close_if_over(&mut self) {
        let Some(end) = self.game.end() else { return };
        self.notices.push_back(Notice::Over(end));
        self.end(false);
    }

    /// The end is written down, unless it is already, and told.
    pub(super) fn end(&mut self, is_written: bool) {
        if !is_written {
            self.record(What::End(Ending::Over));
        }
        self.tell_the_end();
        self.stage = match self.care.linger_ms {
            0 => Stage::Told,
            _ => Stage::Lingering { since: self.now, repeats: 0 },
        };
        self.close_if_nobody_listens();
    }

    fn tell_the_end(&mut self) {
        let table = self.game.table().to_string();
        self.send_to_all(&self.dialect.game_over(&table));
    }

    /// Whoever still speaks has not heard it.
    pub(super) fn answer_at_the_end(&mut self, from: Peer) {
        let has_a_seat = matches!(self.seats.role(from), Role::Player(_) | Role::Spectator);
        if has_a_seat && matches!(self.stage, Stage::Lingering { .. }) {
            let table = self.game.table().to_string();
            self.send_each(from, &self.dialect.game_over(&table));
        }
    }

    pub(super) fn linger(&mut self) {
        if self.now >= self.end_of_lingering() {
            self.stage = Stage::Told;
        } else if self.now >= self.next_last_word() {
            if let Stage::Lingering { repeats, .. } = &mut self.stage {
                *repeats += 1;
            }
            self.tell_the_end();
        }
    }

    pub(super) fn end_of_lingering(&self) -> Millis {
        match self.stage {
            Stage::Lingering { since, .. } => since.after(self.care.linger_ms),
            _ => self.now,
        }
    }

    pub(super) fn next_last_word(&self) -> Millis {
        match self.stage {
            Stage::Lingering { since, repeats } => {
                let wait = REPEAT_AFTER_MS.get(repeats).copied();
                since.after(wait.unwrap_or(u64::MAX))
            }
            _ => self.now,
        }
    }

    /// Where nobody can be told anything, nobody need wait.
    pub(super) fn close_if_nobody_listens(&mut self) {
        let lingers = matches!(self.stage, Stage::Lingering { .. });
        if lingers && self.seats.reachable().next().is_none() {
            self.stage = Stage::Told;
        }
    }
}

const SHUTTING_DOWN: &str = "The server is shutting down.";
