//! The naive model beside a room: the same is said to both, and both must answer the same.

use nuggets_game::{Game, Point};
use nuggets_model::{Answer, World, same_per_peer};
use nuggets_server::Room;
use nuggets_sim::beside::{compare, settings, spot};

use super::super::plan::Plan;

/// The model of a game.
pub(super) struct Modelled {
    world: World,
}

impl Modelled {
    pub(super) fn new(plan: &Plan, game: &Game) -> Self {
        let settings = settings(&plan.rules, plan.dialect, plan.changed_only, game);
        Self { world: World::new(plan.map, settings) }
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
        assert_eq!(compare(&self.world, room), Ok(()));
    }

    /// The server is stopped.
    pub(super) fn end(&mut self, real: &[Answer]) {
        assert_eq!(self.world.check_memory(), [""; 0]);
        assert_eq!(same_per_peer(&self.world.shut_down(), real), Ok(()));
    }
}
