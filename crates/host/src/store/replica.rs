//! The tables as a replica of a log of commands that all nodes of a cluster read. Each command is applied once, in the order
//! of the log; how far that is, is stored in the same transaction.

use rusqlite::{Connection, OptionalExtension, params};

use super::command::{StoreAnswer, StoreCommand};
use super::database::{from_sql, to_sql};
use super::shelf::Shelf;
use super::{AccountError, ClaimedNames, Replication, Reply, Store, StoreError, bans};
use crate::Ban;

/// The ids of the last commands are kept, to recognise one that was sent twice.
const MAX_IDS: u64 = 100_000;

/// A command in the log.
#[derive(Clone, Debug)]
pub(crate) struct LoggedCommand {
    /// The sequence of its message.
    pub(crate) seq: u64,
    /// The same if it is sent again.
    pub(crate) id: String,
    pub(crate) command: StoreCommand,
}

/// What the commands of a batch gave, by their ids. Those that were applied before are not there.
pub(crate) type BatchAnswers = Vec<(String, Result<StoreAnswer, AccountError>)>;

impl Store {
    /// From now on every change goes there first.
    pub(crate) fn replicate(&self, replication: Replication) {
        // It is called once, at the start.
        let _ = self.replication.set(replication);
    }

    /// The sequence of the last command that was applied. A folder of a host without a cluster is rejected.
    pub(crate) fn applied(&self) -> Reply<u64> {
        self.thread.call(|shelf| {
            let folder = shelf.folder().to_owned();
            let connection = shelf.connection();
            if let Some(applied) = applied(connection)? {
                return Ok(applied);
            }
            let used = "SELECT EXISTS (SELECT 1 FROM players) OR EXISTS (SELECT 1 FROM games)";
            if connection.query_row(used, [], |row| row.get(0))? {
                return Err(StoreError::NoReplica(folder));
            }
            connection.execute("INSERT INTO replica (only_row, applied) VALUES (1, 0)", [])?;
            Ok(0)
        })
    }

    /// Applies commands of the log, all or none of them. The answers are for those who wait for them.
    pub(crate) fn apply_logged(&self, commands: Vec<LoggedCommand>) -> Reply<BatchAnswers> {
        let claimed_names = std::sync::Arc::clone(&self.claimed_names);
        self.thread.call(move |shelf| shelf.apply_logged(commands, &claimed_names))
    }

    /// All bans.
    pub(crate) fn bans(&self) -> Reply<Vec<Ban>> {
        self.thread.call(|shelf| bans::list(shelf.connection()))
    }
}

impl Shelf {
    fn apply_logged(
        &mut self,
        commands: Vec<LoggedCommand>,
        claimed_names: &ClaimedNames,
    ) -> Result<BatchAnswers, StoreError> {
        self.connection().execute_batch("BEGIN IMMEDIATE")?;
        let applied = self.apply_all(commands, claimed_names);
        let end = if applied.is_ok() { "COMMIT" } else { "ROLLBACK" };
        self.connection().execute_batch(end)?;
        applied
    }

    fn apply_all(
        &mut self,
        commands: Vec<LoggedCommand>,
        claimed_names: &ClaimedNames,
    ) -> Result<BatchAnswers, StoreError> {
        let mut answers = Vec::new();
        for LoggedCommand { seq, id, command } in commands {
            if is_known(self.connection(), seq, &id)? {
                continue;
            }
            if let StoreCommand::Finish { game, .. } = &command {
                self.ensure_meta(&game.meta)?;
            }
            match self.apply(command, claimed_names) {
                // Every node rejects it for the same reason, but a disk may be full on one of them.
                Err(AccountError::Store(why)) => return Err(why),
                answer => answers.push((id.clone(), answer)),
            }
            note(self.connection(), seq, &id)?;
        }
        Ok(answers)
    }
}

fn applied(connection: &Connection) -> Result<Option<u64>, StoreError> {
    let found = connection.query_row("SELECT applied FROM replica", [], |row| row.get(0));
    Ok(found.optional()?.map(from_sql))
}

fn is_known(connection: &Connection, seq: u64, id: &str) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM replica WHERE applied >= ?1)
         OR EXISTS (SELECT 1 FROM commands WHERE id = ?2)",
    )?;
    Ok(statement.query_row(params![to_sql(seq), id], |row| row.get(0))?)
}

fn note(connection: &Connection, seq: u64, id: &str) -> Result<(), StoreError> {
    connection
        .prepare_cached("INSERT INTO commands (id, seq) VALUES (?1, ?2)")?
        .execute(params![id, to_sql(seq)])?;
    connection
        .prepare_cached("DELETE FROM commands WHERE seq < ?1")?
        .execute([to_sql(seq.saturating_sub(MAX_IDS))])?;
    connection.prepare_cached("UPDATE replica SET applied = ?1")?.execute([to_sql(seq)])?;
    Ok(())
}
