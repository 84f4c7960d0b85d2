//! Requests to any node: it may hang, or have no database for a while.

use std::net::SocketAddr;
use std::time::Duration;

use nuggets_testkit::{HttpAnswer, HttpClient, wait_for};
use serde_json::{Value, json};

/// The longest time of one attempt to ask a node: it may hang.
const PATIENCE: Duration = Duration::from_secs(5);

/// Small, so that a bot soon finds all gold.
pub(crate) const SMALL_MAP: &str = "\
+----------+
|..........|
|..........|
|..........|
+----------+
";

/// A rated game of one person and a bot that soon finds all gold.
pub(crate) fn short_game(pace_ms: u64) -> Value {
    json!({
        "map": {"own": SMALL_MAP}, "rules": {"gold": 6, "min_piles": 3, "max_piles": 3},
        "bots": {"count": 1, "pace_ms": pace_ms}, "rated": true, "start": {"with_players": 1}
    })
}

/// A game with more piles, in more rooms, than people who walk about blindly ever find.
pub(crate) fn endless_game(map: &str) -> Value {
    let rules = json!({"gold": 5_000, "min_piles": 60, "max_piles": 60});
    json!({"map": {"built_in": map}, "rules": rules})
}

/// A visitor of a node, without cookies.
pub(crate) fn visitor(node: SocketAddr) -> HttpClient {
    HttpClient { patience: PATIENCE, ..HttpClient::new(node) }
}

/// Reads something. `None` if the node does not answer.
pub(crate) fn get(node: SocketAddr, path: &str) -> Option<HttpAnswer> {
    visitor(node).try_send("GET", path, &[], b"").ok()
}

/// Asks a node as a page would, until it can answer.
pub(crate) fn post(visitor: &mut HttpClient, path: &str, body: &Value) -> HttpAnswer {
    wait_for(path, || visitor.try_post(path, body).ok().filter(|answer| answer.status != 503))
}

/// Creates a game at a node; returns its id.
pub(crate) fn create_game(node: SocketAddr, spec: &Value) -> String {
    let answer = post(&mut visitor(node), "/api/games", spec);
    let id = answer.json()["id"].as_str().map(str::to_owned);
    id.unwrap_or_else(|| panic!("no game was created: {answer:?}"))
}

/// A game as a node describes it.
pub(crate) fn find_game(node: SocketAddr, id: &str) -> Option<Value> {
    let answer = get(node, &format!("/api/games/{id}")).filter(|answer| answer.status == 200)?;
    Some(answer.json()).filter(|row| row["id"] == id)
}
