//! The threads that run the games: they open games and wake them for their timeouts. A command is executed by the thread
//! that sends it. A panic in one game ends that game with an apology, and no other.

mod game_cell;
mod game_thread;
mod sights;
#[cfg(test)]
mod tests;
mod watch_rounds;

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use nuggets_server::{Commit, Storage};
use nuggets_time::Clock;
use tokio::sync::mpsc;

use crate::hosted_game::{GameCommand, OpenGame, SharedGuard};
use crate::locks::lock;
use crate::stream_handle::{StreamListener, Subscription};
use crate::view_stream::Audience;
use crate::{ClaimedNames, GameId, GameReport, StreamReader};
pub(crate) use game_cell::GameCell;
use game_thread::{GameThread, Task};
use sights::Sights;
use watch_rounds::WatchRounds;

/// The storage of a game's journal.
pub type GameStorage = Box<dyn Storage + Send>;
/// Sends a datagram from the classic port of a game, or drops it.
pub type UdpSender = Arc<dyn Fn(SocketAddr, &[u8]) + Send + Sync>;

/// A report with the game that it is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportOf {
    /// The game.
    pub game: GameId,
    /// The report.
    pub report: GameReport,
}

/// The classic port of a game.
#[derive(Clone)]
pub struct UdpPort {
    /// Sends a datagram from the port.
    pub send: UdpSender,
    /// The rate limits for unknown sources; all ports share one guard.
    pub guard: Option<SharedGuard>,
    /// The names that its clients must not use.
    pub claimed_names: Arc<ClaimedNames>,
}

impl fmt::Debug for UdpPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UdpPort").finish_non_exhaustive()
    }
}

/// The threads and their games. No method waits for a game, except `close_all`.
#[derive(Debug)]
pub struct Workers {
    tasks: Vec<Sender<Task>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    shared: Arc<Shared>,
    watch_rounds: WatchRounds,
}

/// The shared state of all threads.
#[derive(Debug)]
struct Shared {
    clock: Clock,
    /// The number of callers that are in `GameCell::send` right now.
    sending: AtomicUsize,
    /// The maximum number of callers that execute commands themselves.
    max_sending: usize,
    /// `None` when the host stops.
    reports: Mutex<Option<mpsc::UnboundedSender<ReportOf>>>,
    sights: Mutex<Sights>,
    /// The number of the thread of each game, and the game.
    games: Mutex<BTreeMap<GameId, (usize, Arc<GameCell>)>>,
}

impl Shared {
    fn find(&self, game: GameId) -> Option<Arc<GameCell>> {
        lock(&self.games).get(&game).map(|(_, cell)| Arc::clone(cell))
    }

    /// Removes a game, unless it was opened again.
    fn forget(&self, cell: &GameCell) {
        let mut games = lock(&self.games);
        if games.get(&cell.id).is_some_and(|(_, known)| std::ptr::eq(Arc::as_ptr(known), cell)) {
            games.remove(&cell.id);
        }
    }

    fn report(&self, game: GameId, report: GameReport) {
        let reports = lock(&self.reports);
        if let Some(reports) = reports.as_ref() {
            // The receiver is gone when the host stops.
            let _ = reports.send(ReportOf { game, report });
        }
    }
}

impl Workers {
    /// Starts this many threads. Reports of games are sent to the channel.
    pub fn start(threads: usize, reports: mpsc::UnboundedSender<ReportOf>) -> Self {
        let shared = Arc::new(Shared {
            clock: Clock::start(),
            sending: AtomicUsize::new(0),
            max_sending: threads.max(1),
            reports: Mutex::new(Some(reports)),
            sights: Mutex::default(),
            games: Mutex::default(),
        });
        let (tasks, threads) =
            (0..threads.max(1)).map(|n| GameThread::start(n, Arc::clone(&shared))).unzip();
        let watch_rounds = WatchRounds::start();
        Self { tasks, threads: Mutex::new(threads), shared, watch_rounds }
    }

    /// Returns the clock of all games, for readers of their streams.
    pub fn clock(&self) -> Clock {
        self.shared.clock
    }

    /// Runs a game, over UDP too if it has a port. Reports if it could be opened: `Opened`, `Over` (nothing to resume) or
    /// `Failed`.
    pub fn open_game(&self, game: OpenGame<GameStorage>, udp: Option<UdpPort>) {
        let id = game.meta.id;
        let mut games = lock(&self.shared.games);
        let load = |number: &usize| games.values().filter(|(thread, _)| thread == number).count();
        let thread = (0..self.tasks.len()).min_by_key(load).unwrap_or(0);
        let tasks = self.tasks[thread].clone();
        let cell = Arc::new(GameCell::new(id, Arc::clone(&self.shared), tasks.clone()));
        games.insert(id, (thread, Arc::clone(&cell)));
        drop(games);
        // The thread has ended when the host stops.
        let _ = tasks.send(Task::Open(cell, Box::new(game), udp));
    }

    /// Returns a game that runs here.
    pub(crate) fn find(&self, game: GameId) -> Option<Arc<GameCell>> {
        self.shared.find(game)
    }

    /// Sends a game a command (see `GameCell::send`).
    pub fn send(&self, game: GameId, command: GameCommand) {
        if let Some(cell) = self.find(game) {
            cell.send(command, None);
        }
    }

    /// Sends all games a command.
    pub fn send_to_all(&self, command: &GameCommand) {
        // Released before the games run.
        let games = lock(&self.shared.games).clone();
        for (_, cell) in games.values() {
            cell.send(command.clone(), None);
        }
    }

    /// Reports to a game that everything up to this commit is stored. The caller's thread sends the output that waited for it,
    /// unless another thread runs the game right now.
    pub fn stored(&self, game: GameId, commit: Commit) {
        if let Some(cell) = self.find(game) {
            cell.handle(GameCommand::Stored(commit));
        }
    }

    /// Calls a listener when there may be new lines: for a player immediately, by the publishing thread; for a watcher when
    /// its turn has come.
    pub(crate) fn listen(&self, reader: &StreamReader, listener: StreamListener) -> Subscription {
        match reader.audience() {
            Audience::Player => reader.handle().subscribe(listener),
            Audience::Watcher => self.watch_rounds.subscribe(reader.handle(), listener),
        }
    }

    /// Closes a game without ending it.
    pub(crate) fn close_game(&self, game: GameId) {
        let closed = lock(&self.shared.games).remove(&game);
        if let Some((_, cell)) = closed {
            cell.close();
        }
    }

    /// Closes all games without ending them: the next start resumes them. Waits until their journals are closed.
    pub fn close_all(&self) {
        for tasks in &self.tasks {
            // The thread may have ended already.
            let _ = tasks.send(Task::Close);
        }
        let threads = std::mem::take(&mut *lock(&self.threads));
        for thread in threads {
            // A thread catches the panics of its games, so joining does not fail.
            let _ = thread.join();
        }
        let games = std::mem::take(&mut *lock(&self.shared.games));
        for (_, cell) in games.values() {
            cell.close();
        }
        self.watch_rounds.close();
        *lock(&self.shared.reports) = None;
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.close_all();
    }
}
