//! From a log to an open journal: read everything, complete it from the own copy, fence earlier owners.

use std::sync::Arc;

use nuggets_time::Timestamp;

use super::{BrokenRule, Journal, JournalEnd, JournalEvent, JournalStage};
use crate::{LogRecord, RecordBody, StoredMessage};

impl Journal {
    /// Takes messages that were read from the log while it is being opened.
    pub(super) fn take_log(&mut self, now: Timestamp, messages: &[StoredMessage], is_end: bool) {
        for message in messages {
            if let Err(why) = self.take_message(message) {
                return self.close(why);
            }
        }
        if !is_end {
            self.read(now);
        } else if self.stage == JournalStage::Following {
            self.is_caught_up = true;
        } else {
            self.complete_or_fence(now);
        }
    }

    fn take_message(&mut self, message: &StoredMessage) -> Result<(), JournalEnd> {
        let index = self.last.index + 1;
        let contradiction = JournalEnd::Contradiction { index };
        let record = LogRecord::decode(&message.bytes).map_err(|_| contradiction.clone())?;
        if record.index != index || record.epoch < self.last.epoch {
            return Err(contradiction);
        }
        match self.copied(index) {
            Some(copied) if *copied != message.bytes && self.needs_proof() => {
                return Err(contradiction);
            }
            Some(_) => {}
            None => self.events.push_back(JournalEvent::Store(Arc::clone(&message.bytes))),
        }
        // An epoch belongs to one instance, and this one has not written in it yet.
        if record.epoch >= self.epoch {
            return Err(JournalEnd::Superseded { epoch: record.epoch });
        }
        self.advance(message, record.epoch);
        self.events.push_back(JournalEvent::Replay(record));
        Ok(())
    }

    fn advance(&mut self, message: &StoredMessage, epoch: crate::Epoch) {
        self.last.seq = message.seq;
        self.last.index += 1;
        self.last.epoch = epoch;
    }

    fn copied(&self, index: u64) -> Option<&Arc<[u8]>> {
        self.copy.get(usize::try_from(index.checked_sub(self.base.index + 1)?).ok()?)
    }

    /// All of the log is read, and it agrees with the copy as far as both go. What only the copy has was acknowledged
    /// once, so it is published again; then nobody else may append.
    fn complete_or_fence(&mut self, now: Timestamp) {
        let next = self.last.index + 1;
        if let Some(missing) = self.copied(next).cloned() {
            self.stage = JournalStage::Completing;
            return self.publish(now, missing, self.appended);
        }
        if self.broken_rule == Some(BrokenRule::NoFence) {
            return self.open_for_appends();
        }
        self.stage = JournalStage::Fencing;
        let body = RecordBody::Opened { by: self.me.clone() };
        let record = LogRecord { epoch: self.epoch, index: next, body };
        self.publish(now, record.encode().into(), self.appended);
    }

    /// A missing record is in the log again.
    pub(super) fn handle_completed(&mut self, now: Timestamp, message: &StoredMessage) {
        match self.take_message(message) {
            Ok(()) => self.complete_or_fence(now),
            Err(why) => self.close(why),
        }
    }

    /// The record that fences earlier owners is in the log.
    pub(super) fn handle_fenced(&mut self, message: &StoredMessage) {
        self.advance(message, self.epoch);
        self.events.push_back(JournalEvent::Store(Arc::clone(&message.bytes)));
        self.open_for_appends();
    }

    fn open_for_appends(&mut self) {
        self.stage = JournalStage::Open;
        self.copy = Vec::new();
        self.events.push_back(JournalEvent::Opened);
    }

    fn needs_proof(&self) -> bool {
        self.broken_rule != Some(BrokenRule::NoPrefixProof)
    }
}
