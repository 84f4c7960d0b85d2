//! What all nodes together say about a cluster, as tables and as JSON.

use std::collections::BTreeMap;
use std::fmt;

use nuggets_cluster::nats::{KnownLog, KnownNode, NodeStatus, OwnedLog};
use serde::Serialize;

use crate::print::count;

/// A cluster.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct ClusterReport {
    nodes: Vec<NodeRow>,
    /// Those that are not finished.
    logs: Vec<LogRow>,
    /// None if the brokers don't say how many logs there are.
    finished_logs: Option<u64>,
}

/// A node.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct NodeRow {
    node: String,
    /// `ready`, `draining`, `cut_off`, or `silent` if only others know of it.
    condition: String,
    incarnation: u64,
    /// How long ago the others heard it, at most; none if they don't know of it.
    heard_ms_ago: Option<u64>,
    /// How many logs it owns.
    load: u64,
    /// Only for a node that answers.
    connections: Option<u64>,
    accounts: Option<u64>,
    url: Option<String>,
}

/// A log: a game, or a list that all nodes share.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct LogRow {
    log: String,
    owner: String,
    epoch: u64,
    /// `running` or `failed`.
    state: String,
    /// Whether its owner answers and has opened it.
    is_served: bool,
    is_paused: bool,
    /// Its last record; only if its owner answers.
    index: Option<u64>,
    /// Appends that are not acknowledged yet.
    waiting: Option<u64>,
    connections: Option<u64>,
}

/// The logs that nodes say they own, by node, its incarnation, log and epoch.
type OwnedLogs<'a> = BTreeMap<(&'a str, u64, &'a str, u64), &'a OwnedLog>;

impl ClusterReport {
    /// Puts together what the nodes say of themselves and of each other. `stored` is how many logs the brokers know.
    pub(super) fn of(answers: &[NodeStatus], stored: Option<u64>) -> Self {
        let mut nodes: BTreeMap<&str, NodeRow> = BTreeMap::new();
        for known in answers.iter().flat_map(|answer| &answer.nodes) {
            let row = nodes.entry(&known.node).or_insert_with(|| NodeRow::silent(known));
            row.incarnation = row.incarnation.max(known.incarnation);
            row.heard_ms_ago = row.heard_ms_ago.max(Some(known.heard_ms_ago));
        }
        for answer in answers {
            let heard_ms_ago = nodes.get(&*answer.node).and_then(|row| row.heard_ms_ago);
            nodes.insert(&answer.node, NodeRow::answering(answer, heard_ms_ago));
        }
        let mut latest: BTreeMap<&str, &KnownLog> = BTreeMap::new();
        for known in answers.iter().flat_map(|answer| &answer.logs) {
            let log = latest.entry(&known.log).or_insert(known);
            if known.epoch > log.epoch {
                *log = known;
            }
        }
        let mut owned = OwnedLogs::new();
        for answer in answers {
            for log in &answer.owned {
                owned.insert((&answer.node, answer.incarnation, &log.log, log.epoch), log);
            }
        }
        let logs: Vec<LogRow> = latest.values().map(|known| LogRow::of(known, &owned)).collect();
        let finished_logs = stored.map(|stored| stored.saturating_sub(logs.len() as u64));
        Self { nodes: nodes.into_values().collect(), logs, finished_logs }
    }

    /// How many logs that should be served are not.
    pub(super) fn unserved(&self) -> usize {
        self.logs.iter().filter(|log| log.state == "running" && !log.is_served).count()
    }
}

impl NodeRow {
    fn silent(known: &KnownNode) -> Self {
        Self {
            node: known.node.clone(),
            condition: "silent".to_owned(),
            incarnation: known.incarnation,
            heard_ms_ago: Some(known.heard_ms_ago),
            load: known.load,
            connections: None,
            accounts: None,
            url: None,
        }
    }

    fn answering(answer: &NodeStatus, heard_ms_ago: Option<u64>) -> Self {
        Self {
            node: answer.node.clone(),
            condition: answer.condition.clone(),
            incarnation: answer.incarnation,
            heard_ms_ago,
            load: answer.load,
            connections: Some(answer.connections),
            accounts: Some(answer.accounts),
            url: Some(answer.url.clone()),
        }
    }
}

impl LogRow {
    fn of(known: &KnownLog, owned: &OwnedLogs<'_>) -> Self {
        let key = (&*known.owner, known.incarnation, &*known.log, known.epoch);
        let owned = owned.get(&key).copied();
        Self {
            log: known.log.clone(),
            owner: known.owner.clone(),
            epoch: known.epoch,
            state: known.state.clone(),
            is_served: owned.is_some_and(|owned| owned.is_open),
            is_paused: owned.is_some_and(|owned| owned.is_paused),
            index: owned.map(|owned| owned.index),
            waiting: owned.map(|owned| owned.waiting),
            connections: owned.map(|owned| owned.connections),
        }
    }

    fn condition(&self) -> &str {
        match (&*self.state, self.is_served, self.is_paused) {
            ("running", false, _) => "not served",
            ("running", true, true) => "paused",
            (state, ..) => state,
        }
    }
}

