//! What a room must do by time alone, decided a second time: who is idle, what is resent when, and how long
//! the end is sent. It knows when which peer was heard and what was sent, and nothing of the room.

use std::collections::{BTreeMap, BTreeSet};

use nuggets_server::{Reliability, Timestamp};

/// When anything is sent again, counted from when it was sent first.
const RESENDS_MS: [u64; 3] = [250, 1_000, 4_000];

/// The clocks of all seats, and that of the end.
#[derive(Clone, Debug)]
pub(super) struct Timing {
    reliability: Reliability,
    /// When each peer was last heard.
    heard: BTreeMap<u64, Timestamp>,
    /// When each peer was last sent gold or a picture, and how often that was resent.
    sent: BTreeMap<u64, (Timestamp, usize)>,
    end: EndTiming,
}

/// How far the end of the game has been sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndTiming {
    /// The game is played.
    NotOver,
    /// The server was restarted: the end must be sent at once.
    Unsent,
    /// The end was sent at this time, and resent so often.
    Sent { since: Timestamp, resends: usize },
    /// Nothing more may be sent.
    Closed,
}

/// What must be sent because of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndDue {
    Nothing,
    /// The end, to every peer that had a seat and can be reached.
    Table,
}

impl Timing {
    pub(super) fn new(reliability: Reliability) -> Self {
        let (heard, sent) = (BTreeMap::new(), BTreeMap::new());
        Self { reliability, heard, sent, end: EndTiming::NotOver }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.end == EndTiming::Closed
    }

    /// A datagram of a peer with a seat has arrived.
    pub(super) fn note_heard(&mut self, now: Timestamp, peer: u64) {
        self.heard.insert(peer, now);
    }

    /// New gold or a new picture was sent to this peer.
    pub(super) fn note_sent(&mut self, now: Timestamp, peer: u64) {
        self.sent.insert(peer, (now, 0));
    }

    /// The game has ended and the end was sent.
    pub(super) fn note_end(&mut self, now: Timestamp) {
        self.end = match self.reliability.linger_ms {
            0 => EndTiming::Closed,
            _ => EndTiming::Sent { since: now, resends: 0 },
        };
    }

    /// No peer is left to which the end must be resent.
    pub(super) fn note_all_unreachable(&mut self) {
        if matches!(self.end, EndTiming::Sent { .. }) {
            self.end = EndTiming::Closed;
        }
    }

    /// The server was restarted: every clock starts again.
    pub(super) fn restart(&mut self, now: Timestamp, seated: &[u64], is_over: bool) {
        self.heard = seated.iter().map(|peer| (*peer, now)).collect();
        self.sent = seated.iter().map(|peer| (*peer, (now, 0))).collect();
        self.end = if is_over { EndTiming::Unsent } else { EndTiming::NotOver };
    }

    /// The players among these whose idle timeout has passed.
    pub(super) fn idle(&self, now: Timestamp, playing: &[u64]) -> Vec<u64> {
        let Some(limit_ms) = self.reliability.idle_timeout_ms else { return Vec::new() };
        let is_idle =
            |peer: &&u64| self.heard.get(peer).is_some_and(|at| at.after(limit_ms) <= now);
        playing.iter().filter(is_idle).copied().collect()
    }

    /// Takes the peers among these to which gold and picture must be resent now.
    pub(super) fn take_resends(&mut self, now: Timestamp, reachable: &[u64]) -> BTreeSet<u64> {
        let mut due = BTreeSet::new();
        if self.reliability.resends {
            for peer in reachable {
                let Some((since, resends)) = self.sent.get_mut(peer) else { continue };
                let passed = passed(*since, now);
                if passed > *resends {
                    *resends = passed;
                    due.insert(*peer);
                }
            }
        }
        due
    }

    /// Takes what must be sent now of the end of the game.
    pub(super) fn take_end(&mut self, now: Timestamp) -> EndDue {
        match self.end {
            EndTiming::Unsent => {
                self.note_end(now);
                EndDue::Table
            }
            EndTiming::Sent { since, resends } => {
                if now >= since.after(self.reliability.linger_ms) {
                    self.end = EndTiming::Closed;
                    return EndDue::Nothing;
                }
                let passed = passed(since, now);
                self.end = EndTiming::Sent { since, resends: passed };
                if passed > resends { EndDue::Table } else { EndDue::Nothing }
            }
            EndTiming::NotOver | EndTiming::Closed => EndDue::Nothing,
        }
    }

    /// When anything of this is due next. `playing` and `reachable` are the peers as they are now.
    pub(super) fn next(&self, playing: &[u64], reachable: &[u64]) -> Option<Timestamp> {
        match self.end {
            EndTiming::Unsent => return Some(Timestamp(0)),
            EndTiming::Closed => return None,
            EndTiming::Sent { since, resends } => {
                let closes = since.after(self.reliability.linger_ms);
                let resend = RESENDS_MS.get(resends).map(|wait| since.after(*wait));
                return resend.into_iter().chain([closes]).min();
            }
            EndTiming::NotOver => {}
        }
        let idle = self.reliability.idle_timeout_ms.into_iter().flat_map(|limit_ms| {
            playing.iter().filter_map(move |peer| Some(self.heard.get(peer)?.after(limit_ms)))
        });
        let resends = reachable.iter().filter(|_| self.reliability.resends).filter_map(|peer| {
            let (since, resends) = self.sent.get(peer)?;
            Some(since.after(*RESENDS_MS.get(*resends)?))
        });
        idle.chain(resends).min()
    }
}

/// How many resends are due so long after the first.
fn passed(since: Timestamp, now: Timestamp) -> usize {
    RESENDS_MS.iter().filter(|wait| since.after(**wait) <= now).count()
}
