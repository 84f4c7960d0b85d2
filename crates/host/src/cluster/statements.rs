//! The statements of a node, in SQL that PostgreSQL 13 and later, CockroachDB and YugabyteDB understand. Each function runs
//! one statement that commits by itself, unless it says otherwise: a stopped client must hold no lock.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::types::ToSqlOutput;
use serde::Serialize;

use super::ownership::{Answer, GameRow, JournalRows, NodeRow, Statement};
use super::routes::{Epoch, Member, RunId};
use crate::store::Fence;
use crate::store::sql::{Sql, SqlRow, ToSql};
use crate::{GameId, GameMeta, StoreError};

/// The group commit. The rows of games that are ours are locked, and only for these a row is added. The other columns say why
/// nothing was added; they show the database as it was when the statement began.
///
/// Parameters: games, epochs, numbers of rows, bytes, our run, our name, whether the lease is renewed, epochs of the rows before.
pub(super) const COMMIT: &str = "
    WITH given AS (
        SELECT * FROM unnest($1::TEXT[], $2::BIGINT[], $3::BIGINT[], $4::BYTEA[], $8::BIGINT[])
            AS given (game, epoch, number, bytes, predecessor)
    ), mine AS (
        SELECT given.* FROM running JOIN given ON running.game = given.game
        WHERE running.run = $5 AND running.epoch = given.epoch AND NOT running.is_over
        FOR UPDATE OF running SKIP LOCKED
    ), added AS (
        INSERT INTO journal (game, number, epoch, bytes)
        SELECT mine.game, mine.number, mine.epoch, mine.bytes FROM mine
        WHERE length(mine.bytes) > 0 AND (mine.number = 0 OR EXISTS (
            SELECT 1 FROM journal AS before WHERE before.game = mine.game AND before.number = mine.number - 1
            AND before.epoch = mine.predecessor))
        ON CONFLICT (game, number) DO NOTHING
        RETURNING game
    ), renewed AS (
        UPDATE nodes SET renewal = renewal + 1 WHERE name = $6 AND run = $5 AND $7 RETURNING name
    )
    SELECT given.game, given.game IN (SELECT game FROM mine), given.game IN (SELECT game FROM added),
        COALESCE(running.run = $5 AND running.epoch = given.epoch AND NOT running.is_over, FALSE),
        stored.epoch = given.epoch AND stored.bytes = given.bytes, before.game IS NOT NULL,
        (SELECT count(*) FROM renewed)
    FROM (SELECT 1) AS one LEFT JOIN given ON TRUE
        LEFT JOIN running ON running.game = given.game
        LEFT JOIN journal AS stored ON stored.game = given.game AND stored.number = given.number
        LEFT JOIN journal AS before ON before.game = given.game AND before.number = given.number - 1
            AND before.epoch = given.predecessor";

