//! The timers of a room, computed independently: which peers are idle, what is resent when, and for how long the
//! end is resent. It knows the times at which peers were heard and messages were sent, and nothing about the room.

use std::collections::BTreeMap;

use nuggets_server::{Reliability, Timestamp};

/// The retry schedule, counted from the first sending: three resends, and up to two more for gold that was held
/// back.
const RESENDS_MS: [u64; 5] = [250, 1_000, 4_000, 5_000, 8_000];
/// The time after `GOLD n p r` with n > 0 in which no timer sends `GOLD 0 p r`.
const NEWS_MS: u64 = 3_000;

/// The timers of all seats, and that of the end.
#[derive(Clone, Debug)]
pub(super) struct Timing {
    pub(super) reliability: Reliability,
    /// The time of the last datagram from each peer with a seat.
    pub(super) heard: BTreeMap<u64, Timestamp>,
    /// The last gold or picture sent to each peer, and its resends.
    pub(super) sent: BTreeMap<u64, Sent>,
    /// The time of the last `GOLD` sent to each peer, if it had n > 0.
    news: BTreeMap<u64, Timestamp>,
    end: EndTiming,
}

/// The timer of one peer's last gold and picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    since: Timestamp,
    resends: usize,
    /// The number of resends that this peer gets: 3, and one more for each resend without gold.
    allowed: usize,
}

/// The progress of sending the end of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndTiming {
    /// The game is still being played.
    NotOver,
    /// The server was restarted: the end must be sent at once.
    Unsent,
    /// The end was sent at this time, and resent this many times.
    Sent {
        since: Timestamp,
        resends: usize,
    },
    Closed,
}

impl Timing {
    pub(super) fn new(reliability: Reliability) -> Self {
        let (heard, sent, news) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { reliability, heard, sent, news, end: EndTiming::NotOver }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.end == EndTiming::Closed
    }

    /// Notes that `GOLD` was sent to this peer; `is_news` is true if its n was not 0.
    pub(super) fn note_gold(&mut self, now: Timestamp, peer: u64, is_news: bool) {
        if is_news {
            self.news.insert(peer, now);
        } else {
            self.news.remove(&peer);
        }
    }

    /// Notes that the game has ended and the end was sent.
    pub(super) fn note_end(&mut self, now: Timestamp) {
        self.end = match self.reliability.linger_ms {
            0 => EndTiming::Closed,
            _ => EndTiming::Sent { since: now, resends: 0 },
        };
    }

    /// Notes that no peer is left to which the end must be resent.
    pub(super) fn note_all_unreachable(&mut self) {
        if matches!(self.end, EndTiming::Sent { .. }) {
            self.end = EndTiming::Closed;
        }
    }

    /// Restarts every timer after a restart of the server.
    pub(super) fn restart(&mut self, now: Timestamp, seated: &[u64], is_over: bool) {
        self.heard = seated.iter().map(|peer| (*peer, now)).collect();
        self.sent = seated.iter().map(|peer| (*peer, Sent::new(now))).collect();
        self.news.clear();
        self.end = if is_over { EndTiming::Unsent } else { EndTiming::NotOver };
    }

    /// Returns the players among these whose idle timeout has expired.
    pub(super) fn idle(&self, now: Timestamp, playing: &[u64]) -> Vec<u64> {
        let Some(limit_ms) = self.reliability.idle_timeout_ms else { return Vec::new() };
        let is_idle =
            |peer: &&u64| self.heard.get(peer).is_some_and(|at| at.after(limit_ms) <= now);
        playing.iter().filter(is_idle).copied().collect()
    }

    /// Takes the resends that are due now to these peers: a picture each, and true for those that get their gold, too.
    pub(super) fn take_resends(
        &mut self,
        now: Timestamp,
        reachable: &[u64],
    ) -> BTreeMap<u64, bool> {
        let mut due = BTreeMap::new();
        for peer in reachable.iter().filter(|_| self.reliability.resends) {
            let Some(sent) = self.sent.get_mut(peer) else { continue };
            let passed = passed(sent.since, now, sent.allowed);
            if passed <= sent.resends {
                continue;
            }
            sent.resends = passed;
            let is_news = self.news.get(peer).is_some_and(|since| now < since.after(NEWS_MS));
            if is_news {
                sent.allowed = 3 + passed;
            }
            due.insert(*peer, !is_news);
        }
        due
    }

    /// True if the final table is due now, to every reachable peer that had a seat.
    pub(super) fn take_end(&mut self, now: Timestamp) -> bool {
        match self.end {
            EndTiming::Unsent => {
                self.note_end(now);
                true
            }
            EndTiming::Sent { since, resends } => {
                if now >= since.after(self.reliability.linger_ms) {
                    self.end = EndTiming::Closed;
                    return false;
                }
                let passed = passed(since, now, 3);
                self.end = EndTiming::Sent { since, resends: passed };
                passed > resends
            }
            EndTiming::NotOver | EndTiming::Closed => false,
        }
    }

    /// Returns the time of the next timer. `playing` and `reachable` are the current peers.
    pub(super) fn next(&self, playing: &[u64], reachable: &[u64]) -> Option<Timestamp> {
        match self.end {
            EndTiming::Unsent => return Some(Timestamp(0)),
            EndTiming::Closed => return None,
            EndTiming::Sent { since, resends } => {
                let closes = since.after(self.reliability.linger_ms);
                let resend = RESENDS_MS[..3].get(resends).map(|wait| since.after(*wait));
                return resend.into_iter().chain([closes]).min();
            }
            EndTiming::NotOver => {}
        }
        let idle = self.reliability.idle_timeout_ms.into_iter().flat_map(|limit_ms| {
            playing.iter().filter_map(move |peer| Some(self.heard.get(peer)?.after(limit_ms)))
        });
        let resends = reachable.iter().filter(|_| self.reliability.resends).filter_map(|peer| {
            let sent = self.sent.get(peer)?;
            Some(sent.since.after(*RESENDS_MS[..sent.allowed].get(sent.resends)?))
        });
        idle.chain(resends).min()
    }
}

impl Sent {
    pub(super) fn new(since: Timestamp) -> Self {
        Self { since, resends: 0, allowed: 3 }
    }
}

/// Counts the resends among the first `allowed` that are due now for a message sent at `since`.
fn passed(since: Timestamp, now: Timestamp, allowed: usize) -> usize {
    RESENDS_MS[..allowed].iter().filter(|wait| since.after(**wait) <= now).count()
}
