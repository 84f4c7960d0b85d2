//! Failover from one stream of the log to the other, if the first has no leader or does not answer.

use nuggets_time::Timestamp;

use super::{CHECK_MS, Journal, JournalStage, MOVE_AFTER_MS, RETRY_MS, RETURN_AFTER_MS, Reading};
use crate::{EngineCall, EngineRequest, Seq, StoredMessage};

impl Journal {
    /// When to publish in the other stream, if no answer comes. A rejection is an answer: the stream has a leader.
    pub(super) fn move_at(&self) -> Option<Timestamp> {
        let can_move = self.stage == JournalStage::Open && self.streams.len() > 1;
        let outstanding = self.outstanding.as_ref().filter(|_| can_move)?;
        let is_rejected = outstanding.rejected_since.is_some();
        (!is_rejected).then(|| outstanding.in_stream_since.after(MOVE_AFTER_MS))
    }

    pub(super) fn move_if_due(&mut self, now: Timestamp) {
        if self.move_at().is_some_and(|at| at <= now) {
            self.move_on(now);
        }
    }

    /// The stream has no leader: nothing is gained by waiting for an answer. If the other one has just said the same, it is
    /// not asked at once.
    pub(super) fn handle_no_leader(&mut self, now: Timestamp) {
        let has_waited = self.moved_at.is_none_or(|at| now.since(at) >= RETRY_MS);
        if self.move_at().is_some() && has_waited {
            self.move_on(now);
        }
    }

    /// Publishes the outstanding record in the other stream, and continues there. It may be stored in both.
    fn move_on(&mut self, now: Timestamp) {
        self.write_in((self.current + 1) % self.streams.len());
        self.moved_at = Some(now);
        self.reading = None;
        let (id, at) = (self.new_id(), self.current);
        if let Some(outstanding) = &mut self.outstanding {
            (outstanding.id, outstanding.at, outstanding.in_stream_since) = (id, at, now);
            self.send_outstanding(now);
        }
    }

    /// Tries the preferred stream again.
    pub(super) fn return_if_due(&mut self, now: Timestamp) {
        if self.moved_at.is_some_and(|at| now.since(at) >= RETURN_AFTER_MS) {
            self.write_in(0);
        }
    }

    /// From now on records are published in this stream.
    fn write_in(&mut self, at: usize) {
        if at != self.current {
            let left = &mut self.streams[self.current];
            left.is_unchecked = left.seq != Seq(0);
            self.current = at;
        }
    }

    /// The stream that was left, if it is not known yet that it still has what it had.
    fn unchecked(&self) -> Option<usize> {
        let is_unchecked = |at: &usize| *at != self.current && self.streams[*at].is_unchecked;
        (0..self.streams.len()).find(is_unchecked)
    }

    pub(super) fn check_at(&self) -> Option<Timestamp> {
        self.unchecked().filter(|_| self.stage == JournalStage::Open)?;
        let since = self.checking.map(|reading| reading.sent_at).max(self.moved_at)?;
        Some(since.after(CHECK_MS))
    }

    /// Reads the last message of the stream that was left. If the brokers have lost power, it may be gone, and nothing that
    /// is published in the other stream would show that.
    pub(super) fn check_if_due(&mut self, now: Timestamp) {
        let is_due = self.check_at().is_some_and(|at| at <= now);
        let Some(at) = self.unchecked().filter(|_| is_due) else { return };
        let id = self.new_id();
        self.checking = Some(Reading { id, sent_at: now, at });
        let after = Seq(self.streams[at].seq.0.saturating_sub(1));
        let call = EngineCall::Read { subject: self.subject(at), after };
        self.requests.push_back(EngineRequest { id, call });
    }

    /// If the message is missing, the answer may be outdated: the next record is published there, which decides it.
    pub(super) fn handle_checked(&mut self, at: usize, messages: &[StoredMessage]) {
        let is_there = messages.first().is_some_and(|first| first.seq == self.streams[at].seq);
        if is_there {
            self.streams[at].is_unchecked = false;
        } else {
            self.write_in(at);
        }
    }
}
