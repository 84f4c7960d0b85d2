//! Brokers and nodes together, and what is asked of any node.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use crate::brokers::Brokers;
use crate::free_port::free_port;
use crate::network::{Namespace, Network};
use crate::nodes::Node;
use crate::{LIMIT, now};

const NAMES: [&str; 3] = ["one", "two", "three"];
/// UDP ports of each node: as many as there are games in a test.
const UDP_PORTS: u16 = 4;
/// How long one attempt to ask a node may take: it may hang.
const PATIENCE: Duration = Duration::from_secs(5);

/// A cluster. Everything in it is killed when the test is over, however it ends.
pub(crate) struct Cluster {
    pub(crate) nodes: Vec<Node>,
    pub(crate) brokers: Brokers,
}

impl Cluster {
    /// Starts three brokers and three nodes. With namespaces, nodes can be cut off from the brokers.
    pub(crate) fn start(namespaces: Option<Vec<Namespace>>) -> Self {
        let is_shared = namespaces.is_none();
        let everywhere =
            |config: String| config.replacen("listen: 127.0.0.1", "listen: 0.0.0.0", 1);
        let brokers = Brokers::start(|config| if is_shared { config } else { everywhere(config) });
        let networks: Vec<Network> = match namespaces {
            None => NAMES.iter().map(|_| Network::Shared).collect(),
            Some(namespaces) => namespaces.into_iter().map(Network::Own).collect(),
        };
        let node = |(name, network): (&&str, Network)| {
            let urls = brokers.urls(network.brokers());
            // On one machine the nodes need different ports.
            let first = free_ports();
            let udp = format!("{first}-{}", first + UDP_PORTS - 1);
            Node::new(name, network, &urls, &["--udp", &udp, "--log", "info"])
        };
        let mut nodes: Vec<Node> = NAMES.iter().zip(networks).map(node).collect();
        nodes.iter_mut().for_each(Node::start);
        Self { nodes, brokers }
    }

    /// The brokers, as this process reaches them.
    pub(crate) fn urls(&self) -> String {
        self.brokers.urls(Ipv4Addr::LOCALHOST)
    }

    /// All nodes, this one first.
    pub(crate) fn addresses_from(&self, first: usize) -> Vec<SocketAddr> {
        let count = self.nodes.len();
        (0..count).map(|offset| self.nodes[(first + offset) % count].address()).collect()
    }
}

/// The first of some ports that are free.
fn free_ports() -> u16 {
    loop {
        let first = free_port();
        let rest: Vec<u16> = (1..UDP_PORTS).map(|_| free_port()).collect();
        if (first + 1..).zip(rest).all(|(expected, found)| expected == found) {
            return first;
        }
    }
}

/// Creates a game at a node; returns its id.
pub(crate) fn create_game(node: SocketAddr, spec: &Value) -> String {
    let body = spec.to_string();
    let request = format!(
        "POST /api/games HTTP/1.1\r\nHost: {node}\r\nOrigin: http://{node}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let answer = ask(node, &request).expect("an answer");
    let id = answer["id"].as_str().map(str::to_owned);
    id.unwrap_or_else(|| panic!("no game was created: {answer}"))
}

/// Waits until a node knows a game.
pub(crate) fn wait_for_game(node: SocketAddr, id: &str) {
    let started = now();
    while find_game(node, id).is_none() {
        assert!(started.elapsed() < LIMIT, "{node} does not know {id}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What a node says of a game.
pub(crate) fn find_game(node: SocketAddr, id: &str) -> Option<Value> {
    let request =
        format!("GET /api/games/{id} HTTP/1.1\r\nHost: {node}\r\nConnection: close\r\n\r\n");
    ask(node, &request).filter(|row| row["id"] == id)
}

fn ask(node: SocketAddr, request: &str) -> Option<Value> {
    let mut stream = TcpStream::connect_timeout(&node, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (_, body) = answer.split_once("\r\n\r\n")?;
    Some(serde_json::from_str(body).unwrap_or_else(|_| Value::String(body.to_owned())))
}
