//! Messages that a fault does not survive.

use nuggets_protocol::ClientMessage;
use nuggets_server::Peer;

use crate::fault::Fault;
use crate::mutant::{After, Mutant};

/// So many malformed messages are a flood.
const FLOOD: u32 = 100;
/// So many keys are many.
const MANY_KEYS: u32 = 1000;
/// So many who ask to play are a crowd.
const CROWD: usize = 40;

/// What this message does to the program, if it is the wrong one.
pub(crate) fn strike(mutant: &Mutant, from: Peer, bytes: &[u8]) -> Option<After> {
    let is_malformed = ClientMessage::parse(bytes).is_err();
    let seats = &mutant.seats;
    let is_key = bytes.starts_with(b"KEY ");
    let is_struck = match mutant.fault {
        Fault::CrashOnEmpty => bytes.is_empty(),
        Fault::CrashOnHuge => bytes.len() > 1000,
        Fault::CrashOnNul => bytes.contains(&0),
        Fault::CrashOnBinary => !bytes.is_ascii(),
        Fault::CrashOnLongName => bytes.starts_with(b"PLAY ") && bytes.len() > 55,
        Fault::CrashOnVeryLongName => bytes.starts_with(b"PLAY ") && bytes.len() > 2005,
        Fault::CrashOnPercent => has_format(bytes),
        Fault::CrashOnBarePlay => bytes == b"PLAY",
        Fault::CrashOnBareKey => bytes == b"KEY" || bytes == b"KEY ",
        Fault::CrashOnFlood => mutant.malformed >= FLOOD,
        Fault::CrashOnManyKeys => mutant.keys >= MANY_KEYS,
        Fault::CrashOnCrowd => mutant.askers.len() >= CROWD,
        Fault::CrashOnStrangersKey => is_key && seats.is_stranger(from),
        Fault::CrashOnTwentySeventh => {
            bytes.starts_with(b"PLAY ") && seats.is_stranger(from) && mutant.room.game().is_full()
        }
        Fault::CrashOnKeyAfterQuit => {
            is_key && seats.letter(from).is_some() && mutant.active(from).is_none()
        }
        Fault::CrashOnSecondSpectator => {
            bytes == b"SPECTATE" && seats.spectator.is_some_and(|peer| peer != from)
        }
        Fault::HangsOnMalformed | Fault::ExitsOnMalformed => is_malformed,
        _ => false,
    };
    is_struck.then_some(match mutant.fault {
        Fault::HangsOnMalformed => After::Hang,
        Fault::ExitsOnMalformed => After::Exit(1),
        _ => After::Crash,
    })
}

fn has_format(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|window| matches!(window, b"%n" | b"%s"))
}
