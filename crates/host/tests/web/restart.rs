//! Tests of a restart: the host resumes all games.

use std::fs;

use serde_json::json;

use crate::client::{TestHost, join, plain_game};

#[test]
fn a_restarted_host_continues_with_the_same_seats_and_links() {
    let mut host = TestHost::start();
    let mut ann = host.visitor();
    let id = ann.create_game(&json!({"map":{"built_in":"main"},"visibility":"link"}));
    let mut socket = ann.join_socket(&id);
    socket.send(r#"{"join":{}}"#);
    let stream = socket.wait_for("hello")["stream"].clone();
    let before = socket.wait_for("whole");
    host.stop();
    let (code, lines) = socket.read_to_end();
    assert_eq!(code, Some(1012), "the page comes back by itself");
    let notice = lines.last().and_then(|line| line["notice"].as_str()).unwrap_or_default();
    assert!(notice.contains("you come back"), "a notice is the last line: {lines:?}");

    host.start_again(|_| {});
    ann.address = host.address();
    let mut socket = ann.join_socket(&id);
    socket.send(&json!({"join":{"since":{"stream":stream,"seq":1}}}).to_string());
    let hello = socket.wait_for("hello");
    assert_eq!(hello["letter"], json!("A"));
    assert_ne!(hello["stream"], stream);
    assert_eq!(socket.wait_for("whole"), before);
    assert_eq!(ann.get(&format!("/api/games/{id}")).json()["seated"], json!(true));
}

#[test]
fn a_damaged_journal_is_skipped_and_the_others_continue() {
    let mut host = TestHost::start();
    let mut ann = host.visitor();
    let good = ann.create_game(&plain_game());
    let bad = ann.create_game(&plain_game());
    // Both are open when a player is in them.
    for id in [&good, &bad] {
        join(&ann, id);
    }
    host.stop();
    let journal = host.folder.path().join("games").join(format!("{bad}.journal"));
    fs::write(journal, "no journal").unwrap();
    host.start_again(|_| {});
    ann.address = host.address();
    let rows = ann.get("/api/games").json();
    let ids: Vec<&str> =
        rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [good.as_str()]);
    assert_eq!(ann.get(&format!("/g/{bad}")).status, 404);
}
