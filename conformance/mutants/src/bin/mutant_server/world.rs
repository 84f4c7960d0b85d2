//! Faults in the game itself: rules, gold, walkable ground and starting spots.

use nuggets_game::{Game, Map, Point, Rules, Setup, SightRule, Tile, TooFewSpots};
use nuggets_server::Room;

use crate::fault::Fault;

/// The nuggets that are left when the game ends too early.
pub(crate) const LEFT_TOO_EARLY: u32 = 5;

/// Opens a room for the setup's game with this fault. The walkable ground may differ from the map.
pub(crate) fn open(fault: Fault, setup: &Setup) -> Result<Room, TooFewSpots> {
    let map = &setup.map;
    let mut setup = Setup { rules: rules(fault), ..setup.clone() };
    if fault == Fault::SightOfOtherDialect {
        setup.sight_rule = other_rule(setup.sight_rule);
    }
    let game = Game::new(&setup)?;
    let piles = faulty_piles(fault, map, game.piles().collect());
    let game = match fault {
        _ if has_spots_everywhere(fault) => {
            Game::arranged(&Setup { map: all_spots(map), ..setup.clone() }, piles, vec![])
        }
        Fault::FirstPlayerStartsInPassage => {
            let start = passages(map).into_iter().take(1).collect();
            Game::arranged(&setup, piles, start)
        }
        _ if piles != game.piles().collect::<Vec<_>>() => Game::arranged(&setup, piles, vec![]),
        _ => game,
    };
    Ok(Room::with_game(game, setup.dialect))
}

/// True if walls and rock are spots in the game, so that the mutant limits steps and draws pictures
/// by itself.
pub(crate) fn has_spots_everywhere(fault: Fault) -> bool {
    matches!(fault, Fault::WalksWalls | Fault::WalksRock | Fault::SprintIntoWall | Fault::NeverOver)
}

fn other_rule(rule: SightRule) -> SightRule {
    match rule {
        SightRule::DarkPassages => SightRule::StraightPassages,
        SightRule::StraightPassages => SightRule::DarkPassages,
    }
}

fn rules(fault: Fault) -> Rules {
    let mut rules = Rules::default();
    match fault {
        Fault::Steals => rules.steal = true,
        Fault::DropsOnQuit => rules.drop_on_quit = true,
        Fault::EndsWhenEmpty => rules.end_when_empty = true,
        Fault::VisionLimited => rules.vision = Some(5),
        Fault::TwentySixthRejected => rules.max_players = 25,
        Fault::OnlyTenSeats => rules.max_players = 10,
        _ => {}
    }
    rules
}

fn faulty_piles(fault: Fault, map: &Map, mut piles: Vec<(Point, u32)>) -> Vec<(Point, u32)> {
    match fault {
        Fault::TotalShort => reduce_largest(&mut piles, 1),
        Fault::OverTooEarly => reduce_largest(&mut piles, LEFT_TOO_EARLY),
        Fault::TotalOver => piles[0].1 += 1,
        Fault::NinePiles => {
            let rest: u32 = piles.drain(9..).map(|(_, size)| size).sum();
            piles[0].1 += rest;
        }
        Fault::ThirtyOnePiles => {
            while piles.len() < 31 {
                reduce_largest(&mut piles, 1);
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

fn reduce_largest(piles: &mut [(Point, u32)], nuggets: u32) {
    if let Some((_, size)) = piles.iter_mut().max_by_key(|(_, size)| *size) {
        *size -= nuggets;
    }
}

fn free_spot(map: &Map, piles: &[(Point, u32)]) -> Point {
    let is_free = |at: &Point| piles.iter().all(|(pile, _)| pile != at);
    map.room_spots().into_iter().find(is_free).expect("the rules leave free spots for players")
}

fn passages(map: &Map) -> Vec<Point> {
    let is_passage = |at: &Point| map.tile(*at) == Some(Tile::Passage);
    map.spots().into_iter().filter(is_passage).collect()
}

/// The same map with passages in place of walls and rock.
fn all_spots(map: &Map) -> Map {
    let spot = |drawn: char| if "-|+ ".contains(drawn) { '#' } else { drawn };
    let text: String = map.to_string().chars().map(spot).collect();
    Map::parse(text.as_bytes()).expect("a map of the same size is valid").map
}
