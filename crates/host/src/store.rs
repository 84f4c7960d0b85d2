//! The folder of the host: a file and a journal for each game, and SQLite for accounts, ratings and the index of
//! finished games. One thread owns all of it; callers get a [`Reply`].
//!
//! The journals are the truth. Games, results and ratings in SQLite can be made again from them (`reindex`);
//! accounts can't.

mod accounts;
mod bans;
mod command;
mod database;
mod error;
mod files;
mod games;
mod names;
mod passwords;
mod reply;
mod rows;
mod session;
mod shelf;
mod summary;
mod thread;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use nuggets_game::Setup;
use tokio::sync::Semaphore;

use crate::{Ban, EndReason, GameId, GameMeta, PlayerId};

use accounts::SessionUse;
use command::Draws;
pub(crate) use command::{CommandDone, StoreAnswer, StoreCommand};
pub use error::{AccountError, StoreError};
use files::GameFiles;
pub use names::ClaimedNames;
#[cfg(test)]
pub(crate) use names::name_key;
pub use reply::Reply;
pub use rows::{Account, FinishedGame, PlayerHistory, Rated, RatingPoint, RatingRow, ResultRow};
pub use session::{BadSessionToken, SessionToken};
use shelf::{Found, Shelf, people_of};
use thread::StoreThread;

/// Passwords have at least this many characters.
pub const MIN_PASSWORD_CHARS: usize = 8;
/// Passwords have at most this many bytes, so that hashing one stays cheap.
pub const MAX_PASSWORD_BYTES: usize = 256;
/// The maximum number of passwords hashed at the same time; each takes 19 MiB.
const MAX_HASHING: usize = 2;
/// The maximum number of journals read at the same time.
const MAX_REPLAYING: usize = 2;

/// What opening the folder found.
#[derive(Debug)]
pub struct OpenedStore {
    /// The store.
    pub store: Store,
    /// Games to resume from their journals, the oldest first.
    pub unfinished: Vec<GameMeta>,
    /// Files that were skipped, each with the reason; for the log.
    pub skipped: Vec<String>,
    /// Bans of the time before.
    pub bans: Vec<Ban>,
}

/// What reindexing did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reindexed {
    /// Finished games in the index now.
    pub games: usize,
    /// Files that were skipped, each with the reason.
    pub skipped: Vec<String>,
}

/// What the people of a finished game need to play again (see `Lobby::remember`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rematch {
    /// What is stored about the finished game.
    pub meta: GameMeta,
    /// What fixed it.
    pub setup: Setup,
    /// The people who played it.
    pub people: Vec<PlayerId>,
}

/// A handle of the store. Clones share its thread, which ends when the last of them is dropped.
#[derive(Clone, Debug)]
pub struct Store {
    files: GameFiles,
    thread: Arc<StoreThread>,
    hashing: Arc<Semaphore>,
    replaying: Arc<Semaphore>,
    claimed_names: Arc<ClaimedNames>,
}

impl Store {
    /// Opens or creates the folder. A damaged database is an error that says what to do.
    pub fn open(folder: &Path, now_unix_ms: u64) -> Result<OpenedStore, StoreError> {
        let files = GameFiles::open(folder)?;
        let mut shelf = Shelf::open(files.clone())?;
        let found = shelf.recover(now_unix_ms).map_err(|why| shelf.explain(why))?;
        Self::start(files, shelf, found)
    }

    fn start(files: GameFiles, mut shelf: Shelf, found: Found) -> Result<OpenedStore, StoreError> {
        let bans = bans::list(shelf.connection())?;
        let claimed_names = Arc::new(ClaimedNames::default());
        claimed_names.replace(accounts::claimed_keys(shelf.connection())?);
        let store = Self {
            files,
            thread: Arc::new(StoreThread::start(shelf)?),
            hashing: Arc::new(Semaphore::new(MAX_HASHING)),
            replaying: Arc::new(Semaphore::new(MAX_REPLAYING)),
            claimed_names,
        };
        Ok(OpenedStore { store, unfinished: found.unfinished, skipped: found.skipped, bans })
    }

    /// Makes games, results, ratings and history again from the files of the games, as `serve --reindex` does;
    /// accounts stay. A damaged database is put aside first. The host must not be running.
    pub fn reindex(folder: &Path, now_unix_ms: u64) -> Result<Reindexed, StoreError> {
        let mut shelf = Shelf::open_or_replace(GameFiles::open(folder)?)?;
        shelf.reindex(now_unix_ms).map_err(|why| shelf.explain(why))
    }

    /// Where the journal of a game is.
    pub fn journal_path(&self, game: GameId) -> PathBuf {
        self.files.journal(game)
    }

