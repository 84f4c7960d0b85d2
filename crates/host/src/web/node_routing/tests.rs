//! Tests with two hosts without a common database: the routes of the second are set manually and point to the first.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nuggets_testkit::{HttpClient, WebSocketError, WebSocketPeer};
use nuggets_time::Clock;
use serde_json::json;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::cluster::neighbours::Neighbours;
use crate::cluster::routes::{Epoch, Member, RunId};
use crate::web::listen;
use crate::{GameId, HostOptions, RunningHost};

const OWNER: RunId = RunId(1);
const EDGE: RunId = RunId(2);
const DEADLINE: Duration = Duration::from_secs(60);

/// The owner that a query of the database returns.
type Found = Option<(RunId, Epoch)>;

struct Node {
    host: RunningHost,
    neighbours: Arc<Neighbours>,
    found: Arc<Mutex<Found>>,
    look_ups: Arc<AtomicUsize>,
    _folder: TempDir,
}

impl Node {
    async fn start(run: RunId, change: impl FnOnce(&mut HostOptions)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = listen::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let me = Member { name: format!("node {}", run.0), run, address };
        let (found, look_ups) = (Arc::<Mutex<Found>>::default(), Arc::<AtomicUsize>::default());
        let neighbours = Arc::new_cyclic(|neighbours: &std::sync::Weak<Neighbours>| {
            let (neighbours, found, look_ups) =
                (neighbours.clone(), Arc::clone(&found), Arc::clone(&look_ups));
            let look_up = move |game| {
                look_ups.fetch_add(1, Ordering::SeqCst);
                let found: Found = *found.lock().unwrap();
                neighbours.upgrade().unwrap().set_game(game, found);
                Box::pin(async {}) as _
            };
            Neighbours::new(me, [7; 32], Arc::new(look_up))
        });
        let mut options = HostOptions::new(folder.path().into());
        change(&mut options);
        let nodes = Some(Arc::clone(&neighbours));
        let host = RunningHost::start_on(listener, options, nodes).await.unwrap();
        Self { host, neighbours, found, look_ups, _folder: folder }
    }

    fn visitor(&self) -> HttpClient {
        HttpClient::new(self.host.address())
    }
}

/// A host that runs a game, and one that passes requests on to it.
pub(super) struct Pair {
    runtime: Runtime,
    owner: Node,
    edge: Node,
    game: String,
}

impl Pair {
    fn start() -> Self {
        Self::start_with(|_| {})
    }

    fn start_with(change: impl Fn(&mut HostOptions)) -> Self {
        let runtime = Runtime::new().unwrap();
        let owner = runtime.block_on(Node::start(OWNER, &change));
        let edge = runtime.block_on(Node::start(EDGE, &change));
        let game = owner.visitor().create_game(&json!({ "map": { "built_in": "main" } }));
        let pair = Self { runtime, owner, edge, game };
        pair.set_routes(OWNER, 1);
        pair
    }

    fn id(&self) -> GameId {
        self.game.parse().unwrap()
    }

    /// Sets the routes of both nodes: each knows the other, and that the first runs the game.
    fn set_routes(&self, run: RunId, epoch: u64) {
        let _in_runtime = self.runtime.enter();
        let nodes = [&self.owner, &self.edge];
        let members = nodes.map(|node| node.neighbours.me().clone());
        for node in nodes {
            *node.found.lock().unwrap() = Some((run, Epoch(epoch)));
            node.neighbours.update(members.clone(), [(self.id(), run, Epoch(epoch))]);
        }
    }

    fn path(&self, rest: &str) -> String {
        format!("/g/{}{rest}", self.game)
    }

