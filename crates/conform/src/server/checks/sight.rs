//! Sight: what players see and remember, held against our own sight along walks.

use nuggets_game::Point;

use super::deeds::NAMES;
use super::walks::{go, go_seeing, letter, press_seeing, start_on};
use crate::chapter::Chapter;
use crate::server::follow::{self, Follow};
use crate::server::picture::Picture;
use crate::server::{Caller, ServerStage, TestMap};
use crate::{Check, Dialects, Failure, Verdict};

const CHAPTER: Chapter = Chapter { section: "Sight", source: "Requirements, Visibility" };
const INTRODUCTION: &str = "Requirements, introduction";

/// Pillars, rooms one spot wide, crooked ones, ones with holes, a hall, passages, the map's edges.
const MAPS: [&str; 11] = [
    "pillars", "zigzag", "main", "cross", "hole", "hall", "narrow", "edges", "maze", "pretty",
    "grand",
];
/// A server may show every step of a sprint. The system has no place for more than this at once.
const MOST_BURST_BYTES: usize = 100_000;
/// A walk goes to so many places.
const PLACES: u32 = 4;
/// And presses at least so many keys.
const KEYS: u32 = 80;
/// A way to one place is left off after so many steps.
const LONGEST: usize = 40;

pub(super) const CHECKS: &[Check<ServerStage>] = &[
    CHAPTER.must(
        "sight.room",
        "In a room without corners all of it is seen, walls included, whoever stands in the way.",
        |stage| {
            stage.start_on(&TestMap::named("yard"))?;
            let mut ann = stage.player("Ann")?;
            let mut others = vec![];
            for name in &NAMES[..19] {
                others.push(stage.player(name)?);
            }
            let (seen, truth) = own_picture(stage, &mut ann)?;
            let is_wall = |cell: u8| b"+-|".contains(&cell);
            let missing = truth.all(is_wall).into_iter().find(|at| seen.at(*at) != truth.at(*at));
            match missing {
                None if seen.all(|cell| cell == b' ').is_empty() => Ok(()),
                _ => Err(differs("the whole room", &truth, &seen, &ann)),
            }
        },
    ),
    CHAPTER.must("sight.gold", "Gold in sight is shown as *.", |stage| {
        let [mut ann] = start_on(stage, "yard", ["Ann"])?;
        let (seen, truth) = own_picture(stage, &mut ann)?;
        if seen.gold() == truth.gold() {
            return Ok(());
        }
        Err(differs("all gold in the room", &truth, &seen, &ann))
    }),
    CHAPTER.must("sight.players", "Players in sight are shown by their letters.", |stage| {
        let [mut ann, bob, cat] = start_on(stage, "yard", ["Ann", "Bob", "Cat"])?;
        let (seen, truth) = own_picture(stage, &mut ann)?;
        let is_seen = |player: &Caller| seen.only(letter(player)) == truth.only(letter(player));
        if is_seen(&bob) && is_seen(&cat) {
            return Ok(());
        }
        Err(differs("both other players in the room", &truth, &seen, &ann))
    }),
    CHAPTER.must("sight.fog", "What nobody has seen yet is blank.", |stage| {
        let [mut ann] = start_on(stage, "ring", ["Ann"])?;
        let (seen, truth) = own_picture(stage, &mut ann)?;
        let hidden = (0..seen.cols).map(|col| Point::new(0, col));
        if hidden.into_iter().all(|at| seen.at(at) == b' ') {
            return Ok(());
        }
        Err(differs("nothing of the passage outside the room", &truth, &seen, &ann))
    }),
    CHAPTER.must(
        "sight.first",
        "A new player is shown just what is visible from its spot.",
        |stage| {
            stage.start()?;
            let mut players = vec![];
            for name in ["Ann", "Bob", "Cat", "Dan", "Eve", "Fay"] {
                players.push(stage.player(name)?);
            }
            let truth = stage.look()?;
            for player in &mut players {
                let seen = stage.follow(player)?;
                stage.sees(player, &seen.expected(&truth))?;
            }
            Ok(())
        },
    ),
    CHAPTER
        .must("sight.memory", "The map that a player has seen stays on its display.", |stage| {
            let [mut ann, _bob] = start_on(stage, "ring", ["Ann", "Bob"])?;
            let (before, _) = own_picture(stage, &mut ann)?;
            go(stage, &mut ann, Point::new(0, 12))?;
            let (after, _) = own_picture(stage, &mut ann)?;
            match before.all(|cell| cell != b' ').into_iter().find(|at| after.at(*at) == b' ') {
                None => Ok(()),
                Some(at) => {
                    let expected = format!("what was seen at {at} is still shown");
                    Err(Failure::new(expected, "it is blank").drawn(difference(&before, &after)))
                }
            }
        })
        .said_in(INTRODUCTION),
    CHAPTER
        .must("sight.gold-hidden", "Gold that was seen and no longer is, is not shown.", |stage| {
            let [mut ann] = start_on(stage, "ring", ["Ann"])?;
            go(stage, &mut ann, Point::new(0, 12))?;
            let (seen, _) = own_picture(stage, &mut ann)?;
            match seen.gold().first() {
                None => Ok(()),
                Some(at) => Err(Failure::new(
                    "no gold on the display of a player in a passage",
                    format!("a pile at {at}"),
                )),
            }
        })
        .said_in(INTRODUCTION),
    CHAPTER
        .must("sight.players-hidden", "Players out of sight are not shown.", |stage| {
            let [mut ann, mut bob] = start_on(stage, "ring", ["Ann", "Bob"])?;
            go(stage, &mut ann, Point::new(0, 12))?;
            let (a, b) = (letter(&ann), letter(&bob));
            for (player, other) in [(&mut ann, b), (&mut bob, a)] {
                let (seen, _) = own_picture(stage, player)?;
                if !seen.all(|cell| cell == other).is_empty() {
                    let other = char::from(other);
                    let expected = format!("{} does not see {other}", player.who());
                    return Err(Failure::new(expected, format!("its display shows {other}")));
                }
            }
            Ok(())
        })
        .said_in(INTRODUCTION),
    CHAPTER
        .must(
            "sight.passage-dark",
            "In a passage one sees just the gridpoints around.",
            walks_the_ring,
        )
        .only_in(Dialects::Only2021),
    CHAPTER
        .must(
            "sight.passage-straight",
            "One sees along straight passages, to their end.",
            walks_the_ring,
        )
        .only_in(Dialects::Only2019),
    CHAPTER
        .must("sight.sprint", "What is seen on the way of a sprint stays known.", |stage| {
            let [mut ann] = start_on(stage, "ring", ["Ann"])?;
            let mut seen = stage.follow(&ann)?;
            go_seeing(stage, &mut ann, &mut seen, Point::new(10, 4))?;
            let truth = press_seeing(stage, &mut ann, &mut seen, 'L')?;
            stage.sees(&mut ann, &seen.expected(&truth))
        })
        .said_in(INTRODUCTION),
    CHAPTER.must(
        "sight.walks",
        "Sight and memory are right at every step of walks on all kinds of maps.",
        |stage| {
            let ours = MAPS.iter().map(|name| TestMap::named(name));
            ours.chain(stage.given_maps()).try_for_each(|map| {
                stage.start_on(&map)?;
                walks(stage).map_err(|failure| {
                    let expected = format!("{} (on the map {})", failure.expected, map.name);
                    Failure { expected, ..failure }
                })
            })
        },
    ),
    CHAPTER
        .must(
            "sight.occupied-passage",
            "A passage spot hides what is behind it, also when somebody stands there.",
            nobody_lights_a_passage,
        )
        .only_in(Dialects::Only2021),
];