impl ToSql for RunId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl ToSql for Epoch {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

/// Carries out what the node has decided. Commits have a connection of their own.
pub(super) fn answer(
    sql: &mut dyn Sql,
    me: &Member,
    statement: &Statement,
) -> Result<Answer, StoreError> {
    Ok(match statement {
        Statement::ScanNodes => Answer::Nodes(scan_nodes(sql)?),
        Statement::ScanGames => {
            let (games, runs) = scan_games(sql)?;
            Answer::Games { games, runs }
        }
        Statement::Claim(row) => Answer::Claimed(claim(sql, *row, me)?),
        Statement::ReadJournal { game, epoch } => {
            Answer::Journal(read_journal(sql, *game, Fence { run: me.run, epoch: *epoch })?)
        }
        Statement::Release { game, epoch, to } => {
            let ours = Fence { run: me.run, epoch: *epoch };
            Answer::Released(release(sql, *game, ours, to.as_ref())?)
        }
        Statement::Forget(row) => forget(sql, *row).map(|()| Answer::Done)?,
        Statement::RemoveNode => remove_node(sql, me).map(|()| Answer::Done)?,
        Statement::RemoveGoneNode(row) => remove_gone_node(sql, row).map(|()| Answer::Done)?,
        Statement::Commit(_) => return Err(StoreError::Closed),
    })
}

/// Makes this process the one that has the name of the node. Another process with this name loses its lease.
pub(super) fn register(sql: &mut dyn Sql, me: &Member, url: &str) -> Result<(), StoreError> {
    let version = env!("CARGO_PKG_VERSION");
    sql.execute(
        "INSERT INTO nodes (name, run, address, url, renewal, is_draining, version, figures)
         VALUES ($1, $2, $3, $4, 0, FALSE, $5, '{}')
         ON CONFLICT (name) DO UPDATE SET run = $2, address = $3, url = $4, renewal = nodes.renewal + 1,
         is_draining = FALSE, version = $5, figures = '{}'",
        &[&me.name, &me.run, &me.address, &url, &version],
    )?;
    Ok(())
}

pub(super) fn scan_nodes(sql: &mut dyn Sql) -> Result<Vec<NodeRow>, StoreError> {
    let rows = sql.query("SELECT name, run, address, renewal, is_draining FROM nodes", &[])?;
    rows.iter().map(node_row).collect()
}

fn node_row(row: &SqlRow) -> Result<NodeRow, StoreError> {
    let member = Member { name: row.get(0)?, run: RunId(row.get(1)?), address: row.get(2)? };
    Ok(NodeRow { member, renewal: row.get(3)?, is_draining: row.get(4)? })
}

/// The owners of all games, and after that the runs of all nodes: two statements, in this order, so that the node of a game that
/// was just created or claimed is among them.
pub(super) fn scan_games(sql: &mut dyn Sql) -> Result<(Vec<GameRow>, BTreeSet<RunId>), StoreError> {
    let games = sql.query("SELECT game, run, epoch, is_over FROM running", &[])?;
    let games = games.iter().filter_map(|row| game_row(row).transpose());
    let games = games.collect::<Result<_, _>>()?;
    let runs = sql.query("SELECT run FROM nodes", &[])?;
    let runs = runs.iter().map(|row| row.get(0).map(RunId));
    Ok((games, runs.collect::<Result<_, _>>()?))
}

/// The owner of one game.
pub(super) fn read_game(sql: &mut dyn Sql, game: GameId) -> Result<Option<GameRow>, StoreError> {
    let found =
        sql.query_one("SELECT game, run, epoch, is_over FROM running WHERE game = $1", &[&game])?;
    found.as_ref().map_or(Ok(None), game_row)
}

/// None for a game whose id this version does not understand.
fn game_row(row: &SqlRow) -> Result<Option<GameRow>, StoreError> {
    let id: String = row.get(0)?;
    let Ok(game) = id.parse() else { return Ok(None) };
    let (run, epoch) = (RunId(row.get(1)?), Epoch(row.get(2)?));
    Ok(Some(GameRow { game, run, epoch, is_over: row.get(3)? }))
}

/// Makes a node the owner of a game, if the owner is still this one. Returns the new epoch.
pub(super) fn claim(
    sql: &mut dyn Sql,
    row: GameRow,
    me: &Member,
) -> Result<Option<Epoch>, StoreError> {
    let claimed = sql.query_one(
        "UPDATE running SET node = $1, run = $2, epoch = epoch + 1
         WHERE game = $3 AND run = $4 AND epoch = $5 AND NOT is_over RETURNING epoch",
        &[&me.name, &me.run, &row.game, &row.run, &row.epoch],
    )?;
    claimed.map(|row| row.get(0).map(Epoch)).transpose()
}

/// Makes another node the owner of a game of ours, or none. False if it was not ours any more.
pub(super) fn release(
    sql: &mut dyn Sql,
    game: GameId,
    fence: Fence,
    to: Option<&Member>,
) -> Result<bool, StoreError> {
    let (name, to) = to.map_or(("", RunId(0)), |to| (to.name.as_str(), to.run));
    let released = sql.execute(
        "UPDATE running SET node = $1, run = $2, epoch = epoch + 1
         WHERE game = $3 AND run = $4 AND epoch = $5 AND NOT is_over",
        &[&name, &to, &game, &fence.run, &fence.epoch],
    )?;
    Ok(released > 0)
}

/// The journal of a game of ours, and what is stored beside it. Two statements. Locking the row of the game makes the read wait
/// for the standby as a commit does, so that a cut-off old primary does not answer.
pub(super) fn read_journal(
    sql: &mut dyn Sql,
    game: GameId,
    fence: Fence,
) -> Result<JournalRows, StoreError> {
    let rows = sql.query(
        "WITH mine AS (SELECT game FROM running WHERE game = $1 AND run = $2 AND epoch = $3 FOR UPDATE)
         SELECT journal.bytes, journal.epoch FROM mine LEFT JOIN journal ON journal.game = mine.game ORDER BY journal.number",
        &[&game, &fence.run, &fence.epoch],
    )?;
    if rows.is_empty() {
        // Empty would mean that nothing of the game was ever stored.
        return Err(StoreError::unavailable("the database says that another node has the game"));
    }
    let mut journal = JournalRows::default();
    for row in &rows {
        // Of a game without a journal there is one row, without bytes.
        if let Some(bytes) = row.get::<Option<Vec<u8>>>(0)? {
            journal.rows += 1;
            journal.last_epoch = Epoch(row.get(1)?);
            journal.bytes.extend(bytes);
        }
    }
    let meta = sql.query_one("SELECT meta FROM lobby WHERE game = $1", &[&game])?;
    let meta: Option<String> = meta.map(|row| row.get(0)).transpose()?;
    // A later version may store something that this one can't read: then another node must run the game.
    journal.meta = meta.and_then(|text| serde_json::from_str(&text).ok());
    Ok(journal)
}

/// Removes a game that no living node has in memory, unless another node has claimed it meanwhile.
pub(super) fn forget(sql: &mut dyn Sql, row: GameRow) -> Result<(), StoreError> {
    sql.execute(
        "WITH gone AS (DELETE FROM running WHERE game = $1 AND run = $2 AND epoch = $3 RETURNING game)
         DELETE FROM lobby WHERE game IN (SELECT game FROM gone)",
        &[&row.game, &row.run, &row.epoch],
    )?;
    Ok(())
}

/// Removes a node that has no games any more, with those that are over.
pub(super) fn remove_node(sql: &mut dyn Sql, me: &Member) -> Result<(), StoreError> {
    sql.execute(
        "WITH gone AS (DELETE FROM running WHERE run = $1 AND is_over RETURNING game)
         DELETE FROM lobby WHERE game IN (SELECT game FROM gone)",
        &[&me.run],
    )?;
    sql.execute("DELETE FROM nodes WHERE name = $1 AND run = $2", &[&me.name, &me.run])?;
    Ok(())
}

/// Removes a node that is gone, unless it has renewed its lease or has games.
pub(super) fn remove_gone_node(sql: &mut dyn Sql, row: &NodeRow) -> Result<(), StoreError> {
    sql.execute(
        "DELETE FROM nodes WHERE name = $1 AND run = $2 AND renewal = $3
         AND NOT EXISTS (SELECT 1 FROM running WHERE running.run = $2)",
        &[&row.member.name, &row.member.run, &row.renewal],
    )?;
    Ok(())
}

/// A new game of this node, in its first epoch. False if the id is in use.
pub(super) fn create(sql: &mut dyn Sql, me: &Member, meta: &GameMeta) -> Result<bool, StoreError> {
    let created = sql.execute(
        "WITH created AS (
             INSERT INTO running (game, node, run, epoch, is_over) VALUES ($1, $2, $3, 1, FALSE)
             ON CONFLICT (game) DO NOTHING RETURNING game)
         INSERT INTO lobby (game, meta, figures) SELECT game, $4, '' FROM created
         ON CONFLICT (game) DO UPDATE SET meta = $4, figures = ''",
        &[&meta.id, &me.name, &me.run, &json(meta)],
    )?;
    Ok(created > 0)
}

