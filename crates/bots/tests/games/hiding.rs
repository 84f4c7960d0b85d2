//! A miner on servers that do not show all passages: it finds its path by trying, and ends the game.

use std::sync::Arc;

use nuggets_bots::BrainKind;
use nuggets_game::{Map, Point, Sight, SightRule, Tile, shipped};
use nuggets_protocol::Direction;

use crate::lone_bot::play_over;

/// A predicate for passage spots that the server hides until a player stands on them.
type IsHidden = fn(&Map, Point) -> bool;

fn is_spot_beside(map: &Map, at: Point, way: Direction) -> bool {
    let (down, right) = way.offset();
    let row = at.row.checked_add_signed(down);
    let col = at.col.checked_add_signed(right);
    row.zip(col).is_some_and(|(row, col)| map.tile(Point::new(row, col)).is_some_and(Tile::is_spot))
}

/// True if this is a corner of a passage: no two of its neighbours are opposite to each other.
fn is_corner(map: &Map, at: Point) -> bool {
    let beside = |way: &Direction| is_spot_beside(map, at, *way);
    let known: Vec<Direction> = Direction::ALL.into_iter().filter(|way| beside(way)).collect();
    let is_opposite = |one: &Direction, other: &Direction| {
        let (one, other) = (one.offset(), other.offset());
        (one.0 + other.0, one.1 + other.1) == (0, 0)
    };
    let is_straight = known.iter().any(|one| known.iter().any(|other| is_opposite(one, other)));
    known.len() > 1 && !is_straight
}

/// Returns the number of keys that a lone miner needs, and true if the game ended.
fn play_hiding(name: &str, seed: i64, is_hidden: IsHidden) -> (u64, bool) {
    let map = shipped::find(name).unwrap().map();
    let cols = usize::from(map.cols());
    let passages = map.spots().into_iter().filter(|at| map.tile(*at) == Some(Tile::Passage));
    let hidden: Vec<usize> = passages
        .filter(|at| is_hidden(&map, *at))
        .map(|at| b"DISPLAY\n".len() + usize::from(at.row) * (cols + 1) + usize::from(at.col))
        .collect();
    let sight = Arc::new(Sight::new(map, SightRule::DarkPassages));
    let mut keys = 0;
    let has_ended = play_over(&sight, BrainKind::Miner, seed, &mut |bot, bytes| {
        keys = bot.keys();
        let mut bytes = bytes.to_vec();
        if bytes.starts_with(b"DISPLAY\n") {
            for &index in &hidden {
                bytes[index] = if bytes[index] == b'#' { b' ' } else { bytes[index] };
            }
        }
        Some(bytes)
    });
    (keys, has_ended)
}

#[test]
fn a_lone_miner_ends_the_game_where_the_corners_of_passages_are_hidden() {
    for map in shipped::ALL {
        for seed in 1..=3 {
            let (keys, has_ended) = play_hiding(map.name, seed, is_corner);
            println!("{} {seed}: {keys} keys", map.name);
            assert!(has_ended, "{}, seed {seed}: {keys} keys", map.name);
        }
    }
}

#[test]
fn a_lone_miner_ends_the_game_where_no_passage_is_shown() {
    for map in shipped::ALL {
        let (keys, has_ended) = play_hiding(map.name, 1, |_, _| true);
        println!("{}: {keys} keys", map.name);
        assert!(has_ended, "{}: {keys} keys", map.name);
    }
}
