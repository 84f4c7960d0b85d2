//! What nodes say about themselves when somebody asks: for `nuggets cluster status` and the admin page.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Nats, NatsError, STATUS_SUBJECT};

/// What one node knows of itself and of the others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeStatus {
    /// Its name.
    pub node: String,
    /// Which run of its process.
    pub incarnation: u64,
    /// `ready`, `draining` or `cut_off`.
    pub condition: String,
    /// What people open to reach it.
    pub url: String,
    /// How many logs it owns.
    pub load: u64,
    /// Open WebSockets.
    pub connections: u64,
    /// The number of the last record of the accounts that it has applied.
    pub accounts: u64,
    /// The logs that it owns.
    pub owned: Vec<OwnedLog>,
    /// All logs, as it knows them.
    pub logs: Vec<KnownLog>,
    /// All nodes that it has heard of.
    pub nodes: Vec<KnownNode>,
}

/// A log at its owner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnedLog {
    /// Which one: the id of a game.
    pub log: String,
    /// In which epoch.
    pub epoch: u64,
    /// False while it is being opened.
    pub is_open: bool,
    /// True while appends are not acknowledged.
    pub is_paused: bool,
    /// The number of its last record.
    pub index: u64,
    /// Appends that are not acknowledged yet: the lag.
    pub waiting: u64,
    /// Players that are connected, over all nodes.
    pub connections: u64,
}

/// A log as a node knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownLog {
    /// Which one.
    pub log: String,
    /// The node that owns it.
    pub owner: String,
    /// Which run of that node.
    pub incarnation: u64,
    /// In which epoch.
    pub epoch: u64,
    /// `running`, `finished` or `failed`.
    pub state: String,
}

/// A node as another one knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownNode {
    /// Its name.
    pub node: String,
    /// Which run of its process.
    pub incarnation: u64,
    /// What it said last: `ready`, `draining` or `cut_off`.
    pub condition: String,
    /// How many logs it owns.
    pub load: u64,
    /// How long ago it was heard, in milliseconds.
    pub heard_ms_ago: u64,
}

/// Asks all nodes, and collects what they answer within this time.
pub async fn ask_status(nats: &Nats, wait: Duration) -> Result<Vec<NodeStatus>, NatsError> {
    let inbox = nats.client.new_inbox();
    let mut answers = nats.subscribe(&inbox).await?;
    let asked = nats.client.publish_with_reply(STATUS_SUBJECT, inbox, bytes::Bytes::new()).await;
    asked.map_err(|why| NatsError::Subscribe {
        subject: STATUS_SUBJECT.to_owned(),
        why: why.to_string(),
    })?;
    let mut found = Vec::new();
    let end = tokio::time::Instant::now() + wait;
    while let Ok(Some(answer)) = tokio::time::timeout_at(end, answers.next()).await {
        found.extend(serde_json::from_slice::<NodeStatus>(&answer.payload));
    }
    found.sort_by(|one, other| one.node.cmp(&other.node));
    Ok(found)
}
