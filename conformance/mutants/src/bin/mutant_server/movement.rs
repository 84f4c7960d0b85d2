//! Faults in movement: turns a key into the single steps that the room executes.

use std::collections::VecDeque;

use nuggets_game::{Direction, Game, Letter, Point, Stroke, Tile};
use nuggets_protocol::ClientMessage;
use nuggets_server::Peer;

use crate::fault::Fault;
use crate::mutant::{MessageTurn, Mutant};
use crate::world::has_spots_everywhere;

/// Returns the keys of the steps that replace this movement; `None` if the room executes it unchanged.
pub(crate) fn plan(mutant: &Mutant, letter: Letter, stroke: Stroke) -> Option<Vec<u8>> {
    let at = mutant.room.game().player(letter).at()?;
    match (mutant.fault, stroke) {
        (Fault::WrapsAtEdges, Stroke::Step(direction)) => wrap(mutant, at, direction),
        (Fault::SprintFollowsBends, Stroke::Sprint(direction)) => {
            Some(follow_bends(mutant, at, direction))
        }
        (Fault::SprintSkipsGold, Stroke::Sprint(direction)) => skip_gold(mutant, at, direction),
        (fault, Stroke::Step(direction) | Stroke::Sprint(direction)) if is_planned(fault) => {
            Some(vec![direction.key(); count_steps(mutant, at, stroke)])
        }
        _ => None,
    }
}

fn is_planned(fault: Fault) -> bool {
    has_spots_everywhere(fault)
        || matches!(
            fault,
            Fault::SprintOneStep
                | Fault::SprintStopsAtGold
                | Fault::SprintStopsAtPlayers
                | Fault::SprintStopsAtPassages
                | Fault::SprintStopsAtForks
                | Fault::SprintStopsShort
                | Fault::SprintDisplaysEachStep
                | Fault::DiagonalsBlockedAtCorners
                | Fault::PassagesClosed
                | Fault::SwapBlocked
        )
}

