//! A view stream that its game writes and many connections read. Players are woken at once; watchers come by
//! themselves every tick, so that ten thousand of them cost the game nothing per key.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nuggets_time::{Clock, Timestamp};
use tokio::sync::watch;

use crate::view_stream::{Audience, Position, StreamText, ViewStream};
use crate::wire::{Since, StreamLine};

/// How often a watcher looks for news in a stream with few watchers.
const MIN_TICK: Duration = Duration::from_millis(100);
/// How often it does in one with very many.
const MAX_TICK: Duration = Duration::from_millis(800);
/// Each watcher makes the tick this much longer.
const TICK_PER_WATCHER: Duration = Duration::from_micros(100);

/// A stream shared by its game and its readers.
#[derive(Debug)]
pub struct StreamHandle {
    stream: Mutex<ViewStream>,
    /// The number of the last line, to be asked without the lock.
    seq: AtomicU64,
    /// Wakes players.
    wake: watch::Sender<()>,
    watchers: AtomicUsize,
}

impl StreamHandle {
    /// A stream to share.
    pub fn new(stream: ViewStream) -> Self {
        Self {
            seq: AtomicU64::new(stream.seq()),
            stream: Mutex::new(stream),
            wake: watch::Sender::new(()),
            watchers: AtomicUsize::new(0),
        }
    }

    /// Adds a line and wakes the players who read here.
    pub fn publish(&self, now: Timestamp, line: StreamLine) {
        let mut stream = self.lock();
        if stream.publish(now, line) {
            self.seq.store(stream.seq(), Ordering::Release);
            drop(stream);
            self.wake.send_replace(());
        }
    }

    /// What came since this position (see `ViewStream::read`).
    pub fn read(
        &self,
        position: Position,
        now: Timestamp,
        audience: Audience,
    ) -> Option<StreamText> {
        self.lock().read(position, now, audience)
    }

    /// The stream itself. Keep the lock for a short time only: the game waits.
    pub fn lock(&self) -> MutexGuard<'_, ViewStream> {
        // A game that has panicked leaves whole lines behind.
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A reader that begins behind what its client has.
    pub fn reader(
        self: &Arc<Self>,
        clock: Clock,
        audience: Audience,
        since: Option<&Since>,
    ) -> StreamReader {
        let position = self.lock().position(since);
        if audience == Audience::Watcher {
            self.watchers.fetch_add(1, Ordering::Relaxed);
        }
        let wake = self.wake.subscribe();
        StreamReader { handle: Arc::clone(self), clock, audience, position, wake }
    }

    fn tick(&self) -> Duration {
        let watchers = u32::try_from(self.watchers.load(Ordering::Relaxed)).unwrap_or(u32::MAX);
        TICK_PER_WATCHER.saturating_mul(watchers).saturating_add(MIN_TICK).min(MAX_TICK)
    }
}

/// One connection's place in a stream.
#[derive(Debug)]
pub struct StreamReader {
    handle: Arc<StreamHandle>,
    clock: Clock,
    audience: Audience,
    position: Position,
    wake: watch::Receiver<()>,
}

impl StreamReader {
    /// Waits for something new and returns it: one text message of one or more lines. Nothing is lost if the future is
    /// dropped before it is ready.
    pub async fn next(&mut self) -> String {
        loop {
            self.wake.mark_unchanged();
            if let Some(StreamText { text, position }) = self.read() {
                self.position = position;
                return text;
            }
            self.wait().await;
        }
    }

    /// The next text is a whole picture.
    pub fn restart(&mut self) {
        self.position = Position::default();
    }

    fn read(&self) -> Option<StreamText> {
        if self.position.seq == Some(self.handle.seq.load(Ordering::Acquire)) {
            return None;
        }
        self.handle.read(self.position, self.clock.now(), self.audience)
    }

    async fn wait(&mut self) {
        match self.audience {
            Audience::Watcher => tokio::time::sleep(self.handle.tick()).await,
            // The sender lives as long as the handle.
            Audience::Player => drop(self.wake.changed().await),
        }
    }
}

impl Drop for StreamReader {
    fn drop(&mut self) {
        if self.audience == Audience::Watcher {
            self.handle.watchers.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
