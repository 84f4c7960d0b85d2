//! Sight: the players' views and memories, compared with our own line of sight along walks.

use nuggets_game::Point;

use super::NAMES;
use crate::server::picture::{ShownMap, difference};
use crate::server::{ServerTest, TestClient, TestMap};
use crate::{CheckFailure, CheckTable, Verdict, ensure, ensure_none, fail};

/// Pillars, rooms one spot wide, crooked ones, ones with holes, a hall, passages, the map's edges.
const MAPS: [&str; 11] = [
    "pillars", "zigzag", "main", "cross", "hole", "hall", "narrow", "edges", "maze", "pretty",
    "grand",
];
/// The limit on bytes of one burst: a server may show every step of a sprint, and the receive buffer holds no more.
const MAX_BURST_BYTES: usize = 100_000;
/// The minimum number of places that a walk visits.
const MIN_PLACES: u32 = 4;
/// The minimum number of keys in a walk; lower on a server where each takes long.
const MIN_KEYS: u32 = 80;
const MIN_KEYS_IF_SLOW: u32 = 8;
/// The maximum number of keys to one place; lower on a slow server.
const MAX_KEYS_TO_PLACE: usize = 40;
const MAX_KEYS_IF_SLOW: usize = 8;

pub(super) const CHECKS: CheckTable<ServerTest> = &[
    ("sight.room", |test| {
        // Looks from any spot in a crowd, and alone from two corners, where walls are seen at the flattest angle.
        test.start_game_on(&TestMap::named("yard"))?;
        // The last one looks: another check covers the DISPLAY that the others are sent when she joins.
        let mut crowd = test.crowd(&NAMES[..20])?;
        if let Some(last) = crowd.last_mut() {
            ensure_sees_whole_room(test, last)?;
        }
        if test.capabilities().is_slow() {
            return Ok(());
        }
        let [mut ann] = test.start_with_players("yard", ["Ann"])?;
        for corner in [Point::new(1, 1), Point::new(6, 11)] {
            test.go_to(&mut ann, corner)?;
            ensure_sees_whole_room(test, &mut ann)?;
        }
        Ok(())
    }),
    ("sight.gold", |test| {
        // The player must see all gold that a spectator sees. Without spectators, it must see some, and find none elsewhere.
        let [mut ann] = test.start_with_players("yard", ["Ann"])?;
        let (seen, snapshot) = own_display(test, &mut ann)?;
        let missing = |at: &Point| seen.at(*at) != b'*';
        let missing: Vec<Point> = snapshot.gold().into_iter().filter(missing).collect();
        let has_gold = seen.gold() == snapshot.gold() && !seen.gold().is_empty();
        ensure_sees(has_gold, "all gold in the room", &ann, (&snapshot, &seen))
            .map_err(|failure| blame_room(failure, &seen, &missing))?;
        if test.has_spectators() || test.capabilities().is_slow() {
            return Ok(());
        }
        let before = ann.purse();
        walk_over_free_spots(test, &mut ann)?;
        let expected =
            format!("player {} finds no gold where it is shown none", ann.shown_letter());
        let actual = format!("its purse grows from {before} to {}", ann.purse());
        ensure(ann.purse() == before, expected, actual)
    }),
    ("sight.players", |test| {
        let [bob, cat, mut ann] =
            test.start_with_standing_players("yard", ["Bob", "Cat", "Ann"])?;
        let (seen, snapshot) = own_display(test, &mut ann)?;
        let missing = |it: &&TestClient| seen.only(it.cell()) != snapshot.only(it.cell());
        let missing: Vec<&TestClient> = [&bob, &cat].into_iter().filter(missing).collect();
        let places: Vec<Point> = missing.iter().filter_map(|it| snapshot.only(it.cell())).collect();
        let expected = "both other players in the room";
        ensure_sees(missing.is_empty(), expected, &ann, (&snapshot, &seen))
            .map_err(|failure| blame_room(failure, &seen, &places))
    }),
    ("sight.fog", |test| {
        let [mut ann] = test.start_with_players("ring", ["Ann"])?;
        let (seen, snapshot) = own_display(test, &mut ann)?;
        let is_blank = seen.cells[..usize::from(seen.cols)].iter().all(|cell| *cell == b' ');
        let expected = "nothing of the passage outside the room";
        ensure_sees(is_blank, expected, &ann, (&snapshot, &seen))
    }),
    ("sight.first", |test| {
        test.start_game()?;
        let mut players = vec![];
        for name in ["Ann", "Bob", "Cat", "Dan", "Eve", "Fay"] {
            let mut player = test.player(name)?;
            let snapshot = test.snapshot()?;
            test.track(&mut player)?;
            player.expect_view(&snapshot)?;
            players.push(player);
        }
        Ok(())
    }),
    ("sight.memory", |test| {
        let [mut ann, _bob] = test.start_with_players("ring", ["Ann", "Bob"])?;
        let (before, _) = own_display(test, &mut ann)?;
        test.go_to(&mut ann, Point::new(0, 12))?;
        let (after, _) = own_display(test, &mut ann)?;
        match before.all(|cell| cell != b' ').into_iter().find(|at| after.at(*at) == b' ') {
            None => Ok(()),
            Some(at) => {
                let expected = format!("what was seen at {at} is still shown");
                Err(CheckFailure::new(expected, "it is blank")
                    .with_drawing(difference(&before, &after)))
            }
        }
    }),
    ("sight.gold-hidden", |test| {
        let [mut ann] = test.start_with_players("ring", ["Ann"])?;
        test.go_to(&mut ann, Point::new(0, 12))?;
        let shown = own_display(test, &mut ann)?.0.gold().into_iter().next();
        let expected = "no gold on the display of a player in a passage";
        ensure_none(shown, expected, |at| format!("a pile at {at}"))
    }),
    ("sight.players-hidden", |test| {
        let [mut ann, mut bob] = test.start_with_players("ring", ["Ann", "Bob"])?;
        test.go_to(&mut ann, Point::new(0, 12))?;
        // Another check covers whether he is sent a DISPLAY when Ann moves out of his sight.
        test.expect_can_move(&mut bob)?;
        let a = ann.cell();
        let b = bob.cell();
        for (player, other) in [(&mut ann, b), (&mut bob, a)] {
            let (seen, _) = own_display(test, player)?;
            if seen.cells.contains(&other) {
                let other = char::from(other);
                let expected = format!("{} does not see {other}", player.name);
                return fail(expected, format!("its display shows {other}"));
            }
        }
        Ok(())
    }),
    ("sight.passage-dark", walks_around_the_ring),
    ("sight.passage-straight", walks_around_the_ring),
    ("sight.sprint", |test| {
        let [mut ann] = test.start_with_players("ring", ["Ann"])?;
        test.track(&mut ann)?;
        let start = Point::new(10, 4);
        test.go_to(&mut ann, start)?;
        test.press_all(&mut ann, start, &['L'])
            .map_err(|failure| failure.because_of("move.sprint-passage"))?;
        let snapshot = test.last_snapshot()?;
        ann.expect_view(&snapshot)
    }),
    ("sight.walks", |test| {
        let own = MAPS.iter().map(|name| TestMap::named(name));
        own.chain(test.settings.maps.clone()).try_for_each(|map| {
            match walks(test, &map) {
                // A crash on such a map is the subject of another check.
                Err(_) if map.is_tall() && test.has_exited() => Ok(()),
                Err(failure) => {
                    let expected = format!("{} (on the map {})", failure.expected, map.name);
                    Err(failure.with_expected(expected))
                }
                Ok(()) => Ok(()),
            }
        })
    }),
    ("sight.occupied-passage", |test| {
        // One player stands in the door, the other inside, in line with it: the latter sees nothing of the passage.
        let [mut ann, mut bob] = test.start_with_players("ring", ["Ann", "Bob"])?;
        test.go_to(&mut bob, Point::new(4, 21))?;
        test.go_to(&mut ann, Point::new(4, 18))?;
        let (seen, _) = own_display(test, &mut ann)?;
        let mut expected = seen.clone();
        let behind = usize::from(seen.cols) * 4 + 22..usize::from(seen.cols) * 5;
        expected.cells[behind].fill(b' ');
        if seen == expected {
            return Ok(());
        }
        let what = "player A is shown nothing of the passage behind player B";
        Err(CheckFailure::new(what, "its DISPLAY differs")
            .with_drawing(difference(&expected, &seen)))
    }),
];

