//! The numbers of a recording are those of its game.

use nuggets_game::{Chance, Player, Point, Seed};

use super::{Played, join, press, short_header, usual_header, varied_header};
use crate::{Millis, Recording, Statistics, What};

fn statistics(played: &Played) -> Statistics {
    Statistics::of(&Recording::read(&played.bytes).unwrap().recording).unwrap()
}

/// A corridor in which everything can be counted by hand.
#[test]
fn steps_keys_paths_and_purses_are_counted() {
    let mut played = Played::new(short_header());
    played.add(10, join("Ann"));
    played.add(10, What::Watch { peer: None });
    played.add(10, join("Bob"));
    let spots: Vec<Point> = played.game().players().iter().filter_map(Player::at).collect();
    let (gold, _) = played.game().piles().next().unwrap();
    let (to, key) = if gold.col > spots[0].col { (4, b'L') } else { (1, b'H') };
    played.add(70, press(0, key));
    let found = statistics(&played);

    assert_eq!((found.duration, found.spots), (Millis(100), 4));
    assert_eq!(found.remaining, [(Millis(0), 5), (Millis(100), 0)]);
    let (ann, bob) = (&found.players[0], &found.players[1]);
    assert_eq!((ann.joined, bob.joined), (Millis(10), Millis(30)));
    assert_eq!(ann.purse, [(Millis(10), 0), (Millis(100), 5)]);
    assert_eq!(bob.purse, [(Millis(30), 0)]);
    assert_eq!((ann.keys, ann.steps, ann.piles), (1, u32::from(spots[0].col.abs_diff(to)), 1));
    assert_eq!((bob.keys, bob.steps, bob.piles), (0, 0, 0));
    assert_eq!(ann.path.first(), Some(&(Millis(10), spots[0])));
    assert_eq!(ann.path.last(), Some(&(Millis(100), Point::new(1, to))));
    assert_eq!(ann.path.len(), 1 + ann.steps as usize);
    assert_eq!(ann.explored, [(Millis(10), 4)]);
    assert!((found.explored_share(ann) - 1.0).abs() < 1e-9);
    let paths = ann.path.len() + bob.path.len();
    assert_eq!(found.heat.iter().sum::<u32>() as usize, paths);
}

#[test]
fn the_numbers_end_where_the_game_ends() {
    for header in [usual_header(), varied_header()] {
        let mut played = Played::new(header);
        played.play(700, &mut Chance::new(Seed::new(6)));
        played.end();
        let (found, game) = (statistics(&played), played.game());
        assert_eq!(found.players.len(), game.players().len());
        assert_eq!(found.remaining.last().unwrap().1, game.remaining());
        let mut heat = vec![0; game.map().tiles().len()];
        for (numbers, player) in found.players.iter().zip(game.players()) {
            assert_eq!((numbers.letter, &numbers.name), (player.letter(), player.name()));
            assert_eq!(numbers.purse.last().unwrap().1, player.purse());
            assert_eq!(numbers.gone.is_some(), player.at().is_none());
            if let Some(at) = player.at() {
                assert_eq!(numbers.path.last().unwrap().1, at);
            }
            let is_known = |at: &Point| player.known().contains(game.map().index(*at));
            let known = game.map().spots().into_iter().filter(is_known).count();
            assert_eq!(numbers.explored.last().unwrap().1 as usize, known);
            assert!(numbers.explored.windows(2).all(|pair| pair[0].1 < pair[1].1));
            let pressed = |entry: &&crate::Entry| matches!(entry.what, What::Press(letter, _) if letter == player.letter());
            assert_eq!(numbers.keys as usize, played.entries.iter().filter(pressed).count());
            for (_, at) in &numbers.path {
                heat[game.map().index(*at)] += 1;
            }
        }
        assert_eq!(found.heat, heat);
        assert!(heat.iter().zip(game.map().tiles()).all(|(n, tile)| *n == 0 || tile.is_spot()));
    }
}
