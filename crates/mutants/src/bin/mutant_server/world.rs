//! The game that a fault is played in: rules, gold, ground and starts. It knows nothing of messages.

use std::sync::Arc;

use nuggets_game::{Game, Map, Point, Rules, Seed, Sight, Tile, TooFewSpots};
use nuggets_protocol::Dialect;
use nuggets_server::{Room, sight_rule};

use crate::fault::Fault;

/// A room with a game, and the map as everybody should see it: what can be walked on may differ.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) room: Room,
    pub(crate) map: Map,
}

/// So many nuggets are left when the game is over too early.
pub(crate) const LEFT_TOO_EARLY: u32 = 5;

pub(crate) fn open(
    fault: Fault,
    map: Map,
    seed: Seed,
    dialect: Dialect,
) -> Result<World, TooFewSpots> {
    let rules = rules(fault);
    let sight = |map| Arc::new(Sight::new(map, sight_rule(dialect)).within(rules.vision));
    let game = Game::new(sight(map.clone()), rules, seed)?;
    let piles = bend_piles(fault, &map, game.piles().collect());
    let game = match fault {
        _ if walks_bent_ground(fault) => {
            Game::arranged(sight(all_spots(&map)), rules, seed, piles, vec![])
        }
        Fault::LandsInPassage => {
            let start = passages(&map).into_iter().take(1).collect();
            Game::arranged(sight(map.clone()), rules, seed, piles, start)
        }
        _ if piles != game.piles().collect::<Vec<_>>() => {
            Game::arranged(sight(map.clone()), rules, seed, piles, vec![])
        }
        _ => game,
    };
    Ok(World { room: Room::new(game, dialect), map })
}

/// Does the game happen on ground where walls and rock are spots? Then the steps and the pictures
/// are up to the mutant.
pub(crate) fn walks_bent_ground(fault: Fault) -> bool {
    matches!(fault, Fault::WalksWalls | Fault::WalksRock | Fault::SprintIntoWall | Fault::NeverOver)
}

fn rules(fault: Fault) -> Rules {
    let mut rules = Rules::default();
    match fault {
        Fault::Steals => rules.steal = true,
        Fault::DropsOnQuit => rules.drop_on_quit = true,
        Fault::EndsWhenEmpty => rules.end_when_empty = true,
        Fault::ShortSighted => rules.vision = Some(5),
        Fault::TwentySixthRefused => rules.max_players = 25,
        _ => {}
    }
    rules
}

fn bend_piles(fault: Fault, map: &Map, mut piles: Vec<(Point, u32)>) -> Vec<(Point, u32)> {
    match fault {
        Fault::TotalShort => take_off(&mut piles, 1),
        Fault::OverTooEarly => take_off(&mut piles, LEFT_TOO_EARLY),
        Fault::TotalOver => piles[0].1 += 1,
        Fault::NinePiles => {
            let rest: u32 = piles.drain(9..).map(|(_, size)| size).sum();
            piles[0].1 += rest;
        }
        Fault::ThirtyOnePiles => {
            while piles.len() < 31 {
                take_off(&mut piles, 1);
                piles.push((free_spot(map, &piles), 1));
            }
        }
        Fault::PileInPassage => piles[0].0 = passages(map).first().copied().unwrap_or(piles[0].0),
        Fault::EmptyPile => piles.push((free_spot(map, &piles), 0)),
        Fault::NeverOver => {
            let hidden = map.points().find(|at| map.tile(*at).is_some_and(|tile| !tile.is_spot()));
            piles.extend(hidden.map(|at| (at, 1)));
        }
        _ => {}
    }
    piles
}

/// Takes nuggets off the largest pile.
fn take_off(piles: &mut [(Point, u32)], nuggets: u32) {
    if let Some((_, size)) = piles.iter_mut().max_by_key(|(_, size)| *size) {
        *size -= nuggets;
    }
}

fn free_spot(map: &Map, piles: &[(Point, u32)]) -> Point {
    let is_free = |at: &Point| piles.iter().all(|(taken, _)| taken != at);
    map.room_spots().into_iter().find(is_free).expect("the rules leave room for players")
}

fn passages(map: &Map) -> Vec<Point> {
    let is_passage = |at: &Point| map.tile(*at) == Some(Tile::Passage);
    map.spots().into_iter().filter(is_passage).collect()
}

/// The same map with passages for everything that is no spot.
fn all_spots(map: &Map) -> Map {
    let spot = |drawn: char| if "-|+ ".contains(drawn) { '#' } else { drawn };
    let text: String = map.to_string().chars().map(spot).collect();
    Map::parse(text.as_bytes()).expect("a map of spots is as good as the one before").map
}
