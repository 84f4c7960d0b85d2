//! The connection that is reserved for the group commit. Whatever is not certainly a commit is unanswered: the node sends the same
//! batch again.

use tokio::time::timeout;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use tracing::{info, warn};

use super::ownership::{Appended, Batch, BatchAnswer, CommitRow};
use super::routes::Member;
use super::statements::COMMIT;
use crate::store::postgres::{
    DatabaseConnection, DatabaseUrl, STATEMENT_TIMEOUT, alongside, connect,
};
use crate::{GameId, StoreError};

/// One plan for all commits, over the indexes: PostgreSQL would plan each commit again, for several times as long as it runs, and
/// choose by statistics of tables whose rows come and go. Only speed depends on it; other databases may not know it.
const PLAN_ONCE: &str = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off;
    SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET jit = off";

/// The connection, opened again when it is lost.
#[derive(Debug)]
pub(super) struct CommitConnection {
    me: Member,
    database: DatabaseUrl,
    open: Option<PreparedCommit>,
    /// The server that did not answer last: the others are tried first.
    avoid: Option<usize>,
    has_failed: bool,
}

#[derive(Debug)]
struct PreparedCommit {
    connection: DatabaseConnection,
    statement: tokio_postgres::Statement,
}

impl CommitConnection {
    pub(super) fn new(me: Member, database: DatabaseUrl) -> Self {
        Self { me, database, open: None, avoid: None, has_failed: false }
    }

    /// Sends a batch. None if it is not known whether it was committed.
    pub(super) async fn commit(&mut self, batch: &Batch) -> Option<BatchAnswer> {
        let result = match timeout(STATEMENT_TIMEOUT, self.try_commit(batch)).await {
            Ok(result) => result,
            Err(_) => Err(StoreError::unavailable("no answer for 2 s")),
        };
        match result {
            Ok(answer) => {
                self.avoid = None;
                if std::mem::take(&mut self.has_failed) {
                    info!("the database commits again");
                }
                Some(answer)
            }
            Err(why) => {
                self.note_failure(&why);
                None
            }
        }
    }

    fn note_failure(&mut self, why: &StoreError) {
        if !std::mem::replace(&mut self.has_failed, true) {
            warn!("a commit is not answered ({why}); it is sent again until it is");
        }
        self.avoid = self.open.take().map(|open| open.connection.host).or(self.avoid);
    }

    async fn try_commit(&mut self, batch: &Batch) -> Result<BatchAnswer, StoreError> {
        let ended = || StoreError::unavailable("the connection has ended");
        let open = match self.open.take() {
            Some(open) => open,
            None => open_connection(&self.database, self.avoid).await?.ok_or_else(ended)?,
        };
        let entries = || batch.entries.iter();
        let games: Vec<String> = entries().map(|entry| entry.game.to_string()).collect();
        let epochs: Vec<i64> = entries().map(|entry| entry.epoch.0.cast_signed()).collect();
        let numbers: Vec<i64> = entries().map(|entry| entry.row.cast_signed()).collect();
        let bytes: Vec<&[u8]> = entries().map(|entry| &*entry.bytes).collect();
        let predecessors: Vec<i64> =
            entries().map(|entry| entry.predecessor.0.cast_signed()).collect();
        let run = self.me.run.0.cast_signed();
        let PreparedCommit { connection, statement } = self.open.insert(open);
        let warnings = connection.warnings.count();
        let parameters: [&(dyn ToSql + Sync); 8] = [
            &games,
            &epochs,
            &numbers,
            &bytes,
            &run,
            &self.me.name,
            &batch.is_renewal,
            &predecessors,
        ];
        let rows = connection.client.query(&*statement, &parameters);
        let rows = alongside(&mut connection.driver, rows).await.ok_or_else(ended)??;
        if connection.warnings.count() != warnings {
            // For example: committed here, but the wait for the standby was cancelled.
            return Err(StoreError::unavailable("the database has committed with a warning"));
        }
        answer(batch, &rows)
    }
}

/// None if the connection ends at once.
async fn open_connection(
    database: &DatabaseUrl,
    avoid: Option<usize>,
) -> Result<Option<PreparedCommit>, StoreError> {
    let mut connection = connect(database, avoid).await?;
    let DatabaseConnection { client, driver, .. } = &mut connection;
    let prepare = async {
        // A connection that is lost here fails at the next statement, too.
        let _ = client.batch_execute(PLAN_ONCE).await;
        client.prepare(COMMIT).await
    };
    let statement = alongside(driver, prepare).await.transpose()?;
    Ok(statement.map(|statement| PreparedCommit { connection, statement }))
}

fn answer(batch: &Batch, rows: &[Row]) -> Result<BatchAnswer, StoreError> {
    let first = rows.first().ok_or(StoreError::Column { column: 0 })?;
    let renewed: i64 = first.try_get(6)?;
    let games = rows.iter().filter_map(|row| game_answer(batch, row).transpose());
    let games: Vec<(GameId, Appended)> = games.collect::<Result<_, _>>()?;
    Ok(BatchAnswer { has_lease: !batch.is_renewal || renewed > 0, games })
}

fn game_answer(batch: &Batch, row: &Row) -> Result<Option<(GameId, Appended)>, StoreError> {
    let game: Option<String> = row.try_get(0)?;
    let game = game.and_then(|game| game.parse::<GameId>().ok());
    let entry = game.and_then(|game| batch.entries.iter().find(|entry| entry.game == game));
    let Some(entry) = entry else { return Ok(None) };
    let row = CommitRow {
        is_locked: row.try_get(1)?,
        is_added: row.try_get(2)?,
        was_ours: row.try_get(3)?,
        is_same: row.try_get(4)?,
        has_predecessor: row.try_get(5)?,
    };
    Ok(Some((entry.game, row.result(entry))))
}
