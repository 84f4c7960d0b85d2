//! Gold: its amount, its places, and the messages when it is taken.

use std::collections::BTreeSet;

use nuggets_game::{Direction, Point, Tile};

use super::collecting::TakenPile;
use super::starting::ANOTHER_SECOND;
use crate::server::capabilities::SnapshotMethod;
use crate::server::picture::ShownMap;
use crate::server::test_client::ReceivedGold;
use crate::server::test_run::expect_same;
use crate::server::tracking::{find_walk, key_path};
use crate::server::{ServerTest, TestClient, TestMap};
use crate::{CheckFailure, CheckTable, Verdict, ensure, fail};

/// All gold of a game.
const TOTAL: u32 = 250;
/// The number of starts that reveal random behaviour.
const STARTS: u64 = 8;
/// The number of additional starts in other seconds, if all starts were equal.
const LATER_STARTS: u64 = 3;

pub(super) const CHECKS: CheckTable<ServerTest> = &[
    ("gold.piles", |test| {
        for (seed, snapshot) in snapshots_of_seeds(test)? {
            let piles = snapshot.gold().len();
            let actual = format!("{piles} piles with seed {seed}");
            ensure((10..=30).contains(&piles), "10 to 30 piles at the start", actual)?;
        }
        Ok(())
    }),
    ("gold.piles-vary", |test| {
        // If the number does not vary with the seed, it may vary with the time of the start.
        let snapshots = snapshots_of_seeds(test)?;
        let mut counts: BTreeSet<usize> = snapshots.iter().map(|(_, it)| it.gold().len()).collect();
        for seed in 1..=LATER_STARTS {
            if counts.len() == 1 {
                std::thread::sleep(ANOTHER_SECOND);
                counts.insert(snapshot_of_seed(test, seed)?.gold().len());
            }
        }
        let expected = format!("numbers of piles that vary over {STARTS} seeds");
        ensure(counts.len() > 1, expected, format!("always {counts:?} piles"))
    }),
    ("gold.in-rooms", |test| {
        test.ensure_spectators_are_sent_maps()?;
        for seed in 1..=STARTS {
            test.start_with(&TestMap::named("maze"), Some(seed))?;
            let snapshot = test.snapshot_by(SnapshotMethod::Stay)?;
            let sight = test.sight()?;
            let is_outside = |at: &Point| sight.map().tile(*at) != Some(Tile::Room);
            if let Some(at) = snapshot.gold().into_iter().find(is_outside) {
                return fail("gold on room spots only", format!("a pile at {at} with seed {seed}"));
            }
        }
        Ok(())
    }),
    ("gold.taker", |test| {
        let [mut ann] = test.start_with_players("yard", ["Ann"])?;
        let TakenPile { size, message } = test.take_nearest(&mut ann)?;
        let expected = ReceivedGold { found: size, ..message }.to_string();
        ensure(message.found == size, expected, message.to_string())
    }),
    ("gold.adds-up", |test| {
        let [mut ann] = test.start_with_players("yard", ["Ann"])?;
        let mut purse = 0;
        let mut remaining = ann.last_gold().map_or(TOTAL, |gold| gold.remaining);
        for _ in 0..4 {
            let (key, _) = test.approach_pile(&mut ann)?;
            let TakenPile { size, message } = ann.take_pile(key)?;
            let gold = ReceivedGold { found: size, ..message };
            // The gold that was found must have moved from the remaining gold to the purse.
            let expected = ReceivedGold::new(size, purse + size, remaining.saturating_sub(size));
            let is_right = gold.purse == purse + size && gold.remaining + size == remaining;
            ensure(is_right, expected.to_string(), gold.to_string())?;
            (purse, remaining) = (gold.purse, gold.remaining);
        }
        Ok(())
    }),
    ("gold.others", |test| {
        let [mut ann, mut bob] = test.start_with_players("yard", ["Ann", "Bob"])?;
        let (key, _) = test.approach_pile(&mut ann)?;
        bob.skip_received();
        let remaining = ann.take_pile(key)?.message.remaining;
        let gold = bob.expect_remaining(remaining, &format!("Bob is sent GOLD 0 p {remaining}"))?;
        ensure(gold.found == 0, "n is 0 for the others", gold.to_string())
    }),
    ("gold.others-purse", |test| {
        let [mut ann, mut bob] = test.start_with_players("yard", ["Ann", "Bob"])?;
        let purse = test.need_find(&mut bob)?.message.purse;
        let (key, _) = test.approach_pile(&mut ann)?;
        bob.skip_received();
        let remaining = ann.take_pile(key)?.message.remaining;
        bob.expect_purse(purse, remaining)
            .map_err(|failure| failure.if_missing_because_of("gold.others"))
    }),
    ("gold.spectator", |test| {
        let [mut ann] = test.start_with_players("yard", ["Ann"])?;
        let (key, _) = test.approach_pile(&mut ann)?;
        test.spectator()?.skip_received();
        let remaining = ann.take_pile(key)?.message.remaining;
        let exact = ReceivedGold::new(0, 0, remaining);
        let spectator = test.spectator()?;
        let expected = format!("{} is sent {exact}", spectator.name);
        let gold = spectator.expect_remaining(remaining, &expected)?;
        ensure(gold == exact, expected, gold.to_string())
    }),
    ("gold.gone", |test| {
        let [mut ann] = test.start_with_players("yard", ["Ann"])?;
        let (key, pile) = test.approach_pile(&mut ann)?;
        let before = test.snapshot()?;
        let from = test.position_of(&ann)?;
        ann.press(key);
        let expected = test.redrawn(&before, &[(from, None), (pile, Some(ann.cell()))])?;
        expect_same(&expected, &test.snapshot()?, "the player stands where the pile was")?;
        // There is no gold where it came from.
        let back = opposite_key(key);
        ann.press(back);
        let expected = test.redrawn(&expected, &[(from, Some(ann.cell())), (pile, None)])?;
        expect_same(&expected, &test.snapshot()?, "nothing is left where the pile was")?;
        let first = ann.last_gold();
        for key in [key, back, key, back] {
            ann.press(key);
        }
        test.fence()?;
        let then = ann.last_gold();
        let counts = |gold: Option<ReceivedGold>| gold.map(|gold| (gold.purse, gold.remaining));
        let actual = format!("first {first:?}, then {then:?}");
        ensure(counts(first) == counts(then), "nothing is found there again", actual)
    }),
    ("gold.sprint", |test| sprints_over(test, 1)),
    ("gold.sprint-several", |test| sprints_over(test, 2)),
    ("gold.late", |test| {
        let [mut ann] = test.start_with_players("yard", ["Ann"])?;
        let taken = test.need_find(&mut ann)?.message;
        // The remaining number that the taker was sent is the subject of gold.adds-up.
        let remaining = TOTAL - taken.purse.min(TOTAL);
        let what = format!("the second player is sent {}", ReceivedGold::new(0, 0, remaining));
        match test.player("Bob")?.last_gold() {
            // A player that is placed on gold is the subject of another check.
            Some(gold) => {
                let is_right =
                    [remaining, taken.remaining].contains(&(gold.purse + gold.remaining));
                ensure(is_right, what, gold.to_string())
            }
            None => Err(CheckFailure::retryable(what, "no GOLD").because_of("join.gold")),
        }
    }),
    ("gold.sum", |test| {
        test.ensure_letters_are_kept()?;
        test.start_game_on(&TestMap::named("yard"))?;
        // If possible, before any player joins: the starting spots of players are the subject of another check.
        let mut players = vec![];
        if !test.has_spectators() {
            players = test.players(&["Ann", "Bob"])?;
            test.look_around(&mut players[0])?;
            // A pile on which a player was placed is shown when the player has left it.
            for player in &mut players {
                test.look_again(player)?;
            }
        }
        let piles = test.snapshot()?.gold().len();
        if players.is_empty() {
            players = test.players(&["Ann", "Bob"])?;
        }
        let found_before = count_finds(&mut players);
        test.collect(&mut players, 1)?;
        let found = count_finds(&mut players) - found_before;
        if found + 1 != piles {
            let expected =
                format!("{piles} piles, all but one found: {} finds", piles.saturating_sub(1));
            return fail(expected, format!("{found} finds"));
        }
        let remaining = players.iter_mut().filter_map(TestClient::last_gold).map(|it| it.remaining);
        let remaining = remaining.min().unwrap_or(0);
        let purses: u32 = players.iter_mut().map(TestClient::purse).sum();
        let is_right = purses + remaining == TOTAL && remaining > 0;
        let expected = format!("{TOTAL} nuggets in all, some of them in the last pile");
        let actual = format!("{purses} in the purses, and {remaining} remain with one pile left");
        ensure(is_right, expected, actual).map_err(|failure| {
            // A wrong sum that was announced at the start is the subject of another check.
            let first = players[0].received.iter().find_map(|it| ReceivedGold::parse(&it.bytes));
            let is_announced = first.is_some_and(|first| first.remaining == purses + remaining);
            failure.because_of_if("join.gold", is_announced)
        })
    }),
    ("gold.sizes-vary", |test| {
        let mut players = test.start_with_players("yard", ["Ann"])?;
        test.collect(&mut players, 1)?;
        let sizes: BTreeSet<u32> = players[0].finds().iter().map(|find| find.size).collect();
        ensure(sizes.len() > 2, "piles of many sizes", format!("only the sizes {sizes:?}"))
    }),
];

