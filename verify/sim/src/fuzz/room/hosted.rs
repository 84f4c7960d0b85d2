//! A room under test that is driven step by step, can crash, and resumes from its journal.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use nuggets_game::{Map, Seed, Setup};
use nuggets_record::{Recording, Tail, verify};
use nuggets_server::{Guard, Limits, MemoryTransport, Peer, Room, RoomOptions, Timestamp};

use super::plan::{FuzzAction, FuzzPlan};
use crate::checked_room::{CheckedAnswers, CheckedRoom, model_of};

/// A checked room with its clock, and everything that it has sent.
pub(super) struct Hosted {
    plan: FuzzPlan,
    room: CheckedRoom,
    now: Timestamp,
    sent: Vec<Vec<u8>>,
}

impl Hosted {
    pub(super) fn new(plan: FuzzPlan) -> Self {
        plan.rules.check().expect("the rules of a plan are valid");
        let map = Map::parse(plan.map.as_bytes()).expect("the map of a plan is valid").map;
        let seed = Seed::new(plan.seed);
        let setup = Setup::new(map, plan.rules, seed, plan.dialect);
        let room = Room::new(&setup).expect("the rules fit the map").with_options(options(&plan));
        let model = model_of(plan.map, &plan.rules, plan.dialect, plan.changed_only, room.game());
        let room = CheckedRoom::new(room).with_journal(&setup);
        let room = if plan.is_hard {
            let guard =
                Guard::new(Limits { seats_per_source: Some(4), ..Limits::default() }, [7; 16]);
            room.with_transport(MemoryTransport::guarded(guard, source))
        } else {
            room.with_model(model, plan.dialect, plan.reliability)
        };
        Self { plan, room, now: Timestamp(0), sent: vec![] }
    }

    pub(super) fn take(&mut self, wait_ms: u64, what: FuzzAction) {
        self.now = self.now.after(wait_ms);
        match what {
            FuzzAction::Send(peer, bytes) => {
                let answers = self.room.handle_message(self.now, peer.into(), &bytes);
                self.keep(answers);
            }
            FuzzAction::Wake => self.wake(),
            FuzzAction::Unreachable(peer) if self.plan.is_hard => {
                let answers = self.room.handle_disconnect(self.now, peer.into());
                self.keep(answers);
            }
            FuzzAction::Unreachable(_) => {}
            FuzzAction::Crash(torn) => self.crash(torn.into()),
        }
    }

    fn keep(&mut self, answers: CheckedAnswers) {
        match answers {
            Ok(answers) => self.sent.extend(answers.into_iter().map(|(_, message)| message)),
            Err(mismatch) => panic!("{mismatch}"),
        }
    }

    /// Wakes the room until nothing is due.
    fn wake(&mut self) {
        if self.room.poll_timeout().is_some_and(|at| at <= self.now) {
            let answers = self.room.handle_timeout(self.now);
            self.keep(answers);
        }
    }

    /// Crashes the server and resumes it from the journal. In a plain game no byte of the journal is lost.
    fn crash(&mut self, torn: usize) {
        let torn = if self.plan.is_hard { torn } else { 0 };
        let left = self.room.journal().len().saturating_sub(torn);
        // Without a header there is nothing to resume.
        if Recording::read(&self.room.journal()[..left]).is_err() {
            return;
        }
        let answers = self.room.restart(self.now, left, options(&self.plan));
        self.keep(answers);
        if self.room.room().is_over() {
            self.wake();
        }
    }

    /// Shuts the room down and checks that its journal replays to the same game.
    pub(super) fn end(mut self) -> Vec<Vec<u8>> {
        let answers = self.room.shut_down();
        self.keep(answers);
        let room = self.room.room();
        assert!(room.is_closed());
        let reading = Recording::read(self.room.journal()).expect("a whole journal can be read");
        assert_eq!(reading.tail, Tail::Whole);
        let verified = verify(&reading.recording).expect("it was played like that");
        assert_eq!(verified.game.state_hash(), room.game().state_hash());
        self.sent
    }
}

fn options(plan: &FuzzPlan) -> RoomOptions {
    RoomOptions {
        changed_only: plan.changed_only,
        reliability: plan.reliability,
        keys_per_s: plan.is_hard.then_some(100),
    }
}

/// Returns the address of a peer in a hard game: several share a source, and a few can't be real.
fn source(peer: Peer) -> SocketAddr {
    let number = u8::try_from(peer.0).unwrap_or(u8::MAX);
    let ip = match number {
        31 => Ipv4Addr::new(224, 0, 0, 1),
        30 => Ipv4Addr::new(192, 168, 0, 9),
        29 => Ipv4Addr::BROADCAST,
        _ => Ipv4Addr::new(203, 0, 113, number / 6),
    };
    let port = if number == 28 { 0 } else { 1000 + u16::from(number) };
    SocketAddr::new(IpAddr::V4(ip), port)
}
