//! Swapping: a player steps onto another.

use nuggets_game::Point;

use super::collecting::TakenPile;
use crate::server::test_client::ReceivedGold;
use crate::server::test_run::expect_same;
use crate::server::tracking::key_path;
use crate::server::{ServerTest, TestClient};
use crate::{CheckFailure, CheckTable, Verdict, ensure};

pub(super) const CHECKS: CheckTable<ServerTest> = &[
    ("swap.step", |test| {
        let [mut ann, bob] = test.start_with_players("yard", ["Ann", "Bob"])?;
        swaps(test, &mut ann, &bob)?;
        swaps_diagonally_and_back(test)?;
        let [mut ann, mut bob] = test.start_with_players("ring", ["Ann", "Bob"])?;
        test.go_to(&mut bob, Point::new(4, 24))?;
        swaps(test, &mut ann, &bob)
    }),
    ("swap.told", |test| {
        let [mut ann, mut bob] = test.start_with_players("yard", ["Ann", "Bob"])?;
        let there = test.position_of(&bob)?;
        let (key, here) = test.approach(&mut ann, there)?;
        bob.skip_received();
        ann.press(key);
        let expected = format!("a DISPLAY with @ at {here} and A at {there}");
        let cell = bob.cell();
        bob.expect_display(&expected, |picture| {
            picture.own_spot(cell) == Some(here) && picture.at(there) == ann.cell()
        })
    }),
    ("swap.sight", |test| {
        // One player is in a door and the other inside: after the swap each sees what the other saw before.
        let [mut ann, mut bob] = test.start_with_players("ring", ["Ann", "Bob"])?;
        let door = Point::new(4, 21);
        let inside = Point::new(4, 20);
        test.track(&mut ann)?;
        test.track(&mut bob)?;
        test.go_to(&mut ann, door)?;
        if test.position_of(&bob)? != bob.view().at {
            return Err(CheckFailure::for_this_seed("Bob is not in Ann's way", "try another seed"));
        }
        test.go_to(&mut bob, inside)?;
        // Any defect before the swap, in the view of either player, is the subject of the checks of sight.
        let before = test.snapshot()?;
        let mut slips = ann.slips(&before)?;
        slips.extend(bob.slips(&before)?);
        test.press_all(&mut ann, door, &['h'])?;
        bob.follow(&[door]);
        let snapshot = test.last_snapshot()?;
        bob.expect_view_but_for(&snapshot, &slips)?;
        ann.expect_view_but_for(&snapshot, &slips)
    }),
    ("swap.purses", |test| {
        let [mut ann, mut bob] = test.start_with_players("yard", ["Ann", "Bob"])?;
        test.need_find(&mut bob)?;
        test.need_find(&mut ann)?;
        let there = test.position_of(&bob)?;
        let (key, _) = test.approach(&mut ann, there)?;
        // Gold may have lain on the path.
        let anns = ann.purse();
        let bobs = bob.purse();
        ann.press(key);
        if test.snapshot()?.only(ann.cell()) != Some(there) {
            let expected = format!("A steps onto B at {there}");
            return Err(CheckFailure::new(expected, "it is not there").because_of("swap.step"));
        }
        bob.skip_received();
        let TakenPile { size, message: ReceivedGold { purse, remaining, .. } } =
            test.take_nearest(&mut ann)?;
        let expected = format!("A had {anns}, swaps, finds {size}: its purse has {}", anns + size);
        ensure(purse == anns + size, expected, format!("its purse has {purse}"))?;
        bob.expect_purse(bobs, remaining)
            .map_err(|failure| failure.if_missing_because_of("gold.others"))
    }),
    ("swap.sprint", |test| {
        let [mut ann, mut bob] = test.start_with_players("yard", ["Ann", "Bob"])?;
        test.go_to(&mut bob, Point::new(3, 5))?;
        test.go_to(&mut ann, Point::new(3, 3))?;
        sprints_through(test, &mut ann, &[&bob])?;
        let [mut ann, mut bob, mut cat] = test.start_with_players("yard", ["Ann", "Bob", "Cat"])?;
        clear_the_row(test, &mut bob)?;
        test.go_to(&mut bob, Point::new(3, 5))?;
        test.go_to(&mut cat, Point::new(3, 6))?;
        test.go_to(&mut ann, Point::new(3, 4))?;
        sprints_through(test, &mut ann, &[&bob, &cat])
    }),
];

fn swaps_diagonally_and_back(test: &mut ServerTest) -> Verdict {
    let [mut ann, mut bob] = test.start_with_players("yard", ["Ann", "Bob"])?;
    test.go_to(&mut bob, Point::new(3, 5))?;
    test.go_to(&mut ann, Point::new(4, 4))?;
    let before = test.snapshot()?;
    press_and_swap(test, &mut ann, 'u', &bob)?;
    bob.press('u');
    expect_same(&before, &test.snapshot()?, "both are where they were before two swaps")
}

/// Lets one player walk up to the other and step onto it.
fn swaps(test: &mut ServerTest, mover: &mut TestClient, other: &TestClient) -> Verdict {
    let there = test.position_of(other)?;
    let (key, _) = test.approach(mover, there)?;
    press_and_swap(test, mover, key, other)
}

/// Steps onto a neighbour: both trade places, and nothing else changes.
fn press_and_swap(
    test: &mut ServerTest,
    mover: &mut TestClient,
    key: char,
    other: &TestClient,
) -> Verdict {
    let before = test.snapshot()?;
    let here = test.position_of(mover)?;
    let there = test.position_of(other)?;
    mover.press(key);
    let cells = [(there, Some(mover.cell())), (here, Some(other.cell()))];
    let expected = test.redrawn(&before, &cells)?;
    let one = mover.shown_letter();
    let two = other.shown_letter();
    let what = format!("{one} steps onto {two} and they trade places");
    expect_same(&expected, &test.snapshot()?, &what)
}

/// Takes all gold of the third row, where it could lie in the way.
fn clear_the_row(test: &mut ServerTest, client: &mut TestClient) -> Verdict {
    test.go_to(client, Point::new(3, 1))?;
    for col in 2..=11 {
        test.press_to(client, 'l', Point::new(3, col))?;
    }
    Ok(())
}

/// Sprints to the right; each player on the path moves one spot back.
fn sprints_through(
    test: &mut ServerTest,
    mover: &mut TestClient,
    others: &[&TestClient],
) -> Verdict {
    let here = test.position_of(mover)?;
    let path = key_path(&*test.sight()?, here, 'L');
    let before = test.snapshot()?;
    let mut cells = vec![(here, None)];
    // Gold on the path is taken.
    cells.extend(path.iter().map(|at| (*at, None)));
    for other in others {
        let at = test.position_of(other)?;
        cells.push((Point::new(at.row, at.col - 1), Some(other.cell())));
    }
    cells.extend(path.last().map(|end| (*end, Some(mover.cell()))));
    let expected = test.redrawn(&before, &cells)?;
    mover.press('L');
    test.fence()?;
    test.ensure_sprints(mover, 'L', here)?;
    let what = "the sprint goes to the wall; each player on its path is one spot farther left";
    expect_same(&expected, &test.snapshot()?, what)
}
