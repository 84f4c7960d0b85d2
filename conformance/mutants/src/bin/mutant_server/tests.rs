//! Mutants as (messages in, messages out): `none` equals the real room to the byte, and allowed behaviour differs from
//! it, but is the same game. That wrong behaviour shows is tested with the tester, which must find it.

use std::collections::BTreeSet;

use nuggets_game::{Point, Rng, Rules, Seed, Setup, shipped};
use nuggets_protocol::Dialect;
use nuggets_server::{Peer, Timestamp};

use crate::datagram::Outbound;
use crate::fault::Fault;
use crate::movement::find_path;
use crate::mutant::{AfterMessage, Mutant};
use crate::world;

/// Allowed behaviour that no exchange of messages shows.
const OF_THE_PROCESS: &[Fault] = &[
    Fault::None,
    Fault::ExitsAtEndOfInput,
    Fault::SeedFromClock,
    Fault::AnnouncesUnflushed,
    Fault::AnnouncesOnStderr,
    Fault::AnnouncesLate,
    Fault::AnnouncesTwice,
    Fault::AnnouncesWithNumbers,
    Fault::AnnouncementReworded,
    Fault::SpectatorFirst,
    Fault::SpectatorLast,
    Fault::SlowAnswers,
    Fault::NoisyStderr,
    Fault::LeavesChild,
    Fault::LeavesDaemon,
    Fault::IgnoresSignals,
];

const ANN: Peer = Peer(1);
const BEN: Peer = Peer(2);
const CAT: Peer = Peer(3);
const SPECTATOR: Peer = Peer(100);
const SECOND_SPECTATOR: Peer = Peer(101);

fn setup(dialect: Dialect) -> Setup {
    let map = shipped::find("main").unwrap().map();
    Setup::new(map, Rules::default(), Seed::new(1), dialect)
}

/// The messages of a game, found by playing it with a server without fault.
struct Script {
    mutant: Mutant,
    rng: Rng,
    messages: Vec<(Peer, Vec<u8>)>,
    is_over: bool,
}

impl Script {
    /// A whole game: two players meet, one quits halfway, another joins then; a spectator quits and another joins. Some
    /// messages are malformed.
    fn new(dialect: Dialect) -> Self {
        let mutant = Mutant::new(Fault::None, setup(dialect)).unwrap();
        let mut script =
            Self { mutant, rng: Rng::new(Seed::new(1)), messages: vec![], is_over: false };
        for line in ["PLAY", "PLAY  \t ", "HELLO"] {
            script.send(Peer(200), line);
        }
        let joins = [
            (ANN, "PLAY Ann"),
            (ANN, "PLAY Ann"),
            (ANN, "PLAY %s"),
            (BEN, "PLAY Ben"),
            (SPECTATOR, "SPECTATE"),
        ];
        for (peer, line) in joins {
            script.send(peer, line);
        }
        for _ in 0..4 {
            for (peer, other) in [(ANN, BEN), (BEN, ANN)] {
                script.press_random(peer, 20);
                let to = script.spot(other);
                script.walk(peer, to);
            }
        }
        for (peer, line) in [
            (BEN, "KEY Q"),
            (CAT, "PLAY Cat"),
            (SPECTATOR, "KEY Q"),
            (SECOND_SPECTATOR, "SPECTATE"),
        ] {
            script.send(peer, line);
        }
        while !script.is_over {
            let pile = script.mutant.room.game().piles().next();
            script.walk(ANN, pile.expect("the game ends with the last pile").0);
        }
        script
    }

    fn send(&mut self, peer: Peer, line: &str) {
        self.messages.push((peer, line.into()));
        let (_, next) = self.mutant.handle_message(peer, line.as_bytes());
        self.is_over = next == AfterMessage::GameOver;
    }

    fn spot(&self, peer: Peer) -> Point {
        let letter = self.mutant.seats.letter(peer).unwrap();
        self.mutant.room.game().player(letter).at().unwrap()
    }

    fn walk(&mut self, peer: Peer, to: Point) {
        let path = find_path(&self.mutant, self.spot(peer), to).unwrap_or_default();
        for key in path {
            self.send(peer, &format!("KEY {}", char::from(key)));
        }
    }

    fn press_random(&mut self, peer: Peer, count: usize) {
        let keys: Vec<char> = "hjklyubnHJKLYUBN".chars().collect();
        for _ in 0..count {
            let key = keys[self.rng.index(keys.len())];
            self.send(peer, &format!("KEY {key}"));
        }
    }
}

/// Returns all messages and actions of a mutant in this script, until it ends, and its summary.
fn play(
    fault: Fault,
    dialect: Dialect,
    script: &Script,
) -> (Vec<(Vec<Outbound>, AfterMessage)>, String) {
    let mut mutant = Mutant::new(fault, setup(dialect)).unwrap();
    let mut played = vec![];
    for (peer, bytes) in &script.messages {
        played.push(mutant.handle_message(*peer, bytes));
        if played.last().is_some_and(|(_, next)| *next != AfterMessage::Continue) {
            break;
        }
    }
    (played, String::from_utf8(mutant.summary()).unwrap())
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
}

#[test]
fn without_a_fault_every_byte_is_the_real_rooms() {
    for dialect in Dialect::ALL {
        let script = Script::new(dialect);
        let mut room = world::open(Fault::None, &setup(dialect)).unwrap();
        let (played, summary) = play(Fault::None, dialect, &script);
        for ((peer, bytes), (sent, _)) in script.messages.iter().zip(&played) {
            room.handle_message(Timestamp(0), *peer, bytes);
            for datagram in sent {
                let transmit = room.poll_transmit().expect("the room sends as many");
                assert_eq!((transmit.to, transmit.payload), (datagram.to, &*datagram.bytes));
            }
            assert_eq!(room.poll_transmit(), None, "{}", bytes.escape_ascii());
        }
        assert_eq!(summary, room.summary());
        assert!(room.is_over() && played.last().unwrap().1 == AfterMessage::GameOver);
    }
}

#[test]
fn allowed_behaviour_is_visible_in_messages_and_ends_with_the_same_table() {
    for dialect in Dialect::ALL {
        let script = Script::new(dialect);
        let correct = play(Fault::None, dialect, &script);
        let words = |summary: &str| -> Vec<String> {
            let words = summary.split(|c: char| c.is_whitespace() || ",|".contains(c));
            words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        let applies = |it: &&Fault| it.dialect().is_none_or(|only| only == dialect);
        for fault in Fault::ALL.iter().filter(|it| it.is_allowed()).filter(applies) {
            let played = play(*fault, dialect, &script);
            assert_eq!(played == correct, OF_THE_PROCESS.contains(fault), "{fault} in {dialect}");
            assert_eq!(words(&played.1), words(&correct.1), "{fault} in {dialect}");
        }
    }
}