fn count_finds(players: &mut [TestClient]) -> usize {
    players.iter_mut().map(|player| player.finds().len()).sum()
}

/// The first map for several seeds.
fn snapshots_of_seeds(test: &mut ServerTest) -> Verdict<Vec<(u64, ShownMap)>> {
    test.ensure_map_is_seen()?;
    (1..=STARTS).map(|seed| Ok((seed, snapshot_of_seed(test, seed)?))).collect()
}

/// The first map for a seed: the spectator's, or that of a player who sees all of the map `yard`.
fn snapshot_of_seed(test: &mut ServerTest, seed: u64) -> Verdict<ShownMap> {
    let map = TestMap::named(if test.has_spectators() { "main" } else { "yard" });
    test.start_with(&map, Some(seed))?;
    let mut player = None;
    if !test.has_spectators() {
        let ann = player.insert(test.player("Ann")?);
        test.look_around(ann)?;
    }
    test.snapshot()
}

/// The key of the opposite direction.
pub(super) fn opposite_key(key: char) -> char {
    let direction = Direction::ALL.into_iter().find(|it| char::from(it.key()) == key);
    let (down, right) = direction.map_or((0, 0), Direction::offset);
    let back = Direction::ALL.into_iter().find(|it| it.offset() == (-down, -right));
    back.map_or(key, |direction| char::from(direction.key()))
}

