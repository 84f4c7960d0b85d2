//! Malformed and unexpected messages: the client keeps running and the game continues.

use std::time::Duration;

use crate::client::ClientTest;
use crate::client::test_run::{ClientStart, quoted};
use crate::{CheckTable, Verdict, ensure, fail};

/// An escape sequence that sets the window's title; no client writes it by itself.
const TITLE: &str = "\x1b]2;nuggets\x07";

/// The time to watch for a crash where nothing else shows the effect of a message.
const SOON: Duration = Duration::from_millis(30);

pub(super) const CHECKS: CheckTable<ClientTest> = &[
    ("odd.unknown", |test| {
        survives(test, &[b"HELLO", b"WELCOME to the mine", b"FOO 1 2 3", b"PLAY Ann", b"KEY h"])
    }),
    ("odd.empty", |test| survives(test, &[b"", b" ", b"\n", b"   \n\n"])),
    ("odd.ok", |test| survives(test, &[b"OK", b"OK ", b"OK AB", b"OK 7", b"OK\nA", b"OKAY A"])),
    ("odd.gold", |test| {
        test.play()?;
        test.send_gold(0, 34, 211)?;
        // Whether there is such a line is the subject of another check.
        let is_right = |line: &str| line.contains("34") && line.contains("211");
        let has_line = test.holds_within(test.timeout() / 2, |it| is_right(&it.first_line()));
        for message in
            [&b"GOLD"[..], b"GOLD ", b"GOLD 1", b"GOLD 1 2", b"GOLD a b c", b"GOLD %s %n %s"]
        {
            send_and_fence(test, message)?;
            if has_line {
                let expected =
                    format!("after {} the first line has 34 and 211 as before", quoted(message));
                test.expect_line(&expected, is_right)?;
            }
        }
        game_continues_after(
            test,
            &[
                b"GOLD -1 -2 -3",
                b"GOLD 99999999999999999999 99999999999999999999 99999999999999999999",
                b"GOLD 1 2 3 4",
            ],
        )
    }),
    ("odd.grid", |test| {
        let first: [&[u8]; 4] = [b"GRID", b"GRID ", b"GRID 5", b"GRID x y"];
        let more: [&[u8]; 3] = [b"GRID 0 0", b"GRID -5 -40", b"GRID %s %n"];
        survives(test, &[&first[..], &more].concat())
    }),
    ("odd.display", |test| {
        let line = [&[b'.'; 500][..], b"\n"].concat();
        let huge = [b"DISPLAY\n".to_vec(), line.repeat(100)].concat();
        let empty: [&[u8]; 4] = [b"DISPLAY", b"DISPLAY ", b"DISPLAY\n", b"DISPLAY\n\n\n\n"];
        let other: [&[u8]; 3] = [b"DISPLAY\n|..@..|\n", b"DISPLAY\n+-+\n|.......|\n+", &huge];
        survives(test, &[&empty[..], &other].concat())
    }),
    ("odd.binary", |test| {
        let all: Vec<u8> = (0..=255).collect();
        let high: Vec<u8> = (128..=255).cycle().take(1000).collect();
        survives(test, &[&all, &high, b"\0", b"GOLD \0 1 2", b"OK \xff", b"\xffQUIT"])
    }),
    ("odd.long", |test| {
        let words = format!("HELLO {}", "x".repeat(65_000));
        let error = test.settings.dialect.error_reply(&"y".repeat(65_000)).to_bytes();
        let numbers = format!("GOLD {}", "9".repeat(65_000));
        survives(test, &[words.as_bytes(), &error, numbers.as_bytes()])
    }),
    ("odd.early", |test| {
        test.start(&ClientStart::PLAYER)?;
        test.first_message()?;
        for message in [&b""[..], b"HELLO", b"GOLD", b"GRID x", b"DISPLAY", b"OK"] {
            test.send(message);
            // The wait allows a crash to be attributed to one message.
            test.holds_within(SOON, |_| false);
            if let Some(exit) = test.try_exit() {
                let message = quoted(message);
                let expected = format!("after {message} it still waits for the answer to PLAY");
                return fail(expected, exit.to_string());
            }
        }
        test.send_welcome();
        let expected = "the map is shown, whatever was sent before";
        test.wait_until(expected, ClientTest::shows_map)?;
        test.fence()
    }),
    ("odd.quitter", |test| {
        survives(test, &[b"QUITTING time", b"quit now", b"Quit", b" QUIT", b"GAMEOVERS"])
    }),
    ("odd.misordered", |test| {
        test.start(&ClientStart::PLAYER)?;
        test.first_message()?;
        for message in test.game.welcome().iter().rev() {
            test.send(message);
        }
        test.send_gold(17, 17, 233)?;
        test.expect_words(&["A", "17", "233"])
    }),
    ("odd.repeated", |test| {
        test.play()?;
        for _ in 0..10 {
            test.send_welcome();
        }
        test.send_gold(39, 39, 211)?;
        test.expect_words(&["A", "39", "211"])?;
        test.expect_map()
    }),
    ("odd.another", |test| {
        test.play()?;
        test.send_from_other_address(b"GOLD 99 88 77");
        test.send_from_other_address(b"QUIT go away");
        let expected = "the game continues: messages from another address are ignored";
        test.fence().map_err(|failure| failure.with_expected(expected))?;
        let line = test.first_line();
        let is_fooled = line.contains("88") && line.contains("77");
        ensure(!is_fooled, "the purse is the one that the server sent", format!("`{line}`"))
    }),
    ("odd.escape-note", |test| {
        test.play()?;
        let message =
            test.settings.dialect.error_reply(&format!("beware {TITLE} of it")).to_bytes();
        test.send(&message);
        test.fence()?;
        expect_no_title(test)
    }),
    ("odd.escape-map", |test| {
        test.play()?;
        let mut spoiled = test.game.clone();
        spoiled.rows[0].replace_range(0..TITLE.len(), TITLE);
        test.send(&spoiled.display());
        test.fence()?;
        expect_no_title(test)
    }),
    // The specification allows any text as an explanation, and has the client print it.
    ("odd.escape-quit", |test| {
        test.play_and_quit(&format!("beware {TITLE} of it"))?;
        expect_no_title(test)
    }),
];

fn expect_no_title(test: &ClientTest) -> Verdict {
    let raw = &test.window()?.raw;
    let has_title = raw.windows(TITLE.len()).any(|bytes| bytes == TITLE.as_bytes());
    let actual = format!("`{}` was written to it unchanged", TITLE.escape_debug());
    ensure(!has_title, "no control byte of the server reaches the terminal", actual)
}

fn survives(test: &mut ClientTest, messages: &[&[u8]]) -> Verdict {
    test.play()?;
    game_continues_after(test, messages)
}

/// Checks that the next map is shown after each message, and that keys are sent and gold is handled afterwards.
fn game_continues_after(test: &mut ClientTest, messages: &[&[u8]]) -> Verdict {
    messages.iter().try_for_each(|message| send_and_fence(test, message))?;
    test.press(b'h')?;
    test.send_gold(0, 0, 211)
}

fn send_and_fence(test: &mut ClientTest, message: &[u8]) -> Verdict {
    test.send(message);
    let expected = format!("after {} the next map is shown", quoted(message));
    test.fence().map_err(|failure| failure.with_expected(expected))
}
