//! All persistent state, behind one interface with two backends: the folder (a file and a journal for each game, and
//! SQLite for accounts, ratings and the index of finished games), or a PostgreSQL database that several hosts share. The
//! store has its own threads; callers get a [`Reply`].
//!
//! In the folder the journals are the source of truth. Games, results and ratings in SQLite can be rebuilt from them
//! (`reindex`); accounts can't. The SQL of both backends is in `accounts`, `bans` and `games`.

mod accounts;
mod bans;
mod error;
mod files;
mod folder_store;
mod games;
mod names;
mod passwords;
pub(crate) mod postgres;
mod recordings;
mod rows;
mod session;
pub(crate) mod sql;
mod sqlite;
mod summary;
mod threads;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nuggets_game::Setup;
use nuggets_time::Clock;
use tokio::sync::Semaphore;

use crate::{Ban, EndReason, GameId, GameMeta, PlayerId};

pub use error::{AccountError, StoreError};
use files::{GameFiles, read_journal};
use folder_store::{FolderStore, RecoveredGames, people_of};
pub use names::ClaimedNames;
#[cfg(test)]
pub(crate) use names::name_key;
pub use postgres::{BadDatabaseUrl, DatabaseUrl};
use postgres::{CONNECTIONS, Worker};
pub use recordings::Fence;
pub use rows::{Account, FinishedGame, PlayerHistory, Rated, RatingRow, ResultRow};
pub use session::{BadSessionToken, SessionToken};
use sql::{Counter, Sql};
use summary::EndedGame;
pub use threads::Reply;
use threads::StoreThreads;

/// The minimum length of a password, in characters.
pub const MIN_PASSWORD_CHARS: usize = 8;
/// The maximum length of a password, in bytes, so that hashing one stays cheap.
pub const MAX_PASSWORD_BYTES: usize = 256;
/// The maximum number of passwords hashed at the same time; each takes 19 MiB.
const MAX_HASHING: usize = 2;
/// The maximum number of journals read at the same time.
const MAX_REPLAYING: usize = 2;

/// An opened store and the state that was found in it.
#[derive(Debug)]
pub struct OpenedStore {
    /// The store.
    pub store: Store,
    /// Games to resume from their journals, oldest first; empty with a database, where games are claimed.
    pub unfinished: Vec<GameMeta>,
    /// Skipped files, each with the reason; for the log.
    pub skipped: Vec<String>,
    /// The stored bans.
    pub bans: Vec<Ban>,
}

/// The result of reindexing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reindexed {
    /// The number of finished games in the index now.
    pub games: usize,
    /// Skipped files, each with the reason.
    pub skipped: Vec<String>,
}

/// The data of a finished game that its players need to play again (see `Lobby::remember`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rematch {
    /// The metadata of the finished game.
    pub meta: GameMeta,
    /// The setup of the finished game.
    pub setup: Setup,
    /// The people who played it.
    pub people: Vec<PlayerId>,
}

/// A handle of the store. Clones share its threads, which end when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct Store {
    backend: Backend,
    hashing: Arc<Semaphore>,
    replaying: Arc<Semaphore>,
    claimed_names: Arc<ClaimedNames>,
}

#[derive(Clone, Debug)]
enum Backend {
    Folder {
        files: GameFiles,
        thread: Arc<StoreThreads<FolderStore>>,
    },
    /// The threads are the connection pool: each has one connection.
    Database {
        threads: Arc<StoreThreads<Worker>>,
        clock: Clock,
    },
}

impl Store {
    /// Opens or creates the folder. The error for a damaged database contains advice.
    pub fn open(folder: &Path, now_unix_ms: u64) -> Result<OpenedStore, StoreError> {
        let files = GameFiles::open(folder)?;
        let mut shelf = FolderStore::open(files.clone())?;
        let found = shelf.recover(now_unix_ms).map_err(|why| shelf.database.explain(why))?;
        let known = shelf.database.transaction(NamesAndBans::read)?;
        let thread = Arc::new(StoreThreads::start([shelf])?);
        Ok(Self::start(Backend::Folder { files, thread }, found, known))
    }

    /// Opens the database and creates or migrates its tables. Blocks, so it must not run on a thread that drives async tasks.
    pub fn open_database(url: &DatabaseUrl, now_unix_ms: u64) -> Result<OpenedStore, StoreError> {
        let clock = Clock::start();
        let workers = (0..CONNECTIONS).map(|_| Worker::new(url, &clock));
        let mut workers: Vec<_> = workers.collect::<Result<_, _>>()?;
        let first = &mut workers[0];
        postgres::prepare(first, &url.to_string())?;
        let known = first.transaction_now(|sql| {
            accounts::remove_unused(sql, now_unix_ms)?;
            NamesAndBans::read(sql)
        })?;
        let threads = Arc::new(StoreThreads::start(workers)?);
        Ok(Self::start(Backend::Database { threads, clock }, RecoveredGames::default(), known))
    }

