//! Clients of games, each with a thread of its own: over WebSocket and over UDP. They keep everything that they are shown
//! and every key that they have sent.

mod classic;
mod web;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nuggets_game::{Rng, Seed};
use nuggets_sim::host::{Shown, ShownGold, ShownPicture};

pub(crate) use classic::play_classic;
pub(crate) use web::{Manner, be_on_the_web};

/// In this order, again and again: a key that is applied twice or late is out of order.
const KEYS: &[u8] = b"hjklyubnHJKLYUBN";
/// Keys that are sent at once, if the first ones have no effect.
const MAX_KEYS_AT_ONCE: usize = 4;

/// A client.
pub(crate) struct Player {
    pub(crate) game: String,
    kept: Arc<Kept>,
    thread: Option<JoinHandle<()>>,
    /// The pictures that it was shown, and how far they were found in the journal.
    pub(crate) shown: Shown,
}

/// The state that a client and the test share.
#[derive(Default)]
pub(crate) struct Kept {
    ends: AtomicBool,
    rests: AtomicBool,
    goes_home: AtomicBool,
    seen: Mutex<Seen>,
}

/// The history of a client.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) letter: Option<char>,
    /// Since the test has looked.
    pub(crate) pictures: Vec<ShownPicture>,
    pub(crate) gold: Vec<ShownGold>,
    /// The last picture.
    pub(crate) picture: Option<String>,
    /// The times of pictures since the test has looked; the first is that of the last picture before.
    pub(crate) arrivals: Vec<Instant>,
    /// All keys that were sent.
    pub(crate) sent: Vec<char>,
    /// The number of its connections.
    pub(crate) connections: u64,
    /// The node that a WebSocket was last connected to.
    pub(crate) node: Option<SocketAddr>,
    /// Notices of the host, and why connections ended.
    pub(crate) notices: Vec<String>,
    /// The first fault in what it was sent.
    pub(crate) failure: Option<String>,
}

impl Player {
    /// Starts a client that does this.
    pub(crate) fn start(game: &str, run: impl FnOnce(&Kept) + Send + 'static) -> Self {
        let kept = Arc::new(Kept::default());
        let thread = thread::spawn({
            let kept = Arc::clone(&kept);
            move || run(&kept)
        });
        Self { game: game.to_owned(), kept, thread: Some(thread), shown: Shown::default() }
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.kept.seen()
    }

    /// Lets it press no more keys, or press them again.
    pub(crate) fn rest(&self, rests: bool) {
        self.kept.rests.store(rests, Ordering::Relaxed);
    }

    /// Lets a client on the web go back to its first node.
    pub(crate) fn go_home(&self) {
        self.seen().node = None;
        self.kept.goes_home.store(true, Ordering::Relaxed);
    }

    /// Takes what it was shown since the last time. Everything of it must be in the journal that is read afterwards.
    pub(crate) fn collect(&mut self) {
        let failure = self.seen().failure.take();
        assert_eq!(failure, None, "a client of game {}", self.game);
        let mut seen = self.kept.seen.lock().unwrap();
        self.shown.view = seen.letter;
        self.shown.pictures.extend(seen.pictures.drain(..));
        self.shown.gold.extend(seen.gold.drain(..));
        let last = seen.arrivals.pop();
        seen.arrivals = last.into_iter().collect();
        seen.notices.clear();
    }

    /// The longest time without a picture between these times.
    pub(crate) fn longest_pause(&self, since: Instant, until: Instant) -> Duration {
        let seen = self.seen();
        let first = seen.arrivals.partition_point(|at| *at < since).saturating_sub(1);
        let last = seen.arrivals.partition_point(|at| *at <= until);
        let pairs = seen.arrivals[first..last].windows(2);
        pairs.map(|pair| pair[1].duration_since(pair[0])).max().unwrap_or_default()
    }

    /// True if it was shown a picture after this time.
    pub(crate) fn has_news_since(&self, since: Instant) -> bool {
        self.seen().arrivals.last().is_some_and(|at| *at > since)
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
        self.arrivals.push(at);
    }

    /// The next key, and whether it moves the player, as far as its picture shows.
    fn next_key(&mut self) -> (char, bool) {
        let key = char::from(KEYS[self.sent.len() % KEYS.len()]);
        self.sent.push(key);
        (key, self.picture.as_ref().is_none_or(|rows| is_way_free(rows, key)))
    }
}

/// The keys of a client and their times.
struct Pace {
    rng: Rng,
    next: Instant,
}

impl Pace {
    fn new(seed: i64, now: Instant) -> Self {
        Self { rng: Rng::new(Seed::new(seed)), next: now }
    }

    /// The keys that are due: the last of them should move the player, so that there is an answer.
    fn keys(&mut self, kept: &Kept, now: Instant) -> Vec<char> {
        let mut keys = vec![];
        if now < self.next || kept.rests.load(Ordering::Relaxed) {
            return keys;
        }
        self.next = now + Duration::from_millis(80 + u64::from(self.rng.below(120)));
        let mut seen = kept.seen();
        while keys.len() < MAX_KEYS_AT_ONCE {
            let (key, moves) = seen.next_key();
            keys.push(key);
            if moves {
                break;
            }
        }
        keys
    }
}

/// True if the picture shows a way from `@` in the direction of a key.
fn is_way_free(rows: &str, key: char) -> bool {
    let rows: Vec<&[u8]> = rows.lines().map(str::as_bytes).collect();
    let at = |row: &[u8]| row.iter().position(|byte| *byte == b'@');
    let Some((row, col)) = rows.iter().enumerate().find_map(|(n, row)| Some((n, at(row)?))) else {
        return true;
    };
    let (down, right): (isize, isize) = match key.to_ascii_lowercase() {
        'h' => (0, -1),
        'l' => (0, 1),
        'k' => (-1, 0),
        'j' => (1, 0),
        'y' => (-1, -1),
        'u' => (-1, 1),
        'b' => (1, -1),
        _ => (1, 1),
    };
    let target = row.checked_add_signed(down).and_then(|row| rows.get(row));
    let target = target.zip(col.checked_add_signed(right)).and_then(|(row, col)| row.get(col));
    target.is_some_and(|byte| matches!(byte, b'.' | b'#' | b'*' | b'A'..=b'Z'))
}

#[test]
fn a_wall_is_no_way() {
    let rows = "+--+\n|@.|\n+--+";
    assert!(is_way_free(rows, 'l') && is_way_free(rows, 'L'));
    assert!(!is_way_free(rows, 'h') && !is_way_free(rows, 'j') && !is_way_free(rows, 'Y'));
}
