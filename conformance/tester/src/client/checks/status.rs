//! The first line: letter, purse and remaining gold.

use crate::client::ClientTest;
use crate::client::fake_game::FakeGame;
use crate::{CheckTable, fail};

pub(super) const CHECKS: CheckTable<ClientTest> = &[
    ("status.player", |test| {
        test.play()?;
        test.send_gold(39, 39, 211)?;
        test.expect_words(&["A", "39", "211"])
    }),
    ("status.letter", |test| {
        test.game = FakeGame::new(Some('K'));
        test.play()?;
        test.send_gold(39, 39, 211)?;
        test.expect_words(&["K", "39", "211"])
    }),
    ("status.spectator", |test| {
        test.spectate()?;
        test.send_gold(0, 0, 211)?;
        test.expect_words(&["211"])
    }),
    ("status.update", |test| {
        test.play()?;
        for (found, purse, left) in [(12, 12, 238), (0, 12, 107), (30, 42, 77)] {
            test.send_gold(found, purse, left)?;
            test.expect_words(&["A", &purse.to_string(), &left.to_string()])?;
        }
        Ok(())
    }),
    ("status.player-text", |test| {
        test.play()?;
        test.send_gold(39, 39, 211)?;
        test.expect_status()
    }),
    ("status.spectator-text", |test| {
        test.spectate()?;
        test.send_gold(0, 0, 211)?;
        test.expect_status()
    }),
    ("status.at-once", |test| {
        test.play()?;
        test.game.set_gold(21, 21, 199);
        test.send(&test.game.gold());
        test.expect_words(&["21", "199"])
    }),
    ("status.clean", |test| {
        // After the text of the specification there is nothing, or a note at some distance. A client with
        // another text is the subject of other checks.
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
    }),
];
