//! Brief notes to the right on the first line.

use crate::client::test_run::quoted;
use crate::client::{ClientTest, screen};
use crate::{CheckTable, Verdict, ensure, fail};

pub(super) const CHECKS: CheckTable<ClientTest> = &[
    ("notes.gold", |test| {
        test.play()?;
        test.send_gold(39, 39, 211)?;
        test.expect_line("the note `GOLD received: 39` on the first line", |line| {
            line.contains("GOLD received: 39")
        })
    }),
    ("notes.no-gold", |test| {
        test.play()?;
        test.send_gold(0, 0, 211)?;
        test.expect_words(&["211"])?;
        let line = test.first_line();
        let has_note = line.to_lowercase().contains("received");
        ensure(!has_note, "no note about gold: n was 0", format!("the line is `{line}`"))
    }),
    ("notes.brief", |test| {
        test.play()?;
        test.send_gold(39, 39, 211)?;
        // A client that shows no such note is the subject of another check.
        test.wait_until("the first line contains 39", |it| it.first_line().contains("39"))?;
        test.press(b'h')?;
        test.send_gold(0, 39, 205)?;
        test.expect_line("the note about gold is gone", |line| {
            line.contains("205") && !line.contains("received")
        })
    }),
    ("notes.complaint", |test| {
        const WHY: &str = "the mine is too dark";
        test.play()?;
        let message = test.settings.dialect.error_reply(WHY).to_bytes();
        test.send(&message);
        let expected = format!("`{WHY}` on the first line");
        test.expect_line(&expected, |line| line.contains(WHY))
    }),
    ("notes.unknown", |test| is_noted(test, b"HELLO there")),
    ("notes.malformed", |test| is_noted(test, b"GOLD much more gold")),
    ("notes.key", |test| {
        const EXPECTED: &str = "the message `KEY %`, or a note about an unknown keystroke";
        test.play()?;
        let before = test.first_line();
        test.type_keys(b"%");
        let reacts = |it: &ClientTest| !it.received.is_empty() || it.first_line() != before;
        test.wait_until_with(EXPECTED, test.timeout(), reacts, |it| it.type_keys(b"%"))?;
        test.drain();
        match test.received.front() {
            Some(message) if message != b"KEY %" => fail(EXPECTED, quoted(message)),
            _ => Ok(()),
        }
    }),
];

fn is_noted(test: &mut ClientTest, message: &[u8]) -> Verdict {
    test.play()?;
    test.send_gold(0, 0, 211)?;
    test.wait_until("a first line with 211", |it| it.first_line().contains("211"))?;
    let before = test.first_line();
    test.send(message);
    let expected =
        format!("a brief note about {} on the first line, and 211 as before", quoted(message));
    test.expect_line(&expected, |line| {
        line != before && !line.is_empty() && has_no_other_number(line, "211")
    })
}

/// True if the line has no wrong number. The note may be beside the number or replace the whole line, but a
/// client that takes numbers from such a message has not noted it.
fn has_no_other_number(line: &str, right: &str) -> bool {
    let words = screen::words(line);
    words.contains(&right) || !words.iter().any(|word| word.parse::<u32>().is_ok())
}
