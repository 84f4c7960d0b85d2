//! The versioned tables of the shared database. Migrations only add, so that hosts of two versions can run side by side
//! during an upgrade. Uses only SQL that PostgreSQL 13, CockroachDB and YugabyteDB support.

use crate::store::StoreError;
use crate::store::sql::Sql;

/// A step from one version of the tables to the next. Never change a released step.
struct Migration {
    version: i64,
    /// The oldest schema version whose programs can use the tables after this step.
    oldest: i64,
    statements: &'static [&'static str],
}

/// The result of a migration: `Yes` if tables were changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Migrated {
    Yes,
    No,
}

const MIGRATIONS: &[Migration] = &[Migration { version: 1, oldest: 1, statements: VERSION_1 }];

/// The table whose only row serves as the lock of migrations.
const SCHEMA: &str = "nuggets_schema";

const VERSION_1: &[&str] = &[
    "CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL)",
    "INSERT INTO counters (name, value) VALUES ('players', 0), ('games', 0), ('claims', 0)",
    "CREATE TABLE players (
        id BIGINT PRIMARY KEY,
        name TEXT NOT NULL,
        name_key TEXT NOT NULL,
        password TEXT,
        created_ms BIGINT NOT NULL
    )",
    "CREATE UNIQUE INDEX claimed_names ON players (name_key) WHERE password IS NOT NULL",
    "CREATE INDEX names ON players (name_key)",
    "CREATE TABLE sessions (
        hash BYTEA PRIMARY KEY,
        player BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
        last_seen_ms BIGINT NOT NULL
    )",
    "CREATE INDEX sessions_of_players ON sessions (player)",
    "CREATE TABLE bans (kind TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, value))",
    "CREATE TABLE games (
        id TEXT PRIMARY KEY,
        number BIGINT NOT NULL UNIQUE,
        is_marked BOOLEAN NOT NULL,
        map TEXT NOT NULL,
        map_rows BIGINT NOT NULL,
        map_cols BIGINT NOT NULL,
        gold BIGINT NOT NULL,
        created_ms BIGINT NOT NULL,
        finished_ms BIGINT NOT NULL,
        duration_ms BIGINT NOT NULL,
        reason TEXT NOT NULL,
        visibility TEXT NOT NULL,
        creator BIGINT NOT NULL,
        rated BOOLEAN NOT NULL
    )",
    "CREATE TABLE results (
        game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
        letter TEXT NOT NULL,
        name TEXT NOT NULL,
        who TEXT,
        player BIGINT REFERENCES players (id),
        purse BIGINT NOT NULL,
        place BIGINT NOT NULL,
        PRIMARY KEY (game, letter)
    )",
    "CREATE INDEX results_of_who ON results (who)",
    "CREATE INDEX results_of_players ON results (player)",
    "CREATE TABLE ratings (
        who TEXT PRIMARY KEY,
        player BIGINT REFERENCES players (id),
        mean DOUBLE PRECISION NOT NULL,
        deviation DOUBLE PRECISION NOT NULL,
        games BIGINT NOT NULL,
        wins DOUBLE PRECISION NOT NULL
    )",
    "CREATE INDEX ratings_of_players ON ratings (player)",
    "CREATE TABLE history (
        who TEXT NOT NULL,
        number BIGINT NOT NULL REFERENCES games (number) ON DELETE CASCADE,
        mean_before DOUBLE PRECISION NOT NULL,
        mean DOUBLE PRECISION NOT NULL,
        deviation DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (who, number)
    )",
    "CREATE INDEX history_of_games ON history (number)",
    "CREATE TABLE recordings (game TEXT PRIMARY KEY, meta TEXT NOT NULL, bytes BYTEA NOT NULL)",
    "CREATE TABLE nodes (
        name TEXT PRIMARY KEY,
        run BIGINT NOT NULL,
        address TEXT NOT NULL,
        url TEXT NOT NULL,
        renewal BIGINT NOT NULL,
        is_draining BOOLEAN NOT NULL,
        version TEXT NOT NULL,
        figures TEXT NOT NULL
    )",
    "CREATE TABLE running (
        game TEXT PRIMARY KEY,
        node TEXT NOT NULL,
        run BIGINT NOT NULL,
        epoch BIGINT NOT NULL,
        is_over BOOLEAN NOT NULL
    )",
    "CREATE TABLE lobby (game TEXT PRIMARY KEY, meta TEXT NOT NULL, figures TEXT NOT NULL)",
    "CREATE TABLE journal (
        game TEXT NOT NULL,
        number BIGINT NOT NULL,
        epoch BIGINT NOT NULL,
        bytes BYTEA NOT NULL,
        PRIMARY KEY (game, number)
    )",
    "CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE announcements (number BIGINT PRIMARY KEY, text TEXT NOT NULL)",
];

