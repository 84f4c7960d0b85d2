//! The client's drawing of the map.

use super::{CLIENT, CLIENT_INTERFACE, GRID_DISPLAY, SERVER_TO_CLIENTS};
use crate::client::ClientTest;
use crate::client::fake_game::FakeGame;
use crate::client::test_run::ClientStart;
use crate::{Check, CheckFailure, Dialects, Section, Verdict};

const SECTION: Section = Section::new("Map", GRID_DISPLAY);
const CURSOR_2019: Section =
    SECTION.only(Dialects::Only2019).source("Implementation of 2019, Client module");

pub(super) const CHECKS: &[Check<ClientTest>] = &[
    SECTION.must(
        "grid.exact",
        "The map is shown below the first line, every character where the server put it.",
        |test| {
            test.play()?;
            test.expect_map()
        },
    ),
    SECTION.must("grid.spectator", "The spectator sees the map as it was sent.", |test| {
        test.spectate()?;
        test.expect_map()
    }),
    SECTION.must(
        "grid.blanks",
        "Blanks are part of the map: what is known only far from the upper left corner is shown \
         there.",
        |test| {
            test.game = FakeGame::large(20, 78);
            blank_out(&mut test.game, |row, col| row > 14 && col > 60);
            test.play()?;
            test.expect_map()
        },
    ),
    SECTION.source(CLIENT).must("grid.update", "Each DISPLAY is shown when it arrives.", |test| {
        test.play()?;
        for _ in 0..3 {
            test.fence()?;
            test.expect_map()?;
        }
        Ok(())
    }),
    SECTION.must(
        "grid.old",
        "Nothing of an older map is left where the new one is blank.",
        |test| {
            test.game = FakeGame::large(20, 78);
            test.play()?;
            blank_out(&mut test.game, |row, col| row > 16 || (row == 2 && col == 5));
            test.send_display();
            test.expect_map()
        },
    ),
    SECTION.must("grid.swap", "Players who trade places are shown at their new places.", |test| {
        test.play()?;
        for row in &mut test.game.rows {
            *row = row.replace('@', "?").replace('C', "@").replace('?', "C");
        }
        test.send_display();
        test.expect_map()
    }),
    SECTION.must(
        "grid.letters",
        "Every letter, the gold and every part of the map are shown as they are.",
        |test| {
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
        },
    ),
    SECTION.source(CLIENT_INTERFACE).must(
        "grid.large",
        "A map of 60 rows and 160 columns is shown in a window for it.",
        |test| shows_map_of_size(test, (60, 160)),
    ),
    // 8 bytes of head and 250 lines of 261 bytes: 65258, of at most 65507.
    SECTION.source("Requirements, Valid maps").should(
        "grid.largest",
        "Even the largest map that fits a message is shown.",
        |test| shows_map_of_size(test, (250, 260)),
    ),
    SECTION.source(SERVER_TO_CLIENTS).must(
        "grid.flood",
        "After 150 maps in a row the last one is shown.",
        shows_the_last_of_a_flood,
    ),
    CURSOR_2019.may("grid.cursor", "The cursor is on the player.", cursor_is_on_the_player),
    CURSOR_2019.may("grid.no-cursor", "The spectator's cursor is hidden.", |test| {
        test.spectate()?;
        let is_hidden = |it: &ClientTest| it.cursor().is_none();
        let hidden = test.wait_until("no cursor is shown", &[], is_hidden);
        hidden.map_err(|failure| test.confirm(failure, is_hidden))
    }),
];

fn shows_map_of_size(test: &mut ClientTest, (rows, cols): (u16, u16)) -> Verdict {
    test.game = FakeGame::large(rows.into(), cols.into());
    test.join(&ClientStart { size: (rows + 3, cols + 5), ..ClientStart::PLAYER })?;
    test.expect_map()
}

/// Messages that don't fit into the client's receive buffer are lost, so the last map is resent.
fn shows_the_last_of_a_flood(test: &mut ClientTest) -> Verdict {
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
}

fn cursor_is_on_the_player(test: &mut ClientTest) -> Verdict {
    test.play()?;
    let row = test.game.rows.iter().position(|row| row.contains('@')).unwrap_or_default();
    let col = test.game.rows[row].find('@').unwrap_or_default();
    let expected = format!("a cursor in line {}, column {}, where the @ is", row + 2, col + 1);
    let is_there = |it: &ClientTest| it.cursor() == Some((row + 1, col));
    test.wait_until(&expected, &[], is_there).map_err(|failure| {
        let failure = test.confirm(failure, is_there);
        let actual = match test.cursor() {
            Some((row, col)) => format!("it is in line {}, column {}", row + 1, col + 1),
            None => "it is hidden".to_owned(),
        };
        CheckFailure { actual, ..failure }
    })
}

fn blank_out(game: &mut FakeGame, stays: impl Fn(usize, usize) -> bool) {
    for (at, row) in game.rows.iter_mut().enumerate() {
        let cells = row.chars().enumerate();
        *row = cells.map(|(col, cell)| if stays(at, col) { cell } else { ' ' }).collect();
    }
}
