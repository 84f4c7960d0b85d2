//! What goes to the brokers and what comes from them.

use std::sync::Arc;
use std::time::Duration;

use nuggets_cluster::nats::{
    Batch, KnownNode, Nats, NatsError, OWNERSHIP_STREAM, OWNERSHIP_SUBJECTS, STATUS_SUBJECT,
};
use nuggets_cluster::{
    DEAD_AFTER_MS, EngineCall, EngineReply, EngineRequest, Epoch, Heartbeat, LogName, LogPosition,
    Seq,
};
use nuggets_time::Clock;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tracing::{debug, error, warn};

use super::{TO_ALL, listen, subject_of};
use crate::cluster::driver::{accounts_subject, stored_ownership};
use crate::cluster::effect::Input;
use crate::cluster::messages::NodeMessage;
use crate::cluster::{Cluster, HEARTBEATS};
use crate::service::Service;
use crate::{StartError, Store};

/// How often ownership records are looked for. Those who change one also tell all nodes.
const WATCH_EVERY: Duration = Duration::from_millis(200);
/// How often it is checked that the brokers have lost nothing: every so many times.
const CHECK_EVERY: u32 = 25;

/// How often it is checked which broker leads which stream.
const SPREAD_EVERY: Duration = Duration::from_secs(1);

/// Sends core messages in order.
pub(super) async fn send_all(nats: Nats, mut messages: mpsc::UnboundedReceiver<(String, Vec<u8>)>) {
    while let Some((subject, payload)) = messages.recv().await {
        nats.send(subject, payload).await;
    }
}

/// Carries out a request of a state machine; an answer is brought to it.
pub(super) async fn request(
    cluster: Arc<Cluster>,
    journal: Option<LogName>,
    request: EngineRequest,
) {
    let EngineRequest { id, call } = request;
    let published = match &call {
        EngineCall::Publish { subject, bytes, .. } => Some((subject.clone(), Arc::clone(bytes))),
        EngineCall::Read { .. } => None,
    };
    let clock = Clock::start();
    let Some(reply) = cluster.nats.call(call).await else { return };
    if let Some((subject, bytes)) = published {
        if journal.is_some() {
            cluster.append_time.observe(clock.elapsed().as_secs_f64());
        }
        if let Some(hint) = stored_ownership(&subject, &bytes, &reply) {
            cluster.input(Input::Broadcast(hint));
        }
    }
    cluster.input(Input::Reply { journal, id, reply });
}

/// Listens to everything that other nodes and this one send.
pub(super) async fn subscribe_all(
    cluster: &Arc<Cluster>,
    url: String,
    service: &Arc<Service>,
) -> Result<(), NatsError> {
    let heartbeats = Arc::clone(cluster);
    listen(cluster, HEARTBEATS, move |message| {
        if let Ok(heartbeat) = Heartbeat::decode(&message.payload) {
            heartbeats.input(Input::Heartbeat(heartbeat));
        }
    })
    .await?;
    for subject in [TO_ALL.to_owned(), subject_of(&cluster.me)] {
        let to_me = Arc::clone(cluster);
        listen(cluster, &subject, move |message| {
            // A broadcast of this node comes back to it, as it does to all others.
            if let Some((from, message)) = NodeMessage::decode(&message.payload) {
                to_me.input(Input::Message(from, message));
            }
        })
        .await?;
    }
    let (own, service, runtime) = (Arc::clone(cluster), Arc::clone(service), Handle::current());
    listen(cluster, STATUS_SUBJECT, move |message| {
        let Some(reply) = message.reply else { return };
        let (cluster, service, url) = (Arc::clone(&own), Arc::clone(&service), url.clone());
        runtime.spawn(async move {
            let Some(mut status) = cluster.status().await else { return };
            status.url = url;
            status.connections = service.connected.count() as u64;
            status.accounts = *cluster.accounts.borrow();
            for part in status.into_parts() {
                let Ok(json) = serde_json::to_vec(&part) else { return };
                cluster.nats.send(reply.clone(), json).await;
            }
        });
    })
    .await
}

/// Reads the ownership records, again and again.
pub(super) async fn watch_ownership(cluster: Arc<Cluster>) {
    let mut after = Seq(0);
    let mut every = tokio::time::interval(WATCH_EVERY);
    every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    for count in 0_u32.. {
        every.tick().await;
        if let Err(why) = read_ownership(&cluster, &mut after).await {
            debug!("can't read who owns which game: {why}");
        }
        if count % CHECK_EVERY == 0
            && cluster.nats.last_seq(OWNERSHIP_STREAM).await.is_some_and(|last| last < after.0)
        {
            warn!("the brokers have lost ownership records; reading all of them again");
            cluster.input(Input::WatchRestart);
            after = Seq(0);
        }
    }
}

/// Sees to it that the streams of logs are led by different brokers. One node does it: the first one that is ready.
pub(super) async fn spread_leaders(cluster: Arc<Cluster>) {
    loop {
        tokio::time::sleep(SPREAD_EVERY).await;
        let Some(status) = cluster.status().await else { return };
        let is_there =
            |node: &&KnownNode| node.condition == "ready" && node.heard_ms_ago < DEAD_AFTER_MS;
        let first = status.nodes.iter().filter(is_there).map(|node| &node.node).min();
        if first == Some(&status.node) {
            cluster.nats.spread_leaders().await;
        }
    }
}

async fn read_ownership(
    cluster: &Cluster,
    after: &mut Seq,
) -> Result<(), nuggets_cluster::nats::ReadError> {
    loop {
        let read = cluster.nats.read_batch(OWNERSHIP_STREAM, OWNERSHIP_SUBJECTS, *after).await?;
        let Batch { messages, is_end } = read;
        for (subject, message) in messages {
            *after = message.seq;
            let log = subject.rsplit('.').next().and_then(|log| LogName::new(log).ok());
            if let Some(log) = log {
                cluster.input(Input::Ownership(log, message.seq, message.bytes.to_vec()));
            }
        }
        if is_end {
            return Ok(());
        }
    }
}

/// Reads what the tables of this node have of the log of accounts, so that it can be opened.
pub(super) async fn read_kept_records(cluster: Arc<Cluster>, store: Store, epoch: Epoch) {
    match store.kept_records().await {
        Ok(kept) => cluster.input(Input::KeptRecords(epoch, kept)),
        Err(why) => {
            error!("this node can't write accounts: {why}. It hands over its games");
            cluster.input(Input::Drain);
        }
    }
}

/// A node that has applied more than the brokers have is not started: a person must decide.
pub(super) async fn ensure_accounts_are_there(
    cluster: &Cluster,
    store: &Store,
) -> Result<(), StartError> {
    let LogPosition { seq, index, .. } = store.applied().await?;
    let after = Seq(seq.0.saturating_sub(1));
    let read = cluster.nats.call(EngineCall::Read { subject: accounts_subject(), after }).await;
    match read {
        Some(EngineReply::Messages { messages, is_end: true })
            if index > 0 && messages.is_empty() =>
        {
            Err(StartError::LostAccounts { applied: index })
        }
        _ => Ok(()),
    }
}
