//! Planned hand-over: one log after another gets its successor by name, so that nobody has to notice an absence.

use nuggets_time::Timestamp;

use super::changes::Change;
use super::{Node, NodeEvent};
use crate::{Instance, LogName};

impl Node {
    /// Hands over all logs, one by one, and accepts no others. `Stop` follows for each.
    pub fn drain(&mut self) {
        self.is_draining = true;
    }

    /// True if it hands over its logs.
    pub fn is_draining(&self) -> bool {
        self.is_draining
    }

    /// True if another node can take its logs.
    pub fn has_successor(&self, now: Timestamp) -> bool {
        self.successor(now).is_some()
    }

    /// True if it drains and has nothing left.
    pub fn is_drained(&self) -> bool {
        self.is_draining && self.held() == 0 && !self.changes.values().any(Change::is_publish)
    }

    /// Everything that was appended to this stopped log is committed: the successor becomes its owner. `Close` follows.
    pub fn hand_over(&mut self, now: Timestamp, log: &LogName) {
        self.members.advance(now);
        self.intend(now, log, |intent| intent.hand_over = true);
    }

    pub(super) fn continue_draining(&mut self, now: Timestamp) {
        let mut held = self.logs.values().filter_map(|entry| entry.held.as_ref());
        if !self.is_draining || held.any(|held| held.successor.is_some()) {
            return;
        }
        let Some(successor) = self.successor(now) else { return };
        let is_free = |log: &&LogName| !self.is_changing(log);
        let mut logs = self.logs.iter().filter(|(_, entry)| entry.held.is_some());
        let next = logs.find(|(log, _)| is_free(log)).map(|(log, _)| log.clone());
        if let Some(log) = next
            && let Some(held) = self.logs.get_mut(&log).and_then(|entry| entry.held.as_mut())
        {
            held.successor = Some(successor);
            self.events.push_back(NodeEvent::Stop { log });
        }
    }

    /// The ready node with the least load.
    fn successor(&self, now: Timestamp) -> Option<Instance> {
        let ready = self.members.ready(now);
        let others = ready.into_iter().filter(|(node, _)| *node != self.me.node);
        let (node, _) = others.min_by_key(|(node, load)| (*load, node.clone()))?;
        self.members.instance(&node).cloned()
    }
}
