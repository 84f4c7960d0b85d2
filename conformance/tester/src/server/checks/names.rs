//! Names: refused names, and the kept part of the others. They are shown only in the final table, so these checks play
//! a whole game.

use super::game_over::{is_separator, rows};
use crate::server::{ServerTest, TestMap};
use crate::{CheckTable, Verdict, ensure};

const NO_NAME: &str = "QUIT Sorry - you must provide player's name.";

pub(super) const CHECKS: CheckTable<ServerTest> = &[
    ("name.empty", |test| test.start_and_send("nameless", b"PLAY ")?.expect_message(NO_NAME)),
    ("name.blanks", |test| is_refused(test, b"PLAY     ")),
    ("name.tabs", |test| is_refused(test, b"PLAY \t\t")),
    ("name.word-alone", |test| {
        let mut ann = test.start_with_ann()?;
        let mut client = test.client("nameless")?;
        client.send(b"PLAY");
        test.fence()?;
        client.expect_none_of(
            0,
            &["OK", "GRID", "DISPLAY"],
            "PLAY alone does not join the game",
        )?;
        test.expect_can_move(&mut ann)
    }),
    ("name.kept", |test| is_listed_as(test, b"Ann of the North", "Ann of the North")),
    ("name.digits", |test| is_listed_as(test, b"R2D2", "R2D2")),
    ("name.long", |test| {
        let name = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghij";
        is_listed_as(test, name.as_bytes(), &name[..50])
    }),
    ("name.odd", |test| is_listed_as(test, b"A\x07n\x1bn\x01e", "A_n_n_e")),
];

/// Any text is accepted: the text of the specification has its own check.
fn is_refused(test: &mut ServerTest, message: &[u8]) -> Verdict {
    test.start_and_send("nameless", message)?.expect_word(&["QUIT", "ERROR"]).map(|_| ())
}

fn is_listed_as(test: &mut ServerTest, name: &[u8], listed: &str) -> Verdict {
    test.start_game_on(&TestMap::named("yard"))?;
    let mut ann = test.client("Ann")?;
    test.join(&mut ann, name)?;
    let table = test.play_to_the_end(&mut ann)?;
    let lists_it = |line: &str| {
        let before = line.trim_end_matches(is_separator).strip_suffix(listed);
        before.is_some_and(|before| before.ends_with(is_separator))
    };
    let expected = format!("the final table lists '{listed}'");
    let actual = format!("the table: {}", table.escape_debug());
    let is_listed = rows(&table).any(|row| row.name == listed) || table.lines().any(lists_it);
    // A table without rows is the subject of another check.
    let has_rows = rows(&table).next().is_some();
    ensure(is_listed, expected, actual)
        .map_err(|failure| failure.because_of_if("over.rows", !has_rows))
}
