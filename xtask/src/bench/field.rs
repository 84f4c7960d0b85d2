//! The maps of the benchmarks, and games on them.

use std::sync::Arc;

use nuggets_game::{
    Game, Map, Name, Point, Rng, Rules, Seed, Setup, Sight, SightRule, Tile, shipped,
};
use nuggets_protocol::Dialect;

/// A map of the benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// A shipped map.
    Shipped(&'static str),
    /// One empty room of this size.
    Open { rows: usize, cols: usize },
    /// A grid of rooms of ten by six spots, joined by passages: ten rows and 17 columns for each.
    Rooms { down: usize, across: usize },
}

impl Field {
    pub(crate) const CLASSIC: Self = Self::Shipped("main");
    pub(crate) const LARGE: Self = Self::Shipped("grand");
    pub(crate) const LARGEST: Self = Self::Rooms { down: 25, across: 15 };
    pub(crate) const OPEN: Self = Self::Open { rows: 250, cols: 255 };

    pub(crate) fn name(self) -> String {
        match self {
            Self::Shipped(name) => name.to_string(),
            Self::Open { rows, cols } => format!("open {rows}x{cols}"),
            Self::Rooms { down, across } => format!("rooms {}x{}", 10 * down, 17 * across),
        }
    }

    /// The text of its file.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Shipped(name) => shipped::find(name).expect("it is built in").text.to_string(),
            Self::Open { rows, cols } => {
                let wall = format!("+{}+\n", "-".repeat(cols - 2));
                let inside = format!("|{}|\n", ".".repeat(cols - 2)).repeat(rows - 2);
                format!("{wall}{inside}{wall}")
            }
            Self::Rooms { down, across } => (0..down).map(|row| rooms(row, down, across)).collect(),
        }
    }

    pub(crate) fn map(self) -> Map {
        Map::parse(self.text().as_bytes()).expect("it is a map").map
    }

    pub(crate) fn sight(self) -> Arc<Sight> {
        Arc::new(Sight::new(self.map(), SightRule::DarkPassages))
    }

    /// A game with 26 players that never ends: its gold can't be reached.
    pub(crate) fn endless_game(self) -> Game {
        let closed_room = "\n+-+\n|.|\n+-+\n";
        let map = Map::parse((self.text() + closed_room).as_bytes()).expect("it is a map").map;
        let gold = Point::new(map.rows() - 2, 1);
        assert_eq!(map.tile(gold), Some(Tile::Room));
        let mut spots = map.room_spots();
        spots.retain(|at| *at != gold);
        let chosen = Rng::new(Seed::new(1)).distinct(26, spots.len());
        let starts = chosen.into_iter().map(|index| spots[index]).collect();
        let setup = Setup::new(map, Rules::default(), Seed::new(1), Dialect::V2021);
        let mut game = Game::arranged(&setup, vec![(gold, 250)], starts);
        for _ in 0..26 {
            let name = Name::new(b"player").expect("a valid name");
            game.apply(nuggets_game::Input::Join(name), &mut Vec::new());
        }
        assert_eq!(game.players().len(), 26);
        game
    }
}

/// A row of rooms, with doors to their neighbours.
fn rooms(row: usize, down: usize, across: usize) -> String {
    let top = if row == 0 { "+----------+     " } else { "+-----#----+     " };
    let (bottom, below) = if row + 1 == down {
        ("+----------+     ", "                 ")
    } else {
        ("+-----#----+     ", "      #          ")
    };
    let wall = "|..........|     ";
    let line = |cell: &str| cell.repeat(across) + "\n";
    let doors = format!("{}{}\n", "|..........######", "#..........######".repeat(across - 1));
    let doors = doors.replace("######\n", "|     \n");
    let rest = line(wall).repeat(3);
    [line(top), line(wall).repeat(2), doors, rest, line(bottom), line(below).repeat(2)].concat()
}

#[cfg(test)]
mod tests {
    use nuggets_game::map::check::violations;

    use super::*;

    #[test]
    fn every_field_is_a_valid_map_of_its_size() {
        let fields = [Field::CLASSIC, Field::LARGE, Field::LARGEST, Field::OPEN];
        for field in fields.into_iter().chain([Field::Rooms { down: 2, across: 5 }]) {
            assert_eq!(violations(&field.map()), [], "{}", field.name());
        }
        assert_eq!((Field::LARGEST.map().rows(), Field::LARGEST.map().cols()), (250, 255));
        assert_eq!((Field::OPEN.map().rows(), Field::OPEN.map().cols()), (250, 255));
    }
}
