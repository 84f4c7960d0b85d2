//! Quitting.

use crate::server::test_run::expect_unchanged;
use crate::server::{ServerTest, TestClient};
use crate::{CheckFailure, CheckTable, Verdict, ensure, ensure_for_check};

pub(super) const CHECKS: CheckTable<ServerTest> = &[
    ("quit.farewell", |test| {
        let mut ann = test.start_with_ann()?;
        // A server may end when its only player quits.
        test.allow_exit();
        ann.press('Q');
        ann.expect_word(&["QUIT"]).map(|_| ())
    }),
    ("quit.words", |test| {
        let mut ann = test.start_with_ann()?;
        test.allow_exit();
        ann.press('Q');
        ann.expect_message("QUIT Thanks for playing!")
            .map_err(|failure| failure.if_missing_because_of("quit.farewell"))
    }),
    ("quit.removed", |test| {
        // A server that does not answer Q either has not understood it.
        let (ann, mut bob) = ann_quits(test, "quit.farewell")?;
        is_gone(test, &ann, &mut bob)
    }),
    ("quit.others-see", |test| {
        // There are several others, so that not all of them can see the player that quits.
        let mut ann = test.start_with_ann()?;
        let mut others = test.players(&["Bob", "Cat", "Dan", "Eve", "Fay"])?;
        test.fence()?;
        let marks: Vec<usize> = others.iter_mut().map(TestClient::mark).collect();
        ann.press('Q');
        test.fence()?;
        for (other, from) in others.iter_mut().zip(marks) {
            // It was sent before the fence; a later DISPLAY is an old one, resent.
            if !other.has_unread("DISPLAY") {
                let expected = format!("a DISPLAY for {} when Ann quits", other.name);
                return Err(CheckFailure::retryable(expected, other.describe_since(from)));
            }
        }
        Ok(())
    }),
    ("quit.goes-on", |test| {
        let [mut ann, mut bob] = test.start_with_standing_players("yard", ["Ann", "Bob"])?;
        ann.press('Q');
        test.fence()?;
        test.expect_can_move(&mut bob)
    }),
    ("quit.for-good", |test| {
        let (mut ann, mut bob) = ann_quits(test, "quit.removed")?;
        let before = test.snapshot()?;
        // Q alone comes last: a faulty server may put the player back, and remove it again at Q.
        for keys in ["hljkyubn", "HLJKYUBN", "Q"] {
            keys.chars().for_each(|key| ann.press(key));
            expect_unchanged(&before, &test.snapshot()?, "a key of a player that has quit")?;
            if !test.has_spectators() {
                return is_gone(test, &ann, &mut bob);
            }
        }
        Ok(())
    }),
    ("quit.silence", |test| {
        let (mut ann, mut bob) = ann_quits(test, "quit.removed")?;
        let from = ann.mark();
        test.expect_can_move(&mut bob)?;
        ann.expect_none_of(from, &["DISPLAY", "GOLD"], "no DISPLAY or GOLD after its QUIT")
    }),
];

/// Fails if the first player is still on the map that the second one sees.
fn is_gone(test: &mut ServerTest, quitter: &TestClient, other: &mut TestClient) -> Verdict {
    test.look_again(other)?;
    let shown = test.snapshot()?.all(|cell| cell == quitter.cell());
    let expected = format!("no {} on the map", quitter.shown_letter());
    ensure(shown.is_empty(), expected, "it is there")
}

/// One of two players quits. If its `Q` has no effect at all, the failure is because of `obstacle`.
fn ann_quits(test: &mut ServerTest, obstacle: &'static str) -> Verdict<(TestClient, TestClient)> {
    // Both are in one room, so that the other player sees if the first is gone.
    let [mut ann, bob] = test.start_with_standing_players("yard", ["Ann", "Bob"])?;
    ann.press('Q');
    ensure_has_quit(test, &mut ann, obstacle)?;
    ann.skip_received();
    Ok((ann, bob))
}

/// For checks that need a player that has quit, which has just pressed `Q`: it was sent QUIT, or is missing on the map.
pub(super) fn ensure_has_quit(
    test: &mut ServerTest,
    client: &mut TestClient,
    obstacle: &'static str,
) -> Verdict {
    test.fence()?;
    // Without spectators, other players may not have been shown yet that it is gone.
    let has_quit = client.has_unread("QUIT")
        || !test.has_spectators()
        || test.last_snapshot()?.only(client.cell()).is_none();
    let expected = format!("player {} has quit after its Q", client.shown_letter());
    let actual = "it was sent no QUIT and is still on the map";
    ensure_for_check(has_quit, expected, actual, obstacle)
}
