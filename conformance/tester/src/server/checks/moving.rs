//! Moving: every key, walls, corners, passages, the edge of the map, and the messages to each client.

use nuggets_game::{Point, Tile};

use super::NAMES;
use crate::server::test_run::{expect_same, expect_unchanged, is_inside_room};
use crate::server::tracking::key_path;
use crate::server::{ServerTest, TestClient, TestMap};
use crate::{CheckFailure, CheckTable, Verdict, ensure, fail};

/// The number of games started to find one where the player joins in the middle of a room.
const SEEDS: u64 = 25;
/// The number of games with the same starting spot after which all games are assumed to have it.
const SAME_SPOTS: usize = 4;

pub(super) const CHECKS: CheckTable<ServerTest> = &[
    ("move.h", |test| steps(test, 'h')),
    ("move.l", |test| steps(test, 'l')),
    ("move.k", |test| steps(test, 'k')),
    ("move.j", |test| steps(test, 'j')),
    ("move.y", |test| steps(test, 'y')),
    ("move.u", |test| steps(test, 'u')),
    ("move.b", |test| steps(test, 'b')),
    ("move.n", |test| steps(test, 'n')),
    ("move.passage", |test| {
        let [mut ann] = test.start_with_players("ring", ["Ann"])?;
        test.go_to(&mut ann, Point::new(4, 21))?;
        walks(test, &mut ann, "llllkkkkhh")?;
        test.go_to(&mut ann, Point::new(10, 6))?;
        walks(test, &mut ann, "llkkk")
    }),
    ("move.corner", |test| {
        let [mut ann] = test.start_with_players("ring", ["Ann"])?;
        test.go_to(&mut ann, Point::new(3, 20))?;
        test.expect_moves(&mut ann, 'n', Point::new(4, 21))?;
        test.go_to(&mut ann, Point::new(0, 24))?;
        test.expect_moves(&mut ann, 'n', Point::new(1, 25))?;
        let [mut ann] = test.start_with_players("pillars", ["Ann"])?;
        test.go_to(&mut ann, Point::new(7, 7))?;
        test.expect_moves(&mut ann, 'b', Point::new(8, 6))
    }),
    ("move.wall", |test| {
        let [mut ann] = test.start_with_players("yard", ["Ann"])?;
        test.go_to(&mut ann, Point::new(1, 1))?;
        keys_change_nothing(test, &mut ann, "hkyubHKYUB")?;
        test.go_to(&mut ann, Point::new(6, 11))?;
        keys_change_nothing(test, &mut ann, "ljnubLJNUB")
    }),
    ("move.rock", |test| {
        let [mut ann] = test.start_with_players("ring", ["Ann"])?;
        test.go_to(&mut ann, Point::new(9, 8))?;
        keys_change_nothing(test, &mut ann, "hlyuHLYU")?;
        test.go_to(&mut ann, Point::new(4, 23))?;
        keys_change_nothing(test, &mut ann, "kjyunbKJYUNB")
    }),
    ("move.edge", |test| {
        let [mut ann] = test.start_with_players("ring", ["Ann"])?;
        let edges = [((6, 25), "lun"), ((0, 12), "kyu"), ((6, 0), "hyb"), ((10, 12), "jbn")];
        for ((row, col), keys) in edges {
            test.go_to(&mut ann, Point::new(row, col))?;
            keys_change_nothing(test, &mut ann, keys)?;
            keys_change_nothing(test, &mut ann, &keys.to_ascii_uppercase())?;
        }
        Ok(())
    }),
    ("move.sprint-h", |test| sprints(test, 'H')),
    ("move.sprint-l", |test| sprints(test, 'L')),
    ("move.sprint-k", |test| sprints(test, 'K')),
    ("move.sprint-j", |test| sprints(test, 'J')),
    ("move.sprint-y", |test| sprints(test, 'Y')),
    ("move.sprint-u", |test| sprints(test, 'U')),
    ("move.sprint-b", |test| sprints(test, 'B')),
    ("move.sprint-n", |test| sprints(test, 'N')),
    ("move.sprint-passage", |test| {
        let [mut ann] = test.start_with_players("ring", ["Ann"])?;
        test.go_to(&mut ann, Point::new(4, 20))?;
        test.expect_moves(&mut ann, 'L', Point::new(4, 25))?;
        test.go_to(&mut ann, Point::new(10, 2))?;
        test.expect_moves(&mut ann, 'L', Point::new(10, 25))?;
        test.expect_moves(&mut ann, 'H', Point::new(10, 0))?;
        test.expect_moves(&mut ann, 'K', Point::new(0, 0))
    }),
    ("move.whose", |test| {
        let [mut ann, mut bob] = test.start_with_standing_players("ring", ["Ann", "Bob"])?;
        for player in [&mut bob, &mut ann] {
            let (key, from, to) = free_step(test, player)?;
            let before = test.snapshot()?;
            player.press(key);
            let after = test.snapshot()?;
            // A player that is placed on gold is the subject of another check.
            let left = Some(after.at(from)).filter(|left| *left == b'*');
            let expected = test.redrawn(&before, &[(from, left), (to, Some(player.cell()))])?;
            let what = format!("key {key} from {} moves it and nothing else", player.name);
            expect_same(&expected, &after, &what)?;
        }
        Ok(())
    }),
    ("move.unknown-key", |test| {
        let [mut ann] = test.start_with_players("yard", ["Ann"])?;
        for key in ["x", "A", "Z", "*", ".", "@", "1", "?"] {
            test.expect_ignored(&mut ann, format!("KEY {key}").as_bytes())?;
        }
        Ok(())
    }),
    ("move.small-q", |test| {
        let [mut ann] = test.start_with_players("yard", ["Ann"])?;
        test.expect_ignored(&mut ann, b"KEY q")
    }),
    ("move.landing", |test| {
        new_players_are_in_rooms(test)?;
        new_players_leave_the_gold(test)
    }),
    ("move.own-sign", |test| {
        let [mut ann] = test.start_with_players("yard", ["Ann"])?;
        let at = test.position_of(&ann)?;
        let picture = ann.last_display()?;
        let is_at = picture.at(at) == b'@' && !picture.cells.contains(&ann.cell());
        let shown = char::from(picture.at(at)).escape_default();
        ensure(is_at, format!("@ at {at} on Ann's display"), format!("'{shown}' there"))
    }),
    ("move.only-itself", |test| {
        let [mut ann, _bob, _cat] =
            test.start_with_standing_players("yard", ["Ann", "Bob", "Cat"])?;
        let snapshot = test.snapshot()?;
        ensure(!snapshot.cells.contains(&b'@'), "no @ on the whole map", "there is one")?;
        let at = test.position_of(&ann)?;
        let shown = ann.last_display()?.all(|cell| cell == b'@');
        let actual = format!("@ in {} places", shown.len());
        ensure(shown == [at], format!("one @ for player A, at {at}"), actual)
            .map_err(|failure| failure.because_of_if("move.own-sign", shown.is_empty()))
    }),
    ("move.to-mover", |test| {
        let [mut ann] = test.start_with_players("ring", ["Ann"])?;
        let (key, _, to) = free_step(test, &ann)?;
        ann.skip_received();
        ann.press(key);
        let cell = ann.cell();
        ann.expect_display(&format!("a DISPLAY with @ at {to}"), |picture| {
            picture.own_spot(cell) == Some(to)
        })
    }),
    ("move.to-others", |test| {
        let [mut ann, mut bob] = test.start_with_players("yard", ["Ann", "Bob"])?;
        let there = test.position_of(&bob)?;
        test.approach(&mut ann, there)?;
        let (key, from, to) = free_step(test, &ann)?;
        bob.skip_received();
        ann.press(key);
        let expected = format!("a DISPLAY with {} at {to}", ann.shown_letter());
        bob.expect_display(&expected, |picture| {
            picture.only(ann.cell()) == Some(to) && picture.at(from) == b'.'
        })
    }),
    ("move.to-all", |test| {
        // A DISPLAY may also arrive because the server resends an old one, but hardly three times at the right time.
        let [mut ann, mut bob] = test.start_with_players("ring", ["Ann", "Bob"])?;
        test.go_to(&mut ann, Point::new(0, 12))?;
        let mut sent = 0;
        for key in ['h', 'h', 'l', 'l'] {
            bob.skip_received();
            ann.press(key);
            test.fence()?;
            sent += u32::from(bob.has_unread("DISPLAY"));
        }
        // If datagrams are dropped, some of them may be missing.
        if sent >= if bob.is_lossy() { 1 } else { 3 } {
            return Ok(());
        }
        let expected = "Bob is sent a DISPLAY whenever Ann moves elsewhere";
        Err(CheckFailure::retryable(expected, format!("after {sent} of 4 moves")))
    }),
    ("move.to-spectator", |test| {
        let [mut ann] = test.start_with_players("ring", ["Ann"])?;
        let (key, _, to) = free_step(test, &ann)?;
        test.spectator()?.skip_received();
        ann.press(key);
        let found =
            test.spectator()?.wait_for_picture(|picture| picture.only(ann.cell()) == Some(to));
        let expected = format!("a DISPLAY with {} at {to}", ann.shown_letter());
        found.then_some(()).ok_or_else(|| CheckFailure::retryable(expected, "no such DISPLAY"))
    }),
];

