//! Accounts, ratings and bans of all nodes: one log of commands with an owner, as a game has one. A node sends its commands
//! to the owner, who appends them (`driver/accounts.rs`). Every node, the owner too, reads the log and applies it to its own
//! tables in the same order; so a node finds the answer to its own command in its own tables.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nuggets_cluster::nats::{Batch, LOG_STREAMS, ReadError};
use nuggets_cluster::{LogPosition, LogRecord, MAX_BATCH_BYTES, RecordBody, Seq, StoredMessage};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tracing::{error, warn};

use super::driver::accounts_subject;
use super::effect::Input;
use super::{Cluster, lock};
use crate::store::replica::{LoggedCommand, LoggedRecord};
use crate::store::{CommandDone, Replication, StoreCommand};
use crate::{Ban, Store, StoreError, random};

/// How often the log is read if nobody says that it has changed.
const READ_EVERY: Duration = Duration::from_millis(500);
/// A command that was not seen in the log by then is sent again, perhaps to another owner.
const RESEND_AFTER: Duration = Duration::from_millis(300);
/// After this time the client gets an error reply. An owner is replaced within 3 seconds; brokers elect a leader of the only
/// stream that this log has within 10.
const GIVE_UP_AFTER: Duration = Duration::from_secs(15);

/// A command in the log: one line of JSON.
#[derive(Debug, Serialize, Deserialize)]
struct Logged {
    id: String,
    command: StoreCommand,
}

/// Applies the log to the tables of this node.
#[derive(Clone)]
pub(super) struct Accounts {
    cluster: Arc<Cluster>,
    store: Store,
    waiting: Arc<Mutex<BTreeMap<String, CommandDone>>>,
    /// The last record that was read.
    last: Arc<Mutex<Option<StoredMessage>>>,
    /// Is told the bans when they have changed.
    bans: Arc<dyn Fn(Vec<Ban>) + Send + Sync>,
}

impl Accounts {
    pub(super) fn new(
        cluster: Arc<Cluster>,
        store: Store,
        bans: Arc<dyn Fn(Vec<Ban>) + Send + Sync>,
    ) -> Self {
        Self { cluster, store, waiting: Arc::default(), last: Arc::default(), bans }
    }

    /// Reads everything that is there, then lets every change of this node go through the log.
    pub(super) async fn start(self) -> Result<(), StoreError> {
        let LogPosition { seq, index, .. } = self.store.applied().await?;
        self.cluster.accounts.send_replace(index);
        *lock(&self.last) = (index > 0).then(|| StoredMessage { seq, bytes: Arc::default() });
        while self.read().await? {}
        let (own, runtime) = (self.clone(), Handle::current());
        self.store.replicate(Replication(Box::new(move |command, done| {
            runtime.spawn(own.clone().write(command, done));
        })));
        tokio::spawn(self.follow());
        Ok(())
    }

    async fn follow(self) {
        loop {
            let changed = self.cluster.accounts_changed.notified();
            let _ = tokio::time::timeout(READ_EVERY, changed).await;
            loop {
                match self.read().await {
                    Ok(true) => {}
                    Ok(false) | Err(StoreError::NotSaved) => break,
                    Err(why @ StoreError::OtherAccounts { .. }) => {
                        error!("{why}. This node hands over its games and reads no more accounts");
                        return self.cluster.input(Input::Drain);
                    }
                    Err(why) => {
                        error!("this node can't apply changes of accounts: {why}");
                        break;
                    }
                }
            }
        }
    }

    /// Applies what is new. True if there may be more. Each read begins with the last record that was applied, to see that
    /// it is still there: if the brokers lose it and another one comes in its place, that must not remain unnoticed.
    async fn read(&self) -> Result<bool, StoreError> {
        let last = lock(&self.last).clone();
        let after = Seq(last.as_ref().map_or(0, |last| last.seq.0.saturating_sub(1)));
        let subject = accounts_subject().to_string();
        let read = self.cluster.nats.read_batch(LOG_STREAMS[0], &subject, after).await;
        let Batch { messages, is_end } = read.map_err(|_: ReadError| StoreError::NotSaved)?;
        let messages: Vec<StoredMessage> = messages.into_iter().map(|(_, it)| it).collect();
        let Some(newest) = messages.last().cloned() else { return Ok(false) };
        if messages.len() == 1 && messages.first() == last.as_ref() {
            return Ok(false);
        }
        let expected = *self.cluster.accounts.borrow();
        let first = expected.max(1);
        let records: Vec<LoggedRecord> =
            (first..).zip(messages).map(logged).collect::<Result<_, _>>()?;
        let index = records.last().map_or(expected, |record| record.position.index);
        let has_bans = |it: &LoggedCommand| {
            matches!(it.command, StoreCommand::Ban(_) | StoreCommand::Unban(_))
        };
        let has_bans = records.iter().flat_map(|it| &it.commands).any(has_bans);
        for (id, answer) in self.store.apply_logged(records).await? {
            if let Some(done) = lock(&self.waiting).remove(&id) {
                done(answer);
            }
        }
        *lock(&self.last) = Some(newest);
        self.cluster.accounts.send_replace(index);
        if has_bans {
            (self.bans)(self.store.bans().await?);
        }
        Ok(!is_end)
    }

    /// Sends a command to the owner of the log until it is seen in the log.
    async fn write(self, command: StoreCommand, done: CommandDone) {
        let id = random::secret_text();
        let logged = serde_json::to_vec(&Logged { id: id.clone(), command });
        let Some(mut line) = logged.ok().filter(|line| line.len() < MAX_BATCH_BYTES) else {
            error!("a change of the accounts is too large to be saved");
            return done(Err(StoreError::NotSaved.into()));
        };
        line.push(b'\n');
        lock(&self.waiting).insert(id.clone(), done);
        let mut applied = self.cluster.accounts.subscribe();
        let end = tokio::time::Instant::now() + GIVE_UP_AFTER;
        while tokio::time::Instant::now() < end {
            self.cluster.input(Input::AccountCommand(line.clone()));
            let is_answered = applied.wait_for(|_| !lock(&self.waiting).contains_key(&id));
            if tokio::time::timeout(RESEND_AFTER, is_answered).await.is_ok() {
                return;
            }
        }
        if let Some(done) = lock(&self.waiting).remove(&id) {
            warn!("a change of the accounts could not be saved");
            done(Err(StoreError::NotSaved.into()));
        }
    }
}

/// A record of the log, of which this number is expected.
fn logged((expected, message): (u64, StoredMessage)) -> Result<LoggedRecord, StoreError> {
    let StoredMessage { seq, bytes } = message;
    let record =
        LogRecord::decode(&bytes).map_err(|_| StoreError::OtherAccounts { index: expected })?;
    let position = LogPosition { seq, index: record.index, epoch: record.epoch };
    let commands = match record.body {
        RecordBody::Opened { .. } | RecordBody::Fence { .. } => Vec::new(),
        RecordBody::Batch { bytes, .. } => commands_of(record.index, &bytes),
    };
    Ok(LoggedRecord { position, bytes, commands })
}

fn commands_of(index: u64, bytes: &[u8]) -> Vec<LoggedCommand> {
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let commands = lines.filter_map(|line| match serde_json::from_slice(line) {
        Ok(Logged { id, command }) => Some(LoggedCommand { id, command }),
        Err(why) => {
            error!("a command in record {index} of the accounts can't be read: {why}");
            None
        }
    });
    commands.collect()
}
