//! What nodes say about themselves when somebody asks: for `nuggets cluster status` and the admin page.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Nats, NatsError, STATUS_SUBJECT};

/// The most logs in one message: less than half of what a broker accepts (1 MB), even with the longest names.
const MAX_LOGS_IN_PART: usize = 1_500;

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
    /// All logs that are not finished, as it knows them.
    pub logs: Vec<KnownLog>,
    /// All nodes that it has heard of.
    pub nodes: Vec<KnownNode>,
    /// In how many messages it is sent. The first has everything but the rest of the logs.
    #[serde(default)]
    pub parts: u64,
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
    /// `running` or `failed`.
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

impl NodeStatus {
    /// The messages in which it is sent: a broker takes no message of more than 1 MB.
    pub fn into_parts(mut self) -> Vec<Self> {
        let (mut owned, mut logs) = (take_chunks(&mut self.owned), take_chunks(&mut self.logs));
        let count = owned.len().max(logs.len()).max(1);
        let (node, incarnation) = (self.node.clone(), self.incarnation);
        let rest = || Self { node: node.clone(), incarnation, ..Self::default() };
        let mut parts = vec![self];
        parts.resize_with(count, rest);
        owned.resize_with(count, Vec::new);
        logs.resize_with(count, Vec::new);
        for ((part, owned), logs) in parts.iter_mut().zip(owned).zip(logs) {
            (part.owned, part.logs, part.parts) = (owned, logs, count as u64);
        }
        parts
    }

    /// Adds another message of the same status.
    fn add(&mut self, mut part: Self) {
        if !part.condition.is_empty() {
            // The first one has come after another.
            std::mem::swap(self, &mut part);
        }
        self.owned.append(&mut part.owned);
        self.logs.append(&mut part.logs);
    }
}

fn take_chunks<T>(all: &mut Vec<T>) -> Vec<Vec<T>> {
    let (mut all, mut chunks) = (std::mem::take(all).into_iter().peekable(), Vec::new());
    while all.peek().is_some() {
        chunks.push(all.by_ref().take(MAX_LOGS_IN_PART).collect());
    }
    chunks
}

/// Asks all nodes, and collects what they answer within this time. If parts of an answer are missing then, it waits for them
/// three times as long.
pub async fn ask_status(nats: &Nats, wait: Duration) -> Result<Vec<NodeStatus>, NatsError> {
    let inbox = nats.client.new_inbox();
    let mut answers = nats.subscribe(&inbox).await?;
    let asked = nats.client.publish_with_reply(STATUS_SUBJECT, inbox, bytes::Bytes::new()).await;
    asked.map_err(|why| NatsError::Subscribe {
        subject: STATUS_SUBJECT.to_owned(),
        why: why.to_string(),
    })?;
    let mut found = Answers::default();
    let end = tokio::time::Instant::now() + wait;
    while let Ok(Some(answer)) = tokio::time::timeout_at(end, answers.next()).await {
        found.extend(&answer.payload);
    }
    let end = end + 3 * wait;
    while !found.are_complete()
        && let Ok(Some(answer)) = tokio::time::timeout_at(end, answers.next()).await
    {
        found.extend(&answer.payload);
    }
    Ok(found.0.into_values().map(|(_, status)| status).collect())
}

/// What the nodes have answered so far, each with the number of its parts that have come.
#[derive(Debug, Default)]
struct Answers(BTreeMap<(String, u64), (u64, NodeStatus)>);

impl Answers {
    fn extend(&mut self, payload: &[u8]) {
        let Ok(part) = serde_json::from_slice::<NodeStatus>(payload) else { return };
        let key = (part.node.clone(), part.incarnation);
        if let Some((count, status)) = self.0.get_mut(&key) {
            *count += 1;
            status.add(part);
        } else {
            self.0.insert(key, (1, part));
        }
    }

    fn are_complete(&self) -> bool {
        self.0.values().all(|(count, status)| *count >= status.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With the longest names.
    fn status(logs: usize) -> NodeStatus {
        let node = "n".repeat(64);
        let known = |number: usize| KnownLog {
            log: format!("{number:064}"),
            owner: node.clone(),
            incarnation: u64::MAX,
            epoch: u64::MAX,
            state: "running".to_owned(),
        };
        let owned = |number: usize| OwnedLog {
            log: format!("{number:064}"),
            epoch: u64::MAX,
            is_open: false,
            is_paused: false,
            index: u64::MAX,
            waiting: u64::MAX,
            connections: u64::MAX,
        };
        NodeStatus {
            node: node.clone(),
            condition: "ready".to_owned(),
            load: logs as u64,
            owned: (0..logs / 2).map(owned).collect(),
            logs: (0..logs).map(known).collect(),
            ..NodeStatus::default()
        }
    }

    #[test]
    fn a_status_of_any_size_is_sent_in_messages_that_a_broker_takes() {
        for (logs, count) in [(0, 1), (1_500, 1), (1_501, 2), (10_000, 7)] {
            let parts = status(logs).into_parts();
            assert_eq!(parts.len(), count);
            let payloads: Vec<Vec<u8>> =
                parts.iter().map(|part| serde_json::to_vec(part).unwrap()).collect();
            assert!(payloads.iter().all(|payload| payload.len() < 1 << 20));
            let mut answers = Answers::default();
            // In any order.
            for payload in payloads.iter().rev() {
                assert!(!answers.are_complete() || answers.0.is_empty());
                answers.extend(payload);
            }
            assert!(answers.are_complete());
            let mut found = answers.0.into_values().next().unwrap().1;
            found.owned.sort_by(|one, other| one.log.cmp(&other.log));
            found.logs.sort_by(|one, other| one.log.cmp(&other.log));
            found.parts = 0;
            assert!(found == status(logs));
        }
    }
}
