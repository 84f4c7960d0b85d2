//! Bringing players where a check wants them, and looking what a key has done.

use nuggets_game::{Direction, Point, Sight};

use crate::server::follow::{self, Follow};
use crate::server::picture::Picture;
use crate::server::{Caller, ServerStage, TestMap};
use crate::{Failure, Verdict};

/// Starts the server on the map of this name, and these players join.
pub(super) fn start_on<const N: usize>(
    stage: &mut ServerStage,
    map: &str,
    names: [&str; N],
) -> Result<[Caller; N], Failure> {
    stage.start_on(&TestMap::named(map))?;
    let players: Result<Vec<Caller>, Failure> =
        names.iter().map(|name| stage.player(name)).collect();
    stage.look()?;
    <[Caller; N]>::try_from(players?).map_err(|_| Failure::new("as many players as names", "fewer"))
}

/// Walks a player to a spot, round gold and others where there is a way round; the last picture.
pub(super) fn go(
    stage: &mut ServerStage,
    caller: &mut Caller,
    to: Point,
) -> Result<Picture, Failure> {
    let (from, keys) = way(stage, caller, to)?;
    press_all(stage, caller, from, &keys)?;
    stage.look()
}

/// Walks a player to a spot and follows what it sees on the way.
pub(super) fn go_seeing(
    stage: &mut ServerStage,
    caller: &mut Caller,
    seen: &mut Follow,
    to: Point,
) -> Verdict {
    let (_, keys) = way(stage, caller, to)?;
    keys.into_iter().try_for_each(|key| press_seeing(stage, caller, seen, key).map(|_| ()))
}

/// Presses a key that leads somewhere and follows what the player sees; the spectator's picture.
pub(super) fn press_seeing(
    stage: &mut ServerStage,
    caller: &mut Caller,
    seen: &mut Follow,
    key: char,
) -> Result<Picture, Failure> {
    let path = seen.path(key);
    let to = *path.last().unwrap_or(&seen.at());
    let truth = stage.press_to(caller, key, to)?;
    for at in path {
        seen.goes_to(at);
    }
    Ok(truth)
}

/// Walks a player to the spot before this one; the key of the last step, and where it stands.
pub(super) fn approach(
    stage: &mut ServerStage,
    caller: &mut Caller,
    to: Point,
) -> Result<(char, Point), Failure> {
    let (from, keys) = way(stage, caller, to)?;
    let Some((last, keys)) = keys.split_last() else {
        return Err(Failure::silence(format!("a player that is not at {to}"), "it is there"));
    };
    let at = press_all(stage, caller, from, keys)?;
    stage.fence()?;
    Ok((*last, at))
}

/// Where a player is, and the keys that lead it there.
fn way(stage: &mut ServerStage, caller: &Caller, to: Point) -> Result<(Point, Vec<char>), Failure> {
    let truth = stage.look()?;
    let sight = stage.sight()?;
    let from = stage.place_of(caller)?;
    let keys = follow::walk(&sight, &truth, from, to);
    let keys = keys.or_else(|| follow::walk(&sight, &without_gold(&truth), from, to));
    let keys = keys.or_else(|| follow::walk(&sight, &bare(&truth), from, to));
    let none = || Failure::new(format!("a way from {from} to {to}"), "there is none");
    Ok((from, keys.ok_or_else(none)?))
}

/// Rather over gold than over others.
fn without_gold(truth: &Picture) -> Picture {
    let cells = truth.cells.iter().map(|cell| if *cell == b'*' { b'.' } else { *cell });
    Picture { cells: cells.collect(), ..truth.clone() }
}

/// Nobody and nothing in the way.
fn bare(truth: &Picture) -> Picture {
    Picture { cells: vec![b' '; truth.cells.len()], ..truth.clone() }
}

fn press_all(
    stage: &mut ServerStage,
    caller: &mut Caller,
    from: Point,
    keys: &[char],
) -> Result<Point, Failure> {
    let sight = stage.sight()?;
    let mut at = from;
    for key in keys {
        at = *follow::path(&sight, at, *key).last().unwrap_or(&at);
        stage.press_to(caller, *key, at)?;
    }
    Ok(at)
}