    fn start(backend: Backend, found: RecoveredGames, known: NamesAndBans) -> OpenedStore {
        let store = Self {
            backend,
            hashing: Arc::new(Semaphore::new(MAX_HASHING)),
            replaying: Arc::new(Semaphore::new(MAX_REPLAYING)),
            claimed_names: Arc::default(),
        };
        store.claimed_names.replace(known.version, known.claimed_keys);
        let RecoveredGames { unfinished, skipped } = found;
        OpenedStore { store, unfinished, skipped, bans: known.bans }
    }

    /// Rebuilds games, results, ratings and history from the files of the games, for `serve --reindex`; keeps accounts.
    /// Moves a damaged database aside first. The host must not be running.
    pub fn reindex(folder: &Path, now_unix_ms: u64) -> Result<Reindexed, StoreError> {
        let mut shelf = FolderStore::open_or_replace(GameFiles::open(folder)?)?;
        shelf.reindex(now_unix_ms).map_err(|why| shelf.database.explain(why))
    }

    /// Runs the job in one transaction. It may run several times until it is committed, and once more after a commit whose
    /// answer was lost.
    pub(crate) fn transaction<T, E>(
        &self,
        work: impl Fn(&mut dyn Sql) -> Result<T, E> + Send + 'static,
    ) -> Reply<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.transaction_then(work, |done| done)
    }

    /// Runs the job in one transaction, and a second function after the commit, before the reply is sent.
    fn transaction_then<T, U, E>(
        &self,
        work: impl Fn(&mut dyn Sql) -> Result<T, E> + Send + 'static,
        then: impl FnOnce(T) -> U + Send + 'static,
    ) -> Reply<U, E>
    where
        U: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        match &self.backend {
            Backend::Folder { thread, .. } => {
                thread.call(move |shelf| shelf.database.transaction(work).map(then))
            }
            Backend::Database { threads, clock } => {
                let asked_at = clock.now();
                threads.call(move |worker| worker.transaction(asked_at, work).map(then))
            }
        }
    }

    /// Runs statements that commit by themselves, once. Only with a database: they coordinate hosts, and a folder has only
    /// one.
    pub(crate) fn autocommit<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Sql) -> Result<T, StoreError> + Send + 'static,
    ) -> Reply<T> {
        match &self.backend {
            Backend::Folder { .. } => Reply::channel().1,
            Backend::Database { threads, .. } => {
                threads.call(move |worker| worker.autocommit(work))
            }
        }
    }

    /// Returns the path of a game's journal; `None` with a database, which writes no files.
    pub fn journal_file(&self, game: GameId) -> Option<PathBuf> {
        match &self.backend {
            Backend::Folder { files, .. } => Some(files.journal(game)),
            Backend::Database { .. } => None,
        }
    }

    /// Stores the metadata of a game; must be called before its journal is created. With a database, only the node that runs the
    /// game stores it: the fence is its proof.
    pub async fn save_meta(&self, meta: GameMeta, fence: Option<Fence>) -> Result<(), StoreError> {
        match (&self.backend, fence) {
            (Backend::Folder { thread, .. }, _) => {
                thread.call(move |shelf| shelf.save_meta(meta)).await
            }
            (Backend::Database { .. }, Some(fence)) => {
                self.autocommit(move |sql| recordings::save_meta(sql, fence, &meta)).await
            }
            (Backend::Database { .. }, None) => Ok(()),
        }
    }

    /// Loads the metadata of a game.
    pub fn load_meta(&self, game: GameId) -> Reply<Option<GameMeta>> {
        match &self.backend {
            Backend::Folder { thread, .. } => thread.call(move |shelf| shelf.files.read_meta(game)),
            Backend::Database { .. } => self.transaction(move |sql| recordings::meta(sql, game)),
        }
    }

    /// Reads the journal of a game that has ended, adds it to the index and rates it. Idempotent. The journal is replayed
    /// outside of the store's threads, so that a long game delays no other request. With a database, only the node that runs
    /// the game may call this: the fence is its proof.
    pub async fn finish_game(
        &self,
        game: GameId,
        reason: EndReason,
        now_unix_ms: u64,
        fence: Option<Fence>,
    ) -> Result<FinishedGame, StoreError> {
        match &self.backend {
            Backend::Folder { files, thread } => {
                if let Some(finished) = thread.call(move |shelf| shelf.finished(game)).await? {
                    return Ok(finished);
                }
                let files = files.clone();
                let read =
                    move || files.ended_game(files.expect_meta(game)?, &files.read_journal(game)?);
                let ended = off_thread(&self.replaying, read).await??;
                thread.call(move |shelf| shelf.finish(&ended, reason, now_unix_ms)).await
            }
            Backend::Database { .. } => {
                let fence = fence.ok_or(StoreError::NotOurs(game))?;
                self.finish_in_database((game, fence), reason, now_unix_ms).await
            }
        }
    }

    async fn finish_in_database(
        &self,
        (game, fence): (GameId, Fence),
        reason: EndReason,
        now_ms: u64,
    ) -> Result<FinishedGame, StoreError> {
        let read = move |sql: &mut dyn Sql| match games::game(sql, game)? {
            Some(finished) => Ok::<_, StoreError>(Err(finished)),
            None => recordings::running(sql, game).map(Ok),
        };
        let running = match self.transaction(read).await? {
            Ok(running) => running,
            Err(finished) => return Ok(finished),
        };
        let (meta, bytes) = (running.meta.clone(), Arc::clone(&running.bytes));
        let ended = off_thread(&self.replaying, move || {
            let place = format!("of game {game}");
            EndedGame::new(&place, meta, &read_journal(&place, &bytes)?)
        });
        let ended = ended.await??;
        self.transaction(move |sql| {
            recordings::finish(sql, fence, &running, |sql| games::add(sql, &ended, reason, now_ms))
        })
        .await
    }

    /// Returns the journal of a finished game; `None` if there is no such game or it is still running, since players must
    /// not see the views of others during a game.
    pub async fn recording(&self, game: GameId) -> Result<Option<Vec<u8>>, StoreError> {
        match &self.backend {
            Backend::Folder { files, .. } => {
                let is_finished = self
                    .transaction::<_, StoreError>(move |sql| games::finished(sql, game))
                    .await?;
                let files = files.clone();
                let read = move || is_finished.map(|_| files.journal_bytes(game)).transpose();
                off_thread(&self.replaying, read).await?
            }
            Backend::Database { .. } => {
                self.transaction(move |sql| recordings::bytes(sql, game)).await
            }
        }
    }

    /// Returns the data that is needed to play a finished game again; `None` if there is no such game or it is running.
    pub async fn rematch(&self, game: GameId) -> Result<Option<Rematch>, StoreError> {
        let Some(meta) = self.load_meta(game).await?.filter(|meta| meta.finished.is_some()) else {
            return Ok(None);
        };
        let Some(bytes) = self.recording(game).await? else { return Ok(None) };
        let read = move || {
            let journal = read_journal(&format!("of game {game}"), &bytes)?;
            let people = people_of(&meta, &journal).into_iter().map(|(id, _)| id).collect();
            Ok(Some(Rematch { meta, setup: journal.recording.header.setup, people }))
        };
        off_thread(&self.replaying, read).await?
    }

    /// Returns a finished game, for a person who has its link.
    pub fn finished_game(&self, game: GameId) -> Reply<Option<FinishedGame>> {
        self.transaction(move |sql| games::game(sql, game))
    }

    /// Returns the set of claimed names, which the store keeps up to date.
    pub fn claimed_names(&self) -> &Arc<ClaimedNames> {
        &self.claimed_names
    }

    /// Rereads claimed names and bans if any node has changed them since this version; returns the new version and the bans
    /// if so.
    pub(crate) fn reread_claims(&self, known: Option<u64>) -> Reply<Option<(u64, Vec<Ban>)>> {
        let names = Arc::clone(&self.claimed_names);
        let read = move |sql: &mut dyn Sql| {
            if Some(sql.counter(Counter::Claims)?) == known {
                return Ok(None);
            }
            NamesAndBans::read(sql).map(Some)
        };
        self.transaction_then(read, move |read| {
            let NamesAndBans { version, claimed_keys, bans } = read?;
            names.replace(version, claimed_keys);
            Some((version, bans))
        })
    }

    /// Runs a transaction that changes accounts, and updates the claimed names.
    fn change_names(
        &self,
        work: impl Fn(&mut dyn Sql) -> Result<Account, AccountError> + Send + 'static,
    ) -> Reply<Account, AccountError> {
        let names = Arc::clone(&self.claimed_names);
        self.transaction_then(
            move |sql| Ok((work(sql)?, NamesAndBans::read(sql)?)),
            move |(account, known)| {
                names.replace(known.version, known.claimed_keys);
                account
            },
        )
    }
}

/// Claimed names and bans, which each node caches in memory.
struct NamesAndBans {
    /// The value of the change counter; read first, so that it is never newer than the rest.
    version: u64,
    claimed_keys: BTreeSet<String>,
    bans: Vec<Ban>,
}

impl NamesAndBans {
    fn read(sql: &mut dyn Sql) -> Result<Self, StoreError> {
        let version = sql.counter(Counter::Claims)?;
        Ok(Self { version, claimed_keys: accounts::claimed_keys(sql)?, bans: bans::list(sql)? })
    }
}

/// Runs slow work outside of the store's threads, with a limit on concurrent work of the same kind.
async fn off_thread<T: Send + 'static>(
    limit: &Semaphore,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StoreError> {
    let _permit = limit.acquire().await.map_err(|_| StoreError::Closed)?;
    tokio::task::spawn_blocking(work).await.map_err(|_| StoreError::Closed)
}

#[cfg(test)]
pub(crate) mod tests;
