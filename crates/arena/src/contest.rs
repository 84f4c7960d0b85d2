//! One game between contenders, played through the real room, message by message.

use std::sync::atomic::{AtomicBool, Ordering};

use nuggets_bots::{MAX_LOST_TURNS, ProgramFailure, ProgramFault};
use nuggets_game::Player;
use nuggets_server::{Peer, Room};

use super::contender::Contender;
use super::recorder::{Recorder, time_of_turn};

/// The fault of a contender, with its program's stderr up to that point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultReport {
    /// The fault itself.
    pub fault: ProgramFault,
    /// The last lines of the program's stderr; may be empty.
    pub stderr: String,
}

impl From<ProgramFault> for FaultReport {
    fn from(fault: ProgramFault) -> Self {
        Self { fault, stderr: String::new() }
    }
}

impl From<ProgramFailure> for FaultReport {
    fn from(ProgramFailure { fault, stderr, .. }: ProgramFailure) -> Self {
        Self { fault, stderr }
    }
}

/// A game under way.
pub(super) struct Contest {
    room: Room,
    seats: Vec<ContestSeat>,
    purses: Vec<Purse>,
    round: u32,
    recorder: Option<Recorder>,
}

struct ContestSeat {
    entrant: usize,
    contender: Box<dyn Contender>,
    /// The index of its player in the room, once it has joined.
    player: Option<usize>,
    is_out: bool,
    was_removed: bool,
    keys: u32,
    lost_turns: u32,
    first_fault: Option<FaultReport>,
}

/// A change of a purse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Purse {
    /// The number of the round, from 1.
    pub(super) round: u32,
    /// The index of the seat.
    pub(super) seat: usize,
    /// Nuggets in the purse after the change.
    pub(super) nuggets: u32,
}

/// The result of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlayedGame {
    pub(super) seats: Vec<SeatResult>,
    pub(super) rounds: u32,
    pub(super) is_finished: bool,
    /// Every change of a purse, in order.
    pub(super) purses: Vec<Purse>,
    /// The recording, if the game was recorded.
    pub(super) recording: Option<Vec<u8>>,
}

/// The result of one seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeatResult {
    pub(super) entrant: usize,
    pub(super) purse: u32,
    pub(super) keys: u32,
    pub(super) lost_turns: u32,
    pub(super) first_fault: Option<FaultReport>,
    /// True if it was removed from the game because of its fault.
    pub(super) was_removed: bool,
}

impl Contest {
    /// Creates a game whose contenders join in this order, each with the entrant that it plays for.
    pub(super) fn new(
        room: Room,
        contenders: Vec<(usize, Box<dyn Contender>)>,
        recorder: Option<Recorder>,
        stop: &AtomicBool,
    ) -> Self {
        let seat = |(entrant, contender)| ContestSeat {
            entrant,
            contender,
            player: None,
            is_out: false,
            was_removed: false,
            keys: 0,
            lost_turns: 0,
            first_fault: None,
        };
        let seats = contenders.into_iter().map(seat).collect();
        let mut contest = Self { room, seats, purses: vec![], round: 0, recorder };
        for seat in 0..contest.seats.len() {
            contest.join(seat, stop);
        }
        contest
    }

    /// Plays to the end, or for `max_rounds` rounds; `None` if it was stopped.
    pub(super) fn play(mut self, max_rounds: u32, stop: &AtomicBool) -> Option<PlayedGame> {
        while !self.is_over() && self.round < max_rounds {
            self.round += 1;
            for seat in 0..self.seats.len() {
                if stop.load(Ordering::Relaxed) {
                    return None;
                }
                self.take_turn(seat, stop);
            }
        }
        // A contender that did not answer because of the stop is not at fault.
        if stop.load(Ordering::Relaxed) { None } else { Some(self.finish()) }
    }

    fn is_over(&self) -> bool {
        self.room.is_closed() || self.seats.iter().all(|seat| seat.is_out)
    }

