//! `--udp`: clients of the specification in the games of browsers.

use std::net::{Ipv4Addr, UdpSocket};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::client::{TestHost, create, plain_game};

/// Two ports that are free at the moment, one after the other. They lie below the range from which systems choose ports for
/// sockets that name none, so that no other socket takes one while the host restarts.
fn two_free_ports() -> RangeInclusive<u16> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let offset =
            std::process::id().wrapping_mul(64).wrapping_add(NEXT.fetch_add(2, Ordering::Relaxed));
        let port = 10_000 + u16::try_from(offset % 20_000).unwrap();
        let is_free = |port| UdpSocket::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
        if is_free(port) && is_free(port + 1) {
            return port..=port + 1;
        }
    }
}

fn client(port: u64) -> UdpSocket {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    socket.connect((Ipv4Addr::LOCALHOST, u16::try_from(port).unwrap())).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    socket
}

/// The next message that satisfies this.
fn wait_for(client: &UdpSocket, wanted: impl Fn(&str) -> bool) -> String {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let length = client.recv(&mut buffer).expect("a message comes");
        let text = String::from_utf8_lossy(&buffer[..length]).into_owned();
        if wanted(&text) {
            return text;
        }
    }
}

#[test]
fn a_browser_and_a_udp_client_play_one_game_and_see_each_other() {
    let ports = two_free_ports();
    let mut host = TestHost::start_with(|options| options.udp = Some(ports.clone()));
    let mut ann = host.browser();
    let spec = json!({ "map": { "own": "+------+\n|......|\n+------+\n" }, "rules": { "gold": 3, "min_piles": 1, "max_piles": 1, "players": 2 } });
    let id = create(&mut ann, &spec);
    let port = ann.get(&format!("/api/games/{id}")).json()["udp_port"].as_u64().unwrap();
    assert!(ports.contains(&u16::try_from(port).unwrap()));
    let line = format!("player 127.0.0.1 {port} NAME");
    assert!(ann.get(&format!("/g/{id}")).text().contains(&line));
    assert!(ann.get(&format!("/g/{id}/show")).text().contains(&line));

    let mut browser = ann.connect(&id);
    browser.say(r#"{"join":{}}"#);
    browser.wait_for("whole");
    let bob = client(port);
    bob.send(b"PLAY Bob").unwrap();
    assert_eq!(wait_for(&bob, |text| text.starts_with("OK")), "OK B");
    wait_for(&bob, |text| text.starts_with("DISPLAY") && text.contains('A'));
    let joined = browser.next().unwrap();
    assert_eq!(joined["players"][1]["name"], json!("Bob"), "{joined}");
    assert!(joined["set"].to_string().contains('B'), "{joined}");

    // The same port after a restart, and Bob is the same player by his address.
    host.stop();
    host.start_again(|options| options.udp = Some(ports.clone()));
    let row = host.browser().get(&format!("/api/games/{id}")).json();
    assert_eq!(row["udp_port"], json!(port));
    bob.send(b"PLAY Bob").unwrap();
    assert_eq!(wait_for(&bob, |text| text.starts_with("OK")), "OK B");
    for key in ["KEY H", "KEY L"] {
        bob.send(key.as_bytes()).unwrap();
    }
    let over = wait_for(&bob, |text| text.starts_with("QUIT"));
    assert!(
        over.starts_with("QUIT GAME OVER:\nA ") && over.ends_with("B          3 Bob"),
        "{over}"
    );
}

#[test]
fn a_game_without_a_free_port_says_so_and_ports_come_back() {
    let ports = two_free_ports();
    let host = TestHost::start_with(|options| options.udp = Some(ports.clone()));
    let mut ann = host.browser();
    let games: Vec<String> = (0..3).map(|_| create(&mut ann, &plain_game())).collect();
    let mut port = |id: &str| ann.get(&format!("/api/games/{id}")).json()["udp_port"].clone();
    assert_eq!(port(&games[0]), json!(ports.start()));
    assert_eq!(port(&games[1]), json!(ports.end()));
    assert_eq!(port(&games[2]), json!(null));
    let page = ann.get(&format!("/g/{}", games[2]));
    assert!(page.text().contains("no UDP port of this host is free"));

    let mut creator = ann.connect(&games[0]);
    creator.say(r#"{"join":{}}"#);
    creator.wait_for("whole");
    creator.say(r#""end""#);
    creator.wait_for("over");
    // It sends its end for some seconds.
    while ann.get("/api/games").text().contains(&games[0]) {
        std::thread::sleep(Duration::from_millis(100));
    }
    // The system may need a moment until the port is free.
    loop {
        let next = create(&mut ann, &plain_game());
        let port = ann.get(&format!("/api/games/{next}")).json()["udp_port"].clone();
        if port == json!(ports.start()) {
            break;
        }
        assert_eq!(port, json!(null));
        std::thread::sleep(Duration::from_secs(1));
    }
}