/// Storage settings of PostgreSQL, each of which other databases may reject.
///
/// Rows of `journal` live as long as their game: after N commits a few thousand are live and N are dead. So the table is
/// vacuumed after a fixed number of dead rows, not after a share of the table, and without pauses. Freed pages are
/// reused, and the file is not truncated, because that would need a lock that blocks appends. Its bytes are not
/// compressed: most records are too short, and the CPU time of a commit matters more. `recordings` are permanent and
/// compressed. Rows of the other tables are updated in place, so their pages have room for new versions.
pub(super) const STORAGE_PARAMETERS: &[&str] = &[
    "ALTER TABLE journal ALTER COLUMN bytes SET STORAGE EXTERNAL",
    "ALTER TABLE journal SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
     autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 0,
     autovacuum_analyze_threshold = 20000, autovacuum_vacuum_cost_delay = 0, vacuum_truncate = FALSE,
     toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000,
     toast.vacuum_truncate = FALSE)",
    "ALTER TABLE nodes SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200)",
    "ALTER TABLE lobby SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)",
    "ALTER TABLE running SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)",
    "ALTER TABLE counters SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200)",
    "ALTER TABLE ratings SET (fillfactor = 70)",
];

/// Creates or migrates the tables. Nodes that start at the same time are serialized by a lock on the only row of
/// `nuggets_schema`.
pub(super) fn migrate(sql: &mut dyn Sql, database: &str) -> Result<Migrated, StoreError> {
    ensure_ours(sql, database)?;
    sql.execute(
        "CREATE TABLE IF NOT EXISTS nuggets_schema
         (only_row BIGINT PRIMARY KEY, version BIGINT NOT NULL, oldest BIGINT NOT NULL)",
        &[],
    )?;
    sql.execute("INSERT INTO nuggets_schema VALUES (1, 0, 0) ON CONFLICT DO NOTHING", &[])?;
    let found = sql.query_one(
        "SELECT version, oldest FROM nuggets_schema WHERE only_row = 1 FOR UPDATE",
        &[],
    )?;
    let found = found.ok_or(StoreError::Column { column: 0 })?;
    let (version, oldest): (i64, i64) = (found.get(0)?, found.get(1)?);
    let ours = MIGRATIONS.last().map_or(0, |migration| migration.version);
    if ours < oldest {
        return Err(StoreError::NewerDatabase { database: database.to_owned(), version, ours });
    }
    for migration in MIGRATIONS.iter().filter(|migration| migration.version > version) {
        for statement in migration.statements {
            sql.execute(statement, &[])?;
        }
        sql.execute(
            "UPDATE nuggets_schema SET version = $1, oldest = $2 WHERE only_row = 1",
            &[&migration.version, &migration.oldest],
        )?;
    }
    Ok(if version < ours { Migrated::Yes } else { Migrated::No })
}

/// Rejects a database that has a table with one of our names, but not the table `nuggets_schema`.
fn ensure_ours(sql: &mut dyn Sql, database: &str) -> Result<(), StoreError> {
    let tables = sql.query(
        "SELECT CAST(table_name AS TEXT) FROM information_schema.tables WHERE table_schema = current_schema()",
        &[],
    )?;
    let tables: Vec<String> = tables.iter().map(|row| row.get(0)).collect::<Result<_, _>>()?;
    if tables.iter().any(|table| table == SCHEMA) {
        return Ok(());
    }
    let of_ours = |statement: &&&str| {
        let rest = statement.strip_prefix("CREATE TABLE ")?;
        let name = rest.split([' ', '(']).next()?;
        tables.iter().find(|table| *table == name).cloned()
    };
    match VERSION_1.iter().find_map(|statement| of_ours(&statement)) {
        Some(table) => Err(StoreError::NotOurDatabase { database: database.to_owned(), table }),
        None => Ok(()),
    }
}
