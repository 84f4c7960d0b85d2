//! Messages that are not in the form: nothing may come of them.

use super::deeds::{has_word, is_ignored, is_unchanged, start_with_ann, still_moves};
use crate::chapter::Chapter;
use crate::server::ServerStage;
use crate::{Check, Failure, Level, Verdict};
use nuggets_protocol::Dialect;

const CHAPTER: Chapter =
    Chapter { section: "Malformed messages", source: "Network protocol, Malformed messages" };
/// The documents of 2019 have no such section: they only say what a message looks like.
const PROTOCOL: &str = "Network protocol";
const TO_SERVER: &str = "Network protocol, Player to server";
const TO_CLIENTS: &str = "Network protocol, Server to clients";
const MODULE_OF_2019: &str = "Implementation of 2019, Server module";

pub(super) const CHECKS: &[Check<ServerStage>] = &[
    CHAPTER
        .must("odd.two-keys", "KEY with two characters is ignored.", |stage| {
            player_says(stage, &[b"KEY hl", b"KEY HH", b"KEY Ql", b"KEY kk"])
        })
        .in_2019(Level::Should, TO_SERVER),
    CHAPTER
        .must("odd.no-key", "KEY without a character is ignored.", |stage| {
            player_says(stage, &[b"KEY", b"KEY "])
        })
        .in_2019(Level::Should, TO_SERVER),
    CHAPTER
        .must("odd.glued-key", "KEYh, without a blank, is ignored.", |stage| {
            player_says(stage, &[b"KEYh", b"KEYl", b"KEYk", b"KEYj"])
        })
        .in_2019(Level::Should, PROTOCOL),
    CHAPTER
        .must("odd.small-letters", "The words in small letters are ignored.", |stage| {
            player_says(stage, &[b"key h", b"key l", b"Key j", b"key k"])?;
            stranger_says(stage, &[b"play Bob", b"Play Bob", b"spectate"])
        })
        .in_2019(Level::Should, PROTOCOL),
    CHAPTER
        .should("odd.newline", "A key with a newline behind it is ignored.", |stage| {
            player_says(stage, &[b"KEY h\n", b"KEY l\n", b"KEY j\n", b"KEY k\n"])
        })
        .in_2019(Level::Should, TO_SERVER),
    CHAPTER
        .should("odd.two-blanks", "A key behind two blanks is ignored.", |stage| {
            player_says(stage, &[b"KEY  h", b"KEY  l", b"KEY  j", b"KEY  k"])
        })
        .in_2019(Level::Should, TO_SERVER),
    CHAPTER
        .should("odd.leading-blank", "A message behind a blank is ignored.", |stage| {
            player_says(stage, &[b" KEY h", b" KEY l", b" KEY j", b" KEY k"])?;
            stranger_says(stage, &[b" PLAY Bob", b" SPECTATE"])
        })
        .in_2019(Level::Should, PROTOCOL),
    CHAPTER
        .must("odd.unknown-word", "A message with an unknown first word is ignored.", |stage| {
            player_says(stage, &[b"HELLO world", b"MOVE h", b"?"])?;
            stranger_says(stage, &[b"HELLO world", b"JOIN Bob"])
        })
        .in_2019(Level::Should, MODULE_OF_2019),
    CHAPTER
        .must("odd.server-words", "The server's own messages, sent to it, are ignored.", |stage| {
            player_says(stage, &[b"OK B", b"GRID 5 5", b"GOLD 5 5 5", b"DISPLAY\n@\n", b"QUIT no"])
        })
        .in_2019(Level::Should, MODULE_OF_2019),
    CHAPTER
        .must(
            "odd.glued-play",
            "PLAYBob, without a blank, is ignored.",
            |stage: &mut ServerStage| {
                stage.start()?;
                stranger_says(stage, &[b"PLAYBob", b"PLAYER Bob"])
            },
        )
        .in_2019(Level::Should, PROTOCOL),
    CHAPTER
        .should(
            "odd.spectate-more",
            "SPECTATE with more words behind it is ignored.",
            |stage: &mut ServerStage| {
                stage.start()?;
                let mut caller = stage.caller("stranger")?;
                caller.say_surely(b"SPECTATE please");
                stage.fence()?;
                let came = caller.told_since(0);
                let welcome =
                    caller.heard().iter().any(|heard| has_word(&heard.bytes, &["GRID", "DISPLAY"]));
                if welcome {
                    Err(Failure::new("no GRID and no DISPLAY for it", came))
                } else {
                    Ok(())
                }
            },
        )
        .in_2019(Level::May, "Network protocol, Spectator to server"),
    CHAPTER
        .must("odd.strangers-key", "A key from an address that never joined is ignored.", |stage| {
            let mut ann = start_with_ann(stage)?;
            let before = stage.look()?;
            let mut stranger = stage.caller("stranger")?;
            for key in "hljkyubnHLJKYUBNQ".chars() {
                stranger.press(key);
            }
            let after = stage.look()?;
            is_unchanged(&before, &after, "a stranger's key")?;
            still_moves(stage, &mut ann)
        })
        .in_2019(Level::Should, MODULE_OF_2019),
    CHAPTER
        .must("odd.empty", "An empty datagram does no harm.", |stage| {
            player_says(stage, &[b"", b""])?;
            stranger_says(stage, &[b""])
        })
        .in_2019(Level::May, PROTOCOL),
    CHAPTER
        .must("odd.binary", "Bytes that are no text do no harm.", |stage| {
            let all: Vec<u8> = (0..=255).collect();
            player_says(stage, &[&all, b"\xff\xfe\xfd", b"\0\0\0\0", b"KEY \x80", b"KEY \x07"])?;
            stranger_says(stage, &[&all, b"\0", b"\xc3\xa9"])
        })
        .in_2019(Level::May, PROTOCOL),
    CHAPTER
        .must("odd.huge", "The largest datagrams do no harm.", |stage| {
            let junk = vec![b'x'; 65_000];
            let key = [b"KEY ".as_slice(), &vec![b'h'; 60_000]].concat();
            player_says(stage, &[&junk, &key])?;
            stranger_says(stage, &[&junk])
        })
        .in_2019(Level::May, PROTOCOL),
    CHAPTER
        .must("odd.format", "Formats such as %s and %n in a message do no harm.", |stage| {
            player_says(stage, &[b"%s%s%s%s%n", b"KEY %n", b"%99999999d"])?;
            // Whether it is let in under such a name is another matter.
            let mut odd = stage.caller("odd")?;
            odd.say_surely(b"PLAY %s%n%x%s");
            stage.fence()
        })
        .in_2019(Level::May, PROTOCOL),
    CHAPTER
        .must(
            "odd.complaint",
            "If a malformed message is answered, then with the dialect's complaint and a reason.",
            complains_in_form,
        )
        .in_2019(Level::Should, TO_CLIENTS),
];

