//! A database with a synchronous standby, three nodes, and the networks between them.

use std::net::SocketAddr;

use nuggets_testkit::{Postgres, Proxy, WebHost, free_ports};

use crate::NUGGETS;

/// The names of the nodes.
pub(crate) const NAMES: [&str; 3] = ["one", "two", "three"];
/// UDP ports of each node: as many as there are games in a test.
const UDP_PORTS: u16 = 8;

/// A cluster. Everything in it is killed when the test is over, however it ends.
pub(crate) struct Cluster {
    pub(crate) nodes: Vec<WebHost>,
    /// The networks of each node to both servers.
    networks: Vec<[Proxy; 2]>,
    pub(crate) databases: Databases,
}

/// Two servers at two addresses, one of which accepts writes.
pub(crate) struct Databases {
    servers: [Postgres; 2],
    primary: usize,
    /// The primary can be full.
    pub(crate) has_small_disk: bool,
}

impl Cluster {
    /// Starts two servers and three nodes.
    pub(crate) fn start() -> Self {
        let databases = Databases::start();
        let networks: Vec<[Proxy; 2]> = NAMES.iter().map(|_| databases.networks()).collect();
        let node = |(name, [one, two]): (&&str, &[Proxy; 2])| {
            let hosts = format!("127.0.0.1:{},127.0.0.1:{}", one.port(), two.port());
            let options = "target_session_attrs=read-write";
            new_node(name, &format!("postgres://nuggets@{hosts}/nuggets?{options}"))
        };
        let mut nodes: Vec<WebHost> = NAMES.iter().zip(&networks).map(node).collect();
        nodes.iter_mut().for_each(WebHost::start_when_possible);
        Self { nodes, networks, databases }
    }

    /// The addresses of all nodes, that of this one first.
    pub(crate) fn addresses_from(&self, first: usize) -> Vec<SocketAddr> {
        let count = self.nodes.len();
        (0..count).map(|offset| self.nodes[(first + offset) % count].address()).collect()
    }

    /// The networks of a node to the database.
    pub(crate) fn networks(&self, node: usize) -> &[Proxy] {
        &self.networks[node]
    }

    /// The node that runs a game.
    pub(crate) fn owner(&self, game: &str) -> Option<usize> {
        let name = self.query(&format!("SELECT node FROM running WHERE game = '{game}'"));
        NAMES.iter().position(|node| *node == name)
    }

    /// The answer of the primary, which must run.
    pub(crate) fn query(&self, sql: &str) -> String {
        self.databases.primary().psql(sql)
    }

    /// A standby replaces the one that was killed, at its address.
    pub(crate) fn add_standby(&mut self) {
        let databases = &mut self.databases;
        let standby = databases.primary().add_standby();
        let place = 1 - databases.primary;
        self.networks.iter().for_each(|networks| networks[place].set_target(standby.port()));
        databases.servers[place] = standby;
    }
}

/// A node that is not started yet.
pub(crate) fn new_node(name: &str, database: &str) -> WebHost {
    let ports = free_ports(UDP_PORTS);
    let udp = format!("{}-{}", ports.start(), ports.end());
    let args = ["--node", name, "--udp", &udp, "--log", "info", "--database", database];
    WebHost::new(NUGGETS, &args)
}

impl Databases {
    fn start() -> Self {
        let small = Postgres::start_on_small_disk();
        let has_small_disk = small.is_some();
        let primary = small.unwrap_or_else(Postgres::start);
        let standby = primary.add_standby();
        Self { servers: [primary, standby], primary: 0, has_small_disk }
    }

    fn networks(&self) -> [Proxy; 2] {
        [0, 1].map(|place| Proxy::start(self.servers[place].port()))
    }

    pub(crate) fn primary(&self) -> &Postgres {
        &self.servers[self.primary]
    }

    pub(crate) fn primary_mut(&mut self) -> &mut Postgres {
        &mut self.servers[self.primary]
    }

    /// Waits until the primary commits, which may wait for the standby.
    pub(crate) fn wait_for_commit(&self) {
        self.primary().psql("CREATE TEMPORARY TABLE probe (n INT)");
    }

    /// Kills the primary and promotes the standby.
    pub(crate) fn fail_over(&mut self) {
        self.primary_mut().kill();
        self.primary = 1 - self.primary;
        self.primary().promote();
    }
}
