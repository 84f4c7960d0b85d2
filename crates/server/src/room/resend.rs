//! The resend schedule: the protocol has no acknowledgements, so the last picture and gold of a client are resent
//! after fixed delays until something newer has been sent.
//!
//! Gold is resent as `GOLD 0 p r`, because n is news and must not be reported twice. Many clients show n until the
//! next `GOLD`, so for 3 s after a `GOLD` with n > 0 only the picture is resent; the three resends of the gold
//! follow. Such a client is known to be alive, because n > 0 answers one of its keys.

use nuggets_record::Timestamp;

use super::{Room, broadcast};

/// Options for lost messages and silent clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reliability {
    /// True if a client's last picture and gold are resent when nothing newer was sent for a while.
    pub resends: bool,
    /// Duration for which the final table is resent, and sent to clients that still send messages.
    pub linger_ms: u64,
    /// Silence after which a player is dropped; `None` for no idle timeout.
    pub idle_timeout_ms: Option<u64>,
}

/// Number of resends of a message.
pub(super) const RESENDS: usize = 3;
/// Delays of the resends, in milliseconds after the first send. The last two are used only if earlier resends omitted
/// the gold.
pub(super) const RESEND_SCHEDULE_MS: [u64; 5] = [250, 1_000, 4_000, 5_000, 8_000];
/// Duration after a `GOLD` with n > 0 in which no resend of the gold replaces it.
pub(super) const GOLD_NEWS_MS: u64 = 3_000;

impl Reliability {
    /// Sends every message once, exactly as specified.
    pub fn none() -> Self {
        Self { resends: false, linger_ms: 0, idle_timeout_ms: None }
    }
}

impl Default for Reliability {
    fn default() -> Self {
        Self { resends: true, linger_ms: 5_000, idle_timeout_ms: None }
    }
}

impl Room {
    pub(super) fn next_resend(&self) -> Option<Timestamp> {
        if self.options.reliability.resends { self.seats.next_resend() } else { None }
    }

    pub(super) fn resend_due(&mut self) {
        if !self.options.reliability.resends {
            return;
        }
        for (viewer, seat) in self.seats.all_mut() {
            let mut is_due = false;
            // Several resends are due if the server was stopped for a while: one of them is enough.
            while seat.next_resend().is_some_and(|due| due <= self.now) {
                seat.resends += 1;
                is_due = true;
            }
            if !is_due {
                continue;
            }
            if seat.has_gold_news(self.now) {
                seat.resends_without_gold = seat.resends;
            } else {
                let (gold, said) = broadcast::gold_for(&self.game, viewer, 0);
                self.outbox.push([seat.peer], &gold, said);
            }
            self.outbox.push_picture(seat.peer, viewer);
        }
    }
}
