//! Tests of the limits on bodies, frames, connections, requests and passwords.

use std::io::{Read, Write};
use std::net::TcpStream;

use nuggets_testkit::WebSocketError;
use serde_json::json;

use crate::client::{TestHost, join, plain_game, watch};

#[test]
fn large_bodies_are_rejected() {
    let host = TestHost::start();
    let mut ann = host.visitor();
    let large = "x".repeat(8 * 1024);
    assert_eq!(ann.post("/api/me/name", &json!({ "name": large })).status, 413);
    let map = ".".repeat(1 << 20);
    assert_eq!(ann.post("/api/maps/check", &json!({ "text": map })).status, 413);
    let largest = "....\n".repeat(nuggets_host::setup::MAX_MAP_BYTES / 5);
    assert_eq!(ann.post("/api/maps/check", &json!({ "text": largest })).status, 200);
}

#[test]
fn wrong_json_is_answered_in_words() {
    let host = TestHost::start();
    let mut ann = host.visitor();
    let answer = ann.post("/api/games", &json!({"map":{"built_in":"main"},"colour":"red"}));
    assert_eq!(answer.status, 400);
    assert!(answer.json()["error"].as_str().unwrap().contains("colour"));
    let answer = ann.post("/api/games", &json!({"map":{"own":"+-+\n|x|\n+-+\n"}}));
    assert_eq!((answer.status, &answer.json()["field"]), (422, &json!("map")));
    let complaints = answer.json()["complaints"].as_array().unwrap().clone();
    assert!(complaints.iter().any(|complaint| complaint["line"] == json!(2)), "{complaints:?}");
}

#[test]
fn large_and_senseless_messages_end_a_connection() {
    let host = TestHost::start();
    let id = host.visitor().create_game(&plain_game());
    let mut socket = host.visitor().join_socket(&id);
    let _ = socket.try_send(&"x".repeat(5000));
    socket.read_to_end();

    let mut socket = host.visitor().join_socket(&id);
    for _ in 0..30 {
        let _ = socket.try_send("{no json");
    }
    let (code, lines) = socket.read_to_end();
    assert_eq!(code, Some(1008));
    assert!((15..=22).contains(&lines.len()), "each is answered: {}", lines.len());
}

#[test]
fn keys_that_come_too_fast_are_dropped_with_an_error() {
    let (_host, ann, id) = TestHost::with_game(&plain_game());
    let mut socket = join(&ann, &id);
    let burst = vec![r#"{"key":"l"}"#; 250].join("\n");
    socket.send(&burst);
    let error = socket.wait_for("error");
    assert!(error.as_str().unwrap().contains("too fast"), "{error}");
}

#[test]
fn each_source_has_so_many_connections() {
    let host = TestHost::start_with(|options| {
        options.max_connections_per_source = 3;
        options.trust_proxy = true;
    });
    let id = host.visitor().create_game(&plain_game());
    let open: Vec<_> = (0..3).map(|_| host.visitor().join_socket(&id)).collect();
    assert_eq!(
        host.visitor().open_socket(&format!("/g/{id}/ws"), None).err(),
        Some(WebSocketError::Rejected(429))
    );
    assert_eq!(host.visitor().get("/").status, 200, "pages still work");
    drop(open);
}

#[test]
fn so_many_people_watch() {
    let host = TestHost::start_with(|options| options.max_watchers = 1);
    let id = host.visitor().create_game(&plain_game());
    let _first = watch(&host.visitor(), &id);
    let mut second = host.visitor().join_socket(&id);
    second.send(r#"{"watch":{}}"#);
    assert_eq!(second.read_to_end().0, Some(1013));
    let _player = join(&host.visitor(), &id);
}

#[test]
fn passwords_can_be_tried_a_few_times_only() {
    let host = TestHost::start();
    let mut eve = host.visitor();
    let guess = json!({"name":"Ann","password":"wrong password"});
    assert_eq!(eve.post("/api/login", &guess).status, 403);
    let guess = json!({"token":"wrong"});
    let tries = |_| eve.post("/api/admin/login", &guess).status;
    let answers: Vec<u16> = (0..100).map(tries).collect();
    assert_eq!(answers[..59], [401; 59]);
    assert!(answers.contains(&429), "{answers:?}");
}

#[test]
fn a_head_without_an_end_is_rejected() {
    let host = TestHost::start();
    let mut stream = TcpStream::connect(host.address()).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n").unwrap();
    let many = "x-filler: 0123456789012345678901234567890123456789\r\n".repeat(2000);
    let _ = stream.write_all(many.as_bytes());
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
}
