//! The client's drawing of the map.

use crate::client::ClientTest;
use crate::client::fake_game::FakeGame;
use crate::client::test_run::ClientStart;
use crate::{CheckFailure, CheckTable, Verdict};

pub(super) const CHECKS: CheckTable<ClientTest> = &[
    ("grid.exact", |test| {
        test.play()?;
        test.expect_map()
    }),
    ("grid.spectator", |test| {
        test.spectate()?;
        test.expect_map()
    }),
    ("grid.blanks", |test| {
        test.game = FakeGame::large(20, 78);
        blank_out(&mut test.game, |row, col| row > 14 && col > 60);
        test.play()?;
        test.expect_map()
    }),
    ("grid.update", |test| {
        test.play()?;
        for _ in 0..3 {
            test.fence()?;
            test.expect_map()?;
        }
        Ok(())
    }),
    ("grid.old", |test| {
        test.game = FakeGame::large(20, 78);
        test.play()?;
        blank_out(&mut test.game, |row, col| row > 16 || (row == 2 && col == 5));
        test.send_display();
        test.expect_map()
    }),
    ("grid.swap", |test| {
        test.play()?;
        for row in &mut test.game.rows {
            *row = row.replace('@', "?").replace('C', "@").replace('?', "C");
        }
        test.send_display();
        test.expect_map()
    }),
    ("grid.letters", |test| {
        test.game.rows = [
            "+--------------------------------------+",
            "|ABCDEFGHIJKLMNOPQRSTUVWXYZ@*.....*....|",
            "|......................................#",
            "+------------------------#-------------+",
            "                         #######        ",
        ]
        .map(str::to_owned)
        .to_vec();
        test.play()?;
        test.expect_map()
    }),
    ("grid.large", |test| shows_map_of_size(test, (60, 160))),
    // 8 bytes of head and 250 lines of 261 bytes: 65258, of at most 65507.
    ("grid.largest", |test| shows_map_of_size(test, (250, 260))),
    ("grid.flood", |test| {
        // Messages that don't fit into the client's receive buffer are lost, so the last map is resent.
        test.play()?;
        for _ in 0..150 {
            test.game.change();
            test.send_display();
        }
        // The last map differs from all before.
        for row in &mut test.game.rows {
            *row = row.replace('*', ".");
        }
        test.send_display();
        let expected = "the last of 150 maps is shown";
        test.wait_until_retrying(expected, ClientTest::shows_exact_map, ClientTest::send_display)
    }),
    ("grid.cursor", |test| {
        test.play()?;
        let row = test.game.rows.iter().position(|row| row.contains('@')).unwrap_or_default();
        let col = test.game.rows[row].find('@').unwrap_or_default();
        let expected = format!("a cursor in line {}, column {}, where the @ is", row + 2, col + 1);
        let is_there = |it: &ClientTest| it.cursor() == Some((row + 1, col));
        test.wait_until(&expected, is_there).map_err(|failure| {
            let failure = test.confirm(failure, is_there);
            let actual = match test.cursor() {
                Some((row, col)) => format!("it is in line {}, column {}", row + 1, col + 1),
                None => "it is hidden".to_owned(),
            };
            CheckFailure { actual, ..failure }
        })
    }),
    ("grid.no-cursor", |test| {
        test.spectate()?;
        let is_hidden = |it: &ClientTest| it.cursor().is_none();
        let hidden = test.wait_until("no cursor is shown", is_hidden);
        hidden.map_err(|failure| test.confirm(failure, is_hidden))
    }),
];

fn shows_map_of_size(test: &mut ClientTest, (rows, cols): (u16, u16)) -> Verdict {
    test.game = FakeGame::large(rows.into(), cols.into());
    test.join(&ClientStart { size: (rows + 3, cols + 5), ..ClientStart::PLAYER })?;
    test.expect_map()
}

fn blank_out(game: &mut FakeGame, stays: impl Fn(usize, usize) -> bool) {
    for (at, row) in game.rows.iter_mut().enumerate() {
        let cells = row.chars().enumerate();
        *row = cells.map(|(col, cell)| if stays(at, col) { cell } else { ' ' }).collect();
    }
}