fn ensure_sees_whole_room(test: &mut ServerTest, client: &mut TestClient) -> Verdict {
    let (seen, snapshot) = own_display(test, client)?;
    let walls = snapshot.all(|cell| b"+-|".contains(&cell));
    let has_walls = walls.into_iter().all(|at| seen.at(at) == snapshot.at(at));
    let is_complete = has_walls && !seen.cells.contains(&b' ');
    ensure_sees(is_complete, "the whole room", client, (&snapshot, &seen))
}

/// Blames the check of the room if everything missing lies where nothing at all is shown.
fn blame_room(failure: CheckFailure, seen: &ShownMap, missing: &[Point]) -> CheckFailure {
    let is_blank = !missing.is_empty() && missing.iter().all(|at| seen.at(*at) == b' ');
    failure.because_of_if("sight.room", is_blank)
}

/// Walks over every spot of the room that can be reached without stepping on gold.
fn walk_over_free_spots(test: &mut ServerTest, client: &mut TestClient) -> Verdict {
    let mut unvisited = test.sight()?.map().room_spots();
    loop {
        let snapshot = test.last_snapshot()?;
        let from = test.position_of(client)?;
        unvisited.retain(|at| *at != from && !snapshot.is_occupied(*at));
        let walk = test.nearest_walk(client, &snapshot, unvisited.clone())?;
        let Some(walk) = walk else { return test.fence() };
        test.press_all(client, from, &walk.keys)?;
    }
}

