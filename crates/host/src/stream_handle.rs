//! A view stream that its game writes and many connections read. Listeners of players are called immediately, by the
//! publishing thread; those of watchers take turns (`WatchRounds`), so that ten thousand of them cost the game nothing
//! per key.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::extract::ws::Utf8Bytes;
use nuggets_time::{Clock, Timestamp};

use crate::locks::lock;
use crate::view_stream::{Audience, Gap, LineBuffer, Position, StreamText, ViewStream};
use crate::wire::{Since, StreamLine};

/// A callback for new lines in a stream; it may be called without any. It must not block.
pub(crate) type StreamListener = Arc<dyn Fn() + Send + Sync>;

/// A stream shared by its game and its readers.
pub struct StreamHandle {
    stream: Mutex<ViewStream>,
    /// The number of the last line, readable without the lock.
    seq: AtomicU64,
    has_watch_delay: bool,
    /// The texts that were last sent to watchers. The game never waits for this lock.
    watcher_texts: Mutex<WatcherTexts>,
    /// The listeners of players, by number. Changes replace the whole list, so that it is not locked while they are called.
    listeners: Mutex<Arc<Vec<(u64, StreamListener)>>>,
}

/// The last texts for watchers; watchers at the same position share one.
#[derive(Debug, Default)]
struct WatcherTexts {
    end: u64,
    /// Texts from a position to `end`.
    last: Vec<(Position, Utf8Bytes)>,
}

/// The number of positions for which a text is kept. Watchers who are served together have few different positions.
const MAX_TEXTS: usize = 4;

impl fmt::Debug for StreamHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamHandle").field("stream", &self.stream).finish_non_exhaustive()
    }
}

impl StreamHandle {
    /// Makes a stream shareable.
    pub fn new(stream: ViewStream) -> Self {
        Self {
            seq: AtomicU64::new(stream.seq()),
            has_watch_delay: stream.has_watch_delay(),
            stream: Mutex::new(stream),
            watcher_texts: Mutex::default(),
            listeners: Mutex::default(),
        }
    }

    /// Adds a line and calls the players' listeners.
    pub fn publish(&self, now: Timestamp, line: &mut LineBuffer) {
        let mut stream = self.lock();
        if stream.publish(now, line) {
            self.announce(stream);
        }
    }

    /// Applies a line of the stream that this is a copy of (see `ViewStream::follow`).
    pub fn follow(&self, text: &str) -> Result<StreamLine, Gap> {
        let mut stream = self.lock();
        let line = stream.follow(text)?;
        self.announce(stream);
        Ok(line)
    }

    fn announce(&self, stream: MutexGuard<'_, ViewStream>) {
        self.seq.store(stream.seq(), Ordering::Release);
        drop(stream);
        let listeners = Arc::clone(&lock(&self.listeners));
        listeners.iter().for_each(|(_, listener)| listener());
    }

    /// Returns the lines since this position (see `ViewStream::read`).
    pub fn read(
        &self,
        position: Position,
        now: Timestamp,
        audience: Audience,
    ) -> Option<StreamText> {
        self.lock().read(position, now, audience)
    }

    /// Locks the stream. Hold the lock only briefly: the game waits for it.
    pub fn lock(&self) -> MutexGuard<'_, ViewStream> {
        // Lines are added whole, so the stream is consistent even after a panic of the game.
        lock(&self.stream)
    }

    /// Returns a reader that starts after the last line that its client has.
    pub fn reader(
        self: &Arc<Self>,
        clock: Clock,
        audience: Audience,
        since: Option<&Since>,
    ) -> StreamReader {
        let position = self.lock().position(since);
        StreamReader { handle: Arc::clone(self), clock, audience, position }
    }

    /// Returns the number of the last line.
    pub(crate) fn seq(&self) -> u64 {
        self.seq.load(Ordering::Acquire)
    }

    /// True if watchers see lines later than players.
    pub(crate) fn has_watch_delay(&self) -> bool {
        self.has_watch_delay
    }

    /// Calls the listener after every line, until the subscription is dropped.
    pub(crate) fn subscribe(self: &Arc<Self>, listener: StreamListener) -> Subscription {
        let mut listeners = lock(&self.listeners);
        let number = listeners.last().map_or(0, |(number, _)| number + 1);
        Arc::make_mut(&mut listeners).push((number, listener));
        let handle = Arc::clone(self);
        Subscription::new(move || {
            let mut listeners = lock(&handle.listeners);
            Arc::make_mut(&mut listeners).retain(|(known, _)| *known != number);
        })
    }

    /// Reads for a watcher without a delay. Takes the game's lock only once for all watchers at the same position.
    fn read_shared(&self, position: Position, now: Timestamp) -> Option<(Utf8Bytes, Position)> {
        let mut texts = lock(&self.watcher_texts);
        if texts.end == self.seq()
            && let Some((_, text)) = texts.last.iter().find(|(from, _)| *from == position)
        {
            return Some((text.clone(), Position { seq: Some(texts.end) }));
        }
        let StreamText { text, position: end, .. } = self.read(position, now, Audience::Watcher)?;
        let end_seq = end.seq.unwrap_or(0);
        if texts.end != end_seq || texts.last.len() >= MAX_TEXTS {
            texts.last.clear();
            texts.end = end_seq;
        }
        texts.last.push((position, text.clone()));
        Some((text, end))
    }
}

