//! The tables as a replica of a log of commands that all nodes of a cluster read. Each record of the log is applied once, in
//! its order; how far that is, is stored in the same transaction. The last records are kept: with them the owner of the
//! log opens it without reading all of it, and sees if it is not the log that was applied here.

use std::sync::Arc;

use nuggets_cluster::{Epoch, LogPosition, Seq};
use rusqlite::{Connection, OptionalExtension, params};

use super::command::{StoreAnswer, StoreCommand};
use super::database::{from_sql, to_sql};
use super::shelf::Shelf;
use super::{AccountError, ClaimedNames, Replication, Reply, Store, StoreError, bans};
use crate::Ban;

/// The ids of the commands of so many records are kept, to recognise one that was sent twice.
const MAX_IDS: u64 = 100_000;
/// So many records are kept.
const MAX_KEPT: u64 = 256;

/// A record of the log.
#[derive(Clone, Debug)]
pub(crate) struct LoggedRecord {
    pub(crate) position: LogPosition,
    /// The record as it is stored.
    pub(crate) bytes: Arc<[u8]>,
    pub(crate) commands: Vec<LoggedCommand>,
}

/// A command in the log.
#[derive(Clone, Debug)]
pub(crate) struct LoggedCommand {
    /// The same if it is sent again.
    pub(crate) id: String,
    pub(crate) command: StoreCommand,
}

/// The records that are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeptRecords {
    /// The record before the first of them.
    pub(crate) base: LogPosition,
    pub(crate) records: Vec<Arc<[u8]>>,
}

/// What the commands of a batch gave, by their ids. Those that were applied before are not there.
pub(crate) type BatchAnswers = Vec<(String, Result<StoreAnswer, AccountError>)>;

impl Store {
    /// From now on every change goes there first.
    pub(crate) fn replicate(&self, replication: Replication) {
        // It is called once, at the start.
        let _ = self.replication.set(replication);
    }

    /// The last record that was applied. A folder of a host without a cluster is rejected.
    pub(crate) fn applied(&self) -> Reply<LogPosition> {
        self.thread.call(|shelf| {
            let folder = shelf.folder().to_owned();
            let connection = shelf.connection();
            if is_replica(connection)? {
                return last(connection);
            }
            let used = "SELECT EXISTS (SELECT 1 FROM players) OR EXISTS (SELECT 1 FROM games)";
            if connection.query_row(used, [], |row| row.get(0))? {
                return Err(StoreError::NoReplica(folder));
            }
            connection.execute("INSERT INTO replica (only_row) VALUES (1)", [])?;
            Ok(LogPosition::default())
        })
    }

    /// Applies records of the log, all or none of them. The answers are for those who wait for them.
    pub(crate) fn apply_logged(&self, records: Vec<LoggedRecord>) -> Reply<BatchAnswers> {
        let claimed_names = Arc::clone(&self.claimed_names);
        self.thread.call(move |shelf| shelf.apply_logged(records, &claimed_names))
    }

    /// The last records that were applied.
    pub(crate) fn kept_records(&self) -> Reply<KeptRecords> {
        self.thread.call(|shelf| kept_records(shelf.connection()))
    }

    /// All bans.
    pub(crate) fn bans(&self) -> Reply<Vec<Ban>> {
        self.thread.call(|shelf| bans::list(shelf.connection()))
    }
}

impl Shelf {
    fn apply_logged(
        &mut self,
        records: Vec<LoggedRecord>,
        claimed_names: &ClaimedNames,
    ) -> Result<BatchAnswers, StoreError> {
        self.connection().execute_batch("BEGIN IMMEDIATE")?;
        let applied = self.apply_all(records, claimed_names);
        let end = if applied.is_ok() { "COMMIT" } else { "ROLLBACK" };
        self.connection().execute_batch(end)?;
        applied
    }

    fn apply_all(
        &mut self,
        records: Vec<LoggedRecord>,
        claimed_names: &ClaimedNames,
    ) -> Result<BatchAnswers, StoreError> {
        let mut answers = Vec::new();
        let mut applied = last(self.connection())?;
        for LoggedRecord { position, bytes, commands } in records {
            let LogPosition { index, epoch, .. } = position;
            if index <= applied.index {
                ensure_same(self.connection(), position, &bytes)?;
                continue;
            }
            if index != applied.index + 1 || epoch < applied.epoch {
                return Err(StoreError::OtherAccounts { index });
            }
            for command in commands {
                self.apply_command(index, command, claimed_names, &mut answers)?;
            }
            keep(self.connection(), position, &bytes)?;
            applied = position;
        }
        Ok(answers)
    }