/// The tables. Logs that are finished are only counted.
impl fmt::Display for ClusterReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |number: Option<u64>| number.map_or("-".to_owned(), |it| it.to_string());
        let head = ["NODE", "STATE", "LOGS", "CONNECTIONS", "HEARD", "ACCOUNTS", "ADDRESS"];
        let nodes = self.nodes.iter().map(|node| {
            let last = node.heard_ms_ago.map_or("-".to_owned(), |ms| format!("{ms} ms ago"));
            let NodeRow { node, condition, load, connections, accounts, url, .. } = node;
            let (connections, accounts) = (number(*connections), number(*accounts));
            let url = url.clone().unwrap_or_default();
            [node.clone(), condition.clone(), load.to_string(), connections, last, accounts, url]
        });
        table(f, head, nodes.collect())?;
        writeln!(f)?;
        let head = ["LOG", "OWNER", "STATE", "EPOCH", "RECORDS", "WAITING", "PLAYERS"];
        let logs = self
            .logs
            .iter()
            .map(|log| {
                let state = log.condition().to_owned();
                let numbers = [Some(log.epoch), log.index, log.waiting, log.connections];
                let [epoch, index, waiting, connections] = numbers.map(number);
                let (name, owner) = (log.log.clone(), log.owner.clone());
                [name, owner, state, epoch, index, waiting, connections]
            })
            .collect();
        table(f, head, logs)?;
        match self.finished_logs.map(usize::try_from) {
            None | Some(Ok(0) | Err(_)) => Ok(()),
            Some(Ok(finished)) => writeln!(f, "and {}", count(finished, "finished log")),
        }
    }
}

/// Writes rows with columns of equal width.
fn table<const N: usize>(
    f: &mut fmt::Formatter<'_>,
    head: [&str; N],
    rows: Vec<[String; N]>,
) -> fmt::Result {
    let rows: Vec<[String; N]> = std::iter::once(head.map(str::to_owned)).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..N).map(|column| width(column).unwrap_or(0)).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(log: &str, owner: &str, epoch: u64, state: &str) -> KnownLog {
        let (log, owner, state) = (log.to_owned(), owner.to_owned(), state.to_owned());
        KnownLog { log, owner, incarnation: 7, epoch, state }
    }

    /// Node `one` answers and owns `aaaa`; `two` does not answer and should own `bbbb`.
    fn answer() -> NodeStatus {
        let heard = |node: &str, heard_ms_ago| KnownNode {
            node: node.to_owned(),
            incarnation: 7,
            condition: "ready".to_owned(),
            load: 1,
            heard_ms_ago,
        };
        NodeStatus {
            node: "one".to_owned(),
            incarnation: 7,
            condition: "ready".to_owned(),
            url: "http://127.0.0.1:8081".to_owned(),
            load: 1,
            connections: 12,
            accounts: 40,
            owned: vec![OwnedLog {
                log: "aaaa".to_owned(),
                epoch: 3,
                is_open: true,
                is_paused: false,
                index: 412,
                waiting: 1,
                connections: 5,
            }],
            logs: vec![known("aaaa", "one", 3, "running"), known("bbbb", "two", 2, "running")],
            nodes: vec![heard("one", 20), heard("two", 1500)],
            parts: 1,
        }
    }

    #[test]
    fn a_cluster_is_shown_as_two_tables() {
        let report = ClusterReport::of(&[answer()], Some(3));
        let expected = "\
NODE  STATE   LOGS  CONNECTIONS  HEARD        ACCOUNTS  ADDRESS
one   ready   1     12           20 ms ago    40        http://127.0.0.1:8081
two   silent  1     -            1500 ms ago  -

LOG   OWNER  STATE       EPOCH  RECORDS  WAITING  PLAYERS
aaaa  one    running     3      412      1        5
bbbb  two    not served  2      -        -        -
and 1 finished log
";
        assert_eq!(report.to_string(), expected);
        assert_eq!(report.unserved(), 1);
    }

    #[test]
    fn the_latest_epoch_counts_and_an_earlier_owner_serves_nothing() {
        let mut other = answer();
        other.node = "two".to_owned();
        other.owned.clear();
        other.logs = vec![known("aaaa", "two", 4, "running")];
        let report = ClusterReport::of(&[answer(), other.clone()], None);
        let log = report.logs.iter().find(|log| log.log == "aaaa").unwrap();
        assert_eq!((&*log.owner, log.epoch, log.is_served), ("two", 4, false));
        // An owner that has been restarted is another one.
        let mut restarted = answer();
        restarted.incarnation = 8;
        assert_eq!(ClusterReport::of(&[restarted], None).unserved(), 2);
    }

    #[test]
    fn a_paused_game_is_served_and_said_to_be_paused() {
        let mut paused = answer();
        paused.owned[0].is_paused = true;
        let report = ClusterReport::of(&[paused], None);
        assert_eq!(report.logs[0].condition(), "paused");
        assert_eq!(report.unserved(), 1, "only the one of the silent node");
    }
}
