//! Spectators: the messages to them, and that they disturb no player.

use super::gold::opposite_key;
use crate::server::capabilities::SnapshotMethod;
use crate::server::test_run::expect_same;
use crate::server::{ServerTest, TestClient};
use crate::{CheckFailure, CheckTable, Verdict, ensure};

pub(super) const CHECKS: CheckTable<ServerTest> = &[
    ("spectate.grid", |test| {
        let mut spectator = test.start_and_send("spectator", b"SPECTATE")?;
        let (rows, cols) = test.size()?;
        spectator.expect_message(&format!("GRID {rows} {cols}"))
    }),
    ("spectate.gold", |test| {
        test.start_and_send("spectator", b"SPECTATE")?.expect_message("GOLD 0 0 250")
    }),
    ("spectate.display", |test| {
        let mut spectator = test.start_and_send("spectator", b"SPECTATE")?;
        spectator.expect_word(&["DISPLAY"])?;
        spectator.last_display().map(|_| ())
    }),
    ("spectate.no-letter", |test| {
        let mut spectator = joined_spectator(test)?;
        let map = spectator.last_display()?;
        // Once a player is answered, everything sent to the spectator before has arrived.
        test.client_that_sends("Ann", b"PLAY Ann")?.wait_for_prefix("OK");
        spectator.expect_none_of(0, &["OK"], "no OK for a spectator")?;
        let players = map.all(|cell| cell == b'@' || cell.is_ascii_uppercase());
        let expected = "no letter and no @ on the map of a game without players";
        ensure(players.is_empty(), expected, "there is one")
    }),
    ("spectate.whole-map", |test| {
        test.ensure_spectators_are_sent_maps()?;
        test.start_game()?;
        let players = test.players(&["Ann", "Bob", "Cat"])?;
        let letters: Vec<u8> = players.iter().map(TestClient::cell).collect();
        let picture = if test.has_spectators() {
            test.snapshot()?
        } else {
            test.snapshot_by(SnapshotMethod::Stay)?
        };
        let sight = test.sight()?;
        let mut expected = picture.clone();
        for (cell, tile) in expected.cells.iter_mut().zip(sight.map().tiles()) {
            let is_occupant = *cell == b'*' || letters.contains(cell);
            if !(is_occupant && tile.is_spot()) {
                *cell = tile.as_byte();
            }
        }
        expect_same(&expected, &picture, "the map as it is")?;
        let on_map = letters.iter().filter(|letter| picture.only(**letter).is_some()).count();
        let piles = picture.gold().len();
        let actual = format!("{on_map} players and {piles} piles");
        ensure(on_map == 3 && piles > 0, "3 players and at least one pile", actual)?;
        // A server that can't replace a spectator at all is the subject of another check.
        if test.capabilities().replacement_is_stale {
            replacing_spectator_sees_now(test)
        } else {
            Ok(())
        }
    }),
    ("spectate.replaced", |test| {
        let (mut first, mut second) = replaced_spectator(test)?;
        first.expect_word(&["QUIT"])?;
        second.expect_word(&["DISPLAY"]).map(|_| ())
    }),
    ("spectate.forgotten", |test| {
        test.ensure_spectators_are_replaced()?;
        let mut ann = test.start_with_ann()?;
        let mut first = test.take_spectator()?;
        test.fence()?;
        // Its QUIT may arrive a little later; another check covers whether it arrives.
        first.wait_for_prefix("QUIT");
        let from = first.mark();
        test.expect_can_move(&mut ann)?;
        let why = "nothing more for the spectator that was replaced";
        first.expect_none_of(from, &["DISPLAY", "GOLD"], why)?;
        test.fence()?;
        is_shown_a_step(test, &mut ann)
            .map_err(|failure| failure.because_of("move.to-spectator"))?;
        first.press('Q');
        is_shown_a_step(test, &mut ann)
    }),
    ("spectate.quit", |test| {
        let mut spectator = joined_spectator(test)?;
        spectator.press('Q');
        spectator.expect_word(&["QUIT"]).map(|_| ())
    }),
    ("spectate.words", |test| {
        test.ensure_spectators_are_replaced()?;
        let (mut first, mut second) = replaced_spectator(test)?;
        first
            .expect_message("QUIT You have been replaced by a new spectator.")
            .map_err(|failure| failure.if_missing_because_of("spectate.replaced"))?;
        second.press('Q');
        second
            .expect_message("QUIT Thanks for watching!")
            .map_err(|failure| failure.if_missing_because_of("spectate.quit"))
    }),
    ("spectate.keys", |test| {
        let mut ann = test.start_with_ann()?;
        test.expect_no_change("a spectator's key", |test| {
            let spectator = test.spectator()?;
            "hljkyubnHLJKYUBN".chars().for_each(|key| spectator.press(key));
            Ok(())
        })?;
        test.expect_can_move(&mut ann)
    }),
    ("spectate.after-quit", |test| {
        // Takes no snapshot until the end: it would replace a spectator that was not forgotten.
        let mut ann = test.start_with_ann()?;
        let steps = test.free_steps(&ann)?;
        let mut spectator = test.take_spectator()?;
        spectator.press('Q');
        // The answer is the subject of another check.
        spectator.wait_for_prefix("QUIT");
        let mut is_step = |key: char| {
            ann.skip_received();
            ann.press(key);
            ann.wait_for_prefix("DISPLAY").is_some()
        };
        // The maps that movers are sent are the subject of another check.
        let key = steps.iter().map(|(key, _)| *key).find(|key| is_step(*key)).unwrap_or('h');
        // Messages that arrived together with QUIT were sent at the same time.
        let from = spectator.mark();
        is_step(opposite_key(key));
        test.fence()?;
        spectator.expect_none_of(from, &["DISPLAY", "GOLD"], "no DISPLAY or GOLD after its QUIT")
    }),
    ("spectate.again", |test| {
        let mut spectator = joined_spectator(test)?;
        let from = spectator.received.len();
        spectator.send(b"SPECTATE");
        spectator.expect_word(&["GRID"])?;
        spectator.expect_word(&["DISPLAY"])?;
        spectator.expect_none_of(from, &["QUIT"], "a spectator does not replace itself")
    }),
];

