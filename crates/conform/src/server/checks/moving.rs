//! Moving: every key, walls, corners, passages, the edge of the map, and who is told.

use nuggets_game::{Point, Tile};

use super::deeds::{NAMES, has_not_heard, has_word, is_ignored, is_unchanged};
use super::walks::{
    approach, go, go_where, is_inside, is_just, is_shown, lands, letter, redrawn, start_on,
};
use crate::chapter::Chapter;
use crate::server::picture::Picture;
use crate::server::{Caller, ServerStage, TestMap, follow};
use crate::{Check, Failure, Verdict};

const CHAPTER: Chapter = Chapter { section: "Moving", source: "Requirements, Client interface" };
const MAPS: &str = "Requirements, Maps";
const SERVER: &str = "Requirements, Server";
const PROTOCOL: &str = "Network protocol, Player to server";
const TO_CLIENTS: &str = "Network protocol, Server to clients";
const INTRODUCTION: &str = "Requirements, introduction";

/// So many games are begun to find a player in the middle of a room.
const SEEDS: u64 = 25;

pub(super) const CHECKS: &[Check<ServerStage>] = &[
    CHAPTER.must("move.h", "h moves one spot to the left.", |stage| steps(stage, 'h')),
    CHAPTER.must("move.l", "l moves one spot to the right.", |stage| steps(stage, 'l')),
    CHAPTER.must("move.k", "k moves one spot up.", |stage| steps(stage, 'k')),
    CHAPTER.must("move.j", "j moves one spot down.", |stage| steps(stage, 'j')),
    CHAPTER.must("move.y", "y moves one spot up and left.", |stage| steps(stage, 'y')),
    CHAPTER.must("move.u", "u moves one spot up and right.", |stage| steps(stage, 'u')),
    CHAPTER.must("move.b", "b moves one spot down and left.", |stage| steps(stage, 'b')),
    CHAPTER.must("move.n", "n moves one spot down and right.", |stage| steps(stage, 'n')),
    CHAPTER
        .must("move.passage", "Passages can be walked, around bends and into rooms.", |stage| {
            let [mut ann] = start_on(stage, "ring", ["Ann"])?;
            go(stage, &mut ann, Point::new(4, 21))?;
            walks(stage, &mut ann, "llllkkkkhh")?;
            go(stage, &mut ann, Point::new(10, 6))?;
            walks(stage, &mut ann, "llkkk")
        })
        .said_in(MAPS),
    CHAPTER.must(
        "move.corner",
        "A diagonal step may cut a corner, at a door or a bend, and go between two that touch.",
        |stage| {
            let [mut ann] = start_on(stage, "ring", ["Ann"])?;
            go(stage, &mut ann, Point::new(3, 20))?;
            lands(stage, &mut ann, 'n', Point::new(4, 21))?;
            go(stage, &mut ann, Point::new(0, 24))?;
            lands(stage, &mut ann, 'n', Point::new(1, 25))?;
            let [mut ann] = start_on(stage, "pillars", ["Ann"])?;
            go(stage, &mut ann, Point::new(7, 7))?;
            lands(stage, &mut ann, 'b', Point::new(8, 6)).map(|_| ())
        },
    ),
    CHAPTER.must("move.wall", "A step or a sprint against a wall changes nothing.", |stage| {
        let [mut ann] = start_on(stage, "yard", ["Ann"])?;
        go(stage, &mut ann, Point::new(1, 1))?;
        change_nothing(stage, &mut ann, "hkyubHKYUB")?;
        go(stage, &mut ann, Point::new(6, 11))?;
        change_nothing(stage, &mut ann, "ljnubLJNUB")
    }),
    CHAPTER
        .must("move.rock", "Nobody leaves a passage into the rock beside it.", |stage| {
            let [mut ann] = start_on(stage, "ring", ["Ann"])?;
            go(stage, &mut ann, Point::new(9, 8))?;
            change_nothing(stage, &mut ann, "hlyuHLYU")?;
            go(stage, &mut ann, Point::new(4, 23))?;
            change_nothing(stage, &mut ann, "kjyunbKJYUNB")
        })
        .said_in(MAPS),
    CHAPTER
        .must(
            "move.edge",
            "Nobody leaves the map over its edge, and nobody comes out on the other side.",
            |stage| {
                let [mut ann] = start_on(stage, "ring", ["Ann"])?;
                let edges =
                    [((6, 25), "lun"), ((0, 12), "kyu"), ((6, 0), "hyb"), ((10, 12), "jbn")];
                for ((row, col), keys) in edges {
                    go(stage, &mut ann, Point::new(row, col))?;
                    change_nothing(stage, &mut ann, keys)?;
                    change_nothing(stage, &mut ann, &keys.to_ascii_uppercase())?;
                }
                Ok(())
            },
        )
        .said_in(MAPS),
    CHAPTER.must("move.sprint-h", "H moves left as far as it goes.", |stage| sprints(stage, 'H')),
    CHAPTER.must("move.sprint-l", "L moves right as far as it goes.", |stage| sprints(stage, 'L')),
    CHAPTER.must("move.sprint-k", "K moves up as far as it goes.", |stage| sprints(stage, 'K')),
    CHAPTER.must("move.sprint-j", "J moves down as far as it goes.", |stage| sprints(stage, 'J')),
    CHAPTER.must("move.sprint-y", "Y moves up and left as far as it goes.", |stage| {
        sprints(stage, 'Y')
    }),
    CHAPTER.must("move.sprint-u", "U moves up and right as far as it goes.", |stage| {
        sprints(stage, 'U')
    }),
    CHAPTER.must("move.sprint-b", "B moves down and left as far as it goes.", |stage| {
        sprints(stage, 'B')
    }),
    CHAPTER.must("move.sprint-n", "N moves down and right as far as it goes.", |stage| {
        sprints(stage, 'N')
    }),
    CHAPTER.must(
        "move.sprint-passage",
        "A sprint goes on through doors and past forks, and stops where a passage bends.",
        |stage| {
            let [mut ann] = start_on(stage, "ring", ["Ann"])?;
            go(stage, &mut ann, Point::new(4, 20))?;
            lands(stage, &mut ann, 'L', Point::new(4, 25))?;
            go(stage, &mut ann, Point::new(10, 2))?;
            lands(stage, &mut ann, 'L', Point::new(10, 25))?;
            lands(stage, &mut ann, 'H', Point::new(10, 0))?;
            lands(stage, &mut ann, 'K', Point::new(0, 0)).map(|_| ())
        },
    ),
    CHAPTER
        .must(
            "move.whose",
            "A key moves the player from whose address it comes, and nothing else changes.",
            |stage| {
                let [mut ann, mut bob] = start_on(stage, "ring", ["Ann", "Bob"])?;
                for player in [&mut bob, &mut ann] {
                    let (key, from, to) = stands_free(stage, player)?;
                    let before = stage.look()?;
                    player.press(key);
                    let after = stage.look()?;
                    let cells = [(from, None), (to, Some(letter(player)))];
                    let expected = redrawn(stage, &before, &cells)?;
                    let what = format!("key {key} from {} moves it and nothing else", player.who());
                    is_just(&expected, &after, &what)?;
                }
                Ok(())
            },
        )
        .said_in(PROTOCOL),
    CHAPTER.must("move.unknown-key", "A key that means nothing changes nothing.", |stage| {
        let [mut ann] = start_on(stage, "yard", ["Ann"])?;
        for key in ["x", "A", "Z", "*", ".", "@", "1", "?"] {
            is_ignored(stage, &mut ann, format!("KEY {key}").as_bytes())?;
        }
        Ok(())
    }),
    CHAPTER.must("move.small-q", "A small q does not quit.", |stage| {
        let [mut ann] = start_on(stage, "yard", ["Ann"])?;
        is_ignored(stage, &mut ann, b"KEY q")
    }),
    CHAPTER
        .must(
            "move.landing",
            "New players land in rooms, each on a spot of its own where no gold lies.",
            |stage| {
                newcomers_land_in_rooms(stage)?;
                newcomers_leave_the_gold(stage)
            },
        )
        .said_in(INTRODUCTION),
    CHAPTER
        .must(
            "move.own-sign",
            "A player is shown to itself as @ and never by its letter.",
            |stage| {
                let [mut ann] = start_on(stage, "yard", ["Ann"])?;
                let at = stage.place_of(&ann)?;
                let (rows, cols) = stage.size()?;
                let picture = ann.last_picture(rows, cols)?;
                let cell = letter(&ann);
                if picture.at(at) == b'@' && picture.all(|shown| shown == cell).is_empty() {
                    return Ok(());
                }
                let shown = char::from(picture.at(at)).escape_default();
                Err(Failure::new(format!("@ at {at} on Ann's display"), format!("'{shown}' there")))
            },
        )
        .said_in(TO_CLIENTS),
    CHAPTER
        .must("move.only-itself", "Nobody but the player itself is shown as @.", |stage| {
            let [mut ann, _bob, _cat] = start_on(stage, "yard", ["Ann", "Bob", "Cat"])?;
            let truth = stage.look()?;
            if !truth.all(|cell| cell == b'@').is_empty() {
                return Err(Failure::new("no @ on the spectator's map", "there is one"));
            }
            let at = stage.place_of(&ann)?;
            let (rows, cols) = stage.size()?;
            match ann.last_picture(rows, cols)?.all(|cell| cell == b'@')[..] {
                [shown] if shown == at => Ok(()),
                ref others => {
                    let came = format!("@ in {} places", others.len());
                    Err(Failure::new(format!("one @ for player A, at {at}"), came))
                }
            }
        })
        .said_in(TO_CLIENTS),
    CHAPTER
        .must(
            "move.to-mover",
            "Whoever moves is sent a DISPLAY with @ at its new place.",
            |stage| {
                let [mut ann] = start_on(stage, "ring", ["Ann"])?;
                let (key, _, to) = stands_free(stage, &mut ann)?;
                ann.skip();
                ann.press(key);
                is_shown(stage, &mut ann, &format!("a DISPLAY with @ at {to}"), |picture| {
                    picture.only(b'@') == Some(to)
                })
            },
        )
        .said_in(PROTOCOL),
    CHAPTER
        .must(
            "move.to-others",
            "When somebody moves, the others who see it are sent a DISPLAY with its letter there.",
            |stage| {
                let [mut ann, mut bob] = start_on(stage, "yard", ["Ann", "Bob"])?;
                let there = stage.place_of(&bob)?;
                approach(stage, &mut ann, there)?;
                let (key, from, to) = stands_free(stage, &mut ann)?;
                bob.skip();
                ann.press(key);
                let cell = letter(&ann);
                let expected = format!("a DISPLAY with {} at {to}", char::from(cell));
                is_shown(stage, &mut bob, &expected, |picture| {
                    picture.only(cell) == Some(to) && picture.at(from) == b'.'
                })
            },
        )
        .said_in(PROTOCOL),
    CHAPTER
        .should(
            "move.to-all",
            "When somebody moves, even those who can't see it are sent a DISPLAY.",
            others_are_told_of_what_they_cant_see,
        )
        .said_in(SERVER),
    CHAPTER
        .must(
            "move.to-spectator",
            "When somebody moves, the spectator is sent a DISPLAY with its letter there.",
            |stage| {
                let [mut ann] = start_on(stage, "ring", ["Ann"])?;
                let (key, _, to) = stands_free(stage, &mut ann)?;
                let (rows, cols) = stage.size()?;
                stage.watcher()?.skip();
                ann.press(key);
                let cell = letter(&ann);
                let found = stage.watcher()?.wait_for(|message| {
                    let picture = Picture::read(message, rows, cols).ok()?;
                    (picture.only(cell) == Some(to)).then_some(())
                });
                let expected = format!("a DISPLAY with {} at {to}", char::from(cell));
                found.ok_or_else(|| Failure::silence(expected, "no such picture"))
            },
        )
        .said_in(PROTOCOL),
];

