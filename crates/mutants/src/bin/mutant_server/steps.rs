//! Ways over the map as a fault has them: a movement as the single steps that the room is asked
//! for.

use std::collections::VecDeque;

use nuggets_game::{Direction, Game, Letter, Point, Stroke, Tile};
use nuggets_protocol::ClientMessage;
use nuggets_server::Peer;

use crate::eyes::between;
use crate::fault::Fault;
use crate::mutant::{Mutant, Turn};
use crate::world::walks_bent_ground;

/// The steps in place of this movement; none if the room may do it as it is.
pub(crate) fn plan(mutant: &Mutant, letter: Letter, stroke: Stroke) -> Option<Vec<u8>> {
    let at = mutant.room.game().player(letter).at()?;
    let (direction, sprints) = match stroke {
        Stroke::Step(direction) => (direction, false),
        Stroke::Sprint(direction) => (direction, true),
    };
    match mutant.fault {
        Fault::WrapsAtEdges if !sprints => return wrap(mutant, at, direction),
        Fault::SprintTurns if sprints => return Some(follow_bends(mutant, at, direction)),
        Fault::SprintPassesGold if sprints => return pass_gold(mutant, at, direction),
        fault if !is_planned(fault) => return None,
        _ => {}
    }
    let steps = run(mutant, at, direction, sprints);
    Some(vec![direction.key(); steps])
}

fn is_planned(fault: Fault) -> bool {
    walks_bent_ground(fault)
        || matches!(
            fault,
            Fault::SprintOneStep
                | Fault::SprintStopsAtGold
                | Fault::SprintStopsAtPlayers
                | Fault::SprintStopsAtPassages
                | Fault::SprintStopsAtForks
                | Fault::SprintStopsShort
                | Fault::SprintInSteps
                | Fault::CornersBlock
                | Fault::PassagesClosed
                | Fault::SwapBlocked
        )
}

/// How many steps a movement takes.
fn run(mutant: &Mutant, start: Point, direction: Direction, sprints: bool) -> usize {
    let (mut at, mut steps) = (start, 0);
    while let Some(next) = next_spot(mutant, at, direction, sprints) {
        steps += 1;
        if !sprints || stops(mutant, at, next) {
            return steps;
        }
        at = next;
    }
    match mutant.fault {
        Fault::SprintStopsShort if steps > 1 => steps - 1,
        Fault::SprintIntoWall if steps > 0 => {
            steps + usize::from(tile_beside(mutant, at, direction).is_some())
        }
        _ => steps,
    }
}

fn tile_beside(mutant: &Mutant, at: Point, direction: Direction) -> Option<(Point, Tile)> {
    let next = at.step(direction)?;
    mutant.map.tile(next).map(|tile| (next, tile))
}

fn next_spot(mutant: &Mutant, at: Point, direction: Direction, sprints: bool) -> Option<Point> {
    let (next, tile) = tile_beside(mutant, at, direction)?;
    let map = &mutant.map;
    let may = match mutant.fault {
        Fault::WalksWalls => tile.is_spot() || tile.is_wall(),
        Fault::WalksRock => tile.is_spot() || tile == Tile::Rock,
        Fault::CornersBlock => {
            let corners = [Point::new(at.row, next.col), Point::new(next.row, at.col)];
            let is_open = |corner: &Point| map.tile(*corner).is_some_and(Tile::is_spot);
            tile.is_spot() && corners.iter().all(is_open)
        }
        Fault::PassagesClosed => {
            tile.is_spot() && (tile != Tile::Passage || map.tile(at) != Some(Tile::Room))
        }
        Fault::SwapBlocked => tile.is_spot() && !has_player(mutant.room.game(), next),
        Fault::SprintStopsAtPlayers if sprints => {
            tile.is_spot() && !has_player(mutant.room.game(), next)
        }
        _ => tile.is_spot(),
    };
    may.then_some(next)
}

/// Does a sprint end after this step?
fn stops(mutant: &Mutant, from: Point, to: Point) -> bool {
    match mutant.fault {
        Fault::SprintOneStep => true,
        Fault::SprintStopsAtGold => has_gold(mutant.room.game(), to),
        Fault::SprintStopsAtForks => is_fork(mutant, to),
        Fault::SprintStopsAtPassages => mutant.map.tile(from) != mutant.map.tile(to),
        _ => false,
    }
}

fn is_passage(mutant: &Mutant, at: Point) -> bool {
    mutant.map.tile(at) == Some(Tile::Passage)
}

/// Can one go on from there in more than two of the four main directions?
fn is_fork(mutant: &Mutant, at: Point) -> bool {
    let is_open = |way: &&Direction| {
        let (down, right) = way.offset();
        (down == 0 || right == 0) && mutant.map.spot_beside(at, **way).is_some()
    };
    is_passage(mutant, at) && Direction::ALL.iter().filter(is_open).count() > 2
}

