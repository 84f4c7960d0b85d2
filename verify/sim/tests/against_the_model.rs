//! Random games in which the room is compared with the model after every datagram.
//!
//! `PROPTEST_CASES` sets the number of games; every fourth is on a built-in map.

#![expect(clippy::unwrap_used, reason = "tests fail by panics")]

use nuggets_game::{Game, Map, Point, Rules, Seed, Setup};
use nuggets_model::Outgoing;
use nuggets_protocol::Dialect;
use nuggets_server::{Reliability, Room, RoomOptions, Timestamp};
use nuggets_sim::checked_room::{CheckedRoom, Mismatch, model_of};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

#[path = "against_the_model/plan.rs"]
mod plan;

use plan::{Plan, plan, play};

/// Games in a test that always plays the same ones.
const CASES: u32 = 400;
const NOW: Timestamp = Timestamp(0);

impl Plan {
    /// A room and the model of this plan; but the room may have other rules, or the lines of sight of
    /// another dialect.
    fn room(&self, room_rules: Rules, sight_dialect: Dialect) -> CheckedRoom {
        let map = Map::parse(self.map.as_bytes()).unwrap().map;
        let setup = Setup::new(map, room_rules, Seed::new(self.seed), sight_dialect);
        let game = Game::new(&setup).unwrap();
        let model = model_of(&self.map, &self.rules, self.dialect, self.changed_only, &game);
        let options = RoomOptions { changed_only: self.changed_only, ..RoomOptions::default() };
        let room = Room::with_game(game, self.dialect).with_options(options);
        let room = CheckedRoom::new(room).with_model(model, self.dialect, Reliability::none());
        // A room with other rules would be noticed by its announcement of them.
        if room_rules == self.rules { room } else { room.ignoring_house_rules() }
    }

    /// Plays it: everything that was sent, or the first difference between room and model.
    fn play(&self, room_rules: Rules, sight_dialect: Dialect) -> Result<Vec<Outgoing>, Mismatch> {
        let mut room = self.room(room_rules, sight_dialect);
        let mut sent = Vec::new();
        for (peer, bytes) in &self.datagrams {
            sent.extend(room.handle_message(NOW, *peer, bytes)?);
        }
        room.shut_down()?;
        Ok(sent)
    }
}

proptest! {
    #[test]
    fn the_room_does_what_the_model_does(plan in plan()) {
        plan.rules.check().unwrap();
        let outcome = plan.play(plan.rules, plan.dialect);
        prop_assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
    }
}

/// Every kind of message and every kind of end occurs in these games.
#[test]
fn every_kind_of_message_is_sent() {
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
        "ERROR N steps left",
    ];
    let mut runner = TestRunner::deterministic();
    for _ in 0..CASES {
        let plan = plan().new_tree(&mut runner).unwrap().current();
        for (_, message) in plan.play(plan.rules, plan.dialect).unwrap() {
            let text = String::from_utf8(message).unwrap();
            let is_wanted = |wanted: &str| match wanted {
                "NO" => text == wanted,
                "ERROR N steps left" => text.starts_with("ERROR ") && text.ends_with(" steps left"),
                _ => text.starts_with(wanted),
            };
            missing.retain(|wanted| !is_wanted(wanted));
        }
    }
    assert_eq!(missing, [""; 0]);
}

/// Too many piles were dropped, or the map is too small: no spot is free.
#[test]
fn a_player_is_rejected_when_no_spot_is_free() {
    let map = "+---+\n|...|\n+---+\n";
    let rules = Rules { nuggets: 5, ..Rules::default() };
    let rules = Rules { min_piles: 1, max_piles: 1, ..rules };
    for dialect in Dialect::ALL {
        let parsed = Map::parse(map.as_bytes()).unwrap().map;
        let setup = Setup::new(parsed, rules, Seed::new(1), dialect);
        let game = Game::arranged(&setup, vec![(Point::new(1, 2), 5)], vec![]);
        let model = model_of(map, &rules, dialect, false, &game);
        let room = Room::with_game(game, dialect);
        let mut room = CheckedRoom::new(room).with_model(model, dialect, Reliability::none());
        for peer in 0..2 {
            room.handle_message(NOW, peer, &play(peer)).unwrap();
        }
        let sent = room.handle_message(NOW, 2, &play(2)).unwrap();
        assert!(sent.last().unwrap().1.starts_with(b"QUIT"));
        assert_eq!(room.room().game().players().len(), 2);
    }
}

/// A comparison that does not notice other rules would be worth nothing.
#[test]
fn a_room_with_other_rules_is_noticed() {
    let notices = |change: fn(&mut Rules, &mut Dialect)| {
        let mut runner = TestRunner::deterministic();
        (0..CASES).any(|_| {
            let plan = plan().new_tree(&mut runner).unwrap().current();
            let mut rules = plan.rules;
            let mut sight_dialect = plan.dialect;
            change(&mut rules, &mut sight_dialect);
            plan.play(rules, sight_dialect).is_err()
        })
    };
    assert!(!notices(|_, _| {}));
    assert!(notices(|_, sight_dialect| *sight_dialect = Dialect::V2021));
    assert!(notices(|_, sight_dialect| *sight_dialect = Dialect::V2019));
    assert!(notices(|rules, _| rules.sprint_stops = !rules.sprint_stops));
    assert!(notices(|rules, _| rules.end_when_empty = !rules.end_when_empty));
    assert!(notices(|rules, _| rules.vision = rules.vision.map(|vision| vision + 1)));
    assert!(notices(|rules, _| rules.steal = !rules.steal));
    assert!(notices(|rules, _| rules.drop_on_quit = !rules.drop_on_quit));
    assert!(notices(|rules, _| rules.max_players = 2));
}
