//! Clients of the specification in a game of the host.

use super::*;
use crate::store::name_key;

fn address(port: u16) -> SocketAddr {
    SocketAddr::from(([203, 0, 113, 5], port))
}

impl World {
    /// Handles this datagram and returns the port and the first line of each datagram sent in response.
    fn hear(&mut self, port: u16, message: &str) -> Vec<(u16, String)> {
        self.handle(GameCommand::Datagram(address(port), message.as_bytes().into()));
        self.datagrams()
    }

    fn datagrams(&mut self) -> Vec<(u16, String)> {
        let sent = std::iter::from_fn(|| self.game.poll_datagram());
        let line = |(to, bytes): (SocketAddr, Vec<u8>)| {
            let text = String::from_utf8(bytes).unwrap();
            (to.port(), text.lines().next().unwrap_or_default().to_owned())
        };
        sent.map(line).collect()
    }
}

fn sent(port: u16, lines: &[&str]) -> Vec<(u16, String)> {
    lines.iter().map(|line| (port, (*line).to_owned())).collect()
}

#[test]
fn a_classic_client_plays_with_people_in_browsers() {
    let mut world = World::new(meta());
    let mut ann = world.play(1, 1);
    let welcome = world.hear(4000, "PLAY Zed");
    assert_eq!(welcome, sent(4000, &["OK B", "GRID 21 79", "GOLD 0 0 250", "DISPLAY"]));
    ann.read(world.now);
    assert_eq!(ann.shown.facts().players.as_ref().map(Vec::len), Some(2));
    let mut eyes = world.watch(3, Some('B'));
    eyes.read(world.now);
    assert_eq!(world.hear(4000, "KEY L"), sent(4000, &["DISPLAY"]));
    assert_eq!(eyes.rows(world.now), world.picture(Some('B')));
    world.wait(5000);
    assert!(!world.datagrams().is_empty(), "datagrams may be lost, so they are resent");
    assert_eq!(world.hear(4001, "KEY L"), sent(4001, &["ERROR You have not joined this game."]));
    assert_eq!(world.game.recipients.identities.find(Identity::Udp(address(4001))), None);
}

#[test]
fn a_classic_client_waits_for_the_start_like_everybody() {
    let mut world = World::new(GameMeta { start: Start::WithPlayers(2), ..meta() });
    world.hear(4000, "PLAY Zed");
    assert_eq!(
        world.hear(4000, "KEY l"),
        sent(4000, &["ERROR Notice: waiting for players: 1 of 2"])
    );
    world.hear(4001, "PLAY Yan");
    assert!(world.reports.contains(&GameReport::Started), "they count as people");
    assert!(world.hear(4000, "KEY Q").contains(&(4000, "QUIT Thanks for playing!".to_owned())));
    assert_eq!(world.left(), ["A"]);
}

#[test]
fn a_classic_client_has_its_seat_after_a_restart() {
    let mut world = World::new(meta());
    world.hear(4000, "PLAY Zed");
    let mut again = World::open(meta(), setup(), Some(world.journal()));
    assert_eq!(again.datagrams().first(), Some(&(4000, "OK A".to_owned())), "its welcome again");
    let again = again.hear(4000, "PLAY Zed");
    assert_eq!(again.first(), Some(&(4000, "OK A".to_owned())));
}

#[test]
fn the_end_is_resent_to_classic_clients_before_the_journal_is_closed() {
    let mut world = World::new(meta());
    world.hear(4000, "PLAY Zed");
    world.handle(GameCommand::End);
    assert_eq!(world.datagrams(), sent(4000, &["QUIT GAME OVER:"]));
    assert!(world.game.host.storage().is_some());
    world.wait(5000);
    assert!(world.game.host.storage().is_none());
    assert_eq!(world.reports.last(), Some(&GameReport::Over));
}

#[test]
fn a_game_that_was_killed_before_its_end_was_delivered_sends_it_again() {
    let meta = GameMeta { bots: bots(3), ..meta() };
    let mut world = World::new(meta.clone());
    world.hear(4000, "PLAY Zed");
    while world.game.over_at.is_none() {
        world.wait(100);
    }
    assert!(!world.reports.contains(&GameReport::Over));
    let mut again = World::open(meta, setup(), Some(world.journal()));
    let mut wall = again.watch(1, None);
    again.wait(0);
    wall.read(again.now);
    assert_eq!(wall.shown.facts().stage, Some(crate::wire::Stage::Over));
    assert_eq!(wall.shown.facts().over.as_ref().map(Vec::len), Some(4));
    assert!(again.datagrams().contains(&(4000, "QUIT GAME OVER:".to_owned())));
    again.wait(5000);
    assert_eq!(again.reports.last(), Some(&GameReport::Over));
}

#[test]
fn a_claimed_name_is_not_for_classic_clients() {
    let mut world = World::new(meta());
    world.hear(4000, "PLAY Ann");
    world.game.claimed_names.replace(1, [name_key("Ann")].into());
    let rejected = world.hear(4001, "PLAY ann!");
    assert!(rejected[0].1.starts_with("QUIT The name ann! belongs to"), "{rejected:?}");
    assert_eq!(rejected.len(), 1);
    assert_eq!(world.joined(), ["A"]);
    assert_eq!(world.hear(4001, "PLAY Anna")[0], (4001, "OK B".to_owned()));
    let again = world.hear(4000, "PLAY Ann");
    assert_eq!(again[0], (4000, "OK A".to_owned()), "it had the name before");
}
