//! Tests of creating, joining, playing, watching and reconnecting.

use nuggets_testkit::WebSocketPeer;
use serde_json::{Value, json};

use crate::client::{TestHost, join, plain_game};

const DIRECTIONS: &str = "HJKLYUBN";

/// Presses sprint keys until the own picture changes, and returns the line that changed it.
fn move_somewhere(socket: &mut WebSocketPeer) -> Value {
    for key in DIRECTIONS.chars() {
        socket.send(&json!({ "key": key }).to_string());
    }
    socket.send(r#"{"ping":1}"#);
    socket.wait_for("set")
}

#[test]
fn a_game_is_created_joined_played_and_watched() {
    let (host, mut ann, id) = TestHost::with_game(&plain_game());
    let mut playing = ann.join_socket(&id);
    playing.send(r#"{"join":{}}"#);
    let hello = playing.wait_for("hello");
    assert_eq!((&hello["letter"], &hello["creator"]), (&json!("A"), &json!(true)));
    assert_eq!(hello.get("token"), None, "the cookie is enough");
    let whole = playing.wait_for("whole");
    assert_eq!(whole.as_array().unwrap().len() as u64, hello["rows"].as_u64().unwrap());

    let mut watching = host.visitor().join_socket(&id);
    watching.send(r#"{"watch":{"view":null}}"#);
    assert_eq!(watching.wait_for("hello")["letter"], json!(null));
    watching.wait_for("whole");
    move_somewhere(&mut playing);
    watching.wait_for("set");
    watching.send(r#"{"key":"l"}"#);
    assert!(watching.wait_for("error").as_str().unwrap().contains("watching"));

    let row = ann.get(&format!("/api/games/{id}")).json();
    assert_eq!((&row["stage"], &row["seated"]), (&json!("playing"), &json!(true)));
    let listed = host.visitor().get("/api/games").json();
    assert_eq!(listed[0]["id"], json!(id));
}

#[test]
fn who_comes_back_is_the_same_player_and_is_sent_what_it_missed() {
    let (_host, ann, id) = TestHost::with_game(&plain_game());
    let mut first = ann.join_socket(&id);
    first.send(r#"{"join":{}}"#);
    let stream = first.wait_for("hello")["stream"].clone();
    let seq = first.wait_for("seq");
    drop(first);

    let mut second = ann.join_socket(&id);
    second.send(&json!({"join":{"since":{"stream":stream,"seq":seq}}}).to_string());
    let hello = second.wait_for("hello");
    assert_eq!((&hello["letter"], &hello["stream"]), (&json!("A"), &stream));
    second.send(r#"{"ping":5}"#);
    let next = second.next_line().unwrap();
    assert_eq!(next.get("whole"), None, "nothing was missed: {next}");
    move_somewhere(&mut second);
}

#[test]
fn a_program_without_a_cookie_joins_by_name_and_comes_back_by_token() {
    let host = TestHost::start();
    let id = host.visitor().create_game(&plain_game());
    let program = host.visitor();
    let mut first = program.open_socket(&format!("/g/{id}/ws"), None).unwrap();
    first.send(r#"{"join":{"name":"Monty"}}"#);
    let hello = first.wait_for("hello");
    assert_eq!((&hello["letter"], &hello["name"]), (&json!("A"), &json!("Monty")));
    let token = hello["token"].as_str().unwrap().to_owned();
    drop(first);

    let mut again = program.open_socket(&format!("/g/{id}/ws"), None).unwrap();
    again.send(&json!({"join":{"token":token}}).to_string());
    assert_eq!(again.wait_for("hello")["letter"], json!("A"));
    let mut other = program.open_socket(&format!("/g/{id}/ws"), None).unwrap();
    other.send(&json!({"join":{"token":"0".repeat(64)}}).to_string());
    let (code, lines) = other.read_to_end();
    assert_eq!(code, Some(1008));
    assert!(lines[0]["error"].as_str().unwrap().contains("token"), "{lines:?}");
}

#[test]
fn a_game_waits_for_its_creator() {
    let (host, ann, id) =
        TestHost::with_game(&json!({"map":{"built_in":"main"},"start":"by_creator"}));
    let mut creator = ann.join_socket(&id);
    creator.send(r#"{"join":{}}"#);
    assert_eq!(creator.wait_for("stage"), json!({"waiting":{"missing":null}}));
    creator.send(r#"{"key":"l"}"#);
    creator.wait_for("error");

    let mut other = host.visitor().join_socket(&id);
    other.send(r#"{"join":{"name":"Bob"}}"#);
    other.wait_for("whole");
    other.send(r#""start""#);
    assert!(other.wait_for("error").as_str().unwrap().contains("created"));
    creator.send(r#""start""#);
    while creator.wait_for("stage") != json!("playing") {}
    while other.wait_for("stage") != json!("playing") {}
}

#[test]
fn a_game_that_its_creator_ends_has_a_table_a_replay_and_a_next_game() {
    let (host, mut ann, id) = TestHost::with_game(&plain_game());
    let mut socket = join(&ann, &id);
    move_somewhere(&mut socket);
    socket.send(r#""end""#);
    assert_eq!(socket.wait_for("over").as_array().unwrap().len(), 1);
    // The lobby gets the report of the end after the players.
    let next = loop {
        let answer = ann.post(&format!("/api/games/{id}/again"), &json!({}));
        if answer.status != 409 {
            break answer;
        }
    };
    assert_eq!(next.status, 200, "{next:?}");
    assert_eq!(socket.wait_for("next"), next.json()["id"]);

    // The results are stored slightly later, when the journal is complete.
    let replay = loop {
        let answer = ann.get(&format!("/api/games/{id}/replay"));
        if answer.status != 404 {
            break answer;
        }
        std::thread::yield_now();
    };
    assert_eq!(replay.status, 200, "{replay:?}");
    let recording = ann.get(&format!("/g/{id}/recording"));
    assert_eq!(recording.status, 200);
    assert!(recording.header("content-disposition").unwrap().contains(&id));
    assert_eq!(host.visitor().post(&format!("/api/games/{id}/again"), &json!({})).status, 403);
}