    fn join(&mut self, seat: usize, stop: &AtomicBool) {
        let others = self.room.game().players().len();
        match self.seats[seat].contender.join(stop) {
            Err(fault) => self.remove(seat, fault),
            Ok(message) => {
                self.send_to_room(seat, &message);
                let has_joined = self.room.game().players().len() > others;
                self.seats[seat].player = has_joined.then_some(others);
                if !has_joined {
                    let fault = ProgramFault::InvalidMessage("could not join".to_owned());
                    self.remove(seat, fault.into());
                }
            }
        }
    }

    fn take_turn(&mut self, seat: usize, stop: &AtomicBool) {
        if self.is_gone(seat) || self.room.is_closed() {
            return;
        }
        match self.seats[seat].contender.turn(stop) {
            Ok(None) => {}
            Ok(Some(message)) => {
                self.seats[seat].keys += 1;
                self.send_to_room(seat, &message);
            }
            Err(fault) => self.lose_turn(seat, fault),
        }
    }

    fn is_gone(&mut self, seat: usize) -> bool {
        let player = self.seats[seat].player.map(|player| &self.room.game().players()[player]);
        let is_gone = player.and_then(Player::at).is_none();
        self.seats[seat].is_out |= is_gone;
        self.seats[seat].is_out
    }

    fn lose_turn(&mut self, seat: usize, fault: FaultReport) {
        let lost = &mut self.seats[seat].lost_turns;
        *lost += 1;
        if *lost >= MAX_LOST_TURNS || matches!(fault.fault, ProgramFault::Died(_)) {
            (self.seats[seat].is_out, self.seats[seat].was_removed) = (true, true);
        }
        self.seats[seat].first_fault.get_or_insert(fault);
    }

    fn remove(&mut self, seat: usize, fault: FaultReport) {
        (self.seats[seat].is_out, self.seats[seat].was_removed) = (true, true);
        self.lose_turn(seat, fault);
    }

    /// Passes a message to the room and delivers the room's answers.
    fn send_to_room(&mut self, from: usize, message: &[u8]) {
        let now = time_of_turn(self.round, from, self.seats.len());
        self.room.handle_message(now, peer(from), message);
        while let Some(sent) = self.room.poll_transmit() {
            let to = usize::try_from(sent.to.0).expect("peers are seats");
            if !self.seats[to].is_out {
                self.seats[to].contender.receive(sent.payload);
            }
        }
        self.take_records();
        self.note_purses();
    }

    fn take_records(&mut self) {
        while let Some(record) = self.room.poll_record() {
            if let Some(recorder) = &mut self.recorder {
                recorder.append(record, &self.room);
            }
        }
        while self.room.poll_notice().is_some() {}
    }

    fn note_purses(&mut self) {
        for seat in 0..self.seats.len() {
            let nuggets = self.purse(seat);
            let last = self.purses.iter().rev().find(|purse| purse.seat == seat);
            if last.map_or(0, |purse| purse.nuggets) != nuggets {
                self.purses.push(Purse { round: self.round, seat, nuggets });
            }
        }
    }

    fn purse(&self, seat: usize) -> u32 {
        let player = self.seats[seat].player.map(|player| &self.room.game().players()[player]);
        player.map_or(0, Player::purse)
    }

    fn finish(mut self) -> PlayedGame {
        let is_finished = self.is_over();
        // Even the recording of a stopped game gets an end record.
        self.room.shut_down();
        self.take_records();
        let purses: Vec<u32> = (0..self.seats.len()).map(|seat| self.purse(seat)).collect();
        let seated = |(seat, purse): (ContestSeat, u32)| SeatResult {
            entrant: seat.entrant,
            purse,
            keys: seat.keys,
            lost_turns: seat.lost_turns,
            first_fault: seat.first_fault,
            was_removed: seat.was_removed,
        };
        PlayedGame {
            is_finished,
            rounds: self.round,
            seats: self.seats.into_iter().zip(purses).map(seated).collect(),
            purses: self.purses,
            recording: self.recorder.map(Recorder::into_bytes),
        }
    }
}

/// Returns the peer of a seat.
fn peer(seat: usize) -> Peer {
    Peer(seat as u64)
}