fn new_players_are_in_rooms(test: &mut ServerTest) -> Verdict {
    test.start_game_on(&TestMap::named("maze"))?;
    let players = test.crowd(&NAMES[..12])?;
    let snapshot = test.snapshot()?;
    let sight = test.sight()?;
    for player in &players {
        let expected = format!("player {} on a room spot", player.shown_letter());
        match snapshot.only(player.cell()).and_then(|at| sight.map().tile(at)) {
            Some(Tile::Room) => {}
            Some(_) => return fail(expected, "it is not in a room"),
            None => {
                let failure = CheckFailure::new(expected, "it is not on the map exactly once");
                // Without spectators, perhaps only its own map lacks it.
                let is_hidden = !test.has_spectators();
                return Err(failure.because_of_if(test.map_obstacle(), is_hidden));
            }
        }
    }
    Ok(())
}

/// Fills a map with hardly more spots than players.
fn new_players_leave_the_gold(test: &mut ServerTest) -> Verdict {
    test.start_game_on(&TestMap::named("yard"))?;
    // Without spectators the first player must show where the gold is.
    let seen_from = usize::from(!test.has_spectators());
    let mut players = test.players(&NAMES[..seen_from])?;
    players.iter_mut().try_for_each(|player| test.look_around(player))?;
    let before = test.snapshot()?.gold();
    players.extend(test.crowd(&NAMES[seen_from..24])?);
    let joined = players.len();
    let snapshot = test.snapshot()?;
    let on_map = players.iter().filter(|it| snapshot.only(it.cell()).is_some()).count();
    let gold = snapshot.gold();
    ensure(
        gold == before && on_map == joined,
        format!("{joined} players and {} piles", before.len()),
        format!("{on_map} players and {} piles", gold.len()),
    )
}

