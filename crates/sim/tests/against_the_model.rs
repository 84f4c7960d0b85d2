//! The server's room beside the model: random games, every answer compared after every datagram.
//!
//! `PROPTEST_CASES` says how many games are played; every fourth is on a map that comes with the
//! game.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use nuggets_game::{Game, Map, Player, Point, Rules, Seed, Sight};
use nuggets_model::{Answer, Spot, World, same_per_peer};
use nuggets_protocol::Dialect;
use nuggets_server::{Millis, Peer, Room, sight_rule};
use nuggets_sim::beside::{compare, no_flaws, settings, spot};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

#[path = "against_the_model/plan.rs"]
mod plan;

use plan::{Plan, plan, play};

/// Games in a test that always plays the same ones.
const CASES: u32 = 400;

/// A room and the model of it, with the same game in both.
struct Pair {
    room: Room,
    world: World,
    /// A room with other rules would give itself away when somebody joins.
    hears_house_rules: bool,
}

impl Plan {
    /// The same plan for both; but the room may play by other rules, or look as in another dialect.
    fn pair(&self, room_rules: Rules, looks_as: Dialect) -> Pair {
        let map = Map::parse(self.map.as_bytes()).unwrap().map;
        let sight = Sight::new(map, sight_rule(looks_as)).within(room_rules.vision);
        let game = Game::new(Arc::new(sight), room_rules, Seed::new(self.seed)).unwrap();
        let settings = settings(&self.rules, self.dialect, self.changed_only, &game);
        let room = Room::new(game, self.dialect).changed_only(self.changed_only);
        let hears_house_rules = room_rules == self.rules;
        Pair { room, world: World::new(&self.map, settings), hears_house_rules }
    }

    /// Plays it: everything that was sent, or where the two first differ.
    fn play(&self, room_rules: Rules, looks_as: Dialect) -> Result<Vec<Answer>, String> {
        let mut pair = self.pair(room_rules, looks_as);
        let mut sent = Vec::new();
        for (turn, (peer, bytes)) in self.datagrams.iter().enumerate() {
            let said = || format!("turn {turn}, peer {peer}: {}", bytes.escape_ascii());
            sent.extend(pair.say(*peer, bytes).map_err(|why| format!("{}\n{why}", said()))?);
        }
        no_flaws(&pair.world.check_memory())?;
        let real = pair.stop_the_room();
        same_per_peer(&pair.world.shut_down(), &real)?;
        Ok(sent)
    }
}

impl Pair {
    /// One datagram to both, and everything compared.
    fn say(&mut self, peer: u64, bytes: &[u8]) -> Result<Vec<Answer>, String> {
        let (mut real, landing) = self.say_to_the_room(peer, bytes);
        let mut model = self.world.say(peer, bytes, landing);
        if !self.hears_house_rules {
            real.retain(|(_, message)| !is_house_rules(message));
            model.retain(|(_, message)| !is_house_rules(message));
        }
        same_per_peer(&model, &real)?;
        no_flaws(&self.world.check_sent(&real))?;
        compare(&self.world, &self.room)?;
        Ok(real)
    }

    /// What the room sends, and where somebody has landed if somebody has.
    fn say_to_the_room(&mut self, peer: u64, bytes: &[u8]) -> (Vec<Answer>, Option<Spot>) {
        let joined = self.room.game().players().len();
        self.room.handle_message(Millis(0), address(peer), bytes);
        let newcomer = self.room.game().players().get(joined);
        let landing = newcomer.and_then(Player::at).map(spot);
        (self.drain(), landing)
    }

    fn stop_the_room(&mut self) -> Vec<Answer> {
        self.room.shut_down();
        self.drain()
    }

    fn drain(&mut self) -> Vec<Answer> {
        let mut sent = Vec::new();
        while let Some(transmit) = self.room.poll_transmit() {
            sent.push((number(transmit.to), transmit.payload.to_vec()));
        }
        while self.room.poll_notice().is_some() {}
        sent
    }
}

fn is_house_rules(message: &[u8]) -> bool {
    message.starts_with(b"ERROR House rules") || message.starts_with(b"NO House rules")
}

fn address(peer: u64) -> Peer {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 1000 + u16::try_from(peer).unwrap())).into()
}

