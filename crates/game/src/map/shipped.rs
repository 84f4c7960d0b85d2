//! The maps that come with the game, built in by name.

use crate::Map;

/// A map that comes with the game.
#[derive(Clone, Copy, Debug)]
pub struct ShippedMap {
    /// Its name; its file is `maps/NAME.txt`.
    pub name: &'static str,
    /// A description of one line.
    pub about: &'static str,
    /// The text of its file.
    pub text: &'static str,
}

impl ShippedMap {
    /// The map itself.
    pub fn map(&self) -> Map {
        let parsed = Map::parse(self.text.as_bytes());
        parsed.expect("every shipped map is tested to be valid").map
    }
}

/// All shipped maps, the default first.
pub const ALL: [ShippedMap; 9] = [
    ShippedMap {
        name: "main",
        about: "the classic: seven rooms, one with a bend, and a passage to nowhere",
        text: include_str!("../../../../maps/main.txt"),
    },
    ShippedMap {
        name: "cross",
        about: "rooms shaped like letters: always a corner to look around",
        text: include_str!("../../../../maps/cross.txt"),
    },
    ShippedMap {
        name: "edges",
        about: "rooms and tunnels along all four edges of the world",
        text: include_str!("../../../../maps/edges.txt"),
    },
    ShippedMap {
        name: "grand",
        about: "a vast dungeon of 34 rooms (needs a large window)",
        text: include_str!("../../../../maps/grand.txt"),
    },
    ShippedMap {
        name: "hall",
        about: "one huge hall with pillars to hide behind",
        text: include_str!("../../../../maps/hall.txt"),
    },
    ShippedMap {
        name: "hole",
        about: "rooms built around blocks of rock, one of which hides a vault",
        text: include_str!("../../../../maps/hole.txt"),
    },
    ShippedMap {
        name: "maze",
        about: "eleven lit rooms lost in a dark maze",
        text: include_str!("../../../../maps/maze.txt"),
    },
    ShippedMap {
        name: "narrow",
        about: "a tall, thin shaft of rooms",
        text: include_str!("../../../../maps/narrow.txt"),
    },
    ShippedMap {
        name: "pretty",
        about: "a castle with towers and flags above a moat",
        text: include_str!("../../../../maps/pretty.txt"),
    },
];

/// The map of this name.
pub fn find(name: &str) -> Option<&'static ShippedMap> {
    ALL.iter().find(|shipped| shipped.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tile;
    use crate::map::check::violations;

    #[test]
    fn every_file_in_the_folder_is_built_in() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../maps");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let mut built_in: Vec<String> = ALL.iter().map(|s| format!("{}.txt", s.name)).collect();
        built_in.sort();
        assert_eq!(files, built_in);
    }

    #[test]
    fn the_drawing_in_the_documentation_is_valid() {
        let page = include_str!("../../../../docs/maps.md");
        let drawing = page.split("```").nth(1).unwrap().trim_start_matches('\n');
        assert_eq!(violations(&Map::parse(drawing.as_bytes()).unwrap().map), []);
    }

    #[test]
    fn each_map_is_as_described() {
        let size = |name: &str| {
            let map = find(name).unwrap().map();
            (map.rows(), map.cols())
        };
        assert!(size("grand").0 >= 40 && size("grand").1 >= 140);
        assert_eq!(size("narrow").1, 15);

        let edges = find("edges").unwrap().map();
        let last_row = edges.rows() - 1;
        let last_col = edges.cols() - 1;
        let touches = |on_edge: &dyn Fn(crate::Point) -> bool| {
            edges.points().any(|at| on_edge(at) && edges.tile(at) != Some(Tile::Rock))
        };
        assert!(touches(&|at| at.row == 0) && touches(&|at| at.row == last_row));
        assert!(touches(&|at| at.col == 0) && touches(&|at| at.col == last_col));

        let pretty = find("pretty").unwrap().map().to_string();
        let mirrored = |line: &str| line.chars().rev().collect::<String>();
        assert!(pretty.lines().all(|line| line == mirrored(line)), "a castle is symmetrical");
    }
}
