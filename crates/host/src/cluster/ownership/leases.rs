//! The leases of other nodes: counters that they renew with their commits. No clock of another machine is read, and a stall
//! of the database expires no lease.

use std::collections::BTreeMap;

use nuggets_time::Timestamp;

use super::{LEASE_MS, SCAN_MS};
use crate::cluster::routes::{Member, RunId};

/// The longest time that one look counts: more has passed if the database has stalled.
const MAX_COUNTED_MS: u64 = 2 * SCAN_MS;

/// A node that is seen unrenewed for this long is not listed any more.
const GONE_MS: u64 = 60 * 60_000;

/// A node as the database has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRow {
    /// Its name, process run and address.
    pub member: Member,
    /// The lease: it grows with the commits of the node.
    pub renewal: u64,
    /// True if it should hand over its games.
    pub is_draining: bool,
}

#[derive(Debug)]
struct NodeLease {
    row: NodeRow,
    /// The first look that saw the lease as it is.
    seen_at: Timestamp,
    /// Time in which the lease was seen not to grow, although our own renewals were answered.
    unrenewed_ms: u64,
}

impl NodeLease {
    /// The lease did not grow since the last look that counted, if this one counts.
    fn count(mut self, now: Timestamp, from: Option<Timestamp>) -> Self {
        let passed_ms = from.map_or(0, |from| now.since(from.max(self.seen_at)));
        self.unrenewed_ms += passed_ms.min(MAX_COUNTED_MS);
        self
    }
}

/// A look from which time is counted.
#[derive(Clone, Copy, Debug)]
struct CountedLook {
    at: Timestamp,
    /// Our own lease as this look saw it.
    own: u64,
    /// The number of our own renewals that were answered before it.
    answered: u64,
}

/// The other nodes.
#[derive(Debug, Default)]
pub(super) struct Leases {
    peers: BTreeMap<RunId, NodeLease>,
    /// The number of our own renewals that were answered.
    answered: u64,
    /// The last look that saw our own lease grown.
    counted: Option<CountedLook>,
    /// The time of the last look.
    looked_at: Timestamp,
}

impl Leases {
    /// A renewal of our own lease was answered.
    pub(super) fn note_renewed(&mut self) {
        self.answered += 1;
    }

    /// The rows of all nodes were read. Time counts from one look that saw our own lease grown, by a renewal that was answered, to
    /// the next: so the same database answers our commits and these looks, and not an old primary without writers.
    pub(super) fn handle_rows(&mut self, now: Timestamp, me: RunId, rows: Vec<NodeRow>) {
        self.looked_at = now;
        let own = rows.iter().find(|row| row.member.run == me).map(|row| row.renewal);
        let look = own.map(|own| CountedLook { at: now, own, answered: self.answered });
        let has_grown = |before: CountedLook, look: &CountedLook| {
            before.own < look.own && before.answered < look.answered
        };
        let look = look.filter(|look| self.counted.is_none_or(|before| has_grown(before, look)));
        let counted_from = look.and(self.counted).map(|before| before.at);
        self.counted = look.or(self.counted);
        let mut before = std::mem::take(&mut self.peers);
        for row in rows.into_iter().filter(|row| row.member.run != me) {
            let known = before.remove(&row.member.run);
            let peer = match known.filter(|known| known.row.renewal == row.renewal) {
                Some(known) => NodeLease { row, ..known.count(now, counted_from) },
                None => NodeLease { row, seen_at: now, unrenewed_ms: 0 },
            };
            self.peers.insert(peer.row.member.run, peer);
        }
    }

    /// The other nodes that live, as far as is known.
    pub(super) fn living(&self) -> impl Iterator<Item = &NodeRow> {
        self.peers.values().filter(|peer| peer.unrenewed_ms < LEASE_MS).map(|peer| &peer.row)
    }

    /// The nodes that won't come back.
    pub(super) fn gone(&self) -> impl Iterator<Item = &NodeRow> {
        self.peers.values().filter(|peer| peer.unrenewed_ms >= GONE_MS).map(|peer| &peer.row)
    }

    /// The time for which the lease of a living node was seen unrenewed.
    pub(super) fn unrenewed_ms(&self, run: RunId) -> Option<u64> {
        let peer = self.peers.get(&run).filter(|peer| peer.unrenewed_ms < LEASE_MS);
        peer.map(|peer| peer.unrenewed_ms)
    }

    /// True if this run of a node lives.
    pub(super) fn is_living(&self, run: RunId) -> bool {
        self.peers.get(&run).is_some_and(|peer| peer.unrenewed_ms < LEASE_MS)
    }

    /// True if this run of a node was seen unrenewed for a whole lease. An old look says nothing: the lease may have been renewed
    /// while this node was stopped or cut off.
    pub(super) fn is_expired(&self, now: Timestamp, run: RunId) -> bool {
        let is_recent = now.since(self.looked_at) < LEASE_MS;
        is_recent && self.peers.get(&run).is_some_and(|peer| peer.unrenewed_ms >= LEASE_MS)
    }
}
