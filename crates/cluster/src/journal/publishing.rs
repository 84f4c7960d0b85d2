//! One publish at a time, until its outcome is known.

use std::sync::Arc;

use nuggets_time::Timestamp;

use super::{
    Journal, JournalEnd, JournalEvent, JournalStage, MAX_BATCH_BYTES, PAUSE_AFTER_MS, RETRY_MS,
    SHORTER_AFTER_MS, Ticket,
};
use crate::{
    EngineCall, EngineRequest, LogRecord, Mark, RecordBody, RequestId, Seq, StoredMessage,
};

/// A publish whose outcome is not known.
#[derive(Debug)]
pub(super) struct Outstanding {
    pub(super) id: RequestId,
    /// In which stream.
    pub(super) at: usize,
    bytes: Arc<[u8]>,
    /// The last append in it.
    ticket: Ticket,
    since: Timestamp,
    /// Since when it is published in this stream.
    pub(super) in_stream_since: Timestamp,
    sent_at: Timestamp,
    /// Since when the engine has rejected the sequence although nothing is seen behind it.
    pub(super) rejected_since: Option<Timestamp>,
}

impl Journal {
    pub(super) fn publish(&mut self, now: Timestamp, at: usize, bytes: Arc<[u8]>, ticket: Ticket) {
        let id = self.new_id();
        let (since, in_stream_since, sent_at) = (now, now, now);
        let rejected_since = None;
        self.outstanding = Some(Outstanding {
            id,
            at,
            bytes,
            ticket,
            since,
            in_stream_since,
            sent_at,
            rejected_since,
        });
        self.send_outstanding(now);
    }

    /// Everything that has come meanwhile becomes the next record.
    pub(super) fn publish_pending(&mut self, now: Timestamp) {
        let is_free = self.stage == JournalStage::Open && self.outstanding.is_none();
        if !is_free || self.pending.appends.is_empty() {
            return;
        }
        let (mut bytes, mut marks) = (Vec::new(), Vec::<Mark>::new());
        let mut ticket = self.committed;
        while let Some((next, _)) = self.pending.appends.front()
            && (bytes.is_empty() || bytes.len() + next.len() <= MAX_BATCH_BYTES)
            && let Some((next, mark)) = self.pending.appends.pop_front()
        {
            self.pending.bytes -= next.len();
            ticket.0 += 1;
            bytes.extend(next);
            if let Some(mark) = mark {
                marks.retain(|other| other.connection != mark.connection);
                marks.push(mark);
            }
        }
        let body = RecordBody::Batch { bytes, marks };
        let record = LogRecord { epoch: self.epoch, index: self.last_index + 1, body };
        self.return_if_due(now);
        self.publish(now, self.current, record.encode().into(), ticket);
    }

    pub(super) fn send_outstanding(&mut self, now: Timestamp) {
        let Some(at) = self.outstanding.as_ref().map(|it| it.at) else { return };
        let (subject, expected) = (self.subject(at), self.streams[at].seq);
        let Some(outstanding) = &mut self.outstanding else { return };
        outstanding.sent_at = now;
        let (id, bytes) = (outstanding.id, Arc::clone(&outstanding.bytes));
        let call = EngineCall::Publish { subject, expected, bytes };
        self.requests.push_back(EngineRequest { id, call });
    }

    pub(super) fn resend_at(&self) -> Option<Timestamp> {
        let outstanding = self.outstanding.as_ref().filter(|_| self.reading.is_none())?;
        Some(outstanding.sent_at.after(RETRY_MS))
    }

    /// No answer: the message may be stored, lost or still on its way. Sent again, it can be stored only once.
    pub(super) fn resend_if_due(&mut self, now: Timestamp) {
        if self.resend_at().is_some_and(|at| at <= now) {
            self.send_outstanding(now);
        }
    }

    pub(super) fn pause_at(&self) -> Option<Timestamp> {
        let is_running = self.stage == JournalStage::Open && !self.is_paused;
        let outstanding = self.outstanding.as_ref().filter(|_| is_running)?;
        Some(outstanding.since.after(PAUSE_AFTER_MS))
    }

    pub(super) fn pause_if_due(&mut self, now: Timestamp) {
        if self.pause_at().is_some_and(|at| at <= now) {
            self.is_paused = true;
            self.events.push_back(JournalEvent::Paused);
        }
    }