/// Stores the figures of our games, for the lobbies of all nodes. Nothing depends on it, so no row is locked.
pub(super) fn save_figures(
    sql: &mut dyn Sql,
    run: RunId,
    figures: &BTreeMap<GameId, String>,
) -> Result<(), StoreError> {
    sql.execute(
        "UPDATE lobby SET figures = given.figures
         FROM jsonb_each_text($1::TEXT::JSONB) AS given (game, figures)
         WHERE lobby.game = given.game
         AND EXISTS (SELECT 1 FROM running WHERE running.game = lobby.game AND running.run = $2)",
        &[&json(figures), &run],
    )?;
    Ok(())
}

/// The figures of games that other nodes run, for the lobby.
pub(super) fn figures_of_others(sql: &mut dyn Sql, run: RunId) -> Result<Vec<String>, StoreError> {
    let rows = sql.query(
        "SELECT figures FROM lobby JOIN running ON running.game = lobby.game
         WHERE running.run <> $1 AND NOT running.is_over",
        &[&run],
    )?;
    rows.iter().map(|row| row.get(0)).collect()
}

/// The figures of a node, for the admin page and `nuggets cluster status`.
pub(super) fn save_node_figures(
    sql: &mut dyn Sql,
    me: &Member,
    figures: &str,
) -> Result<(), StoreError> {
    let update = "UPDATE nodes SET figures = $3 WHERE name = $1 AND run = $2";
    sql.execute(update, &[&me.name, &me.run, &figures])?;
    Ok(())
}

