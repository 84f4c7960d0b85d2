//! Joining as a player: the answers, their order and their form.

use crate::server::capabilities::WELCOME;
use crate::server::picture::ShownMap;
use crate::server::test_client::{brief, brief_raw, has_word};
use crate::server::{ServerTest, TestClient};
use crate::{CheckFailure, CheckTable, Verdict, ensure, fail};

pub(super) const CHECKS: CheckTable<ServerTest> = &[
    ("join.ok", |test| {
        let received = test.start_and_send("Ann", b"PLAY Ann")?.expect_received("OK")?;
        let has_letter = matches!(received.bytes[..], [b'O', b'K', b' ', b'A'..=b'Z']);
        let is_valid = has_letter && received.is_well_formed();
        ensure(is_valid, "'OK A' or another letter", brief_raw(&received))
    }),
    ("join.grid", |test| {
        let mut ann = test.start_and_send("Ann", b"PLAY Ann")?;
        let (rows, cols) = test.size()?;
        ann.expect_well_formed(&format!("GRID {rows} {cols}"))
    }),
    ("join.gold", |test| {
        test.start_and_send("Ann", b"PLAY Ann")?.expect_well_formed("GOLD 0 0 250")
    }),
    ("join.display", |test| {
        let received = test.start_and_send("Ann", b"PLAY Ann")?.expect_received("DISPLAY")?;
        let (rows, cols) = test.size()?;
        let expected =
            format!("DISPLAY, a newline, and {rows} rows of {cols} characters and a newline");
        match ShownMap::parse_strictly(&received.bytes, (rows, cols)) {
            Ok(_) => ensure(received.is_well_formed(), expected, brief_raw(&received)),
            Err(why) => fail(expected, format!("{why}, in {}", brief_raw(&received))),
        }
    }),
    ("join.order", |test| {
        let mut ann = test.start_and_send("Ann", b"PLAY Ann")?;
        // Unknown messages have their own check.
        let position = |ann: &TestClient, word: &str| {
            let mut known = ann.received.iter().filter(|it| has_word(&it.bytes, &WELCOME));
            known.position(|it| has_word(&it.bytes, &[word]))
        };
        // The specification leaves the place of GOLD open.
        let words = [("OK", "join.ok"), ("GRID", "join.grid"), ("DISPLAY", "join.display")];
        for (word, _) in words {
            if position(&ann, word).is_none() {
                ann.wait_for_prefix(word);
            }
        }
        let positions = words.map(|(word, _)| position(&ann, word));
        let actual = ann.describe_since(0);
        let missing = words.into_iter().zip(positions).find(|(_, position)| position.is_none());
        if let Some(((word, id), _)) = missing {
            let failure = CheckFailure::retryable(format!("{word} among the answers"), actual);
            return Err(failure.because_of(id));
        }
        let [ok, grid, display] = positions;
        ensure(ok == Some(0) && grid < display, "OK first, and GRID before DISPLAY", actual)
    }),
    ("join.own-letter", |test| {
        let one = test.start_with_ann()?;
        let two = test.player("Ann")?;
        let actual = format!("both were given {}", one.shown_letter());
        ensure(one.letter != two.letter, "two letters", actual)
    }),
    ("join.others-see", |test| {
        // Several players join, so that the first one can't see all of them.
        let mut ann = test.start_with_ann()?;
        let mut others = vec![];
        for name in ["Bob", "Cat", "Dan", "Eve", "Fay"] {
            test.fence()?;
            let from = ann.mark();
            test.skip_for_spectator()?;
            // Not by `player`: its search for a letter missing in OK would replace the spectator.
            let mut other = test.client(name)?;
            other.send(format!("PLAY {name}").as_bytes());
            other.wait_for_prefix("DISPLAY");
            others.push(other);
            if test.has_spectators() {
                has_seen_a_join(test.fence_behind_spectator()?, 0, name)?;
            } else {
                test.fence()?;
            }
            has_seen_a_join(&mut ann, from, name)?;
        }
        Ok(())
    }),
    ("join.again", |test| second_play_is_no_player(test, "PLAY Ann")),
    ("join.other-name", |test| second_play_is_no_player(test, "PLAY Zoe")),
    ("join.answer-again", |test| {
        let mut ann = test.start_with_ann()?;
        test.fence()?;
        let from = ann.mark();
        ann.send(b"PLAY Ann");
        let letter = ann.shown_letter();
        let has_ok = test.capabilities().welcome.contains(&"OK");
        ann.expect_message(&format!("OK {letter}"))
            .map_err(|failure| failure.because_of_if("join.ok", !has_ok))?;
        test.fence()?;
        ann.drain_socket();
        for word in ["GRID", "GOLD", "DISPLAY"] {
            if !ann.received[from..].iter().any(|it| has_word(&it.bytes, &[word])) {
                let actual = ann.describe_since(from);
                return Err(CheckFailure::retryable(format!("{word} once more"), actual));
            }
        }
        Ok(())
    }),
    ("join.player-spectates", |test| {
        let mut ann = test.start_with_ann()?;
        let from = ann.received.len();
        test.expect_no_change("'SPECTATE' from the address of a player", |_| {
            ann.send(b"SPECTATE");
            Ok(())
        })?;
        ann.expect_none_of(from, &["QUIT"], "a player that sends SPECTATE is sent no QUIT")?;
        test.expect_can_move(&mut ann)
    }),
];

/// Checks that a client was sent a DISPLAY of the join. It was sent before the fence; a later one is an old one, resent.
fn has_seen_a_join(client: &mut TestClient, from: usize, who: &str) -> Verdict {
    if client.has_unread("DISPLAY") {
        return Ok(());
    }
    let expected = format!("a DISPLAY for {} when {who} joins", client.name);
    Err(CheckFailure::retryable(expected, client.describe_since(from)))
}

/// Checks that after a second `PLAY` the map is unchanged and the server has assigned no other letter.
fn second_play_is_no_player(test: &mut ServerTest, again: &str) -> Verdict {
    let mut ann = test.start_with_ann()?;
    test.fence()?;
    let from = ann.mark();
    test.expect_no_change(&format!("'{again}' from the address of player Ann"), |_| {
        ann.send(again.as_bytes());
        Ok(())
    })?;
    ann.drain_socket();
    let given = format!("OK {}", ann.shown_letter());
    let mut new = ann.received[from..].iter().map(|it| &it.bytes);
    let other = new.find(|bytes| bytes.starts_with(b"OK ") && **bytes != given.as_bytes());
    if let Some(other) = other {
        return fail("no second letter for one address", brief(other));
    }
    test.expect_can_move(&mut ann)
}
