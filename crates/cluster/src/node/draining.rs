//! Planned hand-over: one log after another gets its successor by name, so that no failure has to be detected. The
//! successor reads the log first, while the owner still serves it.

use nuggets_time::Timestamp;

use super::changes::Change;
use super::{Node, NodeEvent};
use crate::{HEARTBEAT_MS, Instance, LogName};

/// A successor has this long to read a log. Then it is handed over, even if the rest takes longer than people should see.
const PREPARE_MS: u64 = 5_000;

/// Who gets a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Successor {
    pub(super) instance: Instance,
    since: Timestamp,
    asked_at: Timestamp,
    /// The log is stopped: the successor knows it, or was waited for long enough.
    is_stopped: bool,
}

impl Node {
    /// Hands over all logs, one by one, and accepts no others. `Prepare` and `Stop` follow for each.
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

    /// The successor has read the log. `Stop` follows.
    pub fn handle_prepared(&mut self, now: Timestamp, log: &LogName, from: &Instance) {
        self.members.advance(now);
        let held = self.logs.get(log).and_then(|entry| entry.held.as_ref());
        let successor = held.and_then(|held| held.successor.as_ref());
        if successor.is_some_and(|it| it.instance == *from && !it.is_stopped) {
            self.stop(log);
        }
    }

    /// Everything that was appended to this stopped log is committed: the successor becomes its owner. `Close` follows.
    pub fn hand_over(&mut self, now: Timestamp, log: &LogName) {
        self.members.advance(now);
        self.intend(now, log, |intent| intent.hand_over = true);
    }

    pub(super) fn continue_draining(&mut self, now: Timestamp) {
        if !self.is_draining {
            return;
        }
        let chosen = self.logs.iter().find_map(|(log, entry)| {
            let successor = entry.held.as_ref()?.successor.as_ref()?;
            Some((log.clone(), successor.clone()))
        });
        match chosen {
            None => self.choose_successor(now),
            Some((_, Successor { is_stopped: true, .. })) => {}
            Some((log, successor)) if now.since(successor.since) >= PREPARE_MS => self.stop(&log),
            Some((log, Successor { instance, .. })) if !self.is_ready(now, &instance) => {
                self.set_successor(&log, None);
                self.choose_successor(now);
            }
            Some((log, successor)) if now.since(successor.asked_at) >= HEARTBEAT_MS => {
                self.prepare(&log, Successor { asked_at: now, ..successor });
            }
            Some(_) => {}
        }
    }

    fn choose_successor(&mut self, now: Timestamp) {
        let Some(instance) = self.successor(now) else { return };
        let is_free = |log: &&LogName| !self.is_changing(log);
        let mut logs = self.logs.iter().filter(|(_, entry)| entry.held.is_some());
        let next = logs.find(|(log, _)| is_free(log)).map(|(log, _)| log.clone());
        if let Some(log) = next {
            let successor = Successor { instance, since: now, asked_at: now, is_stopped: false };
            self.prepare(&log, successor);
        }
    }

    fn prepare(&mut self, log: &LogName, successor: Successor) {
        let instance = successor.instance.clone();
        self.set_successor(log, Some(successor));
        self.events.push_back(NodeEvent::Prepare { log: log.clone(), successor: instance });
    }

    fn stop(&mut self, log: &LogName) {
        let held = self.logs.get_mut(log).and_then(|entry| entry.held.as_mut());
        if let Some(successor) = held.and_then(|held| held.successor.as_mut()) {
            successor.is_stopped = true;
            self.events.push_back(NodeEvent::Stop { log: log.clone() });
        }
    }

    fn set_successor(&mut self, log: &LogName, successor: Option<Successor>) {
        if let Some(held) = self.logs.get_mut(log).and_then(|entry| entry.held.as_mut()) {
            held.successor = successor;
        }
    }

    fn is_ready(&self, now: Timestamp, instance: &Instance) -> bool {
        self.members.ready(now).contains_key(&instance.node)
            && self.members.instance(&instance.node) == Some(instance)
    }

    /// The ready node with the least load.
    fn successor(&self, now: Timestamp) -> Option<Instance> {
        let ready = self.members.ready(now);
        let others = ready.into_iter().filter(|(node, _)| *node != self.me.node);
        let (node, _) = others.min_by_key(|(node, load)| (*load, node.clone()))?;
        self.members.instance(&node).cloned()
    }
}