/// One stands in the door, the other inside and in line with it: nothing of the passage is seen.
fn nobody_lights_a_passage(stage: &mut ServerStage) -> Verdict {
    let [mut ann, mut bob] = start_on(stage, "ring", ["Ann", "Bob"])?;
    go(stage, &mut bob, Point::new(4, 21))?;
    go(stage, &mut ann, Point::new(4, 18))?;
    let (seen, _) = own_picture(stage, &mut ann)?;
    let mut expected = seen.clone();
    let behind = usize::from(seen.cols) * 4 + 22..usize::from(seen.cols) * 5;
    expected.cells[behind].fill(b' ');
    if seen == expected {
        return Ok(());
    }
    let demand = "player A is shown nothing of the passage behind player B";
    Err(Failure::new(demand, "another picture").drawn(difference(&expected, &seen)))
}

/// A player's last picture, when everything before has been dealt with; and the spectator's.
fn own_picture(
    stage: &mut ServerStage,
    caller: &mut Caller,
) -> Result<(Picture, Picture), Failure> {
    let truth = stage.look()?;
    let at = truth.only(letter(caller));
    let (rows, cols) = stage.size()?;
    let mut seen = caller.last_picture(rows, cols)?;
    if seen.only(b'@') != at {
        // It may be on its way, or have been lost, and will be sent again.
        caller.skip_known();
        caller.wait_for(|message| {
            let picture = Picture::read(message, rows, cols).ok()?;
            (picture.only(b'@') == at).then_some(())
        });
        seen = caller.last_picture(rows, cols)?;
    }
    Ok((seen, truth))
}