    fn apply_command(
        &mut self,
        index: u64,
        LoggedCommand { id, command }: LoggedCommand,
        claimed_names: &ClaimedNames,
        answers: &mut BatchAnswers,
    ) -> Result<(), StoreError> {
        if is_known(self.connection(), &id)? {
            return Ok(());
        }
        if let StoreCommand::Finish { game, .. } = &command {
            self.ensure_meta(&game.meta)?;
        }
        let answer = match self.apply(command, claimed_names) {
            // Every node rejects it for the same reason, but a disk may be full on one of them.
            Err(AccountError::Store(why)) => return Err(why),
            answer => answer,
        };
        note(self.connection(), index, &id)?;
        answers.push((id, answer));
        Ok(())
    }
}

fn is_replica(connection: &Connection) -> Result<bool, StoreError> {
    let exists = "SELECT EXISTS (SELECT 1 FROM replica)";
    Ok(connection.query_row(exists, [], |row| row.get(0))?)
}

fn position(row: &rusqlite::Row<'_>) -> rusqlite::Result<LogPosition> {
    Ok(LogPosition {
        seq: Seq(from_sql(row.get("seq")?)),
        index: from_sql(row.get("number")?),
        epoch: Epoch(from_sql(row.get("epoch")?)),
    })
}

fn last(connection: &Connection) -> Result<LogPosition, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT * FROM records ORDER BY number DESC LIMIT 1")?;
    Ok(statement.query_row([], position).optional()?.unwrap_or_default())
}

fn kept_records(connection: &Connection) -> Result<KeptRecords, StoreError> {
    let mut statement = connection.prepare_cached("SELECT * FROM records ORDER BY number")?;
    let rows =
        statement.query_map([], |row| Ok((position(row)?, row.get::<_, Vec<u8>>("bytes")?)))?;
    let mut kept = KeptRecords::default();
    for row in rows {
        let (position, bytes) = row?;
        if position.index > 1 && kept.base == LogPosition::default() && kept.records.is_empty() {
            kept.base = position;
        } else {
            kept.records.push(bytes.into());
        }
    }
    Ok(kept)
}

/// A record that was applied before is read again: it must be the same one. Its sequence may be another one, if the brokers
/// had lost it.
fn ensure_same(
    connection: &Connection,
    position: LogPosition,
    bytes: &[u8],
) -> Result<(), StoreError> {
    let (number, seq) = (to_sql(position.index), to_sql(position.seq.0));
    let kept: Option<Vec<u8>> = connection
        .prepare_cached("SELECT bytes FROM records WHERE number = ?1")?
        .query_row([number], |row| row.get(0))
        .optional()?;
    let Some(kept) = kept else { return Ok(()) };
    if kept != bytes {
        return Err(StoreError::OtherAccounts { index: position.index });
    }
    connection
        .prepare_cached("UPDATE records SET seq = ?2 WHERE number = ?1 AND seq != ?2")?
        .execute([number, seq])?;
    Ok(())
}

fn keep(connection: &Connection, position: LogPosition, bytes: &[u8]) -> Result<(), StoreError> {
    let LogPosition { seq, index, epoch } = position;
    connection
        .prepare_cached("INSERT INTO records (number, seq, epoch, bytes) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![to_sql(index), to_sql(seq.0), to_sql(epoch.0), bytes])?;
    // One more: the base.
    connection
        .prepare_cached("DELETE FROM records WHERE number < ?1")?
        .execute([to_sql(index.saturating_sub(MAX_KEPT))])?;
    Ok(())
}

fn is_known(connection: &Connection, id: &str) -> Result<bool, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM commands WHERE id = ?1)")?;
    Ok(statement.query_row([id], |row| row.get(0))?)
}

fn note(connection: &Connection, index: u64, id: &str) -> Result<(), StoreError> {
    connection
        .prepare_cached("INSERT INTO commands (id, record) VALUES (?1, ?2)")?
        .execute(params![id, to_sql(index)])?;
    connection
        .prepare_cached("DELETE FROM commands WHERE record < ?1")?
        .execute([to_sql(index.saturating_sub(MAX_IDS))])?;
    Ok(())
}
