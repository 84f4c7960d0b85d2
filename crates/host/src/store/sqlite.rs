//! The SQLite file: opening, checking, the migration of its tables, and [`Sql`] within a transaction.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{CachedStatement, Connection};

use super::StoreError;
use super::sql::{Sql, SqlRow, ToSql};

/// Maximum wait of a statement for another program that reads the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Steps that migrate the tables from one version to the next; `user_version` counts the applied ones. Never change a
/// released step.
const MIGRATIONS: [&str; 3] = [
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
    // Drops the tables of the cluster design that was removed.
    "
    DROP TABLE replica;
    DROP TABLE records;
    DROP TABLE commands;
    CREATE TABLE counters (
        name TEXT PRIMARY KEY,
        value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO counters VALUES
        ('players', MAX(COALESCE((SELECT MAX(id) FROM players), 0),
                        COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'players'), 0))),
        ('games', COALESCE((SELECT MAX(number) FROM games), 0)),
        ('claims', 0);
",
];

/// The open database.
#[derive(Debug)]
pub(super) struct Sqlite {
    connection: Connection,
    path: PathBuf,
}

impl Sqlite {
    /// Opens or creates the file and migrates its tables.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let failed = |why| StoreError::database(path, why);
        let connection = Connection::open(path).map_err(failed)?;
        let mut database = Self { connection, path: path.to_owned() };
        database.prepare().map_err(failed)?;
        database.check()?;
        database.migrate()?;
        Ok(database)
    }

    /// Runs the job in one transaction, which is rolled back if it fails.
    pub(super) fn transaction<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut dyn Sql) -> Result<T, E>,
    ) -> Result<T, E> {
        let transaction = self.connection.transaction().map_err(StoreError::from)?;
        let done = work(&mut SqliteSql(&transaction))?;
        transaction.commit().map_err(StoreError::from)?;
        Ok(done)
    }

    /// Adds the path and advice to an error that was caused by a damaged file.
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

/// SQLite within a transaction.
struct SqliteSql<'a>(&'a Connection);

impl SqliteSql<'_> {
    fn prepared(
        &self,
        statement: &str,
        parameters: &[&dyn ToSql],
    ) -> Result<CachedStatement<'_>, StoreError> {
        let mut prepared = self.0.prepare_cached(statement)?;
        for (number, value) in (1..).zip(parameters) {
            if let Some(index) = prepared.parameter_index(&format!("${number}"))? {
                prepared.raw_bind_parameter(index, value)?;
            }
        }
        Ok(prepared)
    }
}

impl Sql for SqliteSql<'_> {
    fn query(
        &mut self,
        statement: &str,
        parameters: &[&dyn ToSql],
    ) -> Result<Vec<SqlRow>, StoreError> {
        let mut prepared = self.prepared(statement, parameters)?;
        let columns = prepared.column_count();
        let mut rows = prepared.raw_query();
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let values = (0..columns).map(|column| row.get(column));
            found.push(SqlRow(values.collect::<rusqlite::Result<_>>()?));
        }
        Ok(found)
    }

    fn execute(&mut self, statement: &str, parameters: &[&dyn ToSql]) -> Result<u64, StoreError> {
        Ok(self.prepared(statement, parameters)?.raw_execute()? as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sql::Counter;

    #[test]
    fn counters_continue_from_the_rows_of_an_older_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.sqlite");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(&MIGRATIONS[..2].concat()).unwrap();
        old.pragma_update(None, "user_version", 2).unwrap();
        let guest = "INSERT INTO players (name, name_key, created_ms) VALUES ('Ann', 'ann', 1);";
        old.execute_batch(&guest.repeat(3)).unwrap();
        old.execute_batch("DELETE FROM players WHERE id > 1").unwrap();
        drop(old);
        let mut sqlite = Sqlite::open(&path).unwrap();
        let next = sqlite.transaction(|sql| sql.raise(Counter::Players)).unwrap();
        assert_eq!(next, 4, "an id is never used twice");
        let next = sqlite.transaction(|sql| sql.raise(Counter::Games)).unwrap();
        assert_eq!(next, 1);
    }
}
