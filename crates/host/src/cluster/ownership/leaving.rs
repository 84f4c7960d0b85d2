//! A planned stop, or a node that clients can not reach: each game waits for its last records, and is handed over.

use super::{Closing, Epoch, GameStage, NodeEvent, NodeStage, Ownership, Statement};
use crate::GameId;
use crate::cluster::routes::Member;

/// The state of a hand-over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HandOver {
    to: Member,
    is_released: bool,
}

impl Ownership {
    /// Hands all games over, then stops.
    pub fn leave(&mut self) {
        if self.stage != NodeStage::Serving {
            return;
        }
        self.stage = NodeStage::Leaving;
        self.orphans.clear();
        let games: Vec<GameId> = self.games.keys().copied().collect();
        for game in games {
            self.hand_over(game);
        }
        self.stop_if_empty();
    }

    /// A socket could be opened, or not. Without descriptors clients can not reach the games of this node, so other nodes get them.
    pub fn handle_descriptors(&mut self, has_descriptors: bool) {
        self.has_descriptors = has_descriptors;
        if has_descriptors || self.stage != NodeStage::Serving {
            return;
        }
        let open = self.games.iter().filter(|(_, owned)| owned.stage == GameStage::Open);
        let open = open.map(|(game, _)| *game).filter(|game| self.successor(*game).is_some());
        for game in open.collect::<Vec<GameId>>() {
            self.hand_over(game);
        }
    }

    /// Stops a game here, to hand it over to another node. One that is not open yet has no records to wait for.
    pub(super) fn hand_over(&mut self, game: GameId) {
        let Some(to) = self.successor(game) else {
            // No other node lives: the next one that starts will claim it.
            return self.release_unclaimed(game);
        };
        if let Some(owned) = self.games.get_mut(&game)
            && !matches!(owned.stage, GameStage::Leaving(_))
        {
            owned.stage = GameStage::Leaving(HandOver { to, is_released: false });
            self.release_if_stored(game);
        }
    }

    /// Hands a leaving game over once its last records are stored.
    pub(super) fn release_if_stored(&mut self, game: GameId) {
        let is_stored = self.commit.is_stored(game);
        let Some(owned) = self.games.get_mut(&game) else { return };
        let GameStage::Leaving(hand_over) = &mut owned.stage else { return };
        if is_stored && !hand_over.is_released {
            hand_over.is_released = true;
            let (epoch, to) = (owned.epoch, Some(hand_over.to.clone()));
            self.statements.push_back(Statement::Release { game, epoch, to });
        }
    }

    pub(super) fn handle_released(&mut self, game: GameId, epoch: Epoch, is_done: bool) {
        let Some(owned) = self.games.get(&game).filter(|owned| owned.epoch == epoch) else {
            return;
        };
        if let GameStage::Leaving(HandOver { to, .. }) = &owned.stage
            && is_done
        {
            let (successor, epoch) = (to.clone(), Epoch(epoch.0 + 1));
            self.lose(game, Closing::HandedOver);
            self.events.push_back(NodeEvent::CallTakeOver { game, epoch, successor });
        } else {
            self.lose(game, Closing::Superseded);
        }
    }

    /// Lets go of a game that no other node can get now. They claim it once this node is removed; as long as it stays, none would,
    /// so it keeps the game.
    fn release_unclaimed(&mut self, game: GameId) {
        if self.stage == NodeStage::Leaving {
            self.lose(game, Closing::HandedOver);
        }
    }

    /// A node that leaves and has no games any more removes itself.
    pub(super) fn stop_if_empty(&mut self) {
        if self.stage == NodeStage::Leaving && self.games.is_empty() {
            self.stage = NodeStage::Stopped;
            self.statements.push_back(Statement::RemoveNode);
        }
    }
}
