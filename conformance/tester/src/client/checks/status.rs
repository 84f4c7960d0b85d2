//! The first line: letter, purse and remaining gold.

use super::CLIENT_INTERFACE;
use crate::client::ClientTest;
use crate::client::fake_game::FakeGame;
use crate::{Check, Section, Verdict, fail};

const SECTION: Section = Section::new("Status line", CLIENT_INTERFACE);

pub(super) const CHECKS: &[Check<ClientTest>] = &[
    SECTION.must(
        "status.player",
        "The first line has a player's letter, its purse and how much is unclaimed.",
        |test| {
            test.play()?;
            test.send_gold(39, 39, 211)?;
            test.expect_words(&["A", "39", "211"])
        },
    ),
    SECTION.must("status.letter", "The letter in it is the one that the server gave.", |test| {
        test.game = FakeGame::new(Some('K'));
        test.play()?;
        test.send_gold(39, 39, 211)?;
        test.expect_words(&["K", "39", "211"])
    }),
    SECTION.must(
        "status.spectator",
        "The spectator's first line has how much is unclaimed.",
        |test| {
            test.spectate()?;
            test.send_gold(0, 0, 211)?;
            test.expect_words(&["211"])
        },
    ),
    SECTION.must("status.update", "Every GOLD is shown in it.", |test| {
        test.play()?;
        for (found, purse, left) in [(12, 12, 238), (0, 12, 107), (30, 42, 77)] {
            test.send_gold(found, purse, left)?;
            test.expect_words(&["A", &purse.to_string(), &left.to_string()])?;
        }
        Ok(())
    }),
    SECTION.should(
        "status.player-text",
        "A player's line reads as specified: Player A has 39 nuggets (211 nuggets unclaimed).",
        |test| {
            test.play()?;
            test.send_gold(39, 39, 211)?;
            test.expect_status()
        },
    ),
    SECTION.should(
        "status.spectator-text",
        "The spectator's line reads as specified: Spectator: 211 nuggets unclaimed.",
        |test| {
            test.spectate()?;
            test.send_gold(0, 0, 211)?;
            test.expect_status()
        },
    ),
    SECTION.should(
        "status.at-once",
        "GOLD is shown when it arrives, even if no DISPLAY follows.",
        |test| {
            test.play()?;
            test.game.set_gold(21, 21, 199);
            test.send(&test.game.gold());
            test.expect_words(&["21", "199"])
        },
    ),
    SECTION.should(
        "status.clean",
        "Nothing of a longer line is left after a shorter one.",
        is_clean,
    ),
];

/// After the text of the specification there is nothing, or a note at some distance. A client with
/// another text is the subject of other checks.
fn is_clean(test: &mut ClientTest) -> Verdict {
    test.play()?;
    test.expect_words(&["0", "250"])?;
    test.send_gold(0, 0, 9)?;
    test.expect_words(&["0", "9"])?;
    let line = test.first_line();
    let status = test.game.status();
    match line.strip_prefix(&status) {
        Some(rest) if !rest.is_empty() && !rest.starts_with(' ') => {
            fail(format!("the line is `{status}`"), format!("it is `{line}`"))
        }
        _ => Ok(()),
    }
}