/// A spectator that has its first map.
fn joined_spectator(test: &mut ServerTest) -> Verdict<TestClient> {
    test.ensure_spectators_are_sent_maps()?;
    let mut spectator = test.start_and_send("spectator", b"SPECTATE")?;
    spectator.expect_word(&["DISPLAY"])?;
    spectator.skip_received();
    Ok(spectator)
}

/// A spectator and the one that replaces it.
fn replaced_spectator(test: &mut ServerTest) -> Verdict<(TestClient, TestClient)> {
    let first = joined_spectator(test)?;
    let mut second = test.client("second")?;
    second.send(b"SPECTATE");
    Ok((first, second))
}

/// A player moves; a replacing spectator must see it where it sees itself.
fn replacing_spectator_sees_now(test: &mut ServerTest) -> Verdict {
    let mut ann = test.start_with_ann()?;
    for _ in 0..3 {
        test.snapshot_by(SnapshotMethod::Replace)?;
    }
    "hljk".chars().for_each(|key| ann.press(key));
    let map = test.snapshot_by(SnapshotMethod::Replace)?;
    let own = ann.last_display()?.only(b'@');
    let Some(at) = own.filter(|at| map.at(*at) != ann.cell()) else { return Ok(()) };
    let mut expected = map.clone();
    for cell in expected.cells.iter_mut().filter(|cell| **cell == ann.cell()) {
        *cell = b'.';
    }
    let expected = test.redrawn(&expected, &[(at, Some(ann.cell()))])?;
    let what = format!("a spectator that replaces another is shown {} at {at}", ann.shown_letter());
    expect_same(&expected, &map, &what)
}

/// Expects that some step is shown to the current spectator. Takes no snapshot meanwhile: it would replace the
/// spectator.
fn is_shown_a_step(test: &mut ServerTest, mover: &mut TestClient) -> Verdict {
    // Messages that are still on their way are about earlier keys.
    test.spectator()?.wait_until_quiet();
    let before = test.position_of(mover)?;
    let spectator = test.spectator()?;
    spectator.skip_received();
    let from = spectator.received.len();
    "hljk".chars().for_each(|key| mover.press(key));
    let is_shown = spectator.wait_for_picture(|picture| picture.only(mover.cell()) != Some(before));
    spectator.expect_none_of(from, &["QUIT"], "the new spectator stays")?;
    if is_shown {
        return Ok(());
    }
    let actual = spectator.describe_since(from);
    Err(CheckFailure::retryable("the new spectator is shown moves", actual))
}
