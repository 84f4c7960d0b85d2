//! The numbers and choices of a game.

use thiserror::Error;

use crate::Map;

/// What one game is played by. The default is the game of the seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Nuggets in the whole game.
    pub nuggets: u32,
    /// The fewest piles they may lie in.
    pub min_piles: u32,
    /// The most piles they may lie in.
    pub max_piles: u32,
    /// Players over the whole game, 26 at most: a letter is never used twice.
    pub max_players: usize,
    /// A sprint stops on gold and on meeting a player.
    pub sprint_stops: bool,
    /// The game ends when its last player quits.
    pub end_when_empty: bool,
}

/// A map without room for everybody and everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "lines 1 to {rows}, columns 1 to {cols}: found {found} room spots '.', but {needed} are needed: \
     {players} for players and {piles} for piles of gold. Draw larger rooms, or more of them"
)]
pub struct TooFewSpots {
    /// Lines of the map.
    pub rows: u16,
    /// Columns of the map.
    pub cols: u16,
    /// Room spots on the map.
    pub found: usize,
    /// Room spots that the rules can need at once.
    pub needed: usize,
    /// Of these for players.
    pub players: usize,
    /// Of these for piles.
    pub piles: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            nuggets: 250,
            min_piles: 10,
            max_piles: 30,
            max_players: 26,
            sprint_stops: false,
            end_when_empty: false,
        }
    }
}

impl Rules {
    /// Does the map have a room spot for every player and every pile?
    pub fn check_room(&self, map: &Map) -> Result<(), TooFewSpots> {
        let (players, piles) = (self.max_players, self.max_piles as usize);
        let (found, needed) = (map.room_spots().len(), players + piles);
        if found < needed {
            let (rows, cols) = (map.rows(), map.cols());
            return Err(TooFewSpots { rows, cols, found, needed, players, piles });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room_of(spots: usize) -> Map {
        let wall = format!("+{}+\n", "-".repeat(spots));
        let text = format!("{wall}|{}|\n{wall}", ".".repeat(spots));
        Map::parse(text.as_bytes()).unwrap().map
    }

    #[test]
    fn a_map_needs_a_spot_for_each_of_26_players_and_30_piles() {
        assert_eq!(Rules::default().check_room(&room_of(56)), Ok(()));
        let refused = Rules::default().check_room(&room_of(55)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "lines 1 to 3, columns 1 to 57: found 55 room spots '.', but 56 are needed: 26 for \
             players and 30 for piles of gold. Draw larger rooms, or more of them"
        );
    }
}
