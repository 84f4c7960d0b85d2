//! The threads that run the games: each brings orders to many, and wakes them for their timeouts. A key is handled by
//! the thread that has read it. A panic in one game ends that game with an apology, and never its neighbours.

mod command;
mod game_cell;
mod game_thread;
mod sights;
#[cfg(test)]
mod tests;
mod watch_rounds;

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;

use nuggets_game::{Letter, Setup};
use nuggets_record::Reading;
use nuggets_server::{Commit, Files, JournalFile, JournalPolicy, Storage};
use nuggets_time::Clock;
use tokio::sync::{mpsc, oneshot};

use crate::hosted_game::{Attach, AttachError, Attached, SharedGuard};
use crate::stream_handle::{Listener, Subscription};
use crate::view_stream::Audience;
use crate::wire::DirectLine;
use crate::{ClaimedNames, ConnectionId, GameId, GameMeta, GameReport, StreamReader};
use command::{Inbox, Order};
use game_cell::GameCell;
use game_thread::GameThread;
use sights::Sights;
use watch_rounds::{WatchRounds, WatchSubscription};

/// A connection waits this long until its game may be shown.
const ATTACH_TIMEOUT: Duration = Duration::from_secs(5);

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

/// Calls a listener as long as it exists.
#[expect(dead_code, reason = "it is only dropped")]
pub(crate) enum Listening {
    Player(Subscription),
    Watcher(WatchSubscription),
}

/// The threads and who runs where. No method waits for a game, except `close_all`.
#[derive(Debug)]
pub struct Workers {
    inboxes: Vec<Inbox>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Callers that are in `key` at this moment.
    pressing: AtomicUsize,
    /// How many of them handle keys themselves.
    max_pressing: usize,
    shared: Arc<Shared>,
    watch_rounds: WatchRounds,
}

/// What all threads share.
#[derive(Debug)]
struct Shared {
    clock: Clock,
    /// None when the host stops.
    reports: RwLock<Option<mpsc::UnboundedSender<ReportOf>>>,
    sights: Mutex<Sights>,
    routes: RwLock<BTreeMap<GameId, Route>>,
}

/// Where a game is.
#[derive(Clone, Debug)]
struct Route {
    thread: usize,
    cell: Arc<GameCell>,
}

impl Shared {
    fn route(&self, game: GameId) -> Option<Route> {
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        routes.get(&game).cloned()
    }

    /// Forgets a game, unless it was opened again.
    fn forget(&self, cell: &GameCell) {
        let mut routes = self.routes.write().unwrap_or_else(PoisonError::into_inner);
        if routes.get(&cell.id).is_some_and(|route| std::ptr::eq(Arc::as_ptr(&route.cell), cell)) {
            routes.remove(&cell.id);
        }
    }

    fn report(&self, game: GameId, report: GameReport) {
        let reports = self.reports.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(reports) = reports.as_ref() {
            // The receiver is gone when the host stops.
            let _ = reports.send(ReportOf { game, report });
        }
    }
}

impl Workers {
    /// Starts this many threads. What games report goes into the channel.
    pub fn start(threads: usize, reports: mpsc::UnboundedSender<ReportOf>) -> Self {
        let shared = Arc::new(Shared {
            clock: Clock::start(),
            reports: RwLock::new(Some(reports)),
            sights: Mutex::default(),
            routes: RwLock::default(),
        });
        let max_pressing = threads.max(2) - 1;
        let (inboxes, threads) =
            (0..threads.max(1)).map(|n| start_thread(n, Arc::clone(&shared))).unzip();
        let watch_rounds = WatchRounds::start();
        let (threads, pressing) = (Mutex::new(threads), AtomicUsize::new(0));
        Self { inboxes, threads, pressing, max_pressing, shared, watch_rounds }
    }

    /// The clock of all games, for readers of their streams.
    pub fn clock(&self) -> Clock {
        self.shared.clock
    }

