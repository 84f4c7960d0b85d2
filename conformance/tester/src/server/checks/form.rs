//! The form of all messages of a short game. The first OK, GRID, GOLD and DISPLAY have their own checks, so only
//! defects that first appear in later messages count here.

use std::collections::BTreeMap;

use nuggets_protocol::{ServerMessage, ServerMessageError};

use crate::server::ServerTest;
use crate::server::picture::ShownMap;
use crate::server::test_client::{ReceivedDatagram, brief_raw, has_word};
use crate::{CheckTable, Verdict, ensure_none, fail};

pub(super) const CHECKS: CheckTable<ServerTest> = &[
    ("form.end", |test| {
        let messages = messages_of_a_game(test)?;
        let wrong = messages.iter().find(|received| received.has_excess());
        ensure_none(wrong, "nothing after the end of a message", brief_raw)
    }),
    ("form.later", |test| {
        // Defects of the first OK, GRID, GOLD and DISPLAY are the subject of other checks.
        let messages = messages_of_a_game(test)?;
        let size = test.size()?;
        let mut first_forms = BTreeMap::new();
        for received in &messages {
            let bytes = &received.bytes;
            let has_right_size =
                !has_word(bytes, &["DISPLAY"]) || ShownMap::parse_strictly(bytes, size).is_ok();
            let form = (received.is_well_formed(), has_right_size);
            let word = bytes.split(u8::is_ascii_whitespace).next().unwrap_or_default();
            let first = *first_forms.entry(word).or_insert(form);
            if first != form && first == (true, true) {
                return fail("messages in the form of the specification", brief_raw(received));
            }
        }
        Ok(())
    }),
    ("form.unknown", |test| {
        let messages = messages_of_a_game(test)?;
        let is_unknown = |it: &&ReceivedDatagram| {
            ServerMessage::parse_leniently(&it.raw) == Err(ServerMessageError::UnknownWord)
        };
        ensure_none(messages.iter().find(is_unknown), "only messages of the protocol", brief_raw)
    }),
];

/// Returns all messages to a player and then its spectator in a game with a few moves, a find and a quit.
fn messages_of_a_game(test: &mut ServerTest) -> Verdict<Vec<ReceivedDatagram>> {
    let [mut ann] = test.start_with_players("yard", ["Ann"])?;
    // Other checks cover whether a player gets to gold, and whether the find and the quit are answered.
    if let Ok((key, _)) = test.approach_pile(&mut ann) {
        ann.press(key);
        test.fence()?;
    }
    test.allow_exit();
    ann.press('Q');
    ann.wait_for_prefix("QUIT");
    ann.drain_socket();
    let mut messages = ann.received.clone();
    if test.has_spectators() {
        messages.extend_from_slice(&test.spectator()?.received);
    }
    Ok(messages)
}