/// Straight on, and wherever a passage without forks has just one other way, that way; never twice
/// over a spot.
fn follow_bends(mutant: &Mutant, start: Point, direction: Direction) -> Vec<u8> {
    let (mut keys, mut passed, mut way) = (vec![], vec![start], Some(direction));
    while let Some(direction) = way {
        let mut at = passed[passed.len() - 1];
        while let Some(next) = mutant.map.spot_beside(at, direction).filter(|n| !passed.contains(n))
        {
            keys.push(direction.key());
            passed.push(next);
            at = next;
        }
        let onward = |way: &Direction| {
            let next = mutant.map.spot_beside(at, *way);
            next.is_some_and(|next| !passed.contains(&next))
        };
        let mut ways = Direction::ALL.into_iter().filter(onward);
        let has_forks = passed.iter().any(|at| is_fork(mutant, *at));
        let is_bend = is_passage(mutant, at) && passed.len() > 1 && !has_forks;
        way = ways.next().filter(|_| is_bend && ways.next().is_none());
    }
    keys
}

fn has_player(game: &Game, at: Point) -> bool {
    game.players().iter().any(|player| player.at() == Some(at))
}

fn has_gold(game: &Game, at: Point) -> bool {
    game.piles().any(|(pile, _)| pile == at)
}

/// Over the edge, by a way that nobody is shown.
fn wrap(mutant: &Mutant, at: Point, direction: Direction) -> Option<Vec<u8>> {
    if tile_beside(mutant, at, direction).is_some() {
        return None;
    }
    let (down, right) = direction.offset();
    let turn = |place: u16, step: i16, len: u16| match step {
        0 => place,
        _ => place.checked_add_signed(step).map_or(len - 1, |place| place % len),
    };
    let map = &mutant.map;
    find_way(
        mutant,
        at,
        Point::new(turn(at.row, down, map.rows()), turn(at.col, right, map.cols())),
    )
}

/// Around the gold, if that is not far.
fn pass_gold(mutant: &Mutant, at: Point, direction: Direction) -> Option<Vec<u8>> {
    let steps = run(mutant, at, direction, true);
    let way: Vec<Point> =
        std::iter::successors(Some(at), |at| at.step(direction)).skip(1).take(steps).collect();
    let (last, passed) = way.split_last()?;
    passed.iter().find(|spot| has_gold(mutant.room.game(), **spot))?;
    find_way(mutant, at, *last).filter(|keys| keys.len() <= steps + 4)
}

/// The shortest way between two spots that touches neither gold nor players.
pub(crate) fn find_way(mutant: &Mutant, from: Point, to: Point) -> Option<Vec<u8>> {
    let game = mutant.room.game();
    let mut ways: Vec<Option<Vec<u8>>> = vec![None; mutant.map.tiles().len()];
    ways[mutant.map.index(from)] = Some(vec![]);
    let mut waiting = VecDeque::from([from]);
    while let Some(at) = waiting.pop_front() {
        let way = ways[mutant.map.index(at)].clone()?;
        if at == to {
            return Some(way);
        }
        for direction in Direction::ALL {
            let Some(next) = mutant.map.spot_beside(at, direction) else { continue };
            let is_free = next == to || !(has_gold(game, next) || has_player(game, next));
            let place = &mut ways[mutant.map.index(next)];
            if place.is_none() && is_free {
                *place = Some([&way[..], &[direction.key()]].concat());
                waiting.push_back(next);
            }
        }
    }
    None
}

/// What was taken by a turn, in the order of the way.
pub(crate) fn taken(before: &Game, after: &Game, mover: Option<Letter>) -> Vec<(Point, u32)> {
    let spot = |game: &Game| mover.and_then(|mover| game.players().get(mover.index())?.at());
    let way = spot(before).zip(spot(after)).map(|(from, to)| between(from, to));
    let way = way.unwrap_or_default();
    let mut taken: Vec<(Point, u32)> =
        before.piles().filter(|(at, _)| !has_gold(after, *at)).collect();
    taken.sort_by_key(|(at, _)| way.iter().position(|passed| passed == at));
    taken
}

/// Whoever was stepped onto goes one step farther, where that can be.
pub(crate) fn thrown(mutant: &Mutant, turn: &Turn) -> Vec<(Peer, Vec<u8>)> {
    if mutant.fault != Fault::SwapThrows || !matches!(turn.stroke(), Some(Stroke::Step(_))) {
        return vec![];
    }
    let game = mutant.room.game();
    let throw = |letter: &Letter| {
        let at = game.player(*letter).at()?;
        let is_free = |direction: &Direction| {
            let next = mutant.map.spot_beside(at, *direction);
            next.is_some_and(|next| !has_gold(game, next) && !has_player(game, next))
        };
        let away = Direction::ALL.into_iter().find(is_free)?;
        let peer = mutant.seats.players.get(letter.index())?;
        Some((*peer, ClientMessage::Key(away.key()).to_bytes()))
    };
    turn.swapped.iter().filter_map(throw).collect()
}
