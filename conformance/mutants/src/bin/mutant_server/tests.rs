//! Mutants as (messages in, messages out): `none` equals the real room to the byte, and every fault is
//! visible in at least one of a few scripted games.

mod effects;
mod script;

use std::collections::BTreeSet;

use nuggets_game::{Rules, Seed, Setup, shipped};
use nuggets_protocol::Dialect;
use nuggets_server::{Peer, Timestamp};

use crate::datagram::Outbound;
use crate::fault::Fault;
use crate::mutant::{AfterMessage, Mutant};
use crate::world;
use script::{Script, scripts};

/// Faults that no exchange of messages shows.
const PROCESS_FAULTS: &[Fault] = &[
    Fault::ExitsAtEndOfInput,
    Fault::ExitZeroNoArguments,
    Fault::ExitZeroTooManyArguments,
    Fault::ExitZeroSeedWord,
    Fault::ExitZeroSeedZero,
    Fault::ExitZeroSeedNegative,
    Fault::ExitZeroNoMap,
    Fault::AcceptsTooManyArguments,
    Fault::AcceptsSeedWord,
    Fault::AcceptsSeedZero,
    Fault::AcceptsSeedNegative,
    Fault::SeedRequired,
    Fault::SeedFromClock,
    Fault::SilentRejection,
    Fault::CrashNoMap,
    Fault::CrashNoArguments,
    Fault::NeverAnnounces,
    Fault::AnnouncesWrongPort,
    Fault::AnnouncesUnflushed,
    Fault::AnnouncesOnStderr,
    Fault::AnnouncesLate,
    Fault::AnnouncesTwice,
    Fault::AnnouncesWithNumbers,
    Fault::AnnouncementReworded,
    Fault::DebugOnStdout,
    Fault::MapOnStdout,
    Fault::SameGameForAllSeeds,
    Fault::ClockInsteadOfSeed,
    Fault::OtherGameForSameSeed,
    Fault::TableNotPrinted,
    Fault::ExitsOneAtEnd,
    Fault::RunsAfterEnd,
    Fault::CrashAtEnd,
    Fault::CrashOnVanishedClients,
    // The scripts have no such maps.
    Fault::CrashOnTallMap,
    Fault::CrashOnLargeMap,
    Fault::AnswersFromOtherPort,
    Fault::SpectatorFirst,
    Fault::SpectatorLast,
    Fault::SlowAnswers,
    Fault::NoisyStderr,
    Fault::LeavesChild,
    Fault::LeavesDaemon,
    Fault::IgnoresSignals,
];

/// The peer of the client with this number.
fn peer(client: u16) -> Peer {
    Peer(client.into())
}

fn setup(dialect: Dialect, map: &str, seed: i64) -> Setup {
    let map = shipped::find(map).unwrap().map();
    Setup::new(map, Rules::default(), Seed::new(seed), dialect)
}

fn mutant(fault: Fault, dialect: Dialect, map: &str, seed: i64) -> Mutant {
    Mutant::new(fault, setup(dialect, map, seed)).unwrap()
}

/// Returns all messages and actions of a mutant in this script, until it ends, and its summary.
fn play(fault: Fault, script: &Script) -> (Vec<(Vec<Outbound>, AfterMessage)>, Vec<u8>) {
    let mut mutant = mutant(fault, script.dialect, script.map, script.seed);
    let mut played = vec![];
    for (client, bytes) in &script.messages {
        played.push(mutant.handle_message(peer(*client), bytes));
        if played.last().is_some_and(|(_, next)| *next != AfterMessage::Continue) {
            break;
        }
    }
    (played, mutant.summary())
}

#[test]
fn names_are_unique_and_in_kebab_case() {
    let names: BTreeSet<String> = Fault::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(names.len(), Fault::ALL.len());
    for fault in Fault::ALL {
        let name = fault.to_string();
        assert_eq!(name.parse(), Ok(*fault));
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{name}");
        assert!(fault.description().ends_with('.'), "{name}");
    }
    assert!("No-Such".parse::<Fault>().is_err());
    assert!(Fault::ALL.iter().filter(|fault| !fault.is_allowed()).count() >= 60);
}

#[test]
fn without_a_fault_every_byte_is_the_real_rooms() {
    for dialect in Dialect::ALL {
        for script in scripts(dialect) {
            let setup = setup(dialect, script.map, script.seed);
            let mut room = world::open(Fault::None, &setup).unwrap();
            let (played, summary) = play(Fault::None, &script);
            for ((client, bytes), (sent, _)) in script.messages.iter().zip(&played) {
                room.handle_message(Timestamp(0), peer(*client), bytes);
                for datagram in sent {
                    let transmit = room.poll_transmit().expect("the room sends as many");
                    assert_eq!((transmit.to, transmit.payload), (datagram.to, &*datagram.bytes));
                }
                assert_eq!(room.poll_transmit(), None, "{}", bytes.escape_ascii());
            }
            assert_eq!(summary, room.summary().as_bytes());
            assert_eq!(played.last().unwrap().1 == AfterMessage::GameOver, room.is_over());
        }
    }
}

#[test]
fn every_fault_is_visible_in_some_exchange() {
    for dialect in Dialect::ALL {
        let scripts = scripts(dialect);
        let correct: Vec<_> = scripts.iter().map(|script| play(Fault::None, script)).collect();
        let is_visible = |fault: Fault| {
            let mut pairs = scripts.iter().zip(&correct);
            pairs.any(|(script, correct)| play(fault, script) != *correct)
        };
        let applies = |fault: &&Fault| {
            **fault != Fault::None
                && !PROCESS_FAULTS.contains(fault)
                && fault.dialect().is_none_or(|only| only == dialect)
        };
        let invisible: Vec<&Fault> =
            Fault::ALL.iter().filter(applies).filter(|fault| !is_visible(**fault)).collect();
        assert!(invisible.is_empty(), "{invisible:?} changes no message in {dialect}");
    }
}

#[test]
fn a_fault_of_the_process_changes_no_message() {
    let script = &scripts(Dialect::V2021)[0];
    let correct = play(Fault::None, script);
    for fault in PROCESS_FAULTS {
        assert!(play(*fault, script) == correct, "{fault}");
    }
}

/// Allowed behaviour may have other texts or messages, but it is the same game.
#[test]
fn allowed_behaviour_ends_with_the_same_table() {
    for script in scripts(Dialect::V2021) {
        let words = |fault| {
            let (_, summary) = play(fault, &script);
            let summary = String::from_utf8(summary).unwrap();
            let words = summary.split(|c: char| c.is_whitespace() || ",|".contains(c));
            words.filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        for fault in Fault::ALL.iter().filter(|fault| fault.is_allowed()) {
            assert_eq!(words(*fault), words(Fault::None), "{fault}");
        }
    }
}
