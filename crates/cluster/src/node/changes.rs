//! Changes of ownership records: published with the expected sequence until the outcome is known.

use nuggets_time::Timestamp;

use super::{Entry, Intent, Node};
use crate::journal::RETRY_MS;
use crate::members::Presence;
use crate::{
    EngineCall, EngineReply, EngineRequest, Epoch, LogName, LogState, Ownership, RequestId, Seq,
    StoredMessage, Subject,
};

/// A change whose outcome is not known, or a record that is being read.
#[derive(Debug)]
pub(super) struct Change {
    id: RequestId,
    sent_at: Timestamp,
    /// What to publish, and behind which sequence; `None` if the record is only read.
    wanted: Option<(Seq, Ownership)>,
    /// True after the sequence was rejected: the record is read.
    is_reading: bool,
}

impl Change {
    /// False if the record is only read.
    pub(super) fn is_publish(&self) -> bool {
        self.wanted.is_some()
    }
}

impl Entry {
    /// The record as it should be.
    fn intended(&self) -> Ownership {
        let mut record = self.record.clone();
        if let Some(details) = &self.intent.details {
            record.details.clone_from(details);
        }
        if self.intent.finish {
            // The engine never deletes the record: without the details it is small.
            record.state = LogState::Finished;
            record.details = Vec::new();
        }
        let successor = self.held.as_ref().and_then(|held| held.successor.as_ref());
        if let Some(successor) = successor.filter(|_| self.intent.hand_over) {
            record.owner = successor.instance.clone();
            record.epoch = record.epoch.next();
        }
        record
    }
}

impl Node {
    /// Publishes a record. A change of the same log that is under way goes first.
    pub(super) fn change(
        &mut self,
        now: Timestamp,
        log: &LogName,
        expected: Seq,
        record: Ownership,
    ) {
        if self.changes.contains_key(log) {
            return;
        }
        let wanted = Some((expected, record));
        let change = Change { id: self.new_id(), sent_at: now, wanted, is_reading: false };
        self.changes.insert(log.clone(), change);
        self.send_change(now, log);
    }

    /// Changes the record of an own log.
    pub(super) fn change_own(
        &mut self,
        now: Timestamp,
        log: &LogName,
        change: impl FnOnce(&mut Ownership),
    ) {
        let Some(entry) = self.logs.get(log) else { return };
        if entry.record.owner != self.me || entry.record.state != LogState::Running {
            return;
        }
        let (expected, mut record) = (entry.seq, entry.record.clone());
        change(&mut record);
        self.change(now, log, expected, record);
    }

    /// Changes the record of an own log now, or when the change that is under way is done.
    pub(super) fn intend(
        &mut self,
        now: Timestamp,
        log: &LogName,
        intend: impl FnOnce(&mut Intent),
    ) {
        if let Some(entry) = self.logs.get_mut(log) {
            intend(&mut entry.intent);
            self.pursue_intents(now);
        }
    }

    pub(super) fn pursue_intents(&mut self, now: Timestamp) {
        let mut due = vec![];
        let intended = self.logs.iter_mut().filter(|(_, entry)| entry.intent != Intent::default());
        for (log, entry) in intended {
            let is_mine = entry.record.owner == self.me && entry.record.state == LogState::Running;
            let wanted = entry.intended();
            if !is_mine || wanted == entry.record {
                entry.intent = Intent::default();
            } else if !self.changes.contains_key(log) {
                due.push((log.clone(), entry.seq, wanted));
            }
        }
        for (log, seq, wanted) in due {
            self.change(now, &log, seq, wanted);
        }
    }

    /// Makes this instance the owner in the next epoch.
    pub(super) fn claim(&mut self, now: Timestamp, log: &LogName) {
        let Some(entry) = self.logs.get(log) else { return };
        let epoch: Epoch = entry.record.epoch.max(entry.min_epoch).next();
        let record = Ownership { epoch, owner: self.me.clone(), ..entry.record.clone() };
        self.change(now, log, entry.seq, record);
    }

    pub(super) fn read_record(&mut self, now: Timestamp, log: &LogName) {
        if self.changes.contains_key(log) {
            return;
        }
        let change = Change { id: self.new_id(), sent_at: now, wanted: None, is_reading: true };
        self.changes.insert(log.clone(), change);
        self.send_change(now, log);
    }