/// A secret that all nodes share: the first node makes it.
pub(super) fn secret(sql: &mut dyn Sql, name: &str, fresh: &str) -> Result<String, StoreError> {
    sql.execute(
        "INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        &[&name, &fresh],
    )?;
    let found = sql.query_one("SELECT value FROM secrets WHERE name = $1", &[&name])?;
    found.ok_or(StoreError::Column { column: 0 })?.get(0)
}

/// Replaces a secret that all nodes share.
pub(super) fn set_secret(sql: &mut dyn Sql, name: &str, value: &str) -> Result<(), StoreError> {
    sql.execute(
        "INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2",
        &[&name, &value],
    )?;
    Ok(())
}

/// A message of the host to the people of all nodes. Old messages are dropped: every node has read them by now.
pub(super) fn announce(sql: &mut dyn Sql, text: &str) -> Result<(), StoreError> {
    sql.execute(
        "WITH next AS (
             INSERT INTO counters (name, value) VALUES ('announcements', 1)
             ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value),
         old AS (DELETE FROM announcements WHERE number < (SELECT value FROM next) - 100)
         INSERT INTO announcements (number, text) SELECT value, $1 FROM next",
        &[&text],
    )?;
    Ok(())
}

/// The messages after this one, the oldest first, with their numbers.
pub(super) fn announcements(
    sql: &mut dyn Sql,
    after: u64,
) -> Result<Vec<(u64, String)>, StoreError> {
    let rows = sql.query(
        "SELECT number, text FROM announcements WHERE number > $1 ORDER BY number",
        &[&after],
    )?;
    rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
}

/// Asks a node to hand its games over and to stop. False if there is no such node.
pub(super) fn drain(sql: &mut dyn Sql, node: &str) -> Result<bool, StoreError> {
    let changed = sql.execute("UPDATE nodes SET is_draining = TRUE WHERE name = $1", &[&node])?;
    Ok(changed > 0)
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("it has only texts and numbers")
}
