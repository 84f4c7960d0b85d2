//! Security tests: response headers, cookies, requests of other sites, keys for other players, games by link.

use nuggets_testkit::WebSocketError;
use serde_json::json;

use crate::client::{TestHost, plain_game};

#[test]
fn every_response_has_the_headers() {
    let (_host, mut ann, id) = TestHost::with_game(&plain_game());
    let paths = ["/", "/new", "/wall", "/players", "/account", "/admin", "/healthz", "/metrics"];
    let more = ["/static/style.css", "/static/none", "/none", "/api/games", "/api/none"];
    let game = [format!("/g/{id}"), format!("/g/{id}/show"), "/g/abcdefghjkmn".to_owned()];
    for path in paths.into_iter().chain(more).chain(game.iter().map(String::as_str)) {
        let answer = ann.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{path}");
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"), "{path}");
        assert!(answer.header("cache-control").is_some(), "{path}");
    }
}

#[test]
fn the_session_cookie_is_out_of_reach_of_scripts_and_other_sites() {
    let host = TestHost::start();
    let answer = host.visitor().get("/account");
    let cookie = answer.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=31536000"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Secure"), "{cookie}");

    let behind = TestHost::start_with(|options| options.trust_proxy = true);
    let headers = [("x-forwarded-proto", "https")];
    let answer = behind.visitor().send("GET", "/account", &headers, b"");
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.contains("; Secure") && cookie.starts_with("__Host-"), "{cookie}");
}

#[test]
fn other_sites_can_neither_post_nor_connect() {
    let (_host, mut ann, id) = TestHost::with_game(&plain_game());
    let body = plain_game().to_string();
    let origin = ann.origin();
    let json_type = ("content-type", "application/json");
    for headers in [
        vec![json_type],
        vec![json_type, ("origin", "http://evil.example")],
        vec![json_type, ("origin", "null")],
        vec![json_type, ("sec-fetch-site", "cross-site")],
    ] {
        let answer = ann.send("POST", "/api/games", &headers, body.as_bytes());
        assert_eq!(answer.status, 403, "{headers:?}");
        assert!(answer.json()["error"].as_str().unwrap().contains("Origin"));
    }
    let form = [("origin", origin.as_str()), ("content-type", "text/plain")];
    assert_eq!(ann.send("POST", "/api/games", &form, body.as_bytes()).status, 415);
    assert_eq!(
        ann.open_socket(&format!("/g/{id}/ws"), Some("http://evil.example")).err(),
        Some(WebSocketError::Rejected(403))
    );
    assert_eq!(ann.get("/api/games").json().as_array().unwrap().len(), 1);
}

#[test]
fn a_cookie_counts_only_on_pages_of_this_host() {
    let (_host, ann, id) = TestHost::with_game(&plain_game());
    let mut socket = ann.open_socket(&format!("/g/{id}/ws"), None).unwrap();
    socket.send(r#"{"join":{"name":"Program"}}"#);
    let hello = socket.wait_for("hello");
    assert_eq!((&hello["name"], hello.get("creator")), (&json!("Program"), None));
}

#[test]
fn a_game_by_link_is_found_only_by_its_link_and_its_people() {
    let (host, mut ann, id) =
        TestHost::with_game(&json!({"map":{"built_in":"main"},"visibility":"link"}));
    let mut bob = host.visitor();
    for path in ["/", "/api/games", "/wall", "/players", "/metrics", "/api/players"] {
        let answer = bob.get(path);
        assert!(!answer.text().contains(&id), "{path}");
    }
    assert!(ann.get("/").text().contains(&id), "its creator finds it");
    assert_eq!(bob.get(&format!("/g/{id}")).status, 200);
    assert_eq!(bob.get(&format!("/api/games/{id}")).status, 200);
    // Another id of the right form.
    assert_eq!(bob.get("/g/abcdefghjkmn").status, 404);
    assert_eq!(bob.get("/api/games/abcdefghjkmn").status, 404);
    assert_eq!(
        bob.open_socket("/g/abcdefghjkmn/ws", None).err(),
        Some(WebSocketError::Rejected(404))
    );
}

#[test]
fn a_running_game_has_no_replay() {
    let (_host, mut ann, id) = TestHost::with_game(&plain_game());
    assert_eq!(ann.get(&format!("/api/games/{id}/replay")).status, 404);
    assert_eq!(ann.get(&format!("/g/{id}/recording")).status, 404);
}