/// Returns a player's last display once everything before was handled, and the spectator's.
fn own_display(test: &mut ServerTest, client: &mut TestClient) -> Verdict<(ShownMap, ShownMap)> {
    let snapshot = test.snapshot()?;
    let cell = client.cell();
    let at = snapshot.only(cell);
    Ok((client.settled_display(|seen| seen.own_spot(cell) == at)?, snapshot))
}

/// Fails with a drawing of the gridpoints missing on the player's display, compared with the snapshot.
fn ensure_sees(
    holds: bool,
    expected: &str,
    client: &TestClient,
    (snapshot, seen): (&ShownMap, &ShownMap),
) -> Verdict {
    if holds {
        return Ok(());
    }
    let own = |cell: &u8| if *cell == client.cell() { b'@' } else { *cell };
    let whole = ShownMap { cells: snapshot.cells.iter().map(own).collect(), ..snapshot.clone() };
    let expected = format!("player {} is shown {expected}", client.shown_letter());
    Err(CheckFailure::new(expected, "its DISPLAY differs").with_drawing(difference(&whole, seen)))
}

/// Walks along the passage of the map `ring`, comparing at every step.
fn walks_around_the_ring(test: &mut ServerTest) -> Verdict {
    let [mut ann] = test.start_with_players("ring", ["Ann"])?;
    test.track(&mut ann)?;
    test.go_to(&mut ann, Point::new(4, 24))?;
    let mut verdict = Ok(());
    for key in "hllkkkkhhhhjll".chars() {
        if ann.view().key_path(key).is_empty() {
            continue;
        }
        match test.press_and_compare(&mut ann, key) {
            // Wrongly drawn gold may be seen from the passage or remembered: the rest of the walk shows which.
            Err(failure) if failure.obstacle.is_some() => verdict = verdict.and(Err(failure)),
            other => other?,
        }
    }
    verdict
}

/// Walks to random places with steps and sprints, comparing at every step.
fn walks(test: &mut ServerTest, map: &TestMap) -> Verdict {
    test.ensure_letters_are_kept()?;
    test.start_game_on(map)?;
    let _bob = test.player("Bob")?;
    let mut ann = test.player("Ann")?;
    let snapshot = test.snapshot()?;
    test.track(&mut ann)?;
    ann.expect_view(&snapshot)?;
    let (min_places, min_keys) =
        if test.capabilities().is_slow() { (1, MIN_KEYS_IF_SLOW) } else { (MIN_PLACES, MIN_KEYS) };
    let mut places = 0;
    let mut pressed = 0;
    while places < min_places || pressed < min_keys {
        pressed += walk_to_random_place(test, &mut ann)?;
        random_sprints(test, &mut ann)?;
        pressed += 4;
        places += 1;
    }
    Ok(())
}

/// Walks around gold and others; returns the number of keys pressed.
fn walk_to_random_place(test: &mut ServerTest, client: &mut TestClient) -> Verdict<u32> {
    let snapshot = test.last_snapshot()?;
    let spots = test.sight()?.map().spots();
    let to = Some(spots[test.rng.index(spots.len())]).filter(|to| !snapshot.is_occupied(*to));
    let keys = test.nearest_walk(client, &snapshot, to)?.map(|walk| walk.keys).unwrap_or_default();
    let is_slow = test.capabilities().is_slow();
    let max_keys = if is_slow { MAX_KEYS_IF_SLOW } else { MAX_KEYS_TO_PLACE };
    let keys = &keys[..keys.len().min(max_keys)];
    for key in keys {
        test.press_and_compare(client, *key)?;
    }
    Ok(u32::try_from(keys.len()).unwrap_or(u32::MAX))
}

/// Presses up to four random sprints over free spots.
fn random_sprints(test: &mut ServerTest, client: &mut TestClient) -> Verdict {
    for _ in 0..4 {
        let snapshot = test.last_snapshot()?;
        let is_free = |key: &char| {
            let path = client.view().key_path(*key);
            let fits = path.len() * snapshot.cells.len() <= MAX_BURST_BYTES;
            fits && !path.is_empty() && !path.iter().any(|at| snapshot.is_occupied(*at))
        };
        let keys: Vec<char> = "HLKJYUBN".chars().filter(is_free).collect();
        if !keys.is_empty() {
            let key = keys[test.rng.index(keys.len())];
            test.press_and_compare(client, key)?;
        }
    }
    Ok(())
}
