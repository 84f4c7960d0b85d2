//! Games in the shared database: ends games that ran on this node, and reads finished ones. The rows of running games are
//! written by `cluster`.

use std::sync::Arc;

use super::sql::{Sql, SqlRow};
use super::{FinishedGame, StoreError, games};
use crate::cluster::routes::{Epoch, RunId};
use crate::{Finished, GameId, GameMeta};

/// The proof that a node runs a game: its process run, and the epoch of its claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence {
    /// The process run.
    pub run: RunId,
    /// The epoch of the claim, incremented with every claim of the game.
    pub epoch: Epoch,
}

/// Stands for the number of the last row if the journal is empty.
const NO_ROW: i64 = -1;

/// A game in the database that is not in the index.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) meta: GameMeta,
    /// The bytes of its journal rows.
    pub(super) bytes: Arc<Vec<u8>>,
    /// The number of the last row.
    last: i64,
}

/// Reads metadata and journal of a running game.
pub(super) fn running(sql: &mut dyn Sql, game: GameId) -> Result<Running, StoreError> {
    let found = sql.query_one("SELECT meta FROM lobby WHERE game = $1", &[&game])?;
    let meta = found.ok_or(StoreError::UnknownGame(game))?;
    let rows = "SELECT bytes, number FROM journal WHERE game = $1 ORDER BY number";
    let (mut bytes, mut last) = (Vec::new(), NO_ROW);
    for row in sql.query(rows, &[&game])? {
        bytes.extend(row.get::<Vec<u8>>(0)?);
        last = row.get(1)?;
    }
    Ok(Running { meta: parse_meta(game, &meta)?, bytes: Arc::new(bytes), last })
}

/// Ends a game in one transaction: adds it to the index and ratings (`add`), stores its recording and deletes the rows of
/// its journal. The lock on its row keeps other nodes from doing the same.
pub(super) fn finish(
    sql: &mut dyn Sql,
    fence: Fence,
    running: &Running,
    add: impl Fn(&mut dyn Sql) -> Result<Finished, StoreError>,
) -> Result<FinishedGame, StoreError> {
    let game = running.meta.id;
    let ours = "SELECT game FROM running WHERE game = $1 AND run = $2 AND epoch = $3 FOR UPDATE";
    let is_ours = sql.query_one(ours, &[&game, &fence.run, &fence.epoch])?.is_some();
    if let Some(finished) = games::game(sql, game)? {
        return Ok(finished);
    }
    let last = "SELECT COALESCE(MAX(number), -1) FROM journal WHERE game = $1";
    let last: Option<i64> = sql.query_value(last, &[&game])?;
    if !is_ours || last != Some(running.last) {
        return Err(StoreError::NotOurs(game));
    }
    let finished = add(sql)?;
    let meta = meta_text(&GameMeta { finished: Some(finished), ..running.meta.clone() });
    sql.execute(
        "INSERT INTO recordings (game, meta, bytes) VALUES ($1, $2, $3)",
        &[&game, &meta, &*running.bytes],
    )?;
    sql.execute("UPDATE running SET is_over = TRUE WHERE game = $1", &[&game])?;
    sql.execute("DELETE FROM journal WHERE game = $1", &[&game])?;
    games::game(sql, game)?.ok_or(StoreError::UnknownGame(game))
}

pub(super) fn bytes(sql: &mut dyn Sql, game: GameId) -> Result<Option<Vec<u8>>, StoreError> {
    sql.query_value("SELECT bytes FROM recordings WHERE game = $1", &[&game])
}

/// Returns the metadata of a game, finished or not.
pub(super) fn meta(sql: &mut dyn Sql, game: GameId) -> Result<Option<GameMeta>, StoreError> {
    for table in ["recordings", "lobby"] {
        let statement = format!("SELECT meta FROM {table} WHERE game = $1");
        if let Some(row) = sql.query_one(&statement, &[&game])? {
            return parse_meta(game, &row).map(Some);
        }
    }
    Ok(None)
}

/// Stores what belongs beside the journal of a game, if it is ours: its row is locked for this statement.
pub(super) fn save_meta(
    sql: &mut dyn Sql,
    fence: Fence,
    meta: &GameMeta,
) -> Result<(), StoreError> {
    sql.execute(
        "WITH mine AS (SELECT game FROM running WHERE game = $1 AND run = $2 AND epoch = $3 FOR UPDATE)
         UPDATE lobby SET meta = $4 WHERE game IN (SELECT game FROM mine)",
        &[&meta.id, &fence.run, &fence.epoch, &meta_text(meta)],
    )?;
    Ok(())
}

fn parse_meta(game: GameId, row: &SqlRow) -> Result<GameMeta, StoreError> {
    let text: String = row.get(0)?;
    let failed = |why| StoreError::Meta { place: format!("the stored state of game {game}"), why };
    serde_json::from_str(&text).map_err(failed)
}

fn meta_text(meta: &GameMeta) -> String {
    serde_json::to_string(meta).expect("a meta has only texts and numbers")
}