fn newcomers_land_in_rooms(stage: &mut ServerStage) -> Verdict {
    stage.start_on(&TestMap::named("maze"))?;
    let names = NAMES[..12].iter();
    let players: Result<Vec<Caller>, Failure> = names.map(|name| stage.player(name)).collect();
    let truth = stage.look()?;
    let sight = stage.sight()?;
    players?.iter().try_for_each(|player| {
        let cell = letter(player);
        let tile = truth.only(cell).and_then(|at| sight.map().tile(at));
        let expected = format!("player {} on a room spot", char::from(cell));
        match tile {
            Some(Tile::Room) => Ok(()),
            Some(_) => Err(Failure::new(expected, "it is not in a room")),
            None => Err(Failure::new(expected, "it is not on the map just once")),
        }
    })
}

/// As many as may come, on a map that has hardly more room.
fn newcomers_leave_the_gold(stage: &mut ServerStage) -> Verdict {
    stage.start_on(&TestMap::named("yard"))?;
    let before = stage.look()?.gold();
    let mut players = vec![];
    for name in &NAMES[..24] {
        players.push(stage.player(name)?);
    }
    let truth = stage.look()?;
    let on_map = players.iter().filter(|player| truth.only(letter(player)).is_some()).count();
    if truth.gold() == before && on_map == 24 {
        return Ok(());
    }
    let (was, is) = (before.len(), truth.gold().len());
    Err(Failure::new(
        format!("24 players and {was} piles"),
        format!("{on_map} players and {is} piles"),
    ))
}

