//! Swapping: what happens where two players meet.

use nuggets_game::Point;

use super::taking::{Find, is_told, purse, take_nearest};
use super::walks::{
    approach, go, go_seeing, is_just, is_shown, letter, press_seeing, redrawn, start_on,
};
use crate::chapter::Chapter;
use crate::server::follow;
use crate::server::{Caller, ServerStage};
use crate::{Check, Failure, Verdict};

const CHAPTER: Chapter = Chapter { section: "Swapping", source: "Requirements, introduction" };
const INTERFACE: &str = "Requirements, Client interface";
const PROTOCOL: &str = "Network protocol, Player to server";
const VISIBILITY: &str = "Requirements, Visibility";

pub(super) const CHECKS: &[Check<ServerStage>] = &[
    CHAPTER.must(
        "swap.step",
        "Whoever steps onto a player, straight or diagonally, in a room or a passage, trades places \
         with it, and nothing else changes.",
        |stage| {
            let [mut ann, bob] = start_on(stage, "yard", ["Ann", "Bob"])?;
            swaps(stage, &mut ann, &bob)?;
            swap_diagonally_and_back(stage)?;
            let [mut ann, mut bob] = start_on(stage, "ring", ["Ann", "Bob"])?;
            go(stage, &mut bob, Point::new(4, 24))?;
            swaps(stage, &mut ann, &bob)
        },
    ),
    CHAPTER
        .must(
            "swap.told",
            "Whoever is swapped is sent a DISPLAY with @ at its new place.",
            |stage| {
                let [mut ann, mut bob] = start_on(stage, "yard", ["Ann", "Bob"])?;
                let there = stage.place_of(&bob)?;
                let (key, here) = approach(stage, &mut ann, there)?;
                bob.skip();
                ann.press(key);
                let cell = letter(&ann);
                let expected = format!("a DISPLAY with @ at {here} and A at {there}");
                is_shown(stage, &mut bob, &expected, |picture| {
                    picture.only(b'@') == Some(here) && picture.at(there) == cell
                })
            },
        )
        .said_in(PROTOCOL),
    CHAPTER
        .must(
            "swap.sight",
            "Whoever is swapped sees from its new place, and remembers what it knew.",
            sees_after_a_swap,
        )
        .said_in(VISIBILITY),
    CHAPTER.must("swap.purses", "Everybody keeps its purse in a swap.", keep_their_purses),
    CHAPTER
        .must("swap.sprint", "A sprint goes on through others, each of whom is swapped.", |stage| {
            let [mut ann, mut bob] = start_on(stage, "yard", ["Ann", "Bob"])?;
            go(stage, &mut bob, Point::new(3, 5))?;
            go(stage, &mut ann, Point::new(3, 3))?;
            sprints_through(stage, &mut ann, &[&bob])?;
            let [mut ann, mut bob, mut cat] = start_on(stage, "yard", ["Ann", "Bob", "Cat"])?;
            clear_the_row(stage, &mut bob)?;
            go(stage, &mut bob, Point::new(3, 5))?;
            go(stage, &mut cat, Point::new(3, 6))?;
            go(stage, &mut ann, Point::new(3, 4))?;
            sprints_through(stage, &mut ann, &[&bob, &cat])
        })
        .said_in(INTERFACE),
];

/// By diagonal steps, there and back.
fn swap_diagonally_and_back(stage: &mut ServerStage) -> Verdict {
    let [mut ann, mut bob] = start_on(stage, "yard", ["Ann", "Bob"])?;
    let (here, there) = (Point::new(4, 4), Point::new(3, 5));
    go(stage, &mut bob, there)?;
    go(stage, &mut ann, here)?;
    let before = stage.look()?;
    ann.press('u');
    are_swapped(stage, &before, &ann, here, &bob, there)?;
    bob.press('u');
    is_just(&before, &stage.look()?, "everybody is where they were before two swaps")
}

