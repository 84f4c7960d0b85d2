//! From a log to an open journal: read everything, fence earlier owners, complete the log from the own copy.

use std::sync::Arc;

use nuggets_time::Timestamp;

use super::{BrokenRule, Journal, JournalEnd, JournalEvent, JournalStage};
use crate::{LogMerge, LogRecord, MergeError, RecordBody, StoredMessage};

impl From<MergeError> for JournalEnd {
    fn from(why: MergeError) -> Self {
        Self::Contradiction { index: why.index }
    }
}

impl Journal {
    /// Takes messages that were read from a stream while the log is being opened.
    pub(super) fn take_log(
        &mut self,
        now: Timestamp,
        at: usize,
        messages: &[StoredMessage],
        is_end: bool,
    ) {
        for message in messages {
            if let Err(why) = self.take_message(at, message) {
                return self.close(why);
            }
        }
        if !is_end {
            self.read(now, at);
        } else if at + 1 < self.streams.len() {
            self.read(now, at + 1);
        } else if self.stage == JournalStage::Following {
            self.is_caught_up = !self.merge.has_gap();
        } else {
            self.fence_next(now);
        }
    }

    fn take_message(&mut self, at: usize, message: &StoredMessage) -> Result<(), JournalEnd> {
        let unreadable = JournalEnd::Contradiction { index: self.last_index + 1 };
        let record = LogRecord::decode(&message.bytes).map_err(|_| unreadable)?;
        let (index, epoch) = (record.index, record.epoch);
        let is_fence = matches!(record.body, RecordBody::Fence { .. });
        let copied = self.copied(index).filter(|_| !is_fence && self.needs_proof());
        if copied.is_some_and(|copied| *copied != message.bytes) {
            return Err(JournalEnd::Contradiction { index });
        }
        // An epoch belongs to one instance, and this one has not written in it yet.
        if epoch >= self.epoch {
            return Err(JournalEnd::Superseded { epoch });
        }
        self.seen_epoch = self.seen_epoch.max(epoch);
        self.streams[at].seq = message.seq;
        if !is_fence {
            self.merge.add(record, &message.bytes)?;
        }
        self.take_merged()
    }

    fn take_merged(&mut self) -> Result<(), JournalEnd> {
        while let Some((record, bytes)) = self.merge.poll()? {
            if self.copied(record.index).is_none() {
                self.events.push_back(JournalEvent::Store(bytes));
            }
            self.last_index = record.index;
            self.events.push_back(JournalEvent::Replay(record));
        }
        Ok(())
    }

    fn copied(&self, index: u64) -> Option<&Arc<[u8]>> {
        self.copy.get(usize::try_from(index.checked_sub(self.base.index + 1)?).ok()?)
    }

    /// All of the log is read. An earlier owner could still append to any of its streams; behind a fence it can't.
    fn fence_next(&mut self, now: Timestamp) {
        let is_done = match self.broken_rule {
            Some(BrokenRule::NoFence | BrokenRule::OneFence) => true,
            // In the only stream of a log the `Opened` record is enough.
            _ => self.fenced == self.streams.len() || self.streams.len() == 1,
        };
        if is_done {
            return self.complete_or_open(now);
        }
        self.stage = JournalStage::Fencing;
        let body = RecordBody::Fence { by: self.me.clone() };
        let record = LogRecord { epoch: self.epoch, index: 0, body };
        self.publish(now, self.fenced, record.encode().into(), self.appended);
    }

    pub(super) fn handle_fenced(&mut self, now: Timestamp) {
        self.fenced += 1;
        self.fence_next(now);
    }

    /// All of the log is known, and it agrees with the copy as far as both go. What only the copy has was acknowledged
    /// once, so it is published again. Then the log is opened.
    fn complete_or_open(&mut self, now: Timestamp) {
        let next = self.last_index + 1;
        if let Some(missing) = self.copied(next).cloned() {
            self.stage = JournalStage::Completing;
            return self.publish(now, self.current, missing, self.appended);
        }
        if self.merge.has_gap() {
            // One stream has lost what the other one continues.
            return self.close(JournalEnd::Contradiction { index: next });
        }
        if self.broken_rule == Some(BrokenRule::NoFence) {
            return self.open_for_appends();
        }
        self.stage = JournalStage::Opening;
        let body = RecordBody::Opened { by: self.me.clone() };
        let record = LogRecord { epoch: self.epoch, index: next, body };
        self.publish(now, self.current, record.encode().into(), self.appended);
    }

    /// A missing record is in the log again.
    pub(super) fn handle_completed(&mut self, now: Timestamp, at: usize, message: &StoredMessage) {
        match self.take_message(at, message) {
            Ok(()) => self.complete_or_open(now),
            Err(why) => self.close(why),
        }
    }

    /// The record that begins this epoch is in the log.
    pub(super) fn handle_opened(&mut self, message: &StoredMessage) {
        self.last_index += 1;
        self.events.push_back(JournalEvent::Store(Arc::clone(&message.bytes)));
        self.open_for_appends();
    }

    fn open_for_appends(&mut self) {
        self.stage = JournalStage::Open;
        (self.copy, self.merge) = (Vec::new(), LogMerge::default());
        self.events.push_back(JournalEvent::Opened);
    }

    fn needs_proof(&self) -> bool {
        self.broken_rule != Some(BrokenRule::NoPrefixProof)
    }
}
