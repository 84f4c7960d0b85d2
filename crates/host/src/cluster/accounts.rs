//! Accounts, ratings and bans of all nodes: one log of commands, which every node applies to its own tables in the same
//! order. A command may be published by any node; the log decides the order, and the tables decide what it does. So no
//! owner is needed, and a node that has published a command finds its answer in its own tables.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nuggets_cluster::Seq;
use nuggets_cluster::nats::{Batch, ReadError};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tracing::{error, warn};

use super::effect::Input;
use super::messages::NodeMessage;
use super::{ACCOUNTS_STREAM, Cluster, accounts_subject, lock};
use crate::store::replica::LoggedCommand;
use crate::store::{CommandDone, Replication, StoreCommand};
use crate::{Ban, Store, StoreError, random};

/// How often the log is read if nobody says that it has changed.
const READ_EVERY: Duration = Duration::from_millis(500);
/// A command that was not seen in the log by then is published again.
const RESEND_AFTER: Duration = Duration::from_millis(800);
/// How long a publish may take.
const SEND_TIMEOUT: Duration = Duration::from_millis(1_500);
/// How often it is published before the person is told that it can't be saved.
const MAX_SENDS: u32 = 4;

/// A message of the log.
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
    /// Is told the bans when they have changed.
    bans: Arc<dyn Fn(Vec<Ban>) + Send + Sync>,
}

impl Accounts {
    pub(super) fn new(
        cluster: Arc<Cluster>,
        store: Store,
        bans: Arc<dyn Fn(Vec<Ban>) + Send + Sync>,
    ) -> Self {
        Self { cluster, store, waiting: Arc::default(), bans }
    }

    /// Reads everything that is there, then lets every change of this node go through the log.
    pub(super) async fn start(self) -> Result<(), StoreError> {
        let applied = self.store.applied().await?;
        self.cluster.accounts.send_replace(applied);
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
                    Err(why) => {
                        error!("this node can't apply changes of accounts: {why}");
                        break;
                    }
                }
            }
        }
    }

    /// Applies what is new. True if there may be more.
    async fn read(&self) -> Result<bool, StoreError> {
        let after = Seq(*self.cluster.accounts.borrow());
        let subject = accounts_subject().to_string();
        let read = self.cluster.nats.read_batch(ACCOUNTS_STREAM, &subject, after).await;
        let Batch { messages, is_end } = read.map_err(|_: ReadError| StoreError::NotSaved)?;
        let Some(last) = messages.last().map(|(_, message)| message.seq.0) else {
            return Ok(false);
        };
        let mut commands = Vec::new();
        for (_, message) in messages {
            match serde_json::from_slice(&message.bytes) {
                Ok(Logged { id, command }) => {
                    commands.push(LoggedCommand { seq: message.seq.0, id, command });
                }
                Err(why) => {
                    error!("command {} of the accounts can't be read: {why}", message.seq.0);
                }
            }
        }
        let has_bans = |it: &LoggedCommand| {
            matches!(it.command, StoreCommand::Ban(_) | StoreCommand::Unban(_))
        };
        let has_bans = commands.iter().any(has_bans);
        for (id, answer) in self.store.apply_logged(commands).await? {
            if let Some(done) = lock(&self.waiting).remove(&id) {
                done(answer);
            }
        }
        self.cluster.accounts.send_replace(last);
        if has_bans {
            (self.bans)(self.store.bans().await?);
        }
        Ok(!is_end)
    }

    /// Publishes a command until it is seen in the log.
    async fn write(self, command: StoreCommand, done: CommandDone) {
        let id = random::secret_text();
        let Ok(bytes) = serde_json::to_vec(&Logged { id: id.clone(), command }) else { return };
        let bytes: Arc<[u8]> = bytes.into();
        lock(&self.waiting).insert(id.clone(), done);
        for _ in 0..MAX_SENDS {
            let mut accounts = self.cluster.accounts.subscribe();
            let subject = accounts_subject();
            let sent = self.cluster.nats.append(&subject, &bytes);
            let sent = tokio::time::timeout(SEND_TIMEOUT, sent).await;
            if let Ok(Some(Seq(seq))) = sent {
                self.cluster.accounts_changed.notify_one();
                self.cluster.input(Input::Broadcast(NodeMessage::Accounts));
                let applied = accounts.wait_for(|applied| *applied >= seq);
                let _ = tokio::time::timeout(SEND_TIMEOUT, applied).await;
            } else {
                tokio::time::sleep(RESEND_AFTER).await;
            }
            if !lock(&self.waiting).contains_key(&id) {
                return;
            }
        }
        if let Some(done) = lock(&self.waiting).remove(&id) {
            warn!("a change of the accounts could not be saved");
            done(Err(StoreError::NotSaved.into()));
        }
    }
}