/// A picture may also come because an old one is sent again; hardly ever three times at just the
/// right moment.
fn others_are_told_of_what_they_cant_see(stage: &mut ServerStage) -> Verdict {
    let [mut ann, mut bob] = start_on(stage, "ring", ["Ann", "Bob"])?;
    go(stage, &mut ann, Point::new(0, 12))?;
    let mut told = 0;
    for key in ['h', 'h', 'l', 'l'] {
        bob.skip();
        ann.press(key);
        stage.fence()?;
        told += u32::from(bob.fresh().iter().any(|heard| has_word(&heard.bytes, &["DISPLAY"])));
    }
    // Where datagrams are lost, one of them may be missing.
    if told >= if bob.is_lossy() { 1 } else { 3 } {
        return Ok(());
    }
    let came = format!("after {told} of 4 moves");
    Err(Failure::silence("Bob is sent a DISPLAY whenever Ann moves elsewhere", came))
}

/// From the middle of a room, so that any wrong step would show.
fn steps(stage: &mut ServerStage, key: char) -> Verdict {
    let (mut ann, path) = stands_inside(stage, key)?;
    lands(stage, &mut ann, key, path[0]).map(|_| ())
}

fn sprints(stage: &mut ServerStage, key: char) -> Verdict {
    let (mut ann, path) = stands_inside(stage, key)?;
    lands(stage, &mut ann, key, path[path.len() - 1]).map(|_| ())
}