fn number(peer: Peer) -> u64 {
    (0..40).find(|number| address(*number) == peer).unwrap()
}

proptest! {
    #[test]
    fn the_room_does_what_the_model_does(plan in plan()) {
        plan.rules.check().unwrap();
        let outcome = plan.play(plan.rules, plan.dialect);
        prop_assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
    }
}

/// Every kind of message is met in these games, and every kind of end.
#[test]
fn the_games_leave_no_message_out() {
    let mut missing = vec![
        "OK A",
        "OK Z",
        "GRID",
        "GOLD 0 0",
        "GOLD 1 1 ",
        "DISPLAY",
        "ERROR",
        "NO",
        "NO ",
        "QUIT Game is full",
        "QUIT Sorry",
        "NO Sorry",
        "QUIT Thanks for playing!",
        "QUIT Thanks for watching!",
        "QUIT You have been replaced",
        "QUIT GAME OVER:\nA",
        "GAMEOVER\nA",
        "QUIT You have no steps left",
        "NO You have no steps left",
        "QUIT You have left",
        "NO You have left",
        "ERROR House rules: ",
        "NO House rules: ",
        "ERROR 7 steps left",
    ];
    let mut runner = TestRunner::deterministic();
    for _ in 0..CASES {
        let plan = plan().new_tree(&mut runner).unwrap().current();
        for (_, message) in plan.play(plan.rules, plan.dialect).unwrap() {
            let text = String::from_utf8(message).unwrap();
            let is_met = |wanted: &str| match wanted {
                "NO" => text == wanted,
                _ => text.starts_with(wanted),
            };
            missing.retain(|wanted| !is_met(wanted));
        }
    }
    assert_eq!(missing, [""; 0]);
}

/// Too many piles were dropped, or the map was made for fewer: there is nowhere to land.
#[test]
fn nobody_lands_where_there_is_no_free_spot() {
    let (map, rules) = ("+---+\n|...|\n+---+\n", Rules { nuggets: 5, ..Rules::default() });
    let rules = Rules { min_piles: 1, max_piles: 1, ..rules };
    for dialect in Dialect::ALL {
        let sight = Sight::new(Map::parse(map.as_bytes()).unwrap().map, sight_rule(dialect));
        let piles = vec![(Point::new(1, 2), 5)];
        let game = Game::arranged(Arc::new(sight), rules, Seed::new(1), piles, vec![]);
        let world = World::new(map, settings(&rules, dialect, false, &game));
        let mut pair = Pair { room: Room::new(game, dialect), world, hears_house_rules: true };
        for peer in 0..2 {
            pair.say(peer, &play(peer)).unwrap();
        }
        let sent = pair.say(2, &play(2)).unwrap();
        assert!(sent.last().unwrap().1.starts_with(b"QUIT"));
        assert_eq!(pair.world.players().len(), 2);
    }
}

/// A room that plays by rules of its own must be found out, or the comparison is worth nothing.
#[test]
fn a_room_with_other_rules_is_noticed() {
    let notices = |change: fn(&mut Rules, &mut Dialect)| {
        let mut runner = TestRunner::deterministic();
        (0..CASES).any(|_| {
            let plan = plan().new_tree(&mut runner).unwrap().current();
            let (mut rules, mut looks_as) = (plan.rules, plan.dialect);
            change(&mut rules, &mut looks_as);
            plan.play(rules, looks_as).is_err()
        })
    };
    assert!(!notices(|_, _| {}));
    assert!(notices(|_, looks_as| *looks_as = Dialect::V2021));
    assert!(notices(|_, looks_as| *looks_as = Dialect::V2019));
    assert!(notices(|rules, _| rules.sprint_stops = !rules.sprint_stops));
    assert!(notices(|rules, _| rules.end_when_empty = !rules.end_when_empty));
    assert!(notices(|rules, _| rules.vision = rules.vision.map(|vision| vision + 1)));
    assert!(notices(|rules, _| rules.steal = !rules.steal));
    assert!(notices(|rules, _| rules.drop_on_quit = !rules.drop_on_quit));
    assert!(notices(|rules, _| rules.max_players = 2));
}
