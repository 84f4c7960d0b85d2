//! Clients of games, each with a thread of its own: over WebSocket and over UDP. They keep everything that they are shown
//! and every key that they have sent.

mod classic;
mod web;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nuggets_game::{Rng, Seed, Stroke};
use nuggets_sim::host::{Screen, Shown};

pub(crate) use web::Manner;

/// In this order, again and again: a key that is applied twice or late is out of order.
const KEYS: &[u8] = b"hjklyubnHJKLYUBN";
/// Keys that are sent at once, if the first ones have no effect.
const MAX_KEYS_AT_ONCE: usize = 4;

/// A client.
pub(crate) struct Player {
    pub(crate) game: String,
    /// The name that it plays under; none for a watcher.
    pub(crate) name: Option<String>,
    seen: Arc<Mutex<Seen>>,
    thread: Option<JoinHandle<()>>,
    /// The pictures that it was shown, and how far they were found in the journal.
    pub(crate) shown: Shown,
}

/// The history of a client, and the wishes of the test.
#[derive(Default)]
pub(crate) struct Seen {
    ends: bool,
    rests: bool,
    goes_home: bool,
    /// With the pictures since the test has looked.
    pub(crate) screen: Screen,
    /// The times of pictures since the test has looked; the first is that of the last picture before.
    pub(crate) arrivals: Vec<Instant>,
    /// All keys that were sent.
    pub(crate) sent: Vec<u8>,
    /// The number of its connections.
    pub(crate) connections: u64,
    /// The node that a WebSocket is connected to.
    pub(crate) node: Option<SocketAddr>,
    /// Notices of the host, and why connections ended.
    pub(crate) notices: Vec<String>,
    /// The first fault in what it was sent.
    pub(crate) failure: Option<String>,
}

impl Player {
    /// Plays or watches a game on the web, at the first of these nodes as long as it can.
    pub(crate) fn on_the_web(nodes: Vec<SocketAddr>, game: &str, manner: Manner) -> Self {
        let (name, id) = (manner.name.clone(), game.to_owned());
        Self::start(game, name, move |seen| web::play(seen, &nodes, &id, manner))
    }

    /// Plays a game over UDP, wherever it has a port.
    pub(crate) fn over_udp(nodes: Vec<SocketAddr>, game: &str, name: &str, seed: i64) -> Self {
        let (id, own) = (game.to_owned(), name.to_owned());
        let name = Some(name.to_owned());
        let run = move |seen: &_| classic::play(seen, &nodes, &id, &own, seed);
        let mut player = Self::start(game, name, run);
        player.shown.is_classic = true;
        player
    }

    fn start(
        game: &str,
        name: Option<String>,
        run: impl FnOnce(&Mutex<Seen>) + Send + 'static,
    ) -> Self {
        let seen = Arc::new(Mutex::default());
        let shared = Arc::clone(&seen);
        let thread = Some(thread::spawn(move || run(&shared)));
        Self { game: game.to_owned(), name, seen, thread, shown: Shown::default() }
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }

    /// Lets it press no more keys.
    pub(crate) fn rest(&self) {
        self.seen().rests = true;
    }

    /// Lets a client on the web go back to its first node.
    pub(crate) fn go_home(&self) {
        let mut seen = self.seen();
        (seen.node, seen.goes_home) = (None, true);
    }

    /// Takes what it was shown since the last time. Everything of it must be in the journal that is read afterwards.
    pub(crate) fn collect(&mut self) {
        let mut seen = self.seen.lock().unwrap();
        let failure = seen.failure.take();
        self.shown.take_new(&mut seen.screen.shown);
        let last = seen.arrivals.pop();
        seen.arrivals = last.into_iter().collect();
        seen.notices.clear();
        // A panic must not leave the lock poisoned for `drop`.
        drop(seen);
        assert_eq!(failure, None, "a client of game {}", self.game);
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
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).ends = true;
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(thread::panicking() || matches!(ended, Some(Ok(()))), "a client has panicked");
    }
}

impl Seen {
    /// Applies a message to the screen. Returns true if it shows a new picture.
    fn handle(
        &mut self,
        at: Instant,
        apply: impl FnOnce(&mut Screen) -> Result<(), String>,
    ) -> bool {
        let before = self.screen.shown.pictures.len();
        if let Err(why) = apply(&mut self.screen) {
            self.failure.get_or_insert(why);
        }
        let is_new = self.screen.shown.pictures.len() > before;
        self.arrivals.extend(is_new.then_some(at));
        is_new
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
    fn keys(&mut self, seen: &mut Seen, now: Instant) -> Vec<char> {
        let mut keys = vec![];
        if now < self.next || seen.rests {
            return keys;
        }
        self.next = now + Duration::from_millis(80 + u64::from(self.rng.below(120)));
        let rows = seen.screen.picture().rows;
        while keys.len() < MAX_KEYS_AT_ONCE {
            let key = KEYS[seen.sent.len() % KEYS.len()];
            seen.sent.push(key);
            keys.push(char::from(key));
            if is_way_free(&rows, key) {
                break;
            }
        }
        keys
    }
}

/// True if the picture shows a way from `@` in the direction of a key.
fn is_way_free(rows: &str, key: u8) -> bool {
    let rows: Vec<&[u8]> = rows.lines().map(str::as_bytes).collect();
    let at = |row: &[u8]| row.iter().position(|byte| *byte == b'@');
    let Some((row, col)) = rows.iter().enumerate().find_map(|(n, row)| Some((n, at(row)?))) else {
        return true;
    };
    let stroke = Stroke::from_key(key).expect("a key that moves");
    let (Stroke::Step(direction) | Stroke::Sprint(direction)) = stroke;
    let (down, right) = direction.offset();
    let target = row.checked_add_signed(down.into()).and_then(|row| rows.get(row));
    let target = target.zip(col.checked_add_signed(right.into()));
    let target = target.and_then(|(row, col)| row.get(col));
    target.is_some_and(|byte| matches!(byte, b'.' | b'#' | b'*' | b'A'..=b'Z'))
}

#[test]
fn a_wall_is_no_way() {
    let rows = "+--+\n|@.|\n+--+";
    assert!(is_way_free(rows, b'l') && is_way_free(rows, b'L'));
    assert!(!is_way_free(rows, b'h') && !is_way_free(rows, b'j') && !is_way_free(rows, b'Y'));
}
