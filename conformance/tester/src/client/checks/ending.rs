//! The end of the client.

use nuggets_protocol::Dialect;
use nuggets_subprocess::Exit;

use crate::client::ClientTest;
use crate::client::fake_game::quit_message;
use crate::client::test_run::{ClientStart, quoted};
use crate::{CheckFailure, CheckTable, Verdict, ensure, ensure_none};

const CLOSED: &str = "The mine is closed.";

/// A table as the specification draws it.
const TABLE: [&str; 3] = ["A          4 Alice", "B         16 Bob", "C        230 Carol Ann"];

pub(super) const CHECKS: CheckTable<ClientTest> = &[
    ("end.quit", |test| {
        // A client that can't show the map can exit all the same.
        test.start(&ClientStart::PLAYER)?;
        test.first_message()?;
        test.send_welcome();
        test.quit(CLOSED).map(|_| ())
    }),
    ("end.words", |test| {
        const WHY: &str = "The mine is closed for today.";
        test.play()?;
        test.expect_exit_with(&format!("QUIT {WHY}"), &[WHY])
    }),
    ("end.table", |test| {
        test.play()?;
        let message = format!("QUIT GAME OVER:\n{}\n", TABLE.join("\n"));
        test.expect_exit_with(&message, &[&["GAME OVER:"], &TABLE[..]].concat())
    }),
    ("end.gameover", |test| {
        test.play()?;
        test.send(format!("GAMEOVER\n{}\n", TABLE.join("\n")).as_bytes());
        test.expect_exit_with("QUIT", &TABLE)
    }),
    ("end.spectator", |test| {
        test.spectate()?;
        expect_exit_with_explanation(test, "You have been replaced by a new spectator.")
    }),
    ("end.thanks", |test| {
        test.play()?;
        test.allow_exit();
        test.press(b'Q')?;
        expect_exit_with_explanation(test, "Thanks for playing!")
    }),
    ("end.only", |test| {
        test.play()?;
        let message = format!("QUIT GAME OVER:\n{}", TABLE.join("\n"));
        let lines = [&["GAME OVER:"], &TABLE[..]].concat();
        test.expect_exit_with(&message, &lines)?;
        // Without the alternate screen it can't remove its earlier output.
        let mut shown = test.lines();
        shown.retain(|line| !line.trim().is_empty());
        if !test.window()?.used_alternate_screen || shown == lines {
            return Ok(());
        }
        let expected = "nothing but the explanation on the terminal";
        Err(CheckFailure::new(expected, "more than that").with_drawing(test.drawing()))
    }),
    ("end.code", |test| {
        let exit = test.play_and_quit("GAME OVER:\nA        250 Ann")?;
        ensure(exit == Exit::Code(0), "it exits with code 0", exit.to_string())
    }),
    ("end.silent", |test| {
        test.play_and_quit(CLOSED)?;
        // A bare QUIT may follow a lost table, so the client may ask for it again.
        let is_question = |more: &[u8]| test.settings.dialect == Dialect::V2019 && more == b"KEY Q";
        let more = test.received.iter().find(|more| !is_question(more));
        ensure_none(more, "no message after QUIT", |more| quoted(more))
    }),
];

/// The 2019 dialect has no explanation.
fn expect_exit_with_explanation(test: &mut ClientTest, why: &str) -> Verdict {
    let message = String::from_utf8_lossy(&quit_message(test.settings.dialect, why)).into_owned();
    match test.settings.dialect {
        Dialect::V2021 => test.expect_exit_with(&message, &[why]),
        Dialect::V2019 => test.expect_exit_with(&message, &[]),
    }
}
