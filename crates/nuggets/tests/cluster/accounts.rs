//! Names and ratings while nodes die: one node at a time writes them, and all nodes have the same.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::cluster::{Cluster, create_game, find_game};
use crate::log::Logs;
use crate::players::{Player, play_web};
use crate::{LIMIT, now};

const ROUNDS: usize = 2;
/// Who want the same name, spread over the nodes.
const PEOPLE: usize = 6;
/// Small, so that a bot soon finds all gold.
const MAP: &str = "\
+----------+
|..........|
|..........|
|..........|
+----------+
";

/// An answer: its status, the cookie of the session if it sets one, and what it says.
struct Answer {
    status: u16,
    cookie: Option<String>,
    body: Value,
}

/// Asks a node as a page would. `None` if it dies meanwhile.
fn post(node: SocketAddr, path: &str, cookie: &str, body: &Value) -> Option<Answer> {
    let body = body.to_string();
    request(
        node,
        &format!(
            "POST {path} HTTP/1.1\r\nHost: {node}\r\nOrigin: http://{node}\r\nCookie: {cookie}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ),
    )
}

fn request(node: SocketAddr, request: &str) -> Option<Answer> {
    let mut stream = TcpStream::connect(node).ok()?;
    stream.set_read_timeout(Some(LIMIT)).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = cookie.and_then(|cookie| cookie.split(';').next()).map(str::to_owned);
    Some(Answer { status, cookie, body: serde_json::from_str(body).unwrap_or_default() })
}

/// Asks again until there is an answer.
fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let started = now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(started.elapsed() < LIMIT, "waited too long for {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Whether the lobby of a node lists this game.
fn is_running(node: SocketAddr, game: &str) -> Option<bool> {
    let get = format!("GET /api/games HTTP/1.1\r\nHost: {node}\r\nConnection: close\r\n\r\n");
    let rows = request(node, &get)?.body;
    Some(rows.as_array()?.iter().any(|row| row["id"] == game))
}

/// A cluster, and its accounts as the brokers have them.
struct Run {
    cluster: Cluster,
    logs: Logs,
}

impl Run {
    /// The node that writes the accounts.
    fn owner(&self) -> usize {
        wait_for("an owner of the accounts", || {
            let nodes = self.logs.status();
            let is_owner =
                |log: &nuggets_cluster::nats::OwnedLog| log.log == "accounts" && log.is_open;
            let owner = nodes.iter().find(|node| node.owned.iter().any(is_owner))?;
            self.cluster.nodes.iter().position(|node| node.name == owner.node)
        })
    }

    fn address(&self, node: usize) -> SocketAddr {
        self.cluster.nodes[node % self.cluster.nodes.len()].address()
    }

    fn start_again(&mut self, node: usize) {
        self.cluster.nodes[node].start();
    }

    /// Whether this name has this password, as a node knows it. It may be behind, and it may not be able to store the session
    /// at the moment.
    fn has_password(&self, node: usize, name: &str, password: usize) -> bool {
        let body = json!({"name": name, "password": format!("password {password}")});
        let login = || post(self.address(node), "/api/login", "", &body);
        let status = || login().map(|answer| answer.status).filter(|status| *status != 503);
        wait_for("an answer to a log-in", status) == 200
    }

    /// Several people who have the same name claim it at the same time, over all nodes, and the node that writes accounts is
    /// killed meanwhile.
    fn claim_a_name(&mut self, name: &str, delay: Duration) {
        let owner = self.owner();
        let cookie = |person: usize| {
            let renamed = post(self.address(person), "/api/me/name", "", &json!({"name": name}));
            let renamed = renamed.expect("an answer");
            assert_eq!(renamed.status, 200, "{}", renamed.body);
            renamed.cookie.expect("a session")
        };
        let cookies: Vec<String> = (0..PEOPLE).map(cookie).collect();
        let claim = |(person, cookie): (usize, String)| {
            let node = self.address(person);
            let body = json!({"password": format!("password {person}")});
            thread::spawn(move || post(node, "/api/me/claim", &cookie, &body))
        };
        let claims: Vec<_> = cookies.into_iter().enumerate().map(claim).collect();
        thread::sleep(delay);
        self.cluster.nodes[owner].kill();
        let answers: Vec<Option<Answer>> =
            claims.into_iter().map(|claim| claim.join().unwrap()).collect();
        let nodes = self.cluster.nodes.len();
        let living: Vec<usize> = (0..nodes).filter(|node| *node != owner).collect();
        let mut winners = 0;
        for (person, answer) in answers.iter().enumerate() {
            let told = answer.as_ref().filter(|answer| answer.status == 200);
            assert!(
                told.is_some() || person % nodes == owner,
                "a node that lives could not save it"
            );
            let has_name = self.has_password(living[0], name, person);
            winners += usize::from(has_name);
            let Some(told) = told else { continue };
            // Who came later got another name, and that is claimed now.
            let own = told.body["name"].as_str().unwrap();
            assert_eq!(own == name, has_name, "person {person} was told {}", told.body);
            for node in &living {
                assert!(self.has_password(*node, own, person), "{own} at {node}");
            }
        }
        assert_eq!(winners, 1, "{name} is claimed once");
        self.start_again(owner);
    }

    /// A game is over, and the node that ran it is killed at once.
    fn finish_a_game(&mut self, player: &str) {
        let owner = self.owner();
        let bots = json!({"count": 1, "pace_ms": 100});
        let rules = json!({"gold": 4, "min_piles": 2, "max_piles": 2});
        let spec = json!({
            "map": {"own": MAP}, "rules": rules, "bots": bots, "rated": true,
            "start": {"with_players": 1}
        });
        let game = create_game(self.address(owner), &spec);
        let other = (owner + 1) % self.cluster.nodes.len();
        let (node, id, name) = (self.address(other), game.clone(), player.to_owned());
        wait_for("the game at another node", || find_game(node, &game));
        let person = Player::start(0, move |kept: &_| play_web(kept, &[node], &id, &name, 1));
        wait_for("the end of the game", || (!is_running(node, &game)?).then_some(()));
        self.cluster.nodes[owner].kill();
        drop(person);
        let nodes = self.cluster.nodes.len();
        for node in (0..nodes).filter(|node| *node != owner) {
            let node = self.address(node);
            let get =
                format!("GET /api/players HTTP/1.1\r\nHost: {node}\r\nConnection: close\r\n\r\n");
            let row = wait_for("the rating", || {
                let players = request(node, &get)?.body;
                players.as_array()?.iter().find(|row| row["name"] == player).cloned()
            });
            assert_eq!(row["games"], 1, "{row}");
        }
        self.start_again(owner);
    }
}

impl Run {
    /// A game ends while nothing can be saved, because the node that writes accounts hangs. The node that ran the game is killed
    /// before it can store the results: its successor must do it.
    fn lose_the_node_of_a_game_that_is_over(&mut self) {
        let hanging = self.owner();
        let nodes = self.cluster.nodes.len();
        let (dying, living) = ((hanging + 1) % nodes, (hanging + 2) % nodes);
        let rules = json!({"gold": 4, "min_piles": 2, "max_piles": 2});
        let spec = json!({"map": {"own": MAP}, "rules": rules});
        let created = post(self.address(dying), "/api/games", "", &spec).expect("an answer");
        let game = created.body["id"].as_str().expect("a game").to_owned();
        let cookie = created.cookie.expect("a session");
        let node = self.address(living);
        wait_for("the game at another node", || find_game(node, &game));
        self.cluster.nodes[hanging].signal(Signal::STOP);
        let end = format!("/api/games/{game}/end");
        assert_eq!(post(node, &end, &cookie, &json!({})).map(|answer| answer.status), Some(200));
        wait_for("the end of the game", || (!is_running(node, &game)?).then_some(()));
        self.cluster.nodes[dying].kill();
        let row = wait_for("the results", || find_game(node, &game));
        assert_eq!(row["stage"], "over", "{row}");
        self.cluster.nodes[hanging].signal(Signal::CONT);
        self.start_again(dying);
    }
}

#[test]
fn a_name_is_claimed_once_and_no_rating_is_lost_when_nodes_die() {
    let cluster = Cluster::start(None);
    let logs = Logs::connect(&cluster.urls(), &["accounts".to_owned()]);
    let mut run = Run { cluster, logs };
    for round in 0..ROUNDS {
        let delay = Duration::from_millis(100 * round as u64);
        run.claim_a_name(&format!("Ann{round}"), delay);
        run.finish_a_game(&format!("Bea{round}"));
    }
    run.lose_the_node_of_a_game_that_is_over();
    // The last one that was killed is replaced, too.
    run.owner();
    // One writer in each epoch, and no record is missing: that is checked when they are read.
    run.logs.read_all();
    assert!(run.logs.game("accounts").opened.len() > 2 * ROUNDS, "each killed owner was replaced");
}
