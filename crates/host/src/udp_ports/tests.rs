//! Tests of ports with real sockets.

use std::net::Ipv4Addr;

use nuggets_server::NoStorage;
use nuggets_testkit::{UdpClient, free_port};
use tokio::sync::mpsc;

use super::*;
use crate::OpenGame;
use crate::test_games::{id, meta, setup};

const LONG: Duration = Duration::from_secs(20);

/// A host with one game.
struct World {
    ports: UdpPorts,
    workers: Arc<Workers>,
    game: GameId,
    port: u16,
}

impl World {
    fn new() -> Self {
        let (sender, _) = mpsc::unbounded_channel();
        let workers = Arc::new(Workers::start(1, sender));
        let ports = UdpPorts::new(Some(Ipv4Addr::LOCALHOST.into()), 2, Arc::default()).unwrap();
        let game = id(1);
        let (port, udp) = std::iter::repeat_with(free_port)
            .find_map(|port| Some((port, ports.open(game, port, &workers).ok()?)))
            .unwrap();
        workers.open_game(OpenGame::new(meta(1), setup(), Box::new(NoStorage)), Some(udp));
        Self { ports, workers, game, port }
    }

    fn udp_client(&self) -> UdpClient {
        UdpClient::new(self.port)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_is_gone_does_not_stop_the_others() {
    let world = World::new();
    let gone = world.udp_client();
    gone.send("PLAY Gone");
    gone.wait_for("DISPLAY");
    drop(gone);
    let client = world.udp_client();
    // Its pictures go to the closed port, too, and come back.
    client.send("PLAY Bob");
    client.wait_for("DISPLAY");
    for key in "hljkHLJK".chars().cycle().take(40) {
        client.send(format!("KEY {key}"));
    }
    client.send("KEY Q");
    assert_eq!(client.wait_for("QUIT"), "QUIT Thanks for playing!");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_port_can_be_opened_for_another_game() {
    let world = World::new();
    let other = id(2);
    assert!(world.ports.open(other, world.port, &world.workers).is_err(), "it is in use");
    world.ports.close(world.game);
    let opens = async {
        while world.ports.open(other, world.port, &world.workers).is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LONG, opens).await.expect("the port is free");
}
