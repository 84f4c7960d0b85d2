//! The naive model beside a room: the same is said to both, and both must answer the same.

use std::fmt::Debug;

use nuggets_game::{Game, Point};
use nuggets_model::{Answer, Settings, Spot, World, Year, same_per_peer};
use nuggets_protocol::Dialect;
use nuggets_server::Room;

use super::super::plan::Plan;

/// The model of a game.
pub(super) struct Modelled {
    world: World,
}

impl Modelled {
    pub(super) fn new(plan: &Plan, game: &Game) -> Self {
        Self { world: World::new(plan.map, settings(plan, game)) }
    }

    /// One datagram. Once the game is over the model is silent; the room may say so again.
    pub(super) fn say(&mut self, peer: u64, bytes: &[u8], landing: Option<Point>, real: &[Answer]) {
        let was_over = self.world.is_over();
        let answers = self.world.say(peer, bytes, landing.map(spot));
        if was_over {
            let is_end = |text: &[u8]| text.starts_with(b"QUIT") || text.starts_with(b"GAMEOVER");
            let tells = real.iter().all(|(to, text)| *to == peer && is_end(text));
            return assert!(tells, "{real:?} behind the end");
        }
        if let Err(why) = same_per_peer(&answers, real) {
            panic!("peer {peer} said {}\n{why}", bytes.escape_ascii());
        }
        self.check_sent(real);
    }

    /// Nobody is shown what it has not seen, and no rule is broken.
    pub(super) fn check_sent(&mut self, sent: &[Answer]) {
        assert_eq!(self.world.check_sent(sent), [""; 0]);
        assert_eq!(self.world.check(), [""; 0]);
    }

    /// What no message may have shown yet.
    pub(super) fn compare(&self, room: &Room) {
        let (game, world) = (room.game(), &self.world);
        same("piles", world.piles(), &game.piles().map(|(at, n)| (spot(at), n)).collect());
        same("food", world.food(), &game.food().iter().copied().map(spot).collect());
        same("end", &world.is_over(), &room.is_over());
        same("table", &world.table(), &game.table().to_string());
        for (model, real) in world.players().iter().zip(game.players()) {
            same("place", &model.at, &real.at().map(spot));
            same("steps", &model.steps_left, &real.steps_left());
        }
    }

    /// The server is stopped.
    pub(super) fn end(&mut self, real: &[Answer]) {
        assert_eq!(self.world.check_memory(), [""; 0]);
        assert_eq!(same_per_peer(&self.world.shut_down(), real), Ok(()));
    }
}

fn same<T: PartialEq + Debug>(what: &str, model: &T, real: &T) {
    assert_eq!(model, real, "{what}: model and reality");
}

fn spot(at: Point) -> Spot {
    (at.row.into(), at.col.into())
}

fn settings(plan: &Plan, game: &Game) -> Settings {
    let rules = plan.rules;
    let number = |number: u32| usize::try_from(number).expect("it is small");
    Settings {
        year: match plan.dialect {
            Dialect::V2021 => Year::Y2021,
            Dialect::V2019 => Year::Y2019,
        },
        gold: rules.nuggets,
        min_piles: number(rules.min_piles),
        max_piles: number(rules.max_piles),
        players: rules.max_players,
        vision: rules.vision.map(i64::from),
        steal: rules.steal,
        drop_on_quit: rules.drop_on_quit,
        lifetime: rules.lifetime.map(|lifetime| lifetime.steps),
        food: rules.lifetime.map_or(0, |lifetime| number(lifetime.food)),
        sprint_stops: rules.sprint_stops,
        end_when_empty: rules.end_when_empty,
        changed_only: plan.changed_only,
        piles: game.piles().map(|(at, nuggets)| (spot(at), nuggets)).collect(),
        food_at: game.food().iter().copied().map(spot).collect(),
    }
}
