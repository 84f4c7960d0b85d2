//! One node: which logs it owns, takes over and hands over. It decides nothing that safety depends on: that is done by the
//! sequences of the logs themselves ([`Journal`](crate::Journal)).
//!
//! Every change of an ownership record is a compare-and-set on its subject, repeated until its outcome is known, as in a
//! journal.

mod changes;
mod draining;
mod take_over;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use nuggets_time::Timestamp;

use crate::members::Members;
use crate::{
    Condition, EngineReply, EngineRequest, Epoch, HEARTBEAT_MS, Heartbeat, Instance, JournalEnd,
    LogName, LogState, MAX_DETAILS_BYTES, Member, Ownership, RequestId, Seq,
};
use changes::Change;
use draining::Successor;

/// The most logs that are not finished; more can't be created.
pub const MAX_LOGS: usize = 100_000;
/// So many finished logs are remembered, so that a late message about one of them does not bring it back. Others are read
/// again on demand.
pub const MAX_FINISHED: usize = 1_000;

/// What the node must do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeEvent {
    /// This node owns the log in this epoch: open a journal, and report with `handle_closed` if it ends.
    Open {
        /// Which log.
        log: LogName,
        /// In which epoch.
        epoch: Epoch,
    },
    /// This node does not own the log any more: drop its journal, and all output that is not committed.
    Close {
        /// Which log.
        log: LogName,
    },
    /// The log will be handed over to this instance: ask it to follow the log. It answers when it has caught up, for
    /// `handle_prepared`. Asked again until then.
    Prepare {
        /// Which log.
        log: LogName,
        /// Who gets it.
        successor: Instance,
    },
    /// The log is to be handed over: accept no more input, and call `hand_over` when everything is committed.
    Stop {
        /// Which log.
        log: LogName,
    },
    /// What is known of the log has changed; see `ownership`.
    Changed {
        /// Which log.
        log: LogName,
    },
    /// This instance will not be heard again: its node runs as another one. Its connections are gone.
    Gone(Instance),
}

/// Why a log can't be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateError {
    /// There is one of this name.
    #[error("there is a log of this name already")]
    Exists,
    /// The details are too long.
    #[error("the details of a log have at most {MAX_DETAILS_BYTES} bytes")]
    TooLarge,
    /// There are as many as there can be.
    #[error("there are {MAX_LOGS} logs that are not finished, and no more are possible")]
    TooMany,
    /// The node does not hear itself, or hands over its logs.
    #[error("this node can't take a new log now: it is cut off or draining")]
    NotReady,
}

/// What one node knows and decides.
#[derive(Debug)]
pub struct Node {
    me: Instance,
    members: Members,
    logs: BTreeMap<LogName, Entry>,
    /// The finished ones of them, in the order in which this node has learned it.
    finished: VecDeque<LogName>,
    changes: BTreeMap<LogName, Change>,
    is_draining: bool,
    next_heartbeat_at: Timestamp,
    next_request: u64,
    requests: VecDeque<EngineRequest>,
    heartbeats: VecDeque<Heartbeat>,
    events: VecDeque<NodeEvent>,
}

/// What is known of a log.
#[derive(Debug)]
struct Entry {
    seq: Seq,
    record: Ownership,
    /// Since when its owner is not there.
    orphaned_since: Option<Timestamp>,
    held: Option<Held>,
    intent: Intent,
    /// The last epoch in which this node was told to open it. It is not told so twice.
    opened: Epoch,
    /// The next epoch must be greater: one that stands in the log although the ownership record was lost.
    min_epoch: Epoch,
    /// It is in the list of finished logs.
    is_finished: bool,
}

/// What is to be changed in the record of an own log, as soon as no other change of it is under way.
#[derive(Debug, Default, PartialEq, Eq)]
struct Intent {
    details: Option<Vec<u8>>,
    finish: bool,
    hand_over: bool,
}

/// A log that this node was told to open.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Held {
    epoch: Epoch,
    /// To whom it is being handed over.
    successor: Option<Successor>,
}

