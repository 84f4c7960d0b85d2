//! The idle timeout: a player who sends nothing for too long is removed from the game.

use nuggets_record::Timestamp;

use super::{Notice, QuitReason, Room};

impl Room {
    pub(super) fn next_idle_timeout(&self) -> Option<Timestamp> {
        let limit_ms = self.options.reliability.idle_timeout_ms.filter(|_| self.has_begun())?;
        self.seats.players().map(|(_, seat)| seat.heard_at.after(limit_ms)).min()
    }

    /// Drops the first player whose idle timeout had passed at `heard_until`, the time up to which all messages were
    /// handled. Drops only one, because each is an input of the game; `poll_timeout` immediately requests the next
    /// call.
    pub(super) fn drop_idle_player(&mut self, heard_until: Timestamp) {
        let limit_ms = self.options.reliability.idle_timeout_ms.filter(|_| self.has_begun());
        let Some(limit_ms) = limit_ms else { return };
        let is_idle = |heard_at: Timestamp| heard_at.after(limit_ms) <= heard_until;
        let idle = self.seats.players().find(|(_, seat)| is_idle(seat.heard_at));
        let idle = idle.map(|(letter, seat)| (letter, seat.peer));
        if let Some((letter, peer)) = idle {
            self.notices.push_back(Notice::Idle(letter));
            self.remove_player(peer, letter, QuitReason::Idle);
        }
    }
}
