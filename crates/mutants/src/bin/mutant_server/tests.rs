//! Mutants as (messages in, messages out): `none` is the real room to the byte, and every fault can
//! be seen in at least one of a few scripted games.

mod bends;
mod script;

use std::collections::HashSet;
use std::net::{Ipv4Addr, SocketAddr};

use nuggets_game::{Seed, shipped};
use nuggets_protocol::Dialect;
use nuggets_server::{Millis, Peer};

use crate::datagram::Datagram;
use crate::fault::Fault;
use crate::mutant::{After, Mutant};
use crate::world;
use script::{Script, scripts};

/// Faults of the process, which no exchange of messages shows.
const OF_THE_PROCESS: &[Fault] = &[
    Fault::ExitZeroNoArguments,
    Fault::ExitZeroTooMany,
    Fault::ExitZeroSeedWord,
    Fault::ExitZeroSeedZero,
    Fault::ExitZeroSeedNegative,
    Fault::ExitZeroNoMap,
    Fault::TakesTooMany,
    Fault::TakesSeedWord,
    Fault::TakesSeedZero,
    Fault::TakesSeedNegative,
    Fault::SeedRequired,
    Fault::SeededByTheSecond,
    Fault::SilentRefusal,
    Fault::CrashNoMap,
    Fault::CrashNoArguments,
    Fault::NeverAnnounces,
    Fault::AnnouncesWrongPort,
    Fault::AnnouncesUnflushed,
    Fault::AnnouncesOnStderr,
    Fault::AnnouncesLate,
    Fault::AnnouncesTwice,
    Fault::AnnouncesWithNumbers,
    Fault::AnnouncesOtherWords,
    Fault::DebugOnStdout,
    Fault::MapOnStdout,
    Fault::SameGameForAllSeeds,
    Fault::OtherGameForSameSeed,
    Fault::TableNotPrinted,
    Fault::ExitsOneAtEnd,
    Fault::StaysAfterEnd,
    Fault::CrashAtEnd,
    Fault::DiesWhenClientsVanish,
    Fault::AnswersFromOtherPort,
    Fault::SpectatorFirst,
    Fault::SpectatorLast,
    Fault::SlowAnswers,
    Fault::NoisyStderr,
    Fault::LeavesChild,
    Fault::LeavesDaemon,
    Fault::IgnoresSignals,
];

fn peer(who: u16) -> Peer {
    SocketAddr::from((Ipv4Addr::LOCALHOST, who)).into()
}

fn mutant(fault: Fault, dialect: Dialect, map: &str, seed: i64) -> Mutant {
    let map = shipped::find(map).unwrap().map();
    Mutant::new(fault, dialect, world::open(fault, map, Seed::new(seed), dialect).unwrap())
}

/// Everything that a mutant says and does in this script, as far as it comes.
fn play(fault: Fault, script: &Script) -> (Vec<(Vec<Datagram>, After)>, Vec<u8>) {
    let mut mutant = mutant(fault, script.dialect, script.map, script.seed);
    let mut played = vec![];
    for (who, bytes) in &script.lines {
        played.push(mutant.hear(peer(*who), bytes));
        if played.last().is_some_and(|(_, after)| *after != After::GoOn) {
            break;
        }
    }
    (played, mutant.summary())
}

#[test]
fn names_are_kebab_case_and_different() {
    let names: HashSet<String> = Fault::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(names.len(), Fault::ALL.len());
    for fault in Fault::ALL {
        let name = fault.to_string();
        assert_eq!(name.parse(), Ok(*fault));
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{name}");
        assert!(fault.about().ends_with('.'), "{name}");
    }
    assert!("No-Such".parse::<Fault>().is_err());
    assert!(Fault::ALL.iter().filter(|fault| !fault.is_allowed()).count() >= 60);
}

#[test]
fn without_a_fault_it_is_the_real_room_to_the_byte() {
    for dialect in Dialect::ALL {
        for script in scripts(dialect) {
            let map = shipped::find(script.map).unwrap().map();
            let world = world::open(Fault::None, map, Seed::new(script.seed), dialect).unwrap();
            let mut room = world.room;
            let (played, summary) = play(Fault::None, &script);
            for ((who, bytes), (said, _)) in script.lines.iter().zip(&played) {
                room.handle_message(Millis(0), peer(*who), bytes);
                for datagram in said {
                    let transmit = room.poll_transmit().expect("the room says as much");
                    assert_eq!((transmit.to, transmit.payload), (datagram.to, &*datagram.bytes));
                }
                assert_eq!(room.poll_transmit(), None, "{}", bytes.escape_ascii());
            }
            assert_eq!(summary, room.summary().as_bytes());
            assert_eq!(played.last().unwrap().1 == After::Over, room.is_over());
        }
    }
}

#[test]
fn every_fault_can_be_seen_in_some_exchange() {
    for dialect in Dialect::ALL {
        let scripts = scripts(dialect);
        let right: Vec<_> = scripts.iter().map(|script| play(Fault::None, script)).collect();
        let is_seen = |fault: Fault| {
            let mut pairs = scripts.iter().zip(&right);
            pairs.any(|(script, right)| play(fault, script) != *right)
        };
        let concerned = Fault::ALL.iter().filter(|fault| **fault != Fault::None);
        let concerned =
            concerned.filter(|fault| fault.dialect().is_none_or(|only| only == dialect));
        let unseen: Vec<&Fault> =
            concerned.filter(|f| !OF_THE_PROCESS.contains(f) && !is_seen(**f)).collect();
        assert!(unseen.is_empty(), "nobody can see {unseen:?} in {dialect}");
    }
}

#[test]
fn a_fault_of_the_process_says_nothing_wrong() {
    let script = &scripts(Dialect::V2021)[0];
    let right = play(Fault::None, script);
    for fault in OF_THE_PROCESS {
        assert!(play(*fault, script) == right, "{fault}");
    }
}

/// What is allowed may sound different, but it is the same game.
#[test]
fn what_is_allowed_ends_with_the_same_table() {
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