    /// Runs a game. Whether it could be opened is reported: `Opened`, `Over` (nothing to resume) or
    /// `Failed`.
    pub fn open_game(&self, game: WorkerGame) {
        let id = game.meta.id;
        let (thread, cell) = {
            let mut routes = self.shared.routes.write().unwrap_or_else(PoisonError::into_inner);
            let load = |thread: &usize| routes.values().filter(|at| at.thread == *thread).count();
            let thread = (0..self.inboxes.len()).min_by_key(load).unwrap_or(0);
            let inbox = self.inboxes[thread].clone();
            let cell = Arc::new(GameCell::new(id, Arc::clone(&self.shared), inbox));
            routes.insert(id, Route { thread, cell: Arc::clone(&cell) });
            (thread, cell)
        };
        self.inboxes[thread].send(cell, Order::Open(Box::new(game)));
    }

    /// A connection wants to play or watch. Rejected keys are answered through `direct`; what doesn't fit there is
    /// dropped.
    pub fn attach(
        &self,
        game: GameId,
        attach: Attach,
        direct: mpsc::Sender<DirectLine>,
    ) -> impl Future<Output = Result<Attached, AttachError>> + Send + use<> {
        let route = self.shared.route(game);
        let is_here = route.is_some();
        let (answer, answered) = oneshot::channel();
        self.send(game, Order::Attach { attach, direct, answer });
        async move {
            match tokio::time::timeout(ATTACH_TIMEOUT, answered).await {
                Ok(Ok(attached)) => attached,
                // It was let go of before it could answer, or its journal can't be written at the moment.
                _ if is_here => Err(AttachError::Unavailable),
                _ => Err(AttachError::NoSuchGame),
            }
        }
    }

    /// Calls a listener when there may be something to read: for a player at once, by the thread of the game; for a
    /// watcher when its turn has come.
    pub(crate) fn listen(&self, reader: &StreamReader, listener: Listener) -> Listening {
        match reader.audience() {
            Audience::Player => Listening::Player(reader.handle().subscribe(listener)),
            Audience::Watcher => {
                Listening::Watcher(self.watch_rounds.subscribe(reader.handle(), listener))
            }
        }
    }

    /// A key of the player with this connection. It is handled before this returns, unless another thread runs the game
    /// at this moment: then that one handles it. A disk that stalls holds up fewer callers than there are processors
    /// (of one processor: one caller); the keys of the others are left to the threads of the games.
    pub fn key(&self, game: GameId, connection: ConnectionId, key: char) {
        let Some(Route { thread, cell }) = self.shared.route(game) else { return };
        cell.push(Order::Key { connection, key });
        if self.pressing.fetch_add(1, Ordering::Relaxed) < self.max_pressing {
            cell.run_orders();
        } else {
            self.inboxes[thread].run(game);
        }
        self.pressing.fetch_sub(1, Ordering::Relaxed);
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

    /// Words of the host to all clients of one game.
    pub fn notice(&self, game: GameId, words: &str) {
        self.send(game, Order::Notice(words.to_owned()));
    }

    /// Words of the host to all clients of all games.
    pub fn notice_all(&self, words: &str) {
        let routes = self.shared.routes.read().unwrap_or_else(PoisonError::into_inner);
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

    /// Everything of this game up to this commit is stored. The caller's thread sends the output that waited, unless another
    /// one runs the game at this moment.
    pub fn stored(&self, game: GameId, commit: Commit) {
        if let Some(Route { cell, .. }) = self.shared.route(game) {
            cell.handle(Order::Stored(commit));
        }
    }

    /// Lets go of a game without ending it.
    pub(crate) fn close_game(&self, game: GameId) {
        let mut routes = self.shared.routes.write().unwrap_or_else(PoisonError::into_inner);
        let route = routes.remove(&game);
        drop(routes);
        if let Some(route) = route {
            route.cell.close();
        }
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
        let routes = std::mem::take(
            &mut *self.shared.routes.write().unwrap_or_else(PoisonError::into_inner),
        );
        for route in routes.values() {
            route.cell.close();
        }
        self.watch_rounds.close();
        *self.shared.reports.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn send(&self, game: GameId, order: Order) {
        if let Some(Route { thread, cell }) = self.shared.route(game) {
            self.inboxes[thread].send(cell, order);
        }
    }
}

fn start_thread(number: usize, shared: Arc<Shared>) -> (Inbox, JoinHandle<()>) {
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
