//! Who replaces an owner that is gone: every node computes the same order of candidates from the heartbeats. They need not
//! agree: the first to change the ownership record wins.

use std::collections::BTreeMap;

use nuggets_time::Timestamp;

use super::Node;
use crate::members::Presence;
use crate::{Condition, LogName, LogState, NodeId};

/// The second candidate waits this long for the first, the third twice as long, and so on.
const NEXT_CANDIDATE_MS: u64 = 300;

impl Node {
    pub(super) fn take_over_orphans(&mut self, now: Timestamp) {
        let orphans = self.note_orphans(now);
        if self.condition(now) != Condition::Ready {
            return;
        }
        let mut load = self.members.ready(now);
        for (log, since, restarted) in orphans {
            let order = candidates(&load, restarted.as_ref());
            if let Some(first) = order.first().and_then(|first| load.get_mut(first)) {
                *first += 1;
            }
            let rank = order.iter().position(|node| *node == self.me.node);
            let wait_ms = rank.map_or(u64::MAX, |rank| rank as u64 * NEXT_CANDIDATE_MS);
            if now.since(since) >= wait_ms {
                self.claim(now, &log);
            }
        }
    }

    /// The logs without an owner: since when, and the node that was it if that was restarted.
    fn note_orphans(&mut self, now: Timestamp) -> Vec<(LogName, Timestamp, Option<NodeId>)> {
        let mut orphans = vec![];
        for (log, entry) in &mut self.logs {
            let owner = &entry.record.owner;
            // An own log that is not open: its journal was closed, and the claim for the next epoch has failed.
            let is_unused = *owner == self.me && entry.held.is_none();
            let presence = match self.members.presence(now, owner) {
                Presence::Present if is_unused => Presence::Restarted,
                presence => presence,
            };
            if entry.record.state != LogState::Running || presence == Presence::Present {
                entry.orphaned_since = None;
                continue;
            }
            let since = *entry.orphaned_since.get_or_insert(now);
            let restarted = (presence == Presence::Restarted).then(|| owner.node.clone());
            orphans.push((log.clone(), since, restarted));
        }
        orphans.retain(|(log, ..)| !self.changes.contains_key(log));
        orphans
    }
}

/// The nodes that can take a log over, the best first: the node that was its owner, because it has a copy of the log,
/// then by load, then by name.
fn candidates(load: &BTreeMap<NodeId, u64>, restarted: Option<&NodeId>) -> Vec<NodeId> {
    let mut nodes: Vec<(&NodeId, u64)> = load.iter().map(|(node, load)| (node, *load)).collect();
    nodes.sort_by_key(|(node, load)| (Some(*node) != restarted, *load, *node));
    let mut order: Vec<NodeId> = nodes.into_iter().map(|(node, _)| node.clone()).collect();
    if let Some(restarted) = restarted.filter(|restarted| !load.contains_key(restarted)) {
        order.insert(0, restarted.clone());
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str) -> NodeId {
        NodeId::new(name).unwrap()
    }

    #[test]
    fn the_least_loaded_node_comes_first_and_names_break_ties() {
        let load = BTreeMap::from([(node("a"), 5), (node("c"), 2), (node("b"), 2)]);
        assert_eq!(candidates(&load, None), [node("b"), node("c"), node("a")]);
    }

    #[test]
    fn the_restarted_owner_comes_before_all_others() {
        let load = BTreeMap::from([(node("a"), 5), (node("b"), 2)]);
        assert_eq!(candidates(&load, Some(&node("a"))), [node("a"), node("b")]);
        assert_eq!(
            candidates(&load, Some(&node("z")))[0],
            node("z"),
            "also if it is not ready yet"
        );
    }
}
