//! Tests of the operator's commands.

use nuggets_testkit::{HttpClient, WebSocketError};
use serde_json::json;

use crate::client::{TestHost, join, plain_game, watch};

fn admin_of(host: &TestHost) -> HttpClient {
    let mut admin = host.visitor();
    let answer = admin.post("/api/admin/login", &json!({ "token": host.admin_token() }));
    assert_eq!(answer.status, 200, "{answer:?}");
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    admin
}

#[test]
fn without_the_token_nothing_is_shown_or_done() {
    let (host, _, id) =
        TestHost::with_game(&json!({"map":{"built_in":"main"},"visibility":"link"}));
    let mut other = host.visitor();
    assert!(!other.get("/admin").text().contains(&id));
    for (path, body) in [
        (format!("games/{id}/kick").as_str(), json!({"player":1})),
        ("ban", json!({"player":1})),
        ("unban", json!({"player":1})),
        (format!("games/{id}/end").as_str(), json!({})),
        ("message", json!({"text":"hi"})),
        ("drain", json!({})),
    ] {
        let answer = other.post(&format!("/api/admin/{path}"), &body);
        assert_eq!(answer.status, 401, "{path}");
    }
    assert_eq!(other.get("/api/admin/load").status, 401);
    assert_eq!(other.post("/api/admin/login", &json!({"token":"guess"})).status, 401);
    other.cookies.push(("nuggets_admin".into(), "guess".into()));
    assert_eq!(other.post("/api/admin/drain", &json!({})).status, 401);
    assert!(!other.get("/admin").text().contains(&id));
}

#[test]
fn other_sites_can_not_use_the_cookie_of_the_admin() {
    let host = TestHost::start();
    let mut admin = admin_of(&host);
    let headers = [("origin", "http://evil.example"), ("content-type", "application/json")];
    assert_eq!(admin.send("POST", "/api/admin/drain", &headers, b"{}").status, 403);
}

#[test]
fn the_admin_sees_all_games_and_ends_one() {
    let (host, ann, id) =
        TestHost::with_game(&json!({"map":{"built_in":"main"},"visibility":"link"}));
    let mut socket = join(&ann, &id);
    let mut admin = admin_of(&host);
    assert!(admin.get("/admin").text().contains(&id));
    assert_eq!(admin.get("/api/admin/load").json()["games"][0]["id"], json!(id));

    let words = json!({"text":"Tea at <b>four</b>"});
    assert_eq!(admin.post("/api/admin/message", &words).status, 200);
    assert_eq!(socket.wait_for("notice"), words["text"]);
    let mut later = host.visitor().join_socket(&id);
    later.send(r#"{"watch":{}}"#);
    assert_eq!(later.wait_for("notice"), words["text"], "it was away when the words were sent");
    assert_eq!(admin.post(&format!("/api/admin/games/{id}/end"), &json!({})).status, 200);
    socket.wait_for("over");
}

#[test]
fn who_is_kicked_leaves_and_who_is_banned_stays_out() {
    let (host, ann, id) = TestHost::with_game(&plain_game());
    let mut bob = host.visitor();
    bob.get("/account");
    let person = bob.get("/api/me").json()["id"].clone();
    let mut watching = watch(&ann, &id);
    let _socket = join(&bob, &id);
    // Waits until the lobby knows that Bob has a seat.
    while bob.get(&format!("/api/games/{id}")).json()["seated"] != json!(true) {}
    let mut admin = admin_of(&host);
    let kick = admin.post(&format!("/api/admin/games/{id}/kick"), &json!({"player":person}));
    assert_eq!(kick.status, 200, "{kick:?}");
    while watching.wait_for("players")[0]["left"] != json!(true) {}

    assert_eq!(admin.post("/api/admin/ban", &json!({ "player": person })).status, 200);
    assert_eq!(bob.get("/").status, 403);
    let origin = bob.origin();
    assert_eq!(
        bob.open_socket(&format!("/g/{id}/ws"), Some(&origin)).err(),
        Some(WebSocketError::Rejected(403))
    );
    assert_eq!(admin.post("/api/admin/unban", &json!({ "player": person })).status, 200);
    assert_eq!(bob.get("/").status, 200);
}

#[test]
fn a_drained_host_begins_nothing_and_stops_after_its_last_game() {
    let (host, mut ann, id) = TestHost::with_game(&plain_game());
    let mut admin = admin_of(&host);
    assert_eq!(admin.post("/api/admin/drain", &json!({})).status, 200);
    let answer = ann.post("/api/games", &plain_game());
    assert_eq!(answer.status, 503);
    assert!(answer.json()["error"].as_str().unwrap().contains("stop"));
    assert_eq!(admin.post(&format!("/api/admin/games/{id}/end"), &json!({})).status, 200);
    host.wait_until_drained();
}

#[test]
fn metrics_are_counted() {
    let (_host, mut ann, id) = TestHost::with_game(&plain_game());
    let mut socket = join(&ann, &id);
    socket.send("{\"key\":\"l\"}\n{\"ping\":1}");
    socket.wait_for("pong");
    let metrics = ann.get("/metrics");
    for line in ["nuggets_keys_total 1", "nuggets_games 1", "nuggets_websockets 1"] {
        assert!(metrics.text().lines().any(|found| found == line), "{line}: {}", metrics.text());
    }
    assert_eq!((ann.get("/healthz").text(), ann.get("/livez").text()), ("ok\n", "ok\n"));
}