/// The nearest of all room spots that will do, if it is free; the player goes there.
pub(super) fn go_where(
    stage: &mut ServerStage,
    caller: &mut Caller,
    will_do: impl Fn(&Picture, Point) -> bool,
) -> Result<Point, Failure> {
    let truth = stage.look()?;
    let sight = stage.sight()?;
    let from = stage.place_of(caller)?;
    let spots = sight.map().room_spots().into_iter();
    let free = spots.filter(|at| *at == from || !truth.is_taken(*at));
    let bare = bare(&truth);
    let ways = free.filter(|at| will_do(&truth, *at)).filter_map(|at| {
        let around = follow::walk(&sight, &truth, from, at).map(|keys| (0, keys.len(), at));
        around.or_else(|| Some((1, follow::walk(&sight, &bare, from, at)?.len(), at)))
    });
    let none = || Failure::silence("a room spot for this check", "none; try another seed");
    let (_, _, at) = ways.min().ok_or_else(none)?;
    go(stage, caller, at)?;
    Ok(at)
}

/// Is every gridpoint around it a spot?
pub(super) fn is_inside(sight: &Sight, at: Point) -> bool {
    Direction::ALL.into_iter().all(|way| sight.map().spot_beside(at, way).is_some())
}

/// Presses a key; it must bring the player there and no farther.
pub(super) fn lands(
    stage: &mut ServerStage,
    caller: &mut Caller,
    key: char,
    to: Point,
) -> Result<Picture, Failure> {
    let from = stage.place_of(caller)?;
    caller.press(key);
    let picture = stage.look()?;
    let cell = letter(caller);
    if picture.only(cell) == Some(to) {
        return Ok(picture);
    }
    let who = char::from(cell);
    let came = match picture.all(|shown| shown == cell)[..] {
        [] => format!("the spectator sees {who} nowhere"),
        [at] if at == from => format!("it stays at {from}"),
        [at] => format!("it is at {at}"),
        _ => format!("the spectator sees {who} in several places"),
    };
    Err(Failure::new(format!("key {key} brings player {who} from {from} to {to}"), came))
}

/// The letter of a player as it is drawn.
pub(super) fn letter(caller: &Caller) -> u8 {
    caller.letter.and_then(|letter| u8::try_from(letter).ok()).unwrap_or(b'?')
}

/// Fails unless the spectator's picture is just this.
pub(super) fn is_just(expected: &Picture, came: &Picture, what: &str) -> Verdict {
    if expected == came {
        return Ok(());
    }
    let drawing = crate::server::drawing::difference(expected, came);
    Err(Failure::new(what, "the spectator sees something else").drawn(drawing))
}

/// The same picture with other occupants at these points; nobody means the bare map.
pub(super) fn redrawn(
    stage: &ServerStage,
    picture: &Picture,
    cells: &[(Point, Option<u8>)],
) -> Result<Picture, Failure> {
    let sight = stage.sight()?;
    let mut picture = picture.clone();
    for (at, cell) in cells {
        let index = sight.map().index(*at);
        picture.cells[index] = cell.unwrap_or(sight.map().tiles()[index].as_char());
    }
    Ok(picture)
}

/// Waits until a caller is sent a picture that will do.
pub(super) fn is_shown(
    stage: &ServerStage,
    caller: &mut Caller,
    expected: &str,
    will_do: impl Fn(&Picture) -> bool,
) -> Verdict {
    let (rows, cols) = stage.size()?;
    let from = caller.heard().len();
    let found = caller.wait_for(|message| {
        let picture = Picture::read(message, rows, cols).ok()?;
        will_do(&picture).then_some(())
    });
    if found.is_some() {
        return Ok(());
    }
    let came = caller.told_since(from);
    let came = if came.contains("DISPLAY") { "only other pictures".to_owned() } else { came };
    Err(Failure::silence(format!("{} is sent {expected}", caller.who()), came))
}