impl Node {
    /// A node that knows nobody yet.
    pub fn new(now: Timestamp, me: Instance) -> Self {
        Self {
            members: Members::new(now, me.clone()),
            me,
            logs: BTreeMap::new(),
            finished: VecDeque::new(),
            changes: BTreeMap::new(),
            is_draining: false,
            next_heartbeat_at: now,
            next_request: 0,
            requests: VecDeque::new(),
            heartbeats: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// Creates a log; `Open` follows when this node owns it.
    pub fn create(
        &mut self,
        now: Timestamp,
        log: &LogName,
        details: Vec<u8>,
    ) -> Result<(), CreateError> {
        self.members.advance(now);
        if self.logs.contains_key(log) || self.changes.contains_key(log) {
            return Err(CreateError::Exists);
        }
        if details.len() > MAX_DETAILS_BYTES {
            return Err(CreateError::TooLarge);
        }
        if self.logs.len() - self.finished.len() + self.changes.len() >= MAX_LOGS {
            return Err(CreateError::TooMany);
        }
        if self.condition(now) != Condition::Ready {
            return Err(CreateError::NotReady);
        }
        let (owner, state) = (self.me.clone(), LogState::Running);
        let record = Ownership { epoch: Epoch(1), owner, state, details };
        self.change(now, log, Seq(0), record);
        Ok(())
    }

    /// Nothing will be appended to this own log any more. `Close` follows.
    pub fn finish(&mut self, now: Timestamp, log: &LogName) {
        self.members.advance(now);
        self.intend(now, log, |intent| intent.finish = true);
    }

    /// Changes what every node should know of this own log. Details that are too long are not taken.
    pub fn set_details(&mut self, now: Timestamp, log: &LogName, details: Vec<u8>) {
        self.members.advance(now);
        if details.len() <= MAX_DETAILS_BYTES {
            self.intend(now, log, |intent| intent.details = Some(details));
        }
    }

    /// A message of an ownership subject, in any order and any number of times.
    pub fn handle_ownership(&mut self, now: Timestamp, log: &LogName, seq: Seq, bytes: &[u8]) {
        self.members.advance(now);
        let Ok(record) = Ownership::decode(bytes) else { return };
        if self.logs.get(log).is_none_or(|entry| entry.seq < seq) {
            self.learn(now, log, seq, record);
        }
    }

    /// The ownership records are delivered again from the first one on. The next record of each log is taken even if its
    /// sequence is lower than that of a known one: the engine may have lost that.
    pub fn handle_watch_restart(&mut self) {
        for entry in self.logs.values_mut() {
            entry.seq = Seq(0);
        }
    }

    /// Reads the ownership record again: somebody who was thought to be the owner says that it is not.
    pub fn refresh(&mut self, now: Timestamp, log: &LogName) {
        self.members.advance(now);
        self.read_record(now, log);
    }

    /// A heartbeat of any node, also of this one.
    pub fn handle_heartbeat(&mut self, now: Timestamp, heartbeat: Heartbeat) {
        self.members.advance(now);
        let before = self.members.instance(&heartbeat.from.node).cloned();
        let from = heartbeat.from.clone();
        if self.members.handle_heartbeat(now, heartbeat)
            && let Some(before) = before.filter(|before| *before != from)
        {
            self.events.push_back(NodeEvent::Gone(before));
        }
    }

    /// The journal of an own log is closed, and this is why. A log that is still this node's is opened again in a new
    /// epoch, except after a contradiction: that is recorded for everybody to see, and nobody opens the log.
    pub fn handle_closed(&mut self, now: Timestamp, log: &LogName, why: &JournalEnd) {
        self.members.advance(now);
        let Some(entry) = self.logs.get_mut(log) else { return };
        if let JournalEnd::Superseded { epoch } = why {
            entry.min_epoch = entry.min_epoch.max(*epoch);
        }
        let is_contradiction = matches!(why, JournalEnd::Contradiction { .. });
        if entry.held.take().is_none() || entry.record.owner != self.me {
            return;
        }
        if is_contradiction {
            self.change_own(now, log, |record| record.state = LogState::Failed);
        } else {
            self.claim(now, log);
        }
    }

    /// An answer of the engine.
    pub fn handle_reply(&mut self, now: Timestamp, id: RequestId, reply: EngineReply) {
        self.members.advance(now);
        self.handle_change_reply(now, id, reply);
        self.pursue_intents(now);
        self.continue_draining(now);
    }

    /// The time has come that `poll_timeout` said.
    pub fn handle_timeout(&mut self, now: Timestamp) {
        self.members.advance(now);
        self.retry_changes(now);
        if self.next_heartbeat_at <= now {
            self.next_heartbeat_at = now.after(HEARTBEAT_MS);
            self.send_heartbeat(now);
            self.take_over_orphans(now);
            self.pursue_intents(now);
            self.continue_draining(now);
        }
    }

    /// When to call `handle_timeout`.
    pub fn poll_timeout(&self) -> Timestamp {
        self.retry_at().map_or(self.next_heartbeat_at, |at| at.min(self.next_heartbeat_at))
    }

    /// The next request for the engine.
    pub fn poll_request(&mut self) -> Option<EngineRequest> {
        self.requests.pop_front()
    }

    /// The next heartbeat for all nodes, itself included.
    pub fn poll_heartbeat(&mut self) -> Option<Heartbeat> {
        self.heartbeats.pop_front()
    }

    /// The next thing to do.
    pub fn poll_event(&mut self) -> Option<NodeEvent> {
        self.events.pop_front()
    }

    /// This instance.
    pub fn me(&self) -> &Instance {
        &self.me
    }

    /// What this node says about itself.
    pub fn condition(&self, now: Timestamp) -> Condition {
        match (self.members.hears_itself(now), self.is_draining) {
            (false, _) => Condition::CutOff,
            (true, true) => Condition::Draining,
            (true, false) => Condition::Ready,
        }
    }

    /// The last known ownership record of a log.
    pub fn ownership(&self, log: &LogName) -> Option<&Ownership> {
        self.logs.get(log).map(|entry| &entry.record)
    }

    /// All logs that are not finished and the last finished ones, with their last known ownership records.
    pub fn logs(&self) -> impl Iterator<Item = (&LogName, &Ownership)> {
        self.logs.iter().map(|(log, entry)| (log, &entry.record))
    }

    /// All nodes that were ever heard.
    pub fn members(&self) -> impl Iterator<Item = &Member> {
        self.members.iter()
    }

    /// How many logs this node was told to open.
    pub fn held(&self) -> usize {
        self.logs.values().filter(|entry| entry.held.is_some()).count()
    }

    fn send_heartbeat(&mut self, now: Timestamp) {
        let load = self.held() as u64;
        let (from, condition) = (self.me.clone(), self.condition(now));
        self.heartbeats.push_back(Heartbeat { from, load, condition });
    }

    /// Takes a newer ownership record, and opens or closes the log accordingly.
    fn learn(&mut self, now: Timestamp, log: &LogName, seq: Seq, record: Ownership) {
        self.drop_settled_change(log, &record);
        let entry = self.logs.entry(log.clone()).or_insert_with(|| Entry::new(seq, &record));
        if entry.held.as_ref().is_some_and(|held| held.epoch > record.epoch) {
            // It is outdated, or the engine has lost the newer one. The journal will find out whose the log is.
            entry.seq = seq;
            return;
        }
        let is_same_owner = entry.record.owner == record.owner;
        if !is_same_owner || entry.record.epoch != record.epoch {
            entry.orphaned_since = None;
        }
        (entry.seq, entry.record) = (seq, record);
        let is_mine = entry.record.owner == self.me && entry.record.state == LogState::Running;
        let held = entry.held.as_ref().map(|held| held.epoch);
        let epoch = entry.record.epoch;
        if held.is_some() && (!is_mine || held < Some(epoch)) {
            entry.held = None;
            self.events.push_back(NodeEvent::Close { log: log.clone() });
        }
        if is_mine && entry.opened < epoch {
            self.open(now, log);
        }
        self.events.push_back(NodeEvent::Changed { log: log.clone() });
        self.note_finished(log);
    }

    /// Forgets the finished log that this node has known longest, if there are too many.
    fn note_finished(&mut self, log: &LogName) {
        let Some(entry) = self.logs.get_mut(log) else { return };
        let is_finished = entry.record.state == LogState::Finished;
        let was_finished = std::mem::replace(&mut entry.is_finished, is_finished);
        match (was_finished, is_finished) {
            (false, true) => self.finished.push_back(log.clone()),
            // The engine has lost the record that said so.
            (true, false) => self.finished.retain(|finished| finished != log),
            _ => {}
        }
        if self.finished.len() > MAX_FINISHED
            && let Some(oldest) = self.finished.pop_front()
        {
            self.logs.remove(&oldest);
        }
    }

    fn open(&mut self, now: Timestamp, log: &LogName) {
        let Some(entry) = self.logs.get_mut(log) else { return };
        if entry.record.epoch <= entry.min_epoch {
            return self.claim(now, log);
        }
        let epoch = entry.record.epoch;
        entry.held = Some(Held { epoch, successor: None });
        entry.opened = epoch;
        self.events.push_back(NodeEvent::Open { log: log.clone(), epoch });
    }
}

impl Entry {
    fn new(seq: Seq, record: &Ownership) -> Self {
        let record = record.clone();
        let none = Epoch(0);
        let (held, intent) = (None, Intent::default());
        let (orphaned_since, is_finished) = (None, false);
        Self {
            seq,
            record,
            orphaned_since,
            held,
            intent,
            opened: none,
            min_epoch: none,
            is_finished,
        }
    }
}
