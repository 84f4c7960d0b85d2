//! The link against a WebSocket server run by the test.

use std::net::TcpListener;

use nuggets_testkit::{SocketRead, WebSocketPeer};

use super::*;

const LONG: Duration = Duration::from_secs(20);
const HELLO: &str = r#"{"hello":{"game":"abc","letter":"A","view":"A","name":"Ann","rows":1,"cols":3,"stream":"s1","token":"t1"}}"#;
const WHOLE: &str = r#"{"seq":1,"whole":["@.*"],"gold":[0,0,250],"stage":"playing"}"#;

fn listen() -> (TcpListener, GameUrl) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, format!("http://{address}/g/abc").parse().unwrap())
}

fn accept(listener: &TcpListener) -> WebSocketPeer {
    let (stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    WebSocketPeer::accept(stream)
}

/// Answers the handshake of a client with this status.
fn refuse(listener: &TcpListener, status: &str) {
    let (mut stream, _) = listener.accept().unwrap();
    let _ = stream.read(&mut [0; 4096]).unwrap();
    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
    stream.write_all(answer.as_bytes()).unwrap();
}

/// The next line of the client.
fn line(socket: &mut WebSocketPeer) -> String {
    match socket.read() {
        SocketRead::Text(text) => text.as_str().to_owned(),
        SocketRead::Closed(_) => "closed".to_owned(),
        SocketRead::Nothing => panic!("the client sends nothing"),
    }
}

fn message(link: &mut WebLink) -> String {
    let bytes = link.receive(LONG).expect("no error").expect("a message comes");
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A client that has joined, and the server's end.
fn joined() -> (WebLink, TcpListener, WebSocketPeer) {
    let (listener, url) = listen();
    let mut link = WebLink::open(url).unwrap();
    link.send(b"PLAY Ann").unwrap();
    let mut server = accept(&listener);
    assert!(line(&mut server).starts_with(r#"{"join""#));
    server.send(&format!("{HELLO}\n{WHOLE}"));
    for expected in ["OK A", "GRID 1 3", "GOLD 0 0 250", "DISPLAY\n@.*\n"] {
        assert_eq!(message(&mut link), expected);
    }
    (link, listener, server)
}

#[test]
fn keys_go_out_and_pictures_come_in() {
    let (mut link, _listener, mut server) = joined();
    link.send(b"KEY l").unwrap();
    assert_eq!(line(&mut server), r#"{"key":"l"}"#);
    server.send(r#"{"seq":2,"set":[[0,".@"]]}"#);
    assert_eq!(message(&mut link), "DISPLAY\n.@*\n");
}

#[test]
fn a_burst_of_keys_arrives_in_order_and_not_too_fast() {
    const KEYS: usize = 70;
    let (link, _listener, mut server) = joined();
    let clock = Clock::start();
    (0..KEYS)
        .for_each(|number| link.send(if number % 2 == 0 { b"KEY h" } else { b"KEY l" }).unwrap());
    for number in 0..KEYS {
        let key = if number % 2 == 0 { r#"{"key":"h"}"# } else { r#"{"key":"l"}"# };
        assert_eq!(line(&mut server), key);
    }
    let least_ms = (KEYS as u64 - MAX_LINE_BURST - 2) * LINE_PERIOD_MS;
    assert!(clock.now() >= Timestamp(least_ms), "{:?}", clock.now());
}

#[test]
fn the_last_key_is_sent_before_a_dropped_link_closes() {
    let (link, _listener, mut server) = joined();
    link.send(b"KEY Q").unwrap();
    drop(link);
    assert_eq!(line(&mut server), r#"{"key":"Q"}"#);
    assert_eq!(line(&mut server), "closed");
}

#[test]
fn a_broken_connection_comes_back_with_the_token() {
    let (mut link, listener, server) = joined();
    drop(server);
    let error = link.receive(LONG).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused, "as a silent server");
    assert!(link.send(b"KEY l").is_err(), "the key is dropped");
    let mut server = accept(&listener);
    let join = line(&mut server);
    let who =
        r#"{"join":{"name":"Ann","token":"t1","since":{"stream":"s1","seq":1},"client":{"id":"#;
    assert!(join.starts_with(who) && join.ends_with(r#","attempt":2}}}"#), "{join}");
    server.send(&format!("{HELLO}\n{{\"seq\":2,\"set\":[[2,\".\"]]}}"));
    for expected in ["OK A", "GRID 1 3", "DISPLAY\n@..\n"] {
        assert_eq!(message(&mut link), expected);
    }
    link.send(b"KEY h").unwrap();
    assert_eq!(line(&mut server), r#"{"key":"h"}"#);
}

#[test]
fn a_player_asks_a_silent_host_for_a_sign_of_life_and_then_comes_back() {
    let (mut link, listener, mut server) = joined();
    let clock = Clock::start();
    assert!(line(&mut server).starts_with(r#"{"ping":"#));
    assert!(clock.now() >= Timestamp(PLAYING.ping_after_ms / 2));
    assert_eq!(link.receive(LONG).unwrap_err().kind(), ErrorKind::ConnectionRefused);
    assert!(line(&mut accept(&listener)).starts_with(r#"{"join""#));
}

#[test]
fn a_host_that_moves_the_game_is_asked_again() {
    let (listener, url) = listen();
    let mut link = WebLink::open(url).unwrap();
    link.send(b"PLAY Ann").unwrap();
    refuse(&listener, "503 Service Unavailable");
    let mut server = accept(&listener);
    line(&mut server);
    server.close(1013);
    let mut server = accept(&listener);
    assert!(line(&mut server).starts_with(r#"{"join""#));
    server.send(&format!("{HELLO}\n{WHOLE}"));
    assert_eq!(message(&mut link), "OK A");
}

#[test]
fn a_rejection_ends_the_session_with_its_reason() {
    let (listener, url) = listen();
    let mut link = WebLink::open(url).unwrap();
    link.send(b"PLAY Ann").unwrap();
    let mut server = accept(&listener);
    line(&mut server);
    server.send(r#"{"error":"The game is full."}"#);
    server.close(1008);
    assert_eq!(message(&mut link), "ERROR The game is full.");
    assert_eq!(message(&mut link), "QUIT The game is full.");
}

#[test]
fn a_closed_port_and_a_missing_game_are_told_apart_also_after_another_message() {
    let (listener, url) = listen();
    drop(listener);
    let mut link = WebLink::open(url).unwrap();
    assert_eq!(link.receive(LONG).unwrap_err().kind(), ErrorKind::ConnectionRefused);

    let (listener, url) = listen();
    let mut link = WebLink::open(url.clone()).unwrap();
    refuse(&listener, "404 Not Found");
    let ended = link.ended.recv_timeout(LONG);
    assert_eq!(ended, Err(RecvTimeoutError::Disconnected), "the thread ends");
    link.send(b"PLAY Ann").expect("an error would hide the reason");
    let error = link.receive(LONG).unwrap_err();
    assert_eq!(error.to_string(), format!("there is no game at {url}: check the link"));
}

#[test]
fn a_listener_ends_when_the_link_is_dropped() {
    let (link, _listener, mut server) = joined();
    let listener = link.listener();
    let passed = thread::spawn(move || {
        let mut passed = Vec::new();
        listener(&mut |received| {
            passed.extend(received);
            true
        });
        passed
    });
    server.send(r#"{"seq":2,"notice":"hello","stage":{"waiting":{"missing":null}}}"#);
    while !link.is_waiting() {
        thread::yield_now();
    }
    drop(link);
    let passed = passed.join().unwrap();
    assert!(passed.contains(&b"ERROR Notice: hello".to_vec()), "{passed:?}");
}