/// One walks up to the other and steps onto it.
fn swaps(stage: &mut ServerStage, mover: &mut Caller, other: &Caller) -> Verdict {
    let there = stage.place_of(other)?;
    let (key, here) = approach(stage, mover, there)?;
    let before = stage.look()?;
    mover.press(key);
    are_swapped(stage, &before, mover, here, other, there)
}

fn are_swapped(
    stage: &mut ServerStage,
    before: &crate::server::picture::Picture,
    mover: &Caller,
    here: Point,
    other: &Caller,
    there: Point,
) -> Verdict {
    let cells = [(there, Some(letter(mover))), (here, Some(letter(other)))];
    let expected = redrawn(stage, before, &cells)?;
    let after = stage.look()?;
    let (one, two) = (char::from(letter(mover)), char::from(letter(other)));
    is_just(&expected, &after, &format!("{one} steps onto {two} and they trade places"))
}

/// Takes all gold of the third row, lest it lie in the way of what is tried there.
fn clear_the_row(stage: &mut ServerStage, caller: &mut Caller) -> Verdict {
    go(stage, caller, Point::new(3, 1))?;
    for col in 2..=11 {
        stage.press_to(caller, 'l', Point::new(3, col))?;
    }
    Ok(())
}

/// Sprints to the right; everybody on the way is moved one spot back.
fn sprints_through(stage: &mut ServerStage, mover: &mut Caller, others: &[&Caller]) -> Verdict {
    let here = stage.place_of(mover)?;
    let path = follow::path(&*stage.sight()?, here, 'L');
    let before = stage.look()?;
    let mut cells = vec![(here, None)];
    // What lay on the way is taken.
    cells.extend(path.iter().map(|at| (*at, None)));
    for other in others {
        let at = stage.place_of(other)?;
        cells.push((Point::new(at.row, at.col - 1), Some(letter(other))));
    }
    cells.extend(path.last().map(|end| (*end, Some(letter(mover)))));
    let expected = redrawn(stage, &before, &cells)?;
    mover.press('L');
    let after = stage.look()?;
    let what = "the sprint goes to the wall; everybody on its way is one spot farther left";
    is_just(&expected, &after, what)
}

/// One is in a door and the other inside: after the swap each sees what the other saw.
fn sees_after_a_swap(stage: &mut ServerStage) -> Verdict {
    let [mut ann, mut bob] = start_on(stage, "ring", ["Ann", "Bob"])?;
    let (door, inside) = (Point::new(4, 21), Point::new(4, 20));
    let (mut ann_sees, mut bob_sees) = (stage.follow(&ann)?, stage.follow(&bob)?);
    go_seeing(stage, &mut ann, &mut ann_sees, door)?;
    if stage.place_of(&bob)? != bob_sees.at() {
        return Err(Failure::silence("Bob out of Ann's way", "none; try another seed"));
    }
    go_seeing(stage, &mut bob, &mut bob_sees, inside)?;
    let truth = press_seeing(stage, &mut ann, &mut ann_sees, 'h')?;
    bob_sees.goes_to(door);
    stage.sees(&mut bob, &bob_sees.expected(&truth))?;
    stage.sees(&mut ann, &ann_sees.expected(&truth))
}

fn keep_their_purses(stage: &mut ServerStage) -> Verdict {
    let [mut ann, mut bob] = start_on(stage, "yard", ["Ann", "Bob"])?;
    take_nearest(stage, &mut bob)?;
    take_nearest(stage, &mut ann)?;
    let there = stage.place_of(&bob)?;
    let (key, _) = approach(stage, &mut ann, there)?;
    // Gold may have lain on the way.
    let (anns, bobs) = (purse(&mut ann), purse(&mut bob));
    ann.press(key);
    bob.skip();
    let Find { more: found, told: (_, purse, remaining) } = take_nearest(stage, &mut ann)?;
    if purse != anns + found {
        let expected =
            format!("A had {anns}, swaps, finds {found}: its purse has {}", anns + found);
        return Err(Failure::new(expected, format!("its purse has {purse}")));
    }
    is_told(&mut bob, (0, bobs, remaining))
}
