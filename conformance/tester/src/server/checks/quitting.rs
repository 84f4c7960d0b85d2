//! Quitting.

use super::{SERVER, SERVER_MODULE_2019, SERVER_TO_CLIENTS};
use crate::server::test_run::expect_unchanged;
use crate::server::{ServerTest, TestClient};
use crate::{Check, CheckFailure, Dialects, RequirementLevel, Section, Verdict, ensure};

const SECTION: Section = Section::new("Quitting", SERVER);
const TO_CLIENTS: Section = SECTION.source(SERVER_TO_CLIENTS);

pub(super) const CHECKS: &[Check<ServerTest>] = &[
    TO_CLIENTS.must("quit.farewell", "A player that presses Q is sent QUIT.", |test| {
        let mut ann = test.start_with_ann()?;
        ann.press('Q');
        ann.expect_word(&["QUIT"]).map(|_| ())
    }),
    TO_CLIENTS.only(Dialects::Only2021).should(
        "quit.words",
        "A player that quits is sent the text of the specification's example.",
        |test| {
            let mut ann = test.start_with_ann()?;
            ann.press('Q');
            ann.expect_message("QUIT Thanks for playing!")
        },
    ),
    SECTION.in_2019(RequirementLevel::Should, SERVER_MODULE_2019).must(
        "quit.removed",
        "A player that quits is removed from the map.",
        |test| {
            let (ann, _bob) = ann_quits(test)?;
            let shown = test.snapshot()?.all(|cell| cell == ann.cell());
            let expected = format!("no {} on the spectator's map", ann.shown_letter());
            ensure(shown.is_empty(), expected, "it is still there")
        },
    ),
    SECTION.should(
        "quit.others-see",
        "When a player quits, all other clients are sent a DISPLAY.",
        |test| {
            let mut ann = test.start_with_ann()?;
            let mut bob = test.player("Bob")?;
            test.fence()?;
            bob.skip_received();
            ann.press('Q');
            test.fence()?;
            // It was sent before the fence; a DISPLAY that arrives later is a resent old one.
            if bob.has_unread("DISPLAY") {
                return Ok(());
            }
            let actual = bob.describe_since(0);
            Err(CheckFailure::retryable("a DISPLAY for Bob when Ann quits", actual))
        },
    ),
    SECTION.must("quit.goes-on", "When a player quits, the others can still play.", |test| {
        let (_ann, mut bob) = ann_quits(test)?;
        test.expect_can_move(&mut bob)
    }),
    SECTION.must("quit.for-good", "The keys of a player that has quit have no effect.", |test| {
        let (mut ann, _bob) = ann_quits(test)?;
        let before = test.snapshot()?;
        // Q alone comes last: a faulty server may put the player back, and remove it again at Q.
        for keys in ["hljkyubn", "HLJKYUBN", "Q"] {
            keys.chars().for_each(|key| ann.press(key));
            expect_unchanged(&before, &test.snapshot()?, "a key of a player that has quit")?;
        }
        Ok(())
    }),
    SECTION.should(
        "quit.silence",
        "A player that has quit is a client no more: it is sent neither DISPLAY nor GOLD.",
        |test| {
            let (mut ann, mut bob) = ann_quits(test)?;
            // What arrived together with QUIT was sent at the same time.
            test.fence()?;
            let from = ann.mark();
            test.expect_can_move(&mut bob)?;
            ann.expect_none_of(from, &["DISPLAY", "GOLD"], "no DISPLAY or GOLD after its QUIT")
        },
    ),
];

fn ann_quits(test: &mut ServerTest) -> Verdict<(TestClient, TestClient)> {
    let mut ann = test.start_with_ann()?;
    let bob = test.player("Bob")?;
    ann.press('Q');
    ann.expect_word(&["QUIT"])?;
    ann.skip_received();
    Ok((ann, bob))
}
