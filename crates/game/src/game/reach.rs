//! Reachability of the remaining gold, on maps whose spots are not all connected.

use super::Game;
use crate::{Direction, Player, PointSet};

impl Game {
    /// True if some player on the map can walk to some gold. Players never leave the part of the map that they
    /// have started in, so once this is false for them it stays so until another player joins or gold is dropped.
    pub fn is_gold_in_reach(&self) -> bool {
        let map = self.map();
        let mut reached = PointSet::empty(map.tiles().len());
        let mut frontier: Vec<_> = self.players.iter().filter_map(Player::at).collect();
        while let Some(at) = frontier.pop() {
            if reached.contains(map.index(at)) {
                continue;
            }
            reached.insert(map.index(at));
            frontier.extend(Direction::ALL.into_iter().filter_map(|d| map.spot_beside(at, d)));
        }
        self.piles.iter().any(|(at, _)| reached.contains(map.index(at)))
    }
}