    /// The outstanding record is in the log.
    pub(super) fn handle_stored(&mut self, now: Timestamp, seq: Seq) {
        let Some(outstanding) = self.outstanding.take() else { return };
        self.reading = None;
        let at = outstanding.at;
        (self.streams[at].seq, self.streams[at].is_unchecked) = (seq, false);
        let message = StoredMessage { seq, bytes: outstanding.bytes };
        match self.stage {
            JournalStage::Fencing => self.handle_fenced(now),
            JournalStage::Completing => self.handle_completed(now, at, &message),
            JournalStage::Opening => self.handle_opened(&message),
            JournalStage::Open => self.handle_committed(now, message, outstanding.ticket),
            JournalStage::Following | JournalStage::Reading | JournalStage::Closed => {}
        }
    }

    fn handle_committed(&mut self, now: Timestamp, message: StoredMessage, ticket: Ticket) {
        self.last_index += 1;
        self.committed = ticket;
        self.events.push_back(JournalEvent::Store(message.bytes));
        self.events.push_back(JournalEvent::Committed(ticket));
        if std::mem::take(&mut self.is_paused) {
            self.events.push_back(JournalEvent::Resumed);
        }
        self.publish_pending(now);
    }

    /// The sequence is not the expected one: the own record is there already, or another one.
    pub(super) fn handle_rejected(&mut self, now: Timestamp) {
        if let Some(outstanding) = self.outstanding.as_ref().filter(|_| self.reading.is_none()) {
            self.read(now, outstanding.at);
        }
    }

    /// What a stream has behind the last known message.
    pub(super) fn handle_messages(
        &mut self,
        now: Timestamp,
        at: usize,
        messages: &[StoredMessage],
        is_end: bool,
    ) {
        let Some(outstanding) = &self.outstanding else {
            return self.take_log(now, at, messages, is_end);
        };
        let Some(first) = messages.first() else { return self.handle_nothing_there(now) };
        if first.bytes == outstanding.bytes {
            return self.handle_stored(now, first.seq);
        }
        if self.stage != JournalStage::Open {
            self.outstanding = None;
            self.stage = JournalStage::Reading;
            return self.take_log(now, at, messages, is_end);
        }
        if let Some(why) = self.reason_of(first) {
            return self.close(why);
        }
        self.streams[at].seq = first.seq;
        self.handle_messages_behind(now, at, &messages[1..], is_end);
    }

    /// What this journal has published in the stream before it left it was stored later.
    fn handle_messages_behind(
        &mut self,
        now: Timestamp,
        at: usize,
        messages: &[StoredMessage],
        is_end: bool,
    ) {
        if !messages.is_empty() {
            self.handle_messages(now, at, messages, is_end);
        } else if is_end {
            self.send_outstanding(now);
        } else {
            self.read(now, at);
        }
    }

    /// The engine rejects the sequence, but there is nothing behind it. Mostly the answer is outdated, and the publish is
    /// sent again in a while. If that lasts, the log has lost what it had.
    fn handle_nothing_there(&mut self, now: Timestamp) {
        let Some(outstanding) = &mut self.outstanding else { return };
        let since = *outstanding.rejected_since.get_or_insert(now);
        if now.since(since) >= SHORTER_AFTER_MS {
            self.close(self.shorter());
        }
    }

    /// The log has lost records. If those up to `base` are lost, too, opening it again would not help.
    fn shorter(&self) -> JournalEnd {
        let is_base_lost = self.stage != JournalStage::Open && self.last_index == self.base.index;
        if is_base_lost && self.base.index > 0 {
            JournalEnd::Contradiction { index: self.base.index }
        } else {
            JournalEnd::Shorter
        }
    }

    /// A message stands where the outstanding one should. `None` if this journal has published it, and it is known to be in
    /// the log: then it was stored in this stream, too, after the journal had left it.
    fn reason_of(&self, message: &StoredMessage) -> Option<JournalEnd> {
        match LogRecord::decode(&message.bytes) {
            Ok(record) if record.epoch > self.epoch => {
                Some(JournalEnd::Superseded { epoch: record.epoch })
            }
            Ok(LogRecord { epoch, index, body: RecordBody::Batch { .. } })
                if epoch == self.epoch && index <= self.last_index && self.moved_at.is_some() =>
            {
                None
            }
            _ => Some(JournalEnd::Shorter),
        }
    }
}
