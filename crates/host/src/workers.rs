//! The threads that run the games: each owns many, takes commands through a channel and wakes up for the earliest
//! timeout. A panic in one game ends that game with an apology, and never its neighbours.

mod command;
mod game_thread;
mod sights;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::JoinHandle;

use nuggets_game::{Letter, Setup};
use nuggets_record::Reading;
use nuggets_server::{Files, JournalFile, JournalPolicy, Storage};
use nuggets_time::Clock;
use tokio::sync::{mpsc, oneshot};

use crate::hosted_game::{Attach, AttachError, Attached, SharedGuard};
use crate::wire::DirectLine;
use crate::{ClaimedNames, ConnectionId, GameId, GameMeta, GameReport};
use command::{Command, Inbox, Order};
use game_thread::GameThread;
use sights::Sights;

/// Where a game's journal is stored.
pub type GameStorage = Box<dyn Storage + Send>;
/// Sends a datagram from the classic port of a game, or drops it.
pub type UdpSender = Arc<dyn Fn(SocketAddr, &[u8]) + Send + Sync>;

/// A report with the game that it is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportOf {
    /// The game.
    pub game: GameId,
    /// What it reports.
    pub report: GameReport,
}

/// The classic port of a game.
#[derive(Clone)]
pub struct UdpPort {
    /// Sends from it.
    pub send: UdpSender,
    /// The rate limits for unknown sources; one guard for all ports.
    pub guard: Option<SharedGuard>,
    /// The names that its clients must not use.
    pub claimed_names: Arc<ClaimedNames>,
}

impl fmt::Debug for UdpPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UdpPort").finish_non_exhaustive()
    }
}

/// A game to run.
pub struct WorkerGame {
    /// What is stored beside the journal.
    pub meta: GameMeta,
    /// The recipe of the game; for a resumed one that of its journal.
    pub setup: Setup,
    /// The journal so far; `None` for a new game.
    pub journal: Option<Reading>,
    /// Where the journal is stored.
    pub storage: GameStorage,
    /// Its classic port.
    pub udp: Option<UdpPort>,
}

impl fmt::Debug for WorkerGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerGame").field("meta", &self.meta).finish_non_exhaustive()
    }
}

impl WorkerGame {
    /// A game with a journal file: a new one if the file is empty, or else the game in it.
    pub fn with_journal(
        meta: GameMeta,
        setup: Setup,
        mut journal: JournalFile,
        policy: JournalPolicy,
    ) -> Self {
        let reading = journal.take_reading();
        let setup =
            reading.as_ref().map_or(setup, |reading| reading.recording.header.setup.clone());
        let storage = Box::new(Files::default().with_journal(journal, policy));
        Self { meta, setup, journal: reading, storage, udp: None }
    }
}

/// The threads and who runs where. All methods return at once.
#[derive(Debug)]
pub struct Workers {
    inboxes: Vec<Inbox>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    routes: Arc<RwLock<BTreeMap<GameId, usize>>>,
    clock: Clock,
}

impl Workers {
    /// Starts this many threads. What games report goes into the channel.
    pub fn start(threads: usize, reports: mpsc::UnboundedSender<ReportOf>) -> Self {
        let clock = Clock::start();
        let routes = Arc::new(RwLock::new(BTreeMap::new()));
        let shared = game_thread::Shared {
            clock,
            nonce: getrandom::u64().expect("the system has random numbers"),
            reports,
            sights: Arc::new(Mutex::new(Sights::default())),
            routes: Arc::clone(&routes),
        };
        let (inboxes, threads) =
            (0..threads.max(1)).map(|n| start_thread(n, shared.clone())).unzip();
        Self { inboxes, threads: Mutex::new(threads), routes, clock }
    }

    /// The clock of all games, for readers of their streams.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Runs a game. Whether it could be opened is reported: `Opened`, `Over` (nothing to resume) or
    /// `Failed`.
    pub fn open_game(&self, game: WorkerGame) {
        let id = game.meta.id;
        let thread = {
            let mut routes = self.routes.write().unwrap_or_else(PoisonError::into_inner);
            let load = |thread: &usize| routes.values().filter(|at| *at == thread).count();
            let thread = (0..self.inboxes.len()).min_by_key(load).unwrap_or(0);
            routes.insert(id, thread);
            thread
        };
        self.inboxes[thread].send(Command { game: id, order: Order::Open(Box::new(game)) });
    }

    /// A connection wants to play or watch. Rejected keys are answered through `direct`; what doesn't fit there is
    /// dropped.
    pub fn attach(
        &self,
        game: GameId,
        attach: Attach,
        direct: mpsc::Sender<DirectLine>,
    ) -> impl Future<Output = Result<Attached, AttachError>> + Send + use<> {
        let (answer, answered) = oneshot::channel();
        self.send(game, Order::Attach { attach, direct, answer });
        async { answered.await.unwrap_or(Err(AttachError::NoSuchGame)) }
    }

    /// A key of the player with this connection.
    pub fn key(&self, game: GameId, connection: ConnectionId, key: char) {
        self.send(game, Order::Key { connection, key });
    }

    /// A connection is closed.
    pub fn detach(&self, game: GameId, connection: ConnectionId) {
        self.send(game, Order::Detach(connection));
    }

    /// Keys act from now on.
    pub fn start_game(&self, game: GameId) {
        self.send(game, Order::Start);
    }

    /// Ends a game as it is.
    pub fn end_game(&self, game: GameId) {
        self.send(game, Order::End);
    }

    /// Removes a player from a game.
    pub fn kick(&self, game: GameId, letter: Letter) {
        self.send(game, Order::Kick(letter));
    }

    /// Words of the host to everybody in one game.
    pub fn notice(&self, game: GameId, words: &str) {
        self.send(game, Order::Notice(words.to_owned()));
    }

    /// Words of the host to everybody in all games.
    pub fn notice_all(&self, words: &str) {
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        let games: Vec<GameId> = routes.keys().copied().collect();
        drop(routes);
        for game in games {
            self.notice(game, words);
        }
    }

    /// The game that the people of this one play next.
    pub fn set_next(&self, game: GameId, next: GameId) {
        self.send(game, Order::SetNext(next));
    }

    /// A message came to the classic port of a game.
    pub fn datagram(&self, game: GameId, from: SocketAddr, bytes: &[u8]) {
        self.send(game, Order::Datagram { from, bytes: bytes.into() });
    }

    /// A datagram from the classic port of a game came back.
    pub fn unreachable(&self, game: GameId, address: SocketAddr) {
        self.send(game, Order::Unreachable(address));
    }

    /// Lets go of all games without ending them: the next start resumes them. Waits until their journals are closed.
    pub fn close_all(&self) {
        self.inboxes.iter().for_each(Inbox::close);
        let threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // A thread catches the panics of its games.
            let _ = thread.join();
        }
    }

    fn send(&self, game: GameId, order: Order) {
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        let thread = routes.get(&game).copied();
        drop(routes);
        if let Some(thread) = thread {
            self.inboxes[thread].send(Command { game, order });
        }
    }
}

fn start_thread(number: usize, shared: game_thread::Shared) -> (Inbox, JoinHandle<()>) {
    let (inbox, commands) = Inbox::new();
    let thread = GameThread::new(shared);
    let builder = std::thread::Builder::new().name(format!("games {number}"));
    let spawned = builder.spawn(move || thread.run(&commands));
    (inbox, spawned.expect("the system has threads"))
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.close_all();
    }
}