fn count_steps(mutant: &Mutant, start: Point, stroke: Stroke) -> usize {
    let Stroke::Sprint(direction) = stroke else {
        return usize::from(next_spot(mutant, start, stroke).is_some());
    };
    let mut at = start;
    let mut steps = 0;
    while let Some(next) = next_spot(mutant, at, stroke) {
        steps += 1;
        if stops(mutant, at, next) {
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

fn next_spot(mutant: &Mutant, at: Point, stroke: Stroke) -> Option<Point> {
    let (Stroke::Step(direction) | Stroke::Sprint(direction)) = stroke;
    let (next, tile) = tile_beside(mutant, at, direction)?;
    let map = &mutant.map;
    let is_open = match (mutant.fault, stroke) {
        (Fault::WalksWalls, _) => tile.is_spot() || tile.is_wall(),
        (Fault::WalksRock, _) => tile.is_spot() || tile == Tile::Rock,
        (Fault::DiagonalsBlockedAtCorners, _) => {
            let corners = [Point::new(at.row, next.col), Point::new(next.row, at.col)];
            let is_spot = |corner: &Point| map.tile(*corner).is_some_and(Tile::is_spot);
            tile.is_spot() && corners.iter().all(is_spot)
        }
        (Fault::PassagesClosed, _) => {
            tile.is_spot() && (tile != Tile::Passage || map.tile(at) != Some(Tile::Room))
        }
        (Fault::SwapBlocked, _) | (Fault::SprintStopsAtPlayers, Stroke::Sprint(_)) => {
            tile.is_spot() && !has_player(mutant.room.game(), next)
        }
        _ => tile.is_spot(),
    };
    is_open.then_some(next)
}

/// True if a sprint ends after this step.
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

/// True for a passage spot with more than two neighbours in the four main directions.
fn is_fork(mutant: &Mutant, at: Point) -> bool {
    let is_open = |direction: &&Direction| {
        let (down, right) = direction.offset();
        (down == 0 || right == 0) && mutant.map.spot_beside(at, **direction).is_some()
    };
    is_passage(mutant, at) && Direction::ALL.iter().filter(is_open).count() > 2
}

/// Continues straight, and around every bend of a passage without forks. Never passes a spot twice.
fn follow_bends(mutant: &Mutant, start: Point, direction: Direction) -> Vec<u8> {
    let mut keys = vec![];
    let mut passed = vec![start];
    let mut turn = Some(direction);
    while let Some(direction) = turn {
        let mut at = passed[passed.len() - 1];
        while let Some(next) = mutant.map.spot_beside(at, direction).filter(|n| !passed.contains(n))
        {
            keys.push(direction.key());
            passed.push(next);
            at = next;
        }
        let is_new = |direction: &Direction| {
            let next = mutant.map.spot_beside(at, *direction);
            next.is_some_and(|next| !passed.contains(&next))
        };
        let mut onward = Direction::ALL.into_iter().filter(is_new);
        let has_forks = passed.iter().any(|at| is_fork(mutant, *at));
        let is_bend = is_passage(mutant, at) && passed.len() > 1 && !has_forks;
        turn = onward.next().filter(|_| is_bend && onward.next().is_none());
    }
    keys
}

fn has_player(game: &Game, at: Point) -> bool {
    game.players().iter().any(|player| player.at() == Some(at))
}

fn has_gold(game: &Game, at: Point) -> bool {
    game.piles().any(|(pile, _)| pile == at)
}

/// Returns a path to the opposite edge; its rounds are merged into one, so that it looks like one step.
fn wrap(mutant: &Mutant, at: Point, direction: Direction) -> Option<Vec<u8>> {
    if tile_beside(mutant, at, direction).is_some() {
        return None;
    }
    let (down, right) = direction.offset();
    let wrapped = |place: u16, step: i16, len: u16| match step {
        0 => place,
        _ => place.checked_add_signed(step).map_or(len - 1, |place| place % len),
    };
    let row = wrapped(at.row, down, mutant.map.rows());
    let col = wrapped(at.col, right, mutant.map.cols());
    find_path(mutant, at, Point::new(row, col))
}

/// Returns a path around the gold, if that is not much longer.
fn skip_gold(mutant: &Mutant, at: Point, direction: Direction) -> Option<Vec<u8>> {
    let steps = count_steps(mutant, at, Stroke::Sprint(direction));
    let line = std::iter::successors(Some(at), |at| at.step(direction)).skip(1).take(steps);
    let line: Vec<Point> = line.collect();
    let (last, passed) = line.split_last()?;
    passed.iter().find(|spot| has_gold(mutant.room.game(), **spot))?;
    find_path(mutant, at, *last).filter(|keys| keys.len() <= steps + 4)
}

/// Returns the keys of a shortest path that touches neither gold nor players before its end (breadth-first
/// search).
pub(crate) fn find_path(mutant: &Mutant, from: Point, to: Point) -> Option<Vec<u8>> {
    let game = mutant.room.game();
    let mut paths: Vec<Option<Vec<u8>>> = vec![None; mutant.map.tiles().len()];
    paths[mutant.map.index(from)] = Some(vec![]);
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        let path = paths[mutant.map.index(at)].clone()?;
        if at == to {
            return Some(path);
        }
        for direction in Direction::ALL {
            let Some(next) = mutant.map.spot_beside(at, direction) else { continue };
            let is_free = next == to || !(has_gold(game, next) || has_player(game, next));
            let slot = &mut paths[mutant.map.index(next)];
            if slot.is_none() && is_free {
                *slot = Some([&path[..], &[direction.key()]].concat());
                queue.push_back(next);
            }
        }
    }
    None
}

/// Returns the piles that a turn collected, in the order of the path.
pub(crate) fn collected(before: &Game, after: &Game, mover: Option<Letter>) -> Vec<(Point, u32)> {
    let spot = |game: &Game| mover.and_then(|mover| game.players().get(mover.index())?.at());
    let path = spot(before).zip(spot(after)).map(|(from, to)| straight_path(from, to));
    let path = path.unwrap_or_default();
    let mut collected: Vec<(Point, u32)> =
        before.piles().filter(|(at, _)| !has_gold(after, *at)).collect();
    collected.sort_by_key(|(at, _)| path.iter().position(|passed| passed == at));
    collected
}

/// Returns the gridpoints on a straight line, without the first; only the last if the line is neither
/// straight nor diagonal.
pub(crate) fn straight_path(from: Point, to: Point) -> Vec<Point> {
    let steps = from.row.abs_diff(to.row).max(from.col.abs_diff(to.col));
    let line = |direction: Direction| -> Vec<Point> {
        let points = std::iter::successors(Some(from), |at| at.step(direction));
        points.skip(1).take(steps.into()).collect()
    };
    let straight = Direction::ALL.into_iter().map(line).find(|line| line.last() == Some(&to));
    straight.unwrap_or_else(|| if from == to { vec![] } else { vec![to] })
}

/// The keys that move swapped players one step farther, if that is the fault and a spot is free.
pub(crate) fn pushes(mutant: &Mutant, turn: &MessageTurn) -> Vec<(Peer, Vec<u8>)> {
    if mutant.fault != Fault::SwapPushesAway || !matches!(turn.stroke(), Some(Stroke::Step(_))) {
        return vec![];
    }
    let game = mutant.room.game();
    let push = |letter: &Letter| {
        let at = game.player(*letter).at()?;
        let is_free = |direction: &Direction| {
            let next = mutant.map.spot_beside(at, *direction);
            next.is_some_and(|next| !has_gold(game, next) && !has_player(game, next))
        };
        let away = Direction::ALL.into_iter().find(is_free)?;
        let peer = mutant.seats.players.get(letter.index())?;
        Some((*peer, ClientMessage::Key(away.key()).to_bytes()))
    };
    turn.swapped.iter().filter_map(push).collect()
}