/// Starts in the middle of a room, where any wrong step shows.
fn steps(test: &mut ServerTest, key: char) -> Verdict {
    let (mut ann, path) = player_inside_room(test, key)?;
    test.expect_moves(&mut ann, key, path[0])
}

fn sprints(test: &mut ServerTest, key: char) -> Verdict {
    let (mut ann, path) = player_inside_room(test, key)?;
    test.expect_moves(&mut ann, key, path[path.len() - 1])
}

/// Returns a player in the middle of a room with at least three spots in this direction, and those spots. It joins
/// there with one of many seeds, so that no other key is needed; otherwise it walks there.
fn player_inside_room(test: &mut ServerTest, key: char) -> Verdict<(TestClient, Vec<Point>)> {
    test.ensure_players_can_join()?;
    test.ensure_map_is_seen()?;
    let map = TestMap::named("ring");
    let sprint = key.to_ascii_uppercase();
    let mut spots = vec![];
    for seed in 1..=SEEDS {
        // A server that ignores the seed always places its player there.
        if spots.len() == SAME_SPOTS && spots.iter().all(|spot| *spot == spots[0]) {
            break;
        }
        test.start_with(&map, Some(seed))?;
        let ann = test.player("Ann")?;
        let snapshot = test.snapshot()?;
        // A player missing on the map is the subject of another check.
        let Ok(at) = test.position_of(&ann) else { continue };
        spots.push(at);
        let sight = test.sight()?;
        let path = key_path(&sight, at, sprint);
        let is_free = !path.iter().any(|spot| snapshot.is_occupied(*spot));
        if is_inside_room(&sight, at) && path.len() >= 3 && is_free {
            return Ok((ann, path));
        }
    }
    let [mut ann] = test.start_with_players("ring", ["Ann"])?;
    let sight = test.sight()?;
    let path = |at: Point| key_path(&sight, at, sprint);
    let at = test.go_where(&mut ann, |at| is_inside_room(&sight, at) && path(at).len() >= 3)?;
    Ok((ann, path(at)))
}

/// Returns a step onto a free spot: its key, start and end.
fn free_step(test: &mut ServerTest, client: &TestClient) -> Verdict<(char, Point, Point)> {
    let steps = test.free_steps(client)?;
    let is_right =
        |(key, _): &&(char, Point)| "hlkj".contains(*key) && test.ensure_steps(*key).is_ok();
    let Some((key, to)) = steps.iter().find(is_right).or(steps.first()) else {
        let expected = "a free spot beside a player";
        return Err(CheckFailure::for_this_seed(expected, "none; try another seed"));
    };
    test.ensure_steps(*key)?;
    Ok((*key, test.position_of(client)?, *to))
}

fn walks(test: &mut ServerTest, client: &mut TestClient, keys: &str) -> Verdict {
    let sight = test.sight()?;
    for key in keys.chars() {
        let at = test.position_of(client)?;
        let to = *key_path(&sight, at, key).last().unwrap_or(&at);
        test.expect_moves(client, key, to)?;
    }
    Ok(())
}

fn keys_change_nothing(test: &mut ServerTest, client: &mut TestClient, keys: &str) -> Verdict {
    let from = client.mark();
    for key in keys.chars() {
        let before = test.snapshot()?;
        client.press(key);
        expect_unchanged(&before, &test.snapshot()?, &format!("key {key} against an obstacle"))?;
    }
    client.expect_none_of(from, &["QUIT"], "no QUIT after a key against an obstacle")
}