    fn join(&self, browser: &HttpClient) -> WebSocketPeer {
        let mut socket = browser.join_socket(&self.game);
        socket.send(r#"{"join":{}}"#);
        socket.wait_for("whole");
        socket
    }
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let clock = Clock::start();
    while !condition() {
        assert!(clock.elapsed() < DEADLINE, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl Pair {
    /// A connection that only watches.
    fn watch(&self, node: &Node, browser: &HttpClient, view: &str) -> WebSocketPeer {
        let origin = format!("http://{}", node.host.address());
        let mut socket = browser.open_socket(&self.path("/ws?watch"), Some(&origin)).unwrap();
        socket.send(&format!(r#"{{"watch":{{"view":{view}}}}}"#));
        socket
    }

    fn wait_for_connections_of_owner(&self, count: usize) {
        let owner = self.owner.host.site();
        wait_until("the owner has as many connections", || {
            owner.service.connected.count() == count
        });
    }
}

#[test]
fn many_watchers_at_another_node_cost_the_owner_one_connection() {
    const WATCHERS: usize = 300;
    let pair = Pair::start_with(|options| options.max_connections_per_source = 2000);
    let _ann = pair.join(&pair.owner.visitor());
    let mut direct = pair.watch(&pair.owner, &pair.owner.visitor(), "null");
    let hello = direct.wait_for("hello");
    let whole = direct.wait_for("whole");
    let guest = pair.edge.visitor();
    let watch = |_| pair.watch(&pair.edge, &guest, "null");
    let mut watchers: Vec<WebSocketPeer> = (0..WATCHERS).map(watch).collect();
    for watcher in &mut watchers {
        assert_eq!(watcher.wait_for("hello"), hello, "with the id of the owner's stream");
        assert_eq!(watcher.wait_for("whole"), whole);
    }
    assert_eq!(
        pair.owner.host.site().service.connected.count(),
        3,
        "Ann, the direct one, and the edge"
    );
    assert_eq!(pair.edge.host.site().service.connected.count(), WATCHERS);
    // The second player changes the roster: the same numbered line for all.
    let _bob = pair.join(&pair.owner.visitor());
    let roster = |socket: &mut WebSocketPeer| loop {
        let line = socket.next_line().unwrap();
        if line.get("players").is_some() {
            return line;
        }
    };
    let line = roster(&mut direct);
    for watcher in &mut watchers {
        assert_eq!(roster(watcher), line);
    }
    // A late watcher, and one that reconnects.
    let mut late = watch(0);
    assert_eq!(late.wait_for("players").as_array().unwrap().len(), 2);
    let seq = line["seq"].as_u64().unwrap() - 1;
    let mut back = pair.edge.visitor().open_socket(&pair.path("/ws?watch"), None).unwrap();
    back.send(&json!({"watch":{"since":{"stream":hello["stream"],"seq":seq}}}).to_string());
    assert_eq!(roster(&mut back), line, "not the whole picture");
    late.send(r#"{"join":{}}"#);
    assert!(late.wait_for("error").as_str().unwrap().contains("?watch"));
    drop((watchers, late, back));
    // Ann, Bob and the direct watcher: the edge has no watchers any more.
    pair.wait_for_connections_of_owner(3);
}

#[test]
fn watchers_are_told_to_come_back_when_the_owner_is_another() {
    let pair = Pair::start();
    let mut socket = pair.watch(&pair.edge, &pair.edge.visitor(), "null");
    socket.wait_for("whole");
    pair.set_routes(OWNER, 2);
    assert_eq!(socket.read_to_end().0, Some(1013));
    let mut again = pair.watch(&pair.edge, &pair.edge.visitor(), "null");
    again.wait_for("whole");
    pair.runtime.block_on(pair.owner.host.stop());
    assert_eq!(again.read_to_end().0, Some(1012));
}

#[test]
fn the_owner_decides_what_may_be_watched() {
    let pair = Pair::start();
    let mut ann = pair.edge.visitor();
    ann.get(&pair.path(""));
    let _playing = pair.join(&ann);
    let row = format!("/api/games/{}", pair.game);
    while ann.get(&row).json()["seated"] != json!(true) {}
    let (code, lines) = pair.watch(&pair.edge, &ann, "null").read_to_end();
    assert_eq!(code, Some(1008));
    assert!(lines[0]["error"].as_str().unwrap().contains("You play"), "{lines:?}");
    let mut bob = pair.watch(&pair.edge, &pair.edge.visitor(), r#""A""#);
    assert_eq!(bob.wait_for("hello")["view"], json!("A"));
    bob.wait_for("sight");
    bob.send(r#"{"watch":{"view":"Z"}}"#);
    assert_eq!(bob.wait_for("error"), json!("No player has that letter."));
    bob.send(r#"{"watch":{"view":null}}"#);
    bob.wait_for("purses");
    let (code, lines) = pair.watch(&pair.edge, &pair.edge.visitor(), r#""Z""#).read_to_end();
    assert_eq!((code, &lines[0]["error"]), (Some(1008), &json!("No player has that letter.")));
}

#[test]
fn a_page_and_its_game_are_those_of_the_owner() {
    let pair = Pair::start();
    let mut ann = pair.edge.visitor();
    let page = ann.send("GET", &pair.path(""), &[("accept-encoding", "gzip")], b"");
    assert_eq!((page.status, page.header("content-encoding")), (200, Some("gzip")));
    assert_eq!(ann.cookies.len(), 1, "{page:?}");
    let mut socket = pair.join(&ann);
    socket.send("{\"key\":\"l\"}\n{\"ping\":1}");
    socket.wait_for("pong");
    // The owner identifies the person by the cookie, as for an ordinary client.
    let row = format!("/api/games/{}", pair.game);
    while ann.get(&row).json()["seated"] != json!(true) {}
    assert_eq!(pair.edge.host.site().service.connected.count(), 0, "nothing is kept at the edge");
    // A page of another site can neither post nor connect here, either.
    assert_eq!(
        ann.open_socket(&pair.path("/ws"), Some("http://evil.example")).err(),
        Some(WebSocketError::Rejected(403))
    );
    let end = format!("/api/games/{}/end", pair.game);
    let headers = [("origin", "http://evil.example"), ("content-type", "application/json")];
    assert_eq!(ann.send("POST", &end, &headers, b"{}").status, 403);
    assert_eq!(ann.post(&end, &json!({})).status, 403, "Ann did not create it");
}

#[test]
fn the_admin_kicks_at_any_node() {
    let pair = Pair::start_with(|options| options.admin_token = Some("let me in".into()));
    let ann = pair.edge.visitor();
    let mut socket = pair.join(&ann);
    let mut admin = pair.edge.visitor();
    admin.cookies.push(("nuggets_admin".into(), "let me in".into()));
    let path = format!("/api/admin/games/{}", pair.game);
    let row = format!("/api/games/{}", pair.game);
    wait_until("the lobby knows Ann", || {
        pair.edge.visitor().get(&row).json()["players"]
            .as_array()
            .is_some_and(|all| !all.is_empty())
    });
    assert_eq!(admin.post(&format!("{path}/kick"), &json!({"letter":"A"})).status, 200);
    while socket.wait_for("players")[0]["left"] != json!(true) {}
    assert_eq!(admin.post(&format!("{path}/end"), &json!({})).status, 200);
    socket.wait_for("over");
}

#[test]
fn what_a_proxy_says_about_a_client_reaches_the_owner() {
    let runtime = Runtime::new().unwrap();
    let owner =
        runtime.block_on(Node::start(OWNER, |options| options.max_connections_per_source = 1));
    let edge = runtime.block_on(Node::start(EDGE, |options| options.trust_proxy = true));
    let game = owner.visitor().create_game(&json!({ "map": { "built_in": "main" } }));
    let pair = Pair { runtime, owner, edge, game };
    pair.set_routes(OWNER, 1);
    // The limit per source does not apply to nodes.
    let nodes = &pair.owner.neighbours;
    wait_until("the edge is known", || nodes.is_neighbour([127, 0, 0, 1].into()));
    let headers = [
        ("x-forwarded-for", "203.0.113.5"),
        ("x-forwarded-proto", "https"),
        ("x-forwarded-host", "games.example"),
        // A client can't impersonate a node with its header.
        ("x-nuggets-source", "203.0.113.99"),
    ];
    let page = pair.edge.visitor().send("GET", &pair.path("/show"), &headers, b"");
    assert!(page.text().contains(&format!("https://games.example/g/{}", pair.game)), "{page:?}");
    let page = pair.edge.visitor().send("GET", &pair.path(""), &headers, b"");
    let cookie = page.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-") && cookie.contains("; Secure"), "{cookie}");
    // Each source has one WebSocket.
    let _first = pair.join(&pair.edge.visitor());
    assert_eq!(
        pair.edge.visitor().open_socket(&pair.path("/ws"), None).err(),
        Some(WebSocketError::Rejected(429))
    );
    assert_eq!(pair.edge.visitor().get(&pair.path("/watch")).status, 200);
}

#[test]
fn a_host_that_can_not_serve_games_says_why() {
    let pair = Pair::start();
    let mut probe = pair.edge.visitor();
    let health = &pair.edge.host.site().health;
    health.set(Some("the database does not answer".into()));
    let answer = probe.get("/healthz");
    assert_eq!((answer.status, answer.text()), (503, "the database does not answer\n"));
    assert_eq!(probe.get("/livez").status, 200);
    health.set(None);
    assert_eq!(probe.get("/healthz").text(), "ok\n");
}

#[test]
fn a_wrong_signature_is_rejected_and_a_missing_one_is_a_client() {
    let pair = Pair::start();
    let mut eve = pair.owner.visitor();
    let node =
        [("x-nuggets-from", "2"), ("x-nuggets-source", "192.0.2.1"), ("x-nuggets-scheme", "https")];
    let page = eve.send("GET", "/account", &node, b"");
    assert_eq!(page.status, 200);
    assert!(!page.header("set-cookie").unwrap().contains("Secure"));
    let signed = [node.as_slice(), &[("x-nuggets-signature", "00")]].concat();
    assert_eq!(eve.send("GET", "/account", &signed, b"").status, 421);
}

#[test]
fn a_request_is_passed_on_once_and_then_to_whom_the_database_names() {
    let pair = Pair::start();
    let gone = RunId(9);
    let _in_runtime = pair.runtime.enter();
    let members = [&pair.owner, &pair.edge].map(|node| node.neighbours.me().clone());
    // The routes of the edge are outdated: the owner knows that a third node runs the game, and answers 421.
    let third = Member { name: "third".into(), run: gone, address: "127.0.0.1:1".into() };
    let all = [members.as_slice(), &[third]].concat();
    pair.owner.neighbours.update(all, [(pair.id(), gone, Epoch(2))]);
    let answer = pair.edge.visitor().get(&pair.path("/watch"));
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")));
    assert_eq!(pair.edge.look_ups.load(Ordering::SeqCst), 1);
    assert!(answer.text().contains("another node"), "{answer:?}");
    // The first owner has restarted meanwhile, and the database has its new run.
    pair.set_routes(OWNER, 3);
    let stale = Member { run: RunId(8), ..pair.owner.neighbours.me().clone() };
    pair.edge.neighbours.update([stale, members[0].clone()], [(pair.id(), RunId(8), Epoch(4))]);
    *pair.edge.found.lock().unwrap() = Some((OWNER, Epoch(5)));
    assert_eq!(pair.edge.visitor().get(&pair.path("/watch")).status, 200);
    assert_eq!(pair.edge.look_ups.load(Ordering::SeqCst), 2);
}

#[test]
fn without_a_living_owner_clients_are_told_to_come_back() {
    let pair = Pair::start();
    let mut ann = pair.edge.visitor();
    for run in [RunId(77), EDGE] {
        // The first run is not known; with the second, this node has claimed the game but not opened it.
        pair.set_routes(run, 2);
        let answer = ann.get(&format!("/api/games/{}", pair.game));
        assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")));
        assert_eq!(ann.join_socket(&pair.game).read_to_end().0, Some(1013));
    }
    // A dead node that is still believed to be alive.
    let _in_runtime = pair.runtime.enter();
    let dead = Member { name: "dead".into(), run: RunId(5), address: "127.0.0.1:1".into() };
    pair.edge.neighbours.update([dead], [(pair.id(), RunId(5), Epoch(3))]);
    assert_eq!(ann.get(&pair.path("")).status, 503);
    assert_eq!(ann.join_socket(&pair.game).read_to_end().0, Some(1013));
}

#[test]
fn a_request_finds_the_new_owner_through_the_database() {
    let pair = Pair::start();
    let _in_runtime = pair.runtime.enter();
    let gone = Member { name: "gone".into(), run: RunId(5), address: "127.0.0.1:1".into() };
    let members = [&pair.owner, &pair.edge].map(|node| node.neighbours.me().clone());
    for node in [&pair.owner, &pair.edge] {
        let members = members.iter().chain([&gone]).cloned();
        node.neighbours.update(members, [(pair.id(), gone.run, Epoch(1))]);
        *node.found.lock().unwrap() = Some((OWNER, Epoch(2)));
    }
    pair.join(&pair.edge.visitor());
    assert_eq!([&pair.owner, &pair.edge].map(|it| it.look_ups.load(Ordering::SeqCst)), [1, 1]);
}

#[test]
fn whoever_joins_a_game_that_has_just_moved_comes_back() {
    let pair = Pair::start();
    let ann = pair.owner.visitor();
    let mut socket = ann.join_socket(&pair.game);
    pair.owner.host.site().service.workers.close_game(pair.id());
    socket.send(r#"{"join":{}}"#);
    assert_eq!(socket.read_to_end().0, Some(1013));
}

#[test]
fn a_stream_to_an_earlier_epoch_is_cut() {
    let pair = Pair::start();
    let mut socket = pair.join(&pair.edge.visitor());
    pair.set_routes(OWNER, 1);
    socket.send(r#"{"ping":1}"#);
    socket.wait_for("pong");
    pair.set_routes(OWNER, 2);
    assert_eq!(socket.read_to_end().0, None, "dropped without a close frame: come back");
}

#[test]
fn the_end_of_either_side_is_the_end_of_both() {
    let pair = Pair::start();
    let socket = pair.join(&pair.edge.visitor());
    pair.wait_for_connections_of_owner(1);
    drop(socket);
    pair.wait_for_connections_of_owner(0);
    let mut socket = pair.join(&pair.edge.visitor());
    pair.runtime.block_on(pair.owner.host.stop());
    assert_eq!(socket.read_to_end().0, Some(1012));
}
