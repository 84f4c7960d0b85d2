//! A cluster seen from outside, through its database: for `nuggets cluster`. It changes nothing but the wish that a node stops.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::Duration;

use nuggets_time::{Clock, Timestamp};
use serde::Serialize;

use super::routes::RunId;
use super::{NodeLoad, statements};
use crate::store::postgres::Worker;
use crate::store::sql::{Sql, SqlRow};
use crate::{DatabaseUrl, StoreError};

/// Leases are watched this long. A node that lives renews its own several times in it.
const WATCH_FOR: Duration = Duration::from_millis(1_500);
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Nodes and games of a cluster.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClusterStatus {
    /// All nodes, by name.
    pub nodes: Vec<NodeStatus>,
    /// All games that are not over, and those that are over and still in the memory of a node; by id.
    pub games: Vec<GameStatus>,
    /// Warnings for the operator.
    pub warnings: Vec<String>,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeStatus {
    /// Its name.
    pub name: String,
    /// The address that other nodes reach.
    pub address: String,
    /// The address that people open.
    pub url: String,
    /// The version of the program.
    pub version: String,
    /// True if it hands its games over.
    pub is_draining: bool,
    /// The time since its lease was seen to grow; none if it did not while it was watched.
    pub lease_age_ms: Option<u64>,
    /// Its load, as it stored it last.
    pub load: NodeLoad,
    /// The id of its process run.
    #[serde(skip)]
    pub run: u64,
}

impl NodeStatus {
    /// One word about it.
    pub fn condition(&self) -> &'static str {
        match (self.lease_age_ms, self.is_draining) {
            (None, _) => "silent",
            (Some(_), true) => "draining",
            (Some(_), false) => "serving",
        }
    }
}

/// A game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GameStatus {
    /// Its id.
    pub game: String,
    /// The node that owns it, or owned it last.
    pub node: String,
    /// The number of owners that it has had.
    pub epoch: i64,
    /// True if its owner renews its lease.
    pub has_owner: bool,
    /// True if its results are stored.
    pub is_over: bool,
    /// Rows of its journal.
    pub rows: i64,
}

impl ClusterStatus {
    /// Games that are not over and that no living node owns.
    pub fn orphans(&self) -> usize {
        self.games.iter().filter(|game| !game.is_over && !game.has_owner).count()
    }
}

/// Reads the status of a cluster. Takes 1.5 seconds: leases are counters, and are watched.
pub fn cluster_status(database: &DatabaseUrl) -> Result<ClusterStatus, StoreError> {
    with_worker(database, |worker| {
        let nodes = watched_nodes(worker)?;
        let games = worker.autocommit(|sql| games(sql, &nodes))?;
        let is_safe = worker.autocommit(waits_for_standby)?;
        let warnings = if is_safe { vec![] } else { vec![NO_STANDBY.to_owned()] };
        Ok(ClusterStatus { nodes, games, warnings })
    })
}

/// Asks a node to hand its games over and to stop. False if there is no such node.
pub fn drain_node(database: &DatabaseUrl, node: &str) -> Result<bool, StoreError> {
    with_worker(database, |worker| worker.autocommit(|sql| statements::drain(sql, node)))
}

fn with_worker<T>(
    database: &DatabaseUrl,
    work: impl FnOnce(&mut Worker) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    work(&mut Worker::new(database, &Clock::start())?)
}

/// All nodes, with the age of their leases: the time since each was seen to grow.
fn watched_nodes(worker: &mut Worker) -> Result<Vec<NodeStatus>, StoreError> {
    let clock = Clock::start();
    let mut last = BTreeMap::new();
    let mut grown: BTreeMap<RunId, Timestamp> = BTreeMap::new();
    while clock.elapsed() < WATCH_FOR {
        for row in worker.autocommit(statements::scan_nodes)? {
            let run = row.member.run;
            if last.insert(run, row.renewal).is_some_and(|before| before != row.renewal) {
                grown.insert(run, clock.now());
            }
        }
        sleep(LOOK_AGAIN);
    }
    let mut nodes = worker.autocommit(nodes)?;
    for node in &mut nodes {
        let seen = grown.get(&RunId(node.run));
        node.lease_age_ms = seen.map(|seen| clock.now().since(*seen));
    }
    Ok(nodes)
}

/// All nodes, whose leases were not watched yet.
pub(super) fn nodes(sql: &mut dyn Sql) -> Result<Vec<NodeStatus>, StoreError> {
    let rows = sql.query(
        "SELECT name, address, url, version, is_draining, figures, run FROM nodes ORDER BY name",
        &[],
    )?;
    rows.iter().map(node).collect()
}

fn node(row: &SqlRow) -> Result<NodeStatus, StoreError> {
    let figures: String = row.get(5)?;
    Ok(NodeStatus {
        name: row.get(0)?,
        address: row.get(1)?,
        url: row.get(2)?,
        version: row.get(3)?,
        is_draining: row.get(4)?,
        lease_age_ms: None,
        load: serde_json::from_str(&figures).unwrap_or_default(),
        run: row.get(6)?,
    })
}

fn games(sql: &mut dyn Sql, nodes: &[NodeStatus]) -> Result<Vec<GameStatus>, StoreError> {
    let rows = sql.query(
        "SELECT game, node, run, epoch, is_over,
         (SELECT count(*) FROM journal WHERE journal.game = running.game) FROM running ORDER BY game",
        &[],
    )?;
    let is_living =
        |run: u64| nodes.iter().any(|node| node.run == run && node.lease_age_ms.is_some());
    let game = |row: &SqlRow| {
        Ok(GameStatus {
            game: row.get(0)?,
            node: row.get(1)?,
            has_owner: is_living(row.get(2)?),
            epoch: row.get(3)?,
            is_over: row.get(4)?,
            rows: row.get(5)?,
        })
    };
    rows.iter().map(game).collect()
}

/// For operators whose database would lose acknowledged moves with its machine.
pub(super) const NO_STANDBY: &str = "commits of this database do not wait for a standby: if its machine is lost, so are the last moves that people were shown \
     (docs/cluster.md, 'The database')";

/// True if a commit is answered only when another server has it. A server that does not know these settings decides itself.
pub(super) fn waits_for_standby(sql: &mut dyn Sql) -> Result<bool, StoreError> {
    let ask = "SELECT current_setting('synchronous_standby_names'), current_setting('synchronous_commit')";
    let row = match sql.query_one(ask, &[]) {
        Ok(Some(row)) => row,
        Ok(None) | Err(StoreError::Server { .. }) => return Ok(true),
        Err(why) => return Err(why),
    };
    let (names, commit): (String, String) = (row.get(0)?, row.get(1)?);
    Ok(!names.is_empty() && !["off", "local"].contains(&commit.as_str()))
}