/// Sprints over at least this many piles, ending on a free spot.
fn sprints_over(test: &mut ServerTest, piles: usize) -> Verdict {
    let [mut ann] = test.start_with_players("yard", ["Ann"])?;
    let (key, at) = find_sprint(test, &ann, piles)?;
    test.go_to(&mut ann, at)?;
    let before = test.snapshot()?;
    let path = key_path(&*test.sight()?, at, key);
    let purse_before = ann.purse();
    let mut purse = purse_before;
    let taken = ann.take_pile(key);
    let after = test.snapshot()?;
    test.ensure_sprints(&ann, key, at)?;
    taken?;
    let mut cells: Vec<(Point, Option<u8>)> = path.iter().map(|at| (*at, None)).collect();
    cells.push((at, None));
    cells.extend(path.last().map(|end| (*end, Some(ann.cell()))));
    let expected = test.redrawn(&before, &cells)?;
    expect_same(&expected, &after, &format!("key {key} takes all gold on its path to the wall"))?;
    for TakenPile { size, message } in ann.finds() {
        if message.purse > purse_before {
            // A found number of 0 is the subject of gold.taker, but a partial one is wrong here.
            let found = if message.found == 0 { size } else { message.found };
            let expected = format!("a purse of {}", purse + found);
            ensure(message.purse == purse + found, expected, message.to_string())?;
            purse = message.purse;
        }
    }
    Ok(())
}

/// Returns the key and the start of such a sprint, over as few piles as possible.
fn find_sprint(test: &mut ServerTest, client: &TestClient, piles: usize) -> Verdict<(char, Point)> {
    let snapshot = test.snapshot()?;
    let sight = test.sight()?;
    let from = test.position_of(client)?;
    let mut found = vec![];
    for at in sight.map().room_spots() {
        for key in "HLKJYUBN".chars() {
            let path = key_path(&sight, at, key);
            let over = path.iter().filter(|at| snapshot.at(**at) == b'*').count();
            let ends_free = path.last().is_some_and(|end| !snapshot.is_occupied(*end));
            let is_free = at == from || !snapshot.is_occupied(at);
            if over >= piles && ends_free && is_free {
                let walk = find_walk(&sight, &snapshot, from, at).map_or(usize::MAX, |w| w.len());
                found.push((over, walk, key, at));
            }
        }
    }
    found.into_iter().min().map(|(_, _, key, at)| (key, at)).ok_or_else(|| {
        CheckFailure::retryable(format!("a sprint over {piles} piles"), "none with this seed")
    })
}
