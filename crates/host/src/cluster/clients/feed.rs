//! A view of a game of any node, shown at this one: an ordinary stream that follows the owner's.

use std::sync::Arc;

use nuggets_cluster::{Picture, ViewFeed};
use nuggets_time::Timestamp;

use crate::cluster::effect::AttachAnswer;
use crate::view_stream::{Audience, Snapshot, ViewStream};
use crate::wire::{Hello, StreamLine};
use crate::{AttachError, Attached, StreamHandle};

/// A view that nobody reads is kept this long, for those who come back.
const KEEP_MS: u64 = 20_000;

/// One view at this node.
#[derive(Debug)]
pub(super) struct Feed {
    pub(super) follower: ViewFeed,
    delay_ms: u64,
    /// Since the first picture.
    handle: Option<Arc<StreamHandle>>,
    waiting: Vec<Waiter>,
    unread_since: Option<Timestamp>,
}

/// A connection that waits for a picture.
#[derive(Debug)]
pub(super) struct Waiter {
    /// It must show this much of the log.
    pub(super) index: u64,
    pub(super) hello: Hello,
    pub(super) notice: Option<String>,
    pub(super) audience: Audience,
    pub(super) answer: AttachAnswer,
}

impl Feed {
    pub(super) fn new(delay_ms: u64) -> Self {
        let follower = ViewFeed::new(0);
        Self { follower, delay_ms, handle: None, waiting: Vec::new(), unread_since: None }
    }

    pub(super) fn add(&mut self, waiter: Waiter) {
        self.waiting.push(waiter);
        self.answer();
    }

    pub(super) fn reject(&mut self, why: &AttachError) {
        for waiter in self.waiting.drain(..) {
            let _ = waiter.answer.send(Err(why.clone()));
        }
    }

    /// Shows a picture, unless it is older than what was shown. True if a stream with this id was begun.
    pub(super) fn handle_picture(
        &mut self,
        now: Timestamp,
        picture: &Picture,
        stream_id: String,
    ) -> bool {
        if !self.follower.handle_picture(picture) {
            return false;
        }
        let text = String::from_utf8_lossy(&picture.bytes);
        let mut lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
        let mut is_new = false;
        if picture.is_whole {
            let mut whole = Snapshot::default();
            lines.for_each(|line: StreamLine| whole.apply(&line));
            is_new = self.replace(now, whole, stream_id);
        } else if let Some(handle) = &self.handle {
            lines.by_ref().for_each(|line| handle.publish(now, line));
        }
        self.answer();
        is_new
    }

    fn replace(&mut self, now: Timestamp, whole: Snapshot, stream_id: String) -> bool {
        if let Some(handle) = &self.handle {
            handle.replace(now, whole);
            return false;
        }
        let stream = ViewStream::new(now, stream_id, whole, self.delay_ms);
        self.handle = Some(Arc::new(StreamHandle::new(stream)));
        true
    }

    /// Answers those who can be shown enough.
    fn answer(&mut self) {
        let Some(handle) = &self.handle else { return };
        let shown = self.follower.index();
        for waiter in self.waiting.extract_if(.., |waiter| waiter.index <= shown) {
            let Waiter { mut hello, notice, audience, answer, .. } = waiter;
            handle.lock().id().clone_into(&mut hello.stream);
            let stream = Arc::clone(handle);
            // The connection may be closed by now.
            let _ = answer.send(Ok(Attached { hello, stream, audience, notice }));
        }
    }

    /// True if nobody has read it for a while.
    pub(super) fn is_unread(&mut self, now: Timestamp) -> bool {
        self.waiting.retain(|waiter| !waiter.answer.is_closed());
        let is_read = self.handle.as_ref().is_some_and(|handle| Arc::strong_count(handle) > 1);
        if is_read || !self.waiting.is_empty() {
            self.unread_since = None;
            return false;
        }
        now.since(*self.unread_since.get_or_insert(now)) >= KEEP_MS
    }
}
