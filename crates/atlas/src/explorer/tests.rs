//! The explorer in games on drawn and shipped maps: it reaches every spot and finds all gold.

use std::sync::Arc;

use nuggets_game::{
    Game, Input, Map, Name, Rules, Seed, Sight, SightRule, Stroke, Viewer, shipped,
};

use super::*;
use crate::scene::tests::picture;

fn join(game: &mut Game) -> nuggets_game::Letter {
    game.apply(Input::Join(Name::new(b"explorer").unwrap()), &mut vec![]);
    game.players().last().unwrap().letter()
}

fn view(game: &Game, player: nuggets_game::Letter) -> Picture {
    let view = game.view(Viewer::Player(player)).to_string();
    picture(&view.lines().collect::<Vec<_>>())
}

/// Explores alone until the game is over; returns the number of steps, if within the limit.
fn explore(mut game: Game, limit: usize) -> Option<usize> {
    let player = join(&mut game);
    let mut explorer = Explorer::default();
    for steps in 0..limit {
        if game.end().is_some() {
            return Some(steps);
        }
        let step = explorer.next_step(&view(&game, player)).expect("there is a next step");
        game.apply(Input::Press(player, Stroke::Step(step)), &mut vec![]);
    }
    None
}

fn game(map: Map, rule: SightRule, seed: i64) -> Game {
    Game::with_sight(Arc::new(Sight::new(map, rule)), Rules::default(), Seed::new(seed)).unwrap()
}

#[test]
fn all_gold_of_every_shipped_map_is_found() {
    for (seed, shipped) in (1..).zip(shipped::ALL) {
        for rule in [SightRule::DarkPassages, SightRule::StraightPassages] {
            let steps = explore(game(shipped.map(), rule, seed), 20_000);
            assert!(steps.is_some(), "{} with {rule:?}", shipped.name);
        }
    }
}

#[test]
fn visible_gold_comes_before_the_unknown() {
    let mut explorer = Explorer::default();
    let step = explorer.next_step(&picture(&["  +----+", " #@...*|", "  +----+"]));
    assert_eq!(step, Some(Direction::Right));
    let step = explorer.next_step(&picture(&["  +----+", " #@....|", "  +----+"]));
    assert_eq!(step, Some(Direction::Left), "another player has taken it");
}

/// After a swap we may see less.
#[test]
fn gold_that_was_nearer_when_it_was_seen_is_not_given_up() {
    let mut explorer = Explorer::default();
    let step = explorer.next_step(&picture(&["  +----+", " #...@*|", "  +----+"]));
    assert_eq!(step, Some(Direction::Right));
    let step = explorer.next_step(&picture(&["  +----+", " #.@...|", "  +----+"]));
    assert_eq!(step, Some(Direction::Right));
}

#[test]
fn with_everything_known_it_walks_over_every_spot_again_and_again() {
    let mut explorer = Explorer::default();
    let mut at = 0;
    let mut visited = [0; 4];
    for _ in 0..24 {
        let mut row = *b"....";
        row[at] = b'@';
        let step = explorer.next_step(&picture(&[str::from_utf8(&row).unwrap()])).unwrap();
        at = if step == Direction::Right { at + 1 } else { at - 1 };
        visited[at] += 1;
    }
    assert!(visited.iter().all(|&times| times >= 2), "{visited:?}");
}

#[test]
fn without_a_player_or_a_goal_there_is_no_step() {
    assert_eq!(Explorer::default().next_step(&picture(&["..."])), None);
    assert_eq!(Explorer::default().next_step(&picture(&["+-+", "|@|", "+-+"])), None);
}

#[test]
fn a_goal_on_another_map_is_forgotten() {
    let mut explorer = Explorer::default();
    assert!(explorer.next_step(&picture(&["@..", "..*"])).is_some());
    assert_eq!(explorer.next_step(&picture(&["@.*|"])), Some(Direction::Right));
}