    pub(super) fn is_changing(&self, log: &LogName) -> bool {
        self.changes.contains_key(log)
    }

    fn new_id(&mut self) -> RequestId {
        self.next_request += 1;
        RequestId { epoch: Epoch(0), number: self.next_request }
    }

    fn send_change(&mut self, now: Timestamp, log: &LogName) {
        let Some(change) = self.changes.get_mut(log) else { return };
        change.sent_at = now;
        let subject = Subject::Ownership(log.clone());
        let call = match &change.wanted {
            Some((expected, record)) if !change.is_reading => {
                EngineCall::Publish { subject, expected: *expected, bytes: record.encode().into() }
            }
            _ => EngineCall::Read { subject, after: Seq(0) },
        };
        self.requests.push_back(EngineRequest { id: change.id, call });
    }

    pub(super) fn retry_at(&self) -> Option<Timestamp> {
        self.changes.values().map(|change| change.sent_at.after(RETRY_MS)).min()
    }

    pub(super) fn retry_changes(&mut self, now: Timestamp) {
        let is_due = |change: &Change| change.sent_at.after(RETRY_MS) <= now;
        let due = self.changes.iter().filter(|(_, change)| is_due(change));
        let due: Vec<LogName> = due.map(|(log, _)| log.clone()).collect();
        for log in due {
            if self.is_claim_outdated(now, &log) {
                self.changes.remove(&log);
                continue;
            }
            if let Some(change) = self.changes.get_mut(&log)
                && change.wanted.is_some()
            {
                change.is_reading = false;
            }
            self.send_change(now, &log);
        }
    }

    /// True if this node was about to replace an owner that is there again. If the claim is stored nevertheless, the
    /// ownership record will say so.
    fn is_claim_outdated(&self, now: Timestamp, log: &LogName) -> bool {
        let wanted = self.changes.get(log).and_then(|change| change.wanted.as_ref());
        let Some(entry) = self.logs.get(log).filter(|entry| entry.record.owner != self.me) else {
            return false;
        };
        let is_claim = wanted.is_some_and(|(_, wanted)| wanted.owner == self.me);
        is_claim && self.members.presence(now, &entry.record.owner) == Presence::Present
    }

    pub(super) fn handle_change_reply(
        &mut self,
        now: Timestamp,
        id: RequestId,
        reply: EngineReply,
    ) {
        let found = self.changes.iter().find(|(_, change)| change.id == id);
        let Some(log) = found.map(|(log, _)| log.clone()) else { return };
        match reply {
            EngineReply::Stored(seq) => self.handle_change_stored(now, &log, seq),
            EngineReply::WrongSequence => {
                if let Some(change) = self.changes.get_mut(&log) {
                    change.is_reading = true;
                }
                self.send_change(now, &log);
            }
            // It is sent again after a while.
            EngineReply::NoLeader => {}
            EngineReply::Messages { messages, .. } => {
                if let Some(last) = messages.last() {
                    self.handle_record_read(now, &log, last);
                } else if self.changes.get(&log).is_some_and(|change| change.wanted.is_none()) {
                    self.changes.remove(&log);
                }
            }
        }
    }

    fn handle_change_stored(&mut self, now: Timestamp, log: &LogName, seq: Seq) {
        let change = self.changes.remove(log);
        if let Some((_, record)) = change.and_then(|change| change.wanted) {
            self.learn(now, log, seq, record);
        }
    }

    /// The record as the engine has it now. If it is the wanted one, the change has succeeded; otherwise somebody else was
    /// first, and the change is dropped.
    fn handle_record_read(&mut self, now: Timestamp, log: &LogName, message: &StoredMessage) {
        self.changes.remove(log);
        if let Ok(record) = Ownership::decode(&message.bytes) {
            self.learn(now, log, message.seq, record);
        }
    }

    /// A change is done if the record says what was wanted.
    pub(super) fn drop_settled_change(&mut self, log: &LogName, record: &Ownership) {
        let wanted = self.changes.get(log).and_then(|change| change.wanted.as_ref());
        if wanted.is_some_and(|(_, wanted)| wanted == record) {
            self.changes.remove(log);
        }
    }
}
