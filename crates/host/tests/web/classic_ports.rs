//! Tests of `--udp`: clients of the specification in the games of browsers.

use std::time::Duration;

use nuggets_testkit::{UdpClient, free_ports};
use serde_json::json;

use crate::client::{TestHost, join, plain_game};

#[test]
fn a_browser_and_a_udp_client_play_one_game_and_see_each_other() {
    let ports = free_ports(2);
    let mut host = TestHost::start_with(|options| options.udp = Some(ports.clone()));
    let mut ann = host.visitor();
    let spec = json!({ "map": { "own": "+------+\n|......|\n+------+\n" }, "rules": { "gold": 3, "min_piles": 1, "max_piles": 1, "players": 2 } });
    let id = ann.create_game(&spec);
    let port = ann.get(&format!("/api/games/{id}")).json()["udp_port"].as_u64().unwrap();
    assert!(ports.contains(&u16::try_from(port).unwrap()));
    let line = format!("player 127.0.0.1 {port} NAME");
    assert!(ann.get(&format!("/g/{id}")).text().contains(&line));
    assert!(ann.get(&format!("/g/{id}/show")).text().contains(&line));

    let mut browser = join(&ann, &id);
    let bob = UdpClient::new(u16::try_from(port).unwrap());
    bob.send("PLAY Bob");
    assert_eq!(bob.wait_for("OK"), "OK B");
    bob.find(|text| text.starts_with("DISPLAY") && text.contains('A'));
    let joined = browser.next_line().unwrap();
    assert_eq!(joined["players"][1]["name"], json!("Bob"), "{joined}");
    assert!(joined["set"].to_string().contains('B'), "{joined}");

    // After a restart the game has the same port, and recognizes Bob by his address.
    host.stop();
    host.start_again(|options| options.udp = Some(ports.clone()));
    let row = host.visitor().get(&format!("/api/games/{id}")).json();
    assert_eq!(row["udp_port"], json!(port));
    bob.send("PLAY Bob");
    assert_eq!(bob.wait_for("OK"), "OK B");
    for key in ["KEY H", "KEY L"] {
        bob.send(key);
    }
    let over = bob.wait_for("QUIT");
    assert!(
        over.starts_with("QUIT GAME OVER:\nA ") && over.ends_with("B          3 Bob"),
        "{over}"
    );
}

#[test]
fn a_game_without_a_free_port_says_so_and_ports_come_back() {
    let ports = free_ports(2);
    let host = TestHost::start_with(|options| options.udp = Some(ports.clone()));
    let mut ann = host.visitor();
    let games: Vec<String> = (0..3).map(|_| ann.create_game(&plain_game())).collect();
    let mut port = |id: &str| ann.get(&format!("/api/games/{id}")).json()["udp_port"].clone();
    assert_eq!(port(&games[0]), json!(ports.start()));
    assert_eq!(port(&games[1]), json!(ports.end()));
    assert_eq!(port(&games[2]), json!(null));
    let page = ann.get(&format!("/g/{}", games[2]));
    assert!(page.text().contains("no UDP port of this host is free"));

    let mut creator = join(&ann, &games[0]);
    creator.send(r#""end""#);
    creator.wait_for("over");
    // The finished game resends its final message for some seconds.
    while ann.get("/api/games").text().contains(&games[0]) {
        std::thread::sleep(Duration::from_millis(100));
    }
    // It may take the system a moment to free the port.
    loop {
        let next = ann.create_game(&plain_game());
        let port = ann.get(&format!("/api/games/{next}")).json()["udp_port"].clone();
        if port == json!(ports.start()) {
            break;
        }
        assert_eq!(port, json!(null));
        std::thread::sleep(Duration::from_secs(1));
    }
}