fn differs(expected: &str, truth: &Picture, seen: &Picture, caller: &Caller) -> Failure {
    let cell = letter(caller);
    let own = |shown: &u8| if *shown == cell { b'@' } else { *shown };
    let whole = Picture { cells: truth.cells.iter().map(own).collect(), ..truth.clone() };
    let expected = format!("player {} is shown {expected}", char::from(cell));
    Failure::new(expected, "another picture").drawn(difference(&whole, seen))
}

fn difference(expected: &Picture, came: &Picture) -> String {
    crate::server::drawing::difference(expected, came)
}

/// All around the passage of the ring, looking at every step.
fn walks_the_ring(stage: &mut ServerStage) -> Verdict {
    let [mut ann] = start_on(stage, "ring", ["Ann"])?;
    let mut seen = stage.follow(&ann)?;
    go_seeing(stage, &mut ann, &mut seen, Point::new(4, 24))?;
    for key in "hllkkkkhhhhjll".chars() {
        if !seen.path(key).is_empty() {
            let truth = press_seeing(stage, &mut ann, &mut seen, key)?;
            stage.sees(&mut ann, &seen.expected(&truth))?;
        }
    }
    Ok(())
}

/// Walks to places anywhere on the map with steps and sprints, looking at every step.
fn walks(stage: &mut ServerStage) -> Verdict {
    let mut ann = stage.player("Ann")?;
    let _bob = stage.player("Bob")?;
    let truth = stage.look()?;
    let mut seen = stage.follow(&ann)?;
    stage.sees(&mut ann, &seen.expected(&truth))?;
    let mut pressed = 0;
    for place in 0.. {
        if place >= PLACES && pressed >= KEYS {
            break;
        }
        pressed += walks_somewhere(stage, &mut ann, &mut seen)?;
        pressed += sprints_about(stage, &mut ann, &mut seen)?;
    }
    Ok(())
}

/// To a place drawn by chance, past gold and others; how many keys were pressed.
fn walks_somewhere(
    stage: &mut ServerStage,
    caller: &mut Caller,
    seen: &mut Follow,
) -> Result<u32, Failure> {
    let sight = stage.sight()?;
    let truth = stage.truth()?;
    let spots = sight.map().spots();
    let to = spots[stage.chance.index(spots.len())];
    let keys = follow::walk(&sight, &truth, seen.at(), to).filter(|_| !truth.is_taken(to));
    let keys = keys.unwrap_or_default();
    let keys = &keys[..keys.len().min(LONGEST)];
    for key in keys {
        looks_after(stage, caller, seen, *key)?;
    }
    Ok(u32::try_from(keys.len()).unwrap_or(u32::MAX))
}

/// A few sprints by chance, where nothing lies in the way; how many keys were tried.
fn sprints_about(
    stage: &mut ServerStage,
    caller: &mut Caller,
    seen: &mut Follow,
) -> Result<u32, Failure> {
    for _ in 0..4 {
        let truth = stage.truth()?;
        let is_free = |key: &char| {
            let path = seen.path(*key);
            let fits = path.len() * truth.cells.len() <= MOST_BURST_BYTES;
            fits && !path.is_empty() && !path.iter().any(|at| truth.is_taken(*at))
        };
        let keys: Vec<char> = "HLKJYUBN".chars().filter(is_free).collect();
        if !keys.is_empty() {
            let key = keys[stage.chance.index(keys.len())];
            looks_after(stage, caller, seen, key)?;
        }
    }
    Ok(4)
}

fn looks_after(
    stage: &mut ServerStage,
    caller: &mut Caller,
    seen: &mut Follow,
    key: char,
) -> Verdict {
    let truth = press_seeing(stage, caller, seen, key)?;
    stage.sees(caller, &seen.expected(&truth))
}