/// A player says these; after each it is as before, and it can move.
fn player_says(stage: &mut ServerStage, messages: &[&[u8]]) -> Verdict {
    let mut ann = start_with_ann(stage)?;
    messages.iter().try_for_each(|message| is_ignored(stage, &mut ann, message))
}

/// An address that is not in the game says these.
fn stranger_says(stage: &mut ServerStage, messages: &[&[u8]]) -> Verdict {
    let mut stranger = stage.caller("stranger")?;
    messages.iter().try_for_each(|message| is_ignored(stage, &mut stranger, message))
}

fn complains_in_form(stage: &mut ServerStage) -> Verdict {
    let mut ann = start_with_ann(stage)?;
    stage.fence()?;
    // A bare PLAY is not among them: it may well be refused as a PLAY without a name.
    for message in ["HELLO world", "KEY", "KEY hh", "NONSENSE"] {
        ann.skip();
        let from = ann.heard().len();
        ann.say_surely(message.as_bytes());
        stage.fence()?;
        let came = ann.told_since(from);
        let form = match stage.dialect() {
            Dialect::V2021 => "ERROR",
            Dialect::V2019 => "NO",
        };
        // The last picture and gold may be told again at any time.
        let mut answers = ann.heard()[from..].iter().map(|heard| &heard.bytes);
        let is_in_form = |bytes: &[u8]| {
            has_word(bytes, &["DISPLAY", "GOLD"])
                || (bytes.starts_with(form.as_bytes())
                    && !bytes.trim_ascii_end().ends_with(b"ERROR"))
        };
        if !answers.all(|bytes| is_in_form(bytes)) {
            let expected = format!("silence, or {form} and a reason, after '{message}'");
            return Err(Failure::new(expected, came));
        }
    }
    Ok(())
}
