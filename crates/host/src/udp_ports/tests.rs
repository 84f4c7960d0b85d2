//! Tests with real sockets: a web player and UDP clients in one game.

use std::net::Ipv4Addr;

use nuggets_server::NoStorage;
use nuggets_testkit::{UdpClient, free_port};
use tokio::sync::mpsc;

use super::*;
use crate::test_games::{attach, id, meta, setup};
use crate::{AttachRole, Attached, GameMeta, GameReport, ReportOf, Start, WorkerGame};

const LONG: Duration = Duration::from_secs(20);

/// A host with one game.
struct World {
    ports: UdpPorts,
    workers: Arc<Workers>,
    reports: mpsc::UnboundedReceiver<ReportOf>,
    game: GameId,
    port: u16,
}

impl World {
    fn new(start: Start) -> Self {
        let (sender, reports) = mpsc::unbounded_channel();
        let workers = Arc::new(Workers::start(1, sender));
        let ports = UdpPorts::new(Some(Ipv4Addr::LOCALHOST.into()), 2, Arc::default()).unwrap();
        let (meta, game) = (GameMeta { start, ..meta(1) }, id(1));
        let (port, udp) = std::iter::repeat_with(free_port)
            .find_map(|port| Some((port, ports.open(game, port, &workers).ok()?)))
            .unwrap();
        let (setup, storage) = (setup(), Box::new(NoStorage));
        workers.open_game(WorkerGame { meta, setup, journal: None, storage, udp: Some(udp) });
        Self { ports, workers, reports, game, port }
    }

    fn udp_client(&self) -> UdpClient {
        UdpClient::new(self.port)
    }

    async fn join(&self, connection: u64) -> Attached {
        let attach = attach(connection, connection, AttachRole::Play);
        let (direct, _) = mpsc::channel(4);
        self.workers.find(self.game).unwrap().attach(attach, direct).await.unwrap()
    }

    async fn wait_for(&mut self, wanted: impl Fn(&GameReport) -> bool) {
        let wait = async { while !wanted(&self.reports.recv().await.unwrap().report) {} };
        tokio::time::timeout(LONG, wait).await.expect("the game reports it");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn udp_clients_play_with_people_of_the_web() {
    let mut world = World::new(Start::AtOnce);
    let attached = world.join(7).await;
    assert_eq!(attached.hello.letter, Some('A'));
    let client = world.udp_client();
    client.send("PLAY Bob");
    assert_eq!(client.wait_for("OK"), "OK B");
    client.wait_for("DISPLAY");
    let mut reader = attached.stream.reader(world.workers.clock(), attached.audience, None);
    let seen = reader.read().expect("there is a picture");
    assert!(seen.contains(r#""name":"Bob""#), "the person of the web sees Bob: {seen}");
    client.send("KEY Q");
    assert_eq!(client.wait_for("QUIT"), "QUIT Thanks for playing!");
    world.wait_for(|report| matches!(report, GameReport::Left(_))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_before_the_start_are_answered_and_have_no_effect() {
    let world = World::new(Start::ByCreator);
    let client = world.udp_client();
    client.send("PLAY Bob");
    client.wait_for("DISPLAY");
    client.send("KEY h");
    assert_eq!(client.wait_for("ERROR"), "ERROR Notice: waiting for the host to start");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_is_gone_does_not_stop_the_others() {
    let world = World::new(Start::AtOnce);
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
    let world = World::new(Start::AtOnce);
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
