//! Clients of games, each with a thread of its own: over WebSocket, over UDP, and a terminal. They keep everything that
//! they are shown and every key that they have sent.

mod classic;
mod web;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nuggets_game::{Rng, Seed};
use nuggets_host::sim::{Gold, Shown, ShownPicture};

pub(crate) use classic::play_classic;
pub(crate) use web::play_web;

/// In this order, again and again: a key that is applied twice or late is out of order.
const KEYS: &[u8] = b"hjklyubnHJKLYUBN";

/// A client.
pub(crate) struct Player {
    pub(crate) game: usize,
    kept: Arc<Kept>,
    thread: Option<JoinHandle<()>>,
    /// What it was shown, as far as it was found in the log.
    pub(crate) shown: Shown,
}

/// What a client and the test share.
#[derive(Default)]
pub(crate) struct Kept {
    ends: AtomicBool,
    rests: AtomicBool,
    seen: Mutex<Seen>,
}

/// What a client has seen and done.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) letter: Option<char>,
    /// Since the test has looked.
    pub(crate) pictures: Vec<ShownPicture>,
    pub(crate) gold: Vec<Gold>,
    /// The last picture.
    pub(crate) picture: Option<String>,
    /// When the last picture came.
    pub(crate) news: Option<Instant>,
    /// When each picture came, since the test has looked.
    pub(crate) arrivals: Vec<Instant>,
    /// All keys that were sent.
    pub(crate) sent: Vec<char>,
    /// How often it has connected.
    pub(crate) connections: u64,
    /// The node that a WebSocket was last connected to.
    pub(crate) node: Option<SocketAddr>,
    /// Words of the host.
    pub(crate) notices: Vec<String>,
    /// What was wrong with what it was sent.
    pub(crate) failure: Option<String>,
}

impl Player {
    /// Starts a client that does this.
    pub(crate) fn start(game: usize, run: impl FnOnce(&Kept) + Send + 'static) -> Self {
        let kept = Arc::new(Kept::default());
        let thread = thread::spawn({
            let kept = Arc::clone(&kept);
            move || run(&kept)
        });
        Self { game, kept, thread: Some(thread), shown: Shown::default() }
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.kept.seen()
    }

    /// Lets it press no more keys, or press them again.
    pub(crate) fn rest(&self, rests: bool) {
        self.kept.rests.store(rests, Ordering::Relaxed);
    }

    /// Takes what it was shown since the last time. Everything of it must be in the log that is read afterwards.
    pub(crate) fn collect(&mut self) {
        let mut seen = self.kept.seen.lock().unwrap();
        assert_eq!(seen.failure.as_deref(), None, "player {:?}", seen.letter);
        self.shown.view = seen.letter;
        self.shown.pictures.extend(seen.pictures.drain(..));
        self.shown.gold.extend(seen.gold.drain(..));
        seen.arrivals.clear();
        seen.notices.clear();
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.kept.ends.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(thread::panicking() || matches!(ended, Some(Ok(()))), "a client has panicked");
    }
}

impl Kept {
    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }

    fn ends(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }
}

impl Seen {
    fn show(&mut self, picture: ShownPicture, at: Instant) {
        self.picture = Some(picture.rows.clone());
        self.pictures.push(picture);
        self.news = Some(at);
        self.arrivals.push(at);
    }
}

/// When a client presses its next key, and which.
struct Pace {
    rng: Rng,
    next: Instant,
}

impl Pace {
    fn new(seed: i64, now: Instant) -> Self {
        Self { rng: Rng::new(Seed::new(seed)), next: now }
    }

    /// The key that is due.
    fn key(&mut self, kept: &Kept, now: Instant) -> Option<char> {
        if now < self.next || kept.rests.load(Ordering::Relaxed) {
            return None;
        }
        self.next = now + Duration::from_millis(60 + u64::from(self.rng.below(120)));
        let mut seen = kept.seen();
        let key = char::from(KEYS[seen.sent.len() % KEYS.len()]);
        seen.sent.push(key);
        Some(key)
    }
}
