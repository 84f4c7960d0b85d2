//! One client at its edge: what it has sent, and how much of it is answered.

use std::collections::VecDeque;

use nuggets_time::Timestamp;

use super::{MAX_UNANSWERED, RESEND_MS, STALLED_AFTER_MS, TooManyFrames};
use crate::{ConnectionId, EdgeMessage, Epoch, LogName};

#[derive(Debug)]
pub(super) struct Link {
    pub(super) connection: ConnectionId,
    pub(super) log: LogName,
    hello: Vec<u8>,
    /// In which epoch the owner knows it.
    attached: Option<Epoch>,
    /// The number of the last frame that was answered.
    answered: u64,
    /// The frames behind it.
    frames: VecDeque<Vec<u8>>,
    /// When something was last sent to the owner.
    sent_at: Timestamp,
    /// Since when the first frame waits, or the connection to be attached.
    waiting_since: Timestamp,
    is_paused: bool,
}

impl Link {
    pub(super) fn new(
        now: Timestamp,
        connection: ConnectionId,
        log: LogName,
        hello: Vec<u8>,
    ) -> Self {
        Self {
            connection,
            log,
            hello,
            attached: None,
            answered: 0,
            frames: VecDeque::new(),
            sent_at: now,
            waiting_since: now,
            is_paused: false,
        }
    }

    pub(super) fn unanswered(&self) -> usize {
        self.frames.len()
    }

    /// Adds a frame. The message has only this one: the others are on their way.
    pub(super) fn push(
        &mut self,
        now: Timestamp,
        frame: Vec<u8>,
    ) -> Result<Option<EdgeMessage>, TooManyFrames> {
        if self.frames.len() >= MAX_UNANSWERED {
            return Err(TooManyFrames);
        }
        if self.frames.is_empty() && self.attached.is_some() {
            self.waiting_since = now;
            self.sent_at = now;
        }
        self.frames.push_back(frame);
        let last = self.frames.len() - 1;
        Ok(self.attached.map(|_| self.frames_from(last)))
    }

    /// What the owner has to know now.
    pub(super) fn message(&mut self, now: Timestamp) -> Option<EdgeMessage> {
        self.sent_at = now;
        if self.attached.is_none() {
            let (log, connection) = (self.log.clone(), self.connection.clone());
            return Some(EdgeMessage::Attach { log, connection, hello: self.hello.clone() });
        }
        (!self.frames.is_empty()).then(|| self.frames_from(0))
    }

    fn frames_from(&self, skipped: usize) -> EdgeMessage {
        EdgeMessage::Frames {
            log: self.log.clone(),
            connection: self.connection.clone(),
            first: self.answered + 1 + skipped as u64,
            answered: self.answered,
            frames: self.frames.range(skipped..).cloned().collect(),
        }
    }

    /// True if it was not attached in this epoch before.
    pub(super) fn attach(&mut self, epoch: Epoch) -> bool {
        self.attached.replace(epoch) != Some(epoch)
    }

    /// Its owner does not know it.
    pub(super) fn detach(&mut self) -> ConnectionId {
        self.attached = None;
        self.connection.clone()
    }

    /// True if the client waited, and does not any more.
    pub(super) fn handle_answered(&mut self, now: Timestamp, up_to: u64) -> bool {
        let count = usize::try_from(up_to.saturating_sub(self.answered)).unwrap_or(usize::MAX);
        if count == 0 || count > self.frames.len() {
            return false;
        }
        self.frames.drain(..count);
        self.answered = up_to;
        self.waiting_since = now;
        self.sent_at = now;
        std::mem::take(&mut self.is_paused)
    }

    fn is_waiting(&self) -> bool {
        self.attached.is_none() || !self.frames.is_empty()
    }

    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        self.is_waiting() && now.since(self.sent_at) >= RESEND_MS
    }

    /// True if it was not paused before.
    pub(super) fn pause_if_stalled(&mut self, now: Timestamp) -> bool {
        let is_stalled = self.is_waiting() && now.since(self.waiting_since) >= STALLED_AFTER_MS;
        is_stalled && self.set_paused(true)
    }

    /// True if that is new.
    pub(super) fn set_paused(&mut self, is_paused: bool) -> bool {
        std::mem::replace(&mut self.is_paused, is_paused) != is_paused
    }

    pub(super) fn timeout(&self) -> Option<Timestamp> {
        let stalled = (!self.is_paused).then(|| self.waiting_since.after(STALLED_AFTER_MS));
        let due = self.sent_at.after(RESEND_MS);
        self.is_waiting().then(|| stalled.map_or(due, |at| at.min(due)))
    }
}
