//! Malformed messages: they must have no effect.

use nuggets_protocol::Dialect;

use crate::server::ServerTest;
use crate::server::test_client::has_word;
use crate::suite::TestRun as _;
use crate::{CheckTable, Verdict, ensure};

pub(super) const CHECKS: CheckTable<ServerTest> = &[
    ("odd.two-keys", |test| player_sends(test, &[b"KEY hl", b"KEY HH", b"KEY Ql", b"KEY kk"])),
    ("odd.no-key", |test| player_sends(test, &[b"KEY", b"KEY "])),
    ("odd.glued-key", |test| player_sends(test, &[b"KEYh", b"KEYl", b"KEYk", b"KEYj"])),
    ("odd.small-letters", |test| {
        player_sends(test, &[b"key h", b"key l", b"Key j", b"key k"])?;
        outsider_sends(test, &[b"play Bob", b"Play Bob", b"spectate"])
    }),
    ("odd.newline", |test| player_sends(test, &[b"KEY h\n", b"KEY l\n", b"KEY j\n", b"KEY k\n"])),
    ("odd.two-blanks", |test| player_sends(test, &[b"KEY  h", b"KEY  l", b"KEY  j", b"KEY  k"])),
    ("odd.leading-blank", |test| {
        player_sends(test, &[b" KEY h", b" KEY l", b" KEY j", b" KEY k"])?;
        outsider_sends(test, &[b" PLAY Bob", b" SPECTATE"])
    }),
    ("odd.unknown-word", |test| {
        player_sends(test, &[b"HELLO world", b"MOVE h", b"NONSENSE", b"?"])?;
        outsider_sends(test, &[b"HELLO world", b"JOIN Bob"])
    }),
    ("odd.server-words", |test| {
        player_sends(test, &[b"OK B", b"GRID 5 5", b"GOLD 5 5 5", b"DISPLAY\n@\n", b"QUIT no"])
    }),
    ("odd.glued-play", |test: &mut ServerTest| {
        test.start()?;
        outsider_sends(test, &[b"PLAYBob", b"PLAYER Bob"])
    }),
    ("odd.spectate-more", |test: &mut ServerTest| {
        test.start()?;
        let mut outsider = test.client("outsider")?;
        outsider.send(b"SPECTATE please");
        test.fence()?;
        outsider.expect_none_of(0, &["GRID", "DISPLAY"], "no GRID and no DISPLAY for it")
    }),
    ("odd.strangers-key", |test| {
        let mut ann = test.start_with_ann()?;
        // It stays until the end: vanishing clients are the subject of another check.
        let mut outsider = test.client("outsider")?;
        test.expect_no_change("a key from an address that never joined", |_| {
            "hljkyubnHLJKYUBNQ".chars().for_each(|key| outsider.press(key));
            Ok(())
        })?;
        test.expect_can_move(&mut ann)
    }),
    ("odd.empty", |test| {
        player_sends(test, &[b"", b""])?;
        outsider_sends(test, &[b""])
    }),
    ("odd.binary", |test| {
        let all: Vec<u8> = (0..=255).collect();
        player_sends(test, &[&all, b"\xff\xfe\xfd", b"\0\0\0\0", b"KEY \x80", b"KEY \x07"])?;
        outsider_sends(test, &[&all, b"\0", b"\xc3\xa9"])
    }),
    ("odd.huge", |test| {
        let junk = vec![b'x'; 65_000];
        // Another check covers whether only the first of several characters counts.
        let key = [b"KEY ".as_slice(), &vec![b'x'; 60_000]].concat();
        player_sends(test, &[&junk, &key])?;
        outsider_sends(test, &[&junk])
    }),
    ("odd.format", |test| {
        player_sends(test, &[b"%s%s%s%s%n", b"KEY %n", b"%99999999d"])?;
        // The specification leaves open whether such a name is accepted.
        let mut odd = test.client("odd")?;
        odd.send(b"PLAY %s%n%x%s");
        test.fence()
    }),
    ("odd.complaint", |test| {
        let mut ann = test.start_with_ann()?;
        test.fence()?;
        let word = match test.settings.dialect {
            Dialect::V2021 => "ERROR",
            Dialect::V2019 => "NO",
        };
        // Not a bare PLAY: it may be refused as a PLAY without a name.
        for (message, id) in [
            ("HELLO world", "odd.unknown-word"),
            ("KEY", "odd.no-key"),
            ("KEY hh", "odd.two-keys"),
            ("NONSENSE", "odd.unknown-word"),
        ] {
            let from = ann.mark();
            ann.send(message.as_bytes());
            test.fence().map_err(|failure| {
                match test.crash().or_else(|| test.unexpected_exit()) {
                    // The harm itself is the subject of another check.
                    Some(how) => failure.with_crash(how).because_of(id),
                    None => failure,
                }
            })?;
            let actual = ann.describe_since(from);
            let is_error = |bytes: &[u8]| {
                bytes.starts_with(word.as_bytes()) && !bytes.trim_ascii_end().ends_with(b"ERROR")
            };
            // The last DISPLAY and GOLD may be resent at any time.
            let mut answers = ann.received[from..].iter().map(|it| &it.bytes);
            let has_form =
                answers.all(|bytes| has_word(bytes, &["DISPLAY", "GOLD"]) || is_error(bytes));
            let expected = format!("no answer, or {word} and a reason, after '{message}'");
            ensure(has_form, expected, actual)?;
        }
        Ok(())
    }),
];

/// Lets a player send these messages. None may have an effect, and the player can still move.
fn player_sends(test: &mut ServerTest, messages: &[&[u8]]) -> Verdict {
    let mut ann = test.start_with_ann()?;
    messages.iter().try_for_each(|message| test.expect_ignored(&mut ann, message))
}

/// Lets an address that is not in the game send these messages. None may have an effect.
fn outsider_sends(test: &mut ServerTest, messages: &[&[u8]]) -> Verdict {
    let mut outsider = test.client("outsider")?;
    // At least one player must see the map.
    let _witness = if test.has_spectators() { None } else { Some(test.player("Wil")?) };
    messages.iter().try_for_each(|message| test.expect_ignored(&mut outsider, message))
}
