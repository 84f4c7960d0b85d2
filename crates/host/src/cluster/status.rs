//! A cluster seen from outside, through its database: for `nuggets cluster`. It changes nothing but the wish that a node stops.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use tokio::runtime;
use tokio::time::{Instant, sleep};

use super::NodeLoad;
use crate::store::postgres::{DatabaseConnection, connect, row_of};
use crate::store::sql::SqlRow;
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
    run(async {
        let connected = connect(database, None).await?;
        let nodes = watched_nodes(&connected).await?;
        let games = games(&connected, &nodes).await?;
        Ok(ClusterStatus { nodes, games, warnings: warnings(&connected).await? })
    })
}

/// Asks a node to hand its games over and to stop. False if there is no such node.
pub fn drain_node(database: &DatabaseUrl, node: &str) -> Result<bool, StoreError> {
    run(async {
        let connected = connect(database, None).await?;
        let drain = "UPDATE nodes SET is_draining = TRUE WHERE name = $1";
        Ok(connected.client.execute(drain, &[&node]).await? > 0)
    })
}

fn run<T>(work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(StoreError::Thread)?.block_on(work)
}

/// All nodes, with the age of their leases: the time since each was seen to grow.
async fn watched_nodes(connected: &DatabaseConnection) -> Result<Vec<NodeStatus>, StoreError> {
    let began = Instant::now();
    let mut last = renewals(connected).await?;
    let mut grown: BTreeMap<String, Instant> = BTreeMap::new();
    while began.elapsed() < WATCH_FOR {
        sleep(LOOK_AGAIN).await;
        for (node, renewal) in renewals(connected).await? {
            if last.insert(node.clone(), renewal) != Some(renewal) {
                grown.insert(node, Instant::now());
            }
        }
    }
    let rows = connected.client.query(NODES, &[]).await?;
    let mut nodes = rows.iter().map(|row| node(&row_of(row)?)).collect::<Result<Vec<_>, _>>()?;
    for node in &mut nodes {
        let age = grown.get(&node.name).map(Instant::elapsed);
        node.lease_age_ms = age.map(|age| u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
    }
    Ok(nodes)
}

/// The columns of `node`.
pub(super) const NODES: &str =
    "SELECT name, address, url, version, is_draining, figures, run FROM nodes ORDER BY name";

/// A node whose lease was not watched yet.
pub(super) fn node(row: &SqlRow) -> Result<NodeStatus, StoreError> {
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

async fn renewals(connected: &DatabaseConnection) -> Result<BTreeMap<String, i64>, StoreError> {
    let rows = connected.client.query("SELECT name, renewal FROM nodes", &[]).await?;
    let pair = |row: &tokio_postgres::Row| Ok((row.try_get(0)?, row.try_get(1)?));
    Ok(rows.iter().map(pair).collect::<Result<_, tokio_postgres::Error>>()?)
}

async fn games(
    connected: &DatabaseConnection,
    nodes: &[NodeStatus],
) -> Result<Vec<GameStatus>, StoreError> {
    let rows = connected
        .client
        .query(
            "SELECT game, node, run, epoch, is_over,
             (SELECT count(*) FROM journal WHERE journal.game = running.game) FROM running ORDER BY game",
            &[],
        )
        .await?;
    let is_living =
        |run: u64| nodes.iter().any(|node| node.run == run && node.lease_age_ms.is_some());
    let game = |row: &tokio_postgres::Row| -> Result<GameStatus, tokio_postgres::Error> {
        Ok(GameStatus {
            game: row.try_get(0)?,
            node: row.try_get(1)?,
            has_owner: is_living(row.try_get::<_, i64>(2)?.cast_unsigned()),
            epoch: row.try_get(3)?,
            is_over: row.try_get(4)?,
            rows: row.try_get(5)?,
        })
    };
    Ok(rows.iter().map(game).collect::<Result<_, _>>()?)
}

/// The warnings of `nuggets cluster status` and of the start of a node.
async fn warnings(connected: &DatabaseConnection) -> Result<Vec<String>, StoreError> {
    let mut warnings = Vec::new();
    if !waits_for_standby(connected).await {
        warnings.push(NO_STANDBY.to_owned());
    }
    Ok(warnings)
}

/// For operators whose database would lose acknowledged moves with its machine.
pub(super) const NO_STANDBY: &str = "commits of this database do not wait for a standby: if its machine is lost, so are the last moves that people were shown \
     (docs/cluster.md, 'The database')";

/// True if a commit is answered only when another server has it. A server that does not know these settings decides itself.
pub(super) async fn waits_for_standby(connected: &DatabaseConnection) -> bool {
    let ask = "SELECT current_setting('synchronous_standby_names'), current_setting('synchronous_commit')";
    let Ok(row) = connected.client.query_one(ask, &[]).await else { return true };
    let (names, commit): (String, String) = (row.get(0), row.get(1));
    !names.is_empty() && !["off", "local"].contains(&commit.as_str())
}
