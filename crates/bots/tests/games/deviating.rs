//! A bot on servers whose messages have a wrong form but a plain meaning: it plays the whole game.

use std::collections::BTreeSet;
use std::sync::Arc;

use nuggets_bots::BrainKind;
use nuggets_game::{Sight, SightRule, shipped};
use nuggets_session::Deviation;

use crate::lone_bot::play_over;

/// Rewrites a server's message into the wrong form.
type Slip = fn(&mut Vec<u8>);

/// Each slip of form that public servers are known for, and how a client names it. They can be applied
/// together in this order.
const SLIPS: [(Deviation, Slip); 7] = [
    (Deviation::DisplayLeadingNewline, |m| replace(m, b"DISPLAY\n", b"DISPLAY\n\n")),
    (Deviation::DisplayHead, |m| replace(m, b"DISPLAY\n", b"DISPLAY \n")),
    (Deviation::DisplayFinalNewline, |m| {
        if m.starts_with(b"DISPLAY") {
            m.pop();
        }
    }),
    (Deviation::LowerCaseLetter, |m| replace(m, b"OK A", b"OK a")),
    (Deviation::Whitespace, |m| {
        replace(m, b"GRID ", b"GRID  ");
        replace(m, b"GOLD ", b"GOLD\t");
    }),
    (Deviation::TrailingWhitespace, |m| {
        if m.starts_with(b"G") || m.starts_with(b"OK") {
            m.extend(b" \n");
        }
    }),
    (Deviation::BytesAfterEnd, |m| m.extend(b"\0\x7fjunk")),
];

fn replace(message: &mut Vec<u8>, beginning: &[u8], with: &[u8]) {
    if message.starts_with(beginning) {
        message.splice(..beginning.len(), with.iter().copied());
    }
}

/// Plays against a server with these slips; returns the deviations that the bot has noticed.
fn play_deviating(slips: &[Slip]) -> BTreeSet<Deviation> {
    let map = shipped::find("main").unwrap().map();
    let sight = Arc::new(Sight::new(map, SightRule::DarkPassages));
    let mut noticed = BTreeSet::new();
    let has_ended = play_over(&sight, BrainKind::Miner, 7, &mut |bot, bytes| {
        noticed.extend(bot.session().deviations());
        let mut bytes = bytes.to_vec();
        let is_from_server = !bytes.starts_with(b"PLAY") && !bytes.starts_with(b"KEY");
        for slip in slips.iter().filter(|_| is_from_server) {
            slip(&mut bytes);
        }
        Some(bytes)
    });
    assert!(has_ended, "the bot ends the game");
    noticed
}

#[test]
fn a_lone_bot_ends_the_game_on_a_server_with_any_slip_of_form() {
    for (deviation, slip) in SLIPS {
        assert_eq!(play_deviating(&[slip]), BTreeSet::from([deviation]));
    }
}

#[test]
fn a_lone_bot_ends_the_game_on_a_server_with_all_slips_together() {
    // Bytes after the end come after the newline of the last row.
    let together = SLIPS.into_iter().filter(|(d, _)| *d != Deviation::DisplayFinalNewline);
    let (deviations, slips): (BTreeSet<_>, Vec<_>) = together.unzip();
    assert_eq!(play_deviating(&slips), deviations);
}

#[test]
fn on_a_correct_server_no_deviation_is_noticed() {
    assert_eq!(play_deviating(&[]), BTreeSet::new());
}