/// A registration as a listener; dropping it ends the calls.
pub(crate) struct Subscription(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Subscription {
    /// Creates a registration that ends with this call.
    pub(crate) fn new(end: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(end)))
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(end) = self.0.take() {
            end();
        }
    }
}

/// One connection's position in a stream.
#[derive(Debug)]
pub struct StreamReader {
    handle: Arc<StreamHandle>,
    clock: Clock,
    audience: Audience,
    position: Position,
}

impl StreamReader {
    /// Returns the lines since the last call, as one text message; `None` if there are none.
    pub fn read(&mut self) -> Option<Utf8Bytes> {
        if self.position.seq == Some(self.handle.seq()) {
            return None;
        }
        // Only a delay depends on the time.
        let now = if self.handle.has_watch_delay { self.clock.now() } else { Timestamp(0) };
        let (text, position) = if self.audience == Audience::Watcher && !self.handle.has_watch_delay
        {
            self.handle.read_shared(self.position, now)?
        } else {
            let read = self.handle.lock().read(self.position, now, self.audience)?;
            (read.text, read.position)
        };
        self.position = position;
        Some(text)
    }

    /// True if its client has no line of this stream, so that it is sent a whole picture without earlier notices of the host.
    pub(crate) fn is_at_start(&self) -> bool {
        self.position == Position::default()
    }

    /// Makes the next text a whole picture.
    pub fn restart(&mut self) {
        self.position = Position::default();
    }

    /// Returns the role of the connection, which decides about the delay.
    pub(crate) fn audience(&self) -> Audience {
        self.audience
    }

    pub(crate) fn handle(&self) -> &Arc<StreamHandle> {
        &self.handle
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use crate::Snapshot;

    fn handle() -> Arc<StreamHandle> {
        let first = Snapshot::new(b"|@..|\n", 5);
        Arc::new(StreamHandle::new(ViewStream::new(Timestamp(0), "s", first, 0)))
    }

    fn publish(handle: &StreamHandle, steps: u32) {
        let line = StreamLine { steps: Some(steps), ..StreamLine::default() };
        handle.publish(Timestamp(0), &mut line.into());
    }

    #[test]
    fn watchers_at_the_same_position_share_one_text() {
        let handle = handle();
        let reader = || handle.reader(Clock::start(), Audience::Watcher, None);
        let (mut ann, mut bob) = (reader(), reader());
        for steps in 0..3 {
            let (first, second) = (ann.read().unwrap(), bob.read().unwrap());
            assert_eq!(first.as_ptr(), second.as_ptr());
            assert!(ann.read().is_none() && bob.read().is_none());
            publish(&handle, steps);
        }
        let first = ann.read().unwrap();
        assert_eq!(first.as_str(), r#"{"seq":4,"steps":2}"#);
        publish(&handle, 9);
        assert_eq!(bob.read().unwrap().lines().count(), 2, "what was kept for Ann is too old");
        bob.restart();
        assert!(bob.read().unwrap().contains("whole"));
    }

    #[test]
    fn listeners_of_players_are_called_after_every_line_until_they_are_dropped() {
        let handle = handle();
        let calls = Arc::new(AtomicUsize::new(0));
        let subscribe = || {
            let calls = Arc::clone(&calls);
            let count = move || {
                calls.fetch_add(1, Ordering::Relaxed);
            };
            handle.subscribe(Arc::new(count))
        };
        let (first, second) = (subscribe(), subscribe());
        publish(&handle, 1);
        drop(first);
        publish(&handle, 2);
        publish(&handle, 2);
        assert_eq!(calls.load(Ordering::Relaxed), 3, "nothing was new in the last line");
        drop(second);
        publish(&handle, 3);
        assert_eq!(calls.load(Ordering::Relaxed), 3);
    }
}