/// A player in the middle of a room, from where one can go at least three spots this way; those
/// spots. It has landed there if any of many seeds brings it there: no other key is needed then.
fn stands_inside(stage: &mut ServerStage, key: char) -> Result<(Caller, Vec<Point>), Failure> {
    let map = TestMap::named("ring");
    for seed in 1..=SEEDS {
        stage.start_with(&map, Some(seed))?;
        let ann = stage.player("Ann")?;
        let truth = stage.look()?;
        let at = stage.place_of(&ann)?;
        let sight = stage.sight()?;
        let path = follow::path(&sight, at, key.to_ascii_uppercase());
        let is_bare = !path.iter().any(|spot| truth.is_taken(*spot));
        if is_inside(&sight, at) && path.len() >= 3 && is_bare {
            return Ok((ann, path));
        }
    }
    walks_inside(stage, key)
}

fn walks_inside(stage: &mut ServerStage, key: char) -> Result<(Caller, Vec<Point>), Failure> {
    let [mut ann] = start_on(stage, "ring", ["Ann"])?;
    let sight = stage.sight()?;
    let path = |at: Point| follow::path(&sight, at, key.to_ascii_uppercase());
    let will_do = |_: &Picture, at: Point| is_inside(&sight, at) && path(at).len() >= 3;
    let at = go_where(stage, &mut ann, will_do)?;
    Ok((ann, path(at)))
}

/// A player from where it can step onto a free room spot: the key, from where, to where.
fn stands_free(
    stage: &mut ServerStage,
    caller: &mut Caller,
) -> Result<(char, Point, Point), Failure> {
    let (key, to) = super::deeds::free_step(stage, caller)?;
    Ok((key, stage.place_of(caller)?, to))
}

fn walks(stage: &mut ServerStage, caller: &mut Caller, keys: &str) -> Verdict {
    let sight = stage.sight()?;
    for key in keys.chars() {
        let at = stage.place_of(caller)?;
        let to = *follow::path(&sight, at, key).last().unwrap_or(&at);
        lands(stage, caller, key, to)?;
    }
    Ok(())
}

fn change_nothing(stage: &mut ServerStage, caller: &mut Caller, keys: &str) -> Verdict {
    caller.skip();
    let from = caller.heard().len();
    for key in keys.chars() {
        let before = stage.look()?;
        caller.press(key);
        let after = stage.look()?;
        is_unchanged(&before, &after, &format!("key {key} where it leads nowhere"))?;
    }
    has_not_heard(caller, from, &["QUIT"], "nobody has to leave for a key that leads nowhere")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_a_check_and_every_sprint() {
        let ids: Vec<&str> = CHECKS.iter().map(|check| check.clause.id).collect();
        for key in "hlkjyubn".chars() {
            assert!(ids.contains(&format!("move.{key}").as_str()));
            assert!(ids.contains(&format!("move.sprint-{key}").as_str()));
        }
    }
}