    /// Stores what belongs beside the journal of a game; must be done before the journal is created.
    pub fn save_meta(&self, meta: GameMeta) -> Reply<()> {
        self.thread.call(move |shelf| shelf.save_meta(meta))
    }

    /// What was stored beside the journal of a game.
    pub fn load_meta(&self, game: GameId) -> Reply<Option<GameMeta>> {
        self.thread.call(move |shelf| shelf.load_meta(game))
    }

    /// A game has ended: reads its journal, adds it to the index and rates it, once, however often it is called.
    /// The journal is replayed beside the store's thread, so that a long game delays no other request.
    pub async fn finish_game(
        &self,
        game: GameId,
        reason: EndReason,
        now_unix_ms: u64,
    ) -> Result<FinishedGame, StoreError> {
        if let Some(finished) = self.thread.call(move |shelf| shelf.finished(game)).await? {
            return Ok(finished);
        }
        let files = self.files.clone();
        let read = move || files.ended_game(files.expect_meta(game)?, &files.read_journal(game)?);
        let ended = off_thread(&self.replaying, read).await??;
        let game = Box::new(ended);
        let command = StoreCommand::Finish { game, reason, now_ms: now_unix_ms };
        self.write(command, |answer| match store_error(answer)? {
            StoreAnswer::Finished(finished) => Ok(*finished),
            _ => Err(StoreError::Closed),
        })
        .await
    }

