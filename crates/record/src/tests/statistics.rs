//! The statistics of a recording are those of its game.

use nuggets_game::{Player, Point, Rng, Seed};

use super::{Played, corridor_header, join, press, short_header, usual_header, varied_header};
use crate::{RecordedEvent, Recording, Statistics, Timestamp};

fn statistics(played: &Played) -> Statistics {
    Statistics::of(&Recording::read(&played.bytes).unwrap().recording).unwrap()
}

/// A corridor small enough to count everything by hand.
#[test]
fn steps_keys_paths_and_purses_are_counted() {
    let mut played = Played::new(short_header());
    played.add(10, join("Ann"));
    played.add(10, RecordedEvent::Watch { peer: None });
    played.add(10, join("Bob"));
    let spots: Vec<Point> = played.game().players().iter().filter_map(Player::at).collect();
    let (gold, _) = played.game().piles().next().unwrap();
    let (to, key) = if gold.col > spots[0].col { (4, b'L') } else { (1, b'H') };
    played.add(70, press(0, key));
    let found = statistics(&played);

    assert_eq!((found.duration, found.spots), (Timestamp(100), 4));
    assert_eq!(found.remaining, [(Timestamp(0), 5), (Timestamp(100), 0)]);
    let ann = &found.players[0];
    let bob = &found.players[1];
    assert_eq!((ann.joined, bob.joined), (Timestamp(10), Timestamp(30)));
    assert_eq!(ann.purse, [(Timestamp(10), 0), (Timestamp(100), 5)]);
    assert_eq!(bob.purse, [(Timestamp(30), 0)]);
    assert_eq!((ann.keys, ann.steps, ann.piles), (1, u32::from(spots[0].col.abs_diff(to)), 1));
    assert_eq!((bob.keys, bob.steps, bob.piles), (0, 0, 0));
    assert_eq!(ann.path.first(), Some(&(Timestamp(10), spots[0])));
    assert_eq!(ann.path.last(), Some(&(Timestamp(100), Point::new(1, to))));
    assert_eq!(ann.path.len(), 1 + ann.steps as usize);
    assert_eq!(ann.explored, [(Timestamp(10), 4)]);
    assert!((found.explored_share(ann) - 1.0).abs() < 1e-9);
    let paths = ann.path.len() + bob.path.len();
    assert_eq!(found.visits.iter().sum::<u32>() as usize, paths);
}

#[test]
fn who_steps_onto_another_player_takes_a_step_and_the_other_does_not() {
    let mut played = Played::new(corridor_header());
    played.add(10, join("Ann"));
    played.add(10, join("Bob"));
    let at = |played: &Played, player: usize| played.game().players()[player].at().unwrap();
    let bob = at(&played, 1);
    let key = if at(&played, 0).col < bob.col { b'l' } else { b'h' };
    let mut steps = 0;
    while at(&played, 1) == bob {
        played.add(10, press(0, key));
        steps += 1;
    }
    let found = statistics(&played);
    assert_eq!((found.players[0].steps, found.players[0].keys), (steps, steps));
    assert_eq!((found.players[1].steps, found.players[1].path.len()), (0, 2));
}

#[test]
fn the_final_statistics_match_the_final_game() {
    for header in [usual_header(), varied_header()] {
        let mut played = Played::new(header);
        played.play(700, &mut Rng::new(Seed::new(6)));
        played.end();
        let found = statistics(&played);
        let game = played.game();
        assert_eq!(found.players.len(), game.players().len());
        assert_eq!(found.remaining.last().unwrap().1, game.remaining());
        let mut visits = vec![0; game.map().tiles().len()];
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
            assert!(known < found.spots as usize, "some spots were never seen");
            let spots = f64::from(found.spots) * found.explored_share(numbers);
            assert!((spots - f64::from(u32::try_from(known).unwrap())).abs() < 1e-6, "{spots}");
            assert!(numbers.explored.windows(2).all(|pair| pair[0].1 < pair[1].1));
            let pressed = |entry: &&crate::Entry| matches!(entry.what, RecordedEvent::Press(letter, _) if letter == player.letter());
            assert_eq!(numbers.keys as usize, played.entries.iter().filter(pressed).count());
            for (_, at) in &numbers.path {
                visits[game.map().index(*at)] += 1;
            }
        }
        assert_eq!(found.visits, visits);
        assert!(visits.iter().zip(game.map().tiles()).all(|(n, tile)| *n == 0 || tile.is_spot()));
    }
}
