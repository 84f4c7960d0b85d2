//! The SQLite file: opening, checking, and bringing its tables up to date.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use super::StoreError;

/// How long a statement waits for another program that reads the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Each brings the tables from one version to the next; `user_version` counts those that were applied. Never change one
/// that was released.
const MIGRATIONS: [&str; 2] = [
    "
    CREATE TABLE players (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        name_key TEXT NOT NULL,
        password TEXT,
        created_ms INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX claimed_names ON players (name_key) WHERE password IS NOT NULL;
    CREATE INDEX names ON players (name_key);
    CREATE TABLE sessions (
        hash BLOB PRIMARY KEY,
        player INTEGER NOT NULL REFERENCES players (id) ON DELETE CASCADE,
        last_seen_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sessions_of_players ON sessions (player);
    CREATE TABLE bans (
        kind TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (kind, value)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE games (
        id TEXT PRIMARY KEY,
        number INTEGER NOT NULL UNIQUE,
        is_marked INTEGER NOT NULL,
        map TEXT NOT NULL,
        map_rows INTEGER NOT NULL,
        map_cols INTEGER NOT NULL,
        gold INTEGER NOT NULL,
        created_ms INTEGER NOT NULL,
        finished_ms INTEGER NOT NULL,
        duration_ms INTEGER NOT NULL,
        reason TEXT NOT NULL,
        visibility TEXT NOT NULL,
        creator INTEGER NOT NULL,
        rated INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE results (
        game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
        letter TEXT NOT NULL,
        name TEXT NOT NULL,
        who TEXT,
        player INTEGER REFERENCES players (id),
        purse INTEGER NOT NULL,
        place INTEGER NOT NULL,
        PRIMARY KEY (game, letter)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX results_of_who ON results (who);
    CREATE INDEX results_of_players ON results (player);
    CREATE TABLE ratings (
        who TEXT PRIMARY KEY,
        player INTEGER REFERENCES players (id),
        mean REAL NOT NULL,
        deviation REAL NOT NULL,
        games INTEGER NOT NULL,
        wins REAL NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE history (
        who TEXT NOT NULL,
        number INTEGER NOT NULL REFERENCES games (number) ON DELETE CASCADE,
        mean_before REAL NOT NULL,
        mean REAL NOT NULL,
        deviation REAL NOT NULL,
        PRIMARY KEY (who, number)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX history_of_games ON history (number);
",
    "
    CREATE TABLE replica (
        only_row INTEGER PRIMARY KEY CHECK (only_row = 1)
    ) STRICT;
    CREATE TABLE records (
        number INTEGER PRIMARY KEY,
        seq INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        bytes BLOB NOT NULL
    ) STRICT;
    CREATE TABLE commands (
        id TEXT PRIMARY KEY,
        record INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX commands_by_record ON commands (record);
",
];

/// The open database.
#[derive(Debug)]
pub(super) struct Database {
    pub(super) connection: Connection,
    path: PathBuf,
}

impl Database {
    /// Opens or creates the file and brings its tables up to date.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let failed = |why| StoreError::database(path, why);
        let connection = Connection::open(path).map_err(failed)?;
        let mut database = Self { connection, path: path.to_owned() };
        database.prepare().map_err(failed)?;
        database.check()?;
        database.migrate()?;
        Ok(database)
    }

    /// Names the file and what to do if it turned out to be damaged.
    pub(super) fn explain(&self, why: StoreError) -> StoreError {
        match why {
            StoreError::Database(why) => StoreError::database(&self.path, why),
            why => why,
        }
    }

    fn prepare(&mut self) -> rusqlite::Result<()> {
        let connection = &self.connection;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(())
    }

    fn check(&self) -> Result<(), StoreError> {
        let found: Result<String, _> =
            self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
        let why = found.map_err(|why| StoreError::database(&self.path, why))?;
        if why == "ok" { Ok(()) } else { Err(StoreError::Damaged { path: self.path.clone(), why }) }
    }

    fn migrate(&mut self) -> Result<(), StoreError> {
        let version: i64 =
            self.connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let (mut newest, path) = (0, &self.path);
        for (number, migration) in (1_i64..).zip(MIGRATIONS) {
            newest = number;
            if number > version {
                let transaction = self.connection.transaction()?;
                transaction.execute_batch(migration)?;
                transaction.pragma_update(None, "user_version", number)?;
                transaction.commit()?;
            }
        }
        if version > newest { Err(StoreError::Newer(path.clone())) } else { Ok(()) }
    }
}

/// SQLite has no unsigned numbers. Times and counts never come near the limit.
pub(super) fn to_sql(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number that was written by `to_sql`.
pub(super) fn from_sql(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