    /// Carries out a change: here, or wherever changes go first.
    fn write<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        command: StoreCommand,
        convert: impl FnOnce(Result<StoreAnswer, AccountError>) -> Result<T, E> + Send + 'static,
    ) -> Reply<T, E> {
        let (answer, reply) = Reply::channel();
        let done: CommandDone = Box::new(move |result| {
            // Who no longer waits for the answer doesn't need it.
            let _ = answer.send(convert(result));
        });
        let claimed_names = Arc::clone(&self.claimed_names);
        self.thread.run(move |shelf| done(shelf.apply(command, &claimed_names)));
        reply
    }

    /// What the people of a finished game need to play again; none if there is no such game, or it runs.
    pub async fn rematch(&self, game: GameId) -> Result<Option<Rematch>, StoreError> {
        let files = self.files.clone();
        let read = move || {
            let meta = files.read_meta(game)?.filter(|meta| meta.finished.is_some());
            let Some(meta) = meta else { return Ok(None) };
            let journal = files.read_journal(game)?;
            let people = people_of(&meta, &journal).into_iter().map(|(id, _)| id).collect();
            Ok(Some(Rematch { meta, setup: journal.recording.header.setup, people }))
        };
        off_thread(&self.replaying, read).await?
    }

    /// A finished game, for a person who has its link.
    pub fn finished_game(&self, game: GameId) -> Reply<Option<FinishedGame>> {
        self.thread.call(move |shelf| games::game(shelf.connection(), game))
    }

    /// The last finished games that this person may find, the newest first.
    pub fn finished_games(&self, viewer: Option<PlayerId>, limit: u32) -> Reply<Vec<FinishedGame>> {
        self.thread.call(move |shelf| games::latest(shelf.connection(), viewer, limit))
    }

    /// The rating table, the best first.
    pub fn ratings(&self, limit: u32) -> Reply<Vec<RatingRow>> {
        self.thread.call(move |shelf| games::ratings(shelf.connection(), limit))
    }

    /// The page of a player, as this person may see it.
    pub fn player_history(
        &self,
        who: Rated,
        viewer: Option<PlayerId>,
    ) -> Reply<Option<PlayerHistory>> {
        self.thread.call(move |shelf| games::history(shelf.connection(), &who, viewer))
    }

    /// A new guest with this name, or with a random pleasant one, and a session for it.
    pub fn create_guest(
        &self,
        name: Option<String>,
        now_unix_ms: u64,
    ) -> Reply<(Account, SessionToken), AccountError> {
        let (token, seed) = match (accounts::random(), accounts::random()) {
            (Ok(token), Ok(seed)) => (SessionToken::from_random(token), seed),
            (Err(why), _) | (_, Err(why)) => return Reply::failed(why.into()),
        };
        let (session, draws) = (token.hash(), Draws::new(seed));
        let command = StoreCommand::Guest { name, session, draws, now_ms: now_unix_ms };
        self.write(command, |answer| Ok((account_of(answer)?, token)))
    }

    /// Whose session it is. Keeps the session alive for another year.
    pub fn session(&self, token: SessionToken, now_unix_ms: u64) -> Reply<Option<Account>> {
        let claimed_names = Arc::clone(&self.claimed_names);
        self.thread.call(move |shelf| {
            let session = token.hash();
            let found = accounts::session(shelf.connection(), &session, now_unix_ms)?;
            let Some((account, due)) = found else { return Ok(None) };
            let command = match due {
                SessionUse::Nothing => return Ok(Some(account)),
                SessionUse::Touch => StoreCommand::Touch { session, now_ms: now_unix_ms },
                SessionUse::End => StoreCommand::LogOut { session },
            };
            store_error(shelf.apply(command, &claimed_names))?;
            Ok((due == SessionUse::Touch).then_some(account))
        })
    }

    /// Ends a session.
    pub fn log_out(&self, token: &SessionToken) -> Reply<()> {
        self.write(StoreCommand::LogOut { session: token.hash() }, done)
    }

    /// The names that were claimed, also those of later.
    pub fn claimed_names(&self) -> &Arc<ClaimedNames> {
        &self.claimed_names
    }

    /// Gives a person another name.
    pub fn rename(&self, player: PlayerId, name: String) -> Reply<Account, AccountError> {
        match accounts::random() {
            Ok(seed) => {
                let draws = Draws::new(seed);
                self.write(StoreCommand::Rename { player, name, draws }, account_of)
            }
            Err(why) => Reply::failed(why.into()),
        }
    }

    /// Protects the name of a person with a password.
    pub async fn claim(&self, player: PlayerId, password: String) -> Result<Account, AccountError> {
        passwords::ensure_usable(&password)?;
        let salt = accounts::random()?;
        let hash = off_thread(&self.hashing, move || passwords::hash(&password, salt)).await??;
        let draws = Draws::new(accounts::random()?);
        let command = StoreCommand::Claim { player, password_hash: hash, draws };
        self.write(command, account_of).await
    }

    /// A new session for a claimed name. An unknown name takes as long as a wrong password.
    pub async fn log_in(
        &self,
        name: String,
        password: String,
        now_unix_ms: u64,
    ) -> Result<(Account, SessionToken), AccountError> {
        if password.len() > MAX_PASSWORD_BYTES {
            return Err(AccountError::WrongPassword);
        }
        let claimed: Reply<_> =
            self.thread.call(move |shelf| accounts::claimed(shelf.connection(), &name));
        let (account, hash) = claimed.await?.unzip();
        let is_right =
            off_thread(&self.hashing, move || passwords::is_right(&password, hash.as_deref()))
                .await?;
        let Some(account) = account.filter(|_| is_right) else {
            return Err(AccountError::WrongPassword);
        };
        let token = SessionToken::from_random(accounts::random()?);
        let (player, session) = (account.id, token.hash());
        let command = StoreCommand::Session { player, session, now_ms: now_unix_ms };
        self.write(command, done).await?;
        Ok((account, token))
    }

    /// The accounts of these people; unknown ones are left out.
    pub fn accounts(&self, players: Vec<PlayerId>) -> Reply<Vec<Account>> {
        self.thread.call(move |shelf| {
            let connection = shelf.connection();
            let found = players.iter().map(|player| accounts::find(connection, *player));
            found.filter_map(Result::transpose).collect()
        })
    }

    /// Stores a ban.
    pub fn save_ban(&self, ban: Ban) -> Reply<()> {
        self.write(StoreCommand::Ban(ban), done)
    }

    /// Removes a ban.
    pub fn remove_ban(&self, ban: Ban) -> Reply<()> {
        self.write(StoreCommand::Unban(ban), done)
    }
}

/// The answer to a change that nobody can be refused.
fn store_error(answer: Result<StoreAnswer, AccountError>) -> Result<StoreAnswer, StoreError> {
    answer.map_err(|why| match why {
        AccountError::Store(why) => why,
        _ => StoreError::Closed,
    })
}

fn done(answer: Result<StoreAnswer, AccountError>) -> Result<(), StoreError> {
    store_error(answer).map(drop)
}

fn account_of(answer: Result<StoreAnswer, AccountError>) -> Result<Account, AccountError> {
    match answer? {
        StoreAnswer::Account(account) => Ok(account),
        _ => Err(StoreError::Closed.into()),
    }
}

/// Runs slow work beside the store's thread, with a limit on how much of its kind runs at the same time.
async fn off_thread<T: Send + 'static>(
    limit: &Semaphore,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StoreError> {
    let _permit = limit.acquire().await.map_err(|_| StoreError::Closed)?;
    tokio::task::spawn_blocking(work).await.map_err(|_| StoreError::Closed)
}

#[cfg(test)]
mod tests;
