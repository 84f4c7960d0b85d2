//! One game between contenders, played through the real room, message by message.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};

use nuggets_game::Player;
use nuggets_server::{Millis, Peer, Room};

use super::contender::Contender;

/// A program that loses so many turns in a game sits out the rest of it.
const MOST_LOST_TURNS: u32 = 3;

/// What is wrong with a contender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It could not be started.
    NotStarted(String),
    /// It said nothing in time.
    Silent {
        /// So long it was waited for.
        limit_ms: u64,
    },
    /// It said something that is no message, or not the right one.
    Nonsense(String),
    /// It ended.
    Died(String),
    /// It has spoiled so many games that it is not asked any more.
    GivenUp,
}

/// A game under way.
pub(super) struct Contest {
    room: Room,
    seats: Vec<Seat>,
    purses: Vec<Purse>,
    round: u32,
}

struct Seat {
    entrant: usize,
    contender: Box<dyn Contender>,
    /// Which player it is, once it has joined.
    player: Option<usize>,
    is_out: bool,
    was_put_out: bool,
    keys: u32,
    lost_turns: u32,
    first_trouble: Option<Trouble>,
}

/// A purse that has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Purse {
    /// After so many rounds.
    pub(super) round: u32,
    /// On which seat.
    pub(super) seat: usize,
    /// To so much.
    pub(super) nuggets: u32,
}

/// A game that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Played {
    pub(super) seats: Vec<Seated>,
    pub(super) rounds: u32,
    pub(super) is_finished: bool,
    /// Every change of a purse, in order.
    pub(super) purses: Vec<Purse>,
}

/// How one seat did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seated {
    pub(super) entrant: usize,
    pub(super) purse: u32,
    pub(super) keys: u32,
    pub(super) lost_turns: u32,
    pub(super) first_trouble: Option<Trouble>,
    /// It did not stay in the game because of its trouble.
    pub(super) was_put_out: bool,
}

impl Contest {
    /// The contenders join in this order; each comes with the entrant that it plays for.
    pub(super) fn new(
        room: Room,
        contenders: Vec<(usize, Box<dyn Contender>)>,
        stop: &AtomicBool,
    ) -> Self {
        let seat = |(entrant, contender)| Seat {
            entrant,
            contender,
            player: None,
            is_out: false,
            was_put_out: false,
            keys: 0,
            lost_turns: 0,
            first_trouble: None,
        };
        let seats = contenders.into_iter().map(seat).collect();
        let mut contest = Self { room, seats, purses: vec![], round: 0 };
        for seat in 0..contest.seats.len() {
            contest.join(seat, stop);
        }
        contest
    }

    /// Plays to the end, or for so many rounds; none if it was stopped.
    pub(super) fn play(mut self, max_rounds: u32, stop: &AtomicBool) -> Option<Played> {
        while !self.is_over() && self.round < max_rounds {
            self.round += 1;
            for seat in 0..self.seats.len() {
                if stop.load(Ordering::Relaxed) {
                    return None;
                }
                self.take_turn(seat, stop);
            }
        }
        // Whoever was waited for in vain because of the stop is not to blame.
        if stop.load(Ordering::Relaxed) { None } else { Some(self.finish()) }
    }

    fn is_over(&self) -> bool {
        self.room.is_closed() || self.seats.iter().all(|seat| seat.is_out)
    }

    fn join(&mut self, seat: usize, stop: &AtomicBool) {
        let others = self.room.game().players().len();
        match self.seats[seat].contender.join(stop) {
            Err(trouble) => self.put_out(seat, trouble),
            Ok(message) => {
                self.tell_room(seat, &message);
                let has_joined = self.room.game().players().len() > others;
                self.seats[seat].player = has_joined.then_some(others);
                if !has_joined {
                    self.put_out(seat, Trouble::Nonsense("it could not join".to_owned()));
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
                self.tell_room(seat, &message);
            }
            Err(trouble) => self.lose_turn(seat, trouble),
        }
    }

    fn is_gone(&mut self, seat: usize) -> bool {
        let player = self.seats[seat].player.map(|player| &self.room.game().players()[player]);
        let is_gone = player.and_then(Player::at).is_none();
        self.seats[seat].is_out |= is_gone;
        self.seats[seat].is_out
    }

    fn lose_turn(&mut self, seat: usize, trouble: Trouble) {
        let lost = &mut self.seats[seat].lost_turns;
        *lost += 1;
        if *lost >= MOST_LOST_TURNS || matches!(trouble, Trouble::Died(_)) {
            (self.seats[seat].is_out, self.seats[seat].was_put_out) = (true, true);
        }
        self.seats[seat].first_trouble.get_or_insert(trouble);
    }

    fn put_out(&mut self, seat: usize, trouble: Trouble) {
        (self.seats[seat].is_out, self.seats[seat].was_put_out) = (true, true);
        self.lose_turn(seat, trouble);
    }

    /// What somebody says, and what everybody hears of it.
    fn tell_room(&mut self, from: usize, message: &[u8]) {
        self.room.handle_message(Millis(0), peer(from), message);
        while let Some(sent) = self.room.poll_transmit() {
            let to = usize::from(SocketAddr::from(sent.to).port());
            if !self.seats[to].is_out {
                self.seats[to].contender.hear(sent.payload);
            }
        }
        while self.room.poll_notice().is_some() {}
        self.note_purses();
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

    fn finish(self) -> Played {
        let purses: Vec<u32> = (0..self.seats.len()).map(|seat| self.purse(seat)).collect();
        let seated = |(seat, purse): (Seat, u32)| Seated {
            entrant: seat.entrant,
            purse,
            keys: seat.keys,
            lost_turns: seat.lost_turns,
            first_trouble: seat.first_trouble,
            was_put_out: seat.was_put_out,
        };
        Played {
            is_finished: self.is_over(),
            rounds: self.round,
            seats: self.seats.into_iter().zip(purses).map(seated).collect(),
            purses: self.purses,
        }
    }
}

/// A seat as the room knows it.
fn peer(seat: usize) -> Peer {
    let port = u16::try_from(seat).expect("there are 26 seats at most");
    SocketAddr::from((Ipv4Addr::LOCALHOST, port)).into()
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(why) => write!(f, "it could not be started: {why}"),
            Self::Silent { limit_ms } => write!(f, "it said nothing within {limit_ms} ms"),
            Self::Nonsense(what) => write!(f, "it talked nonsense: {what}"),
            Self::Died(how) => write!(f, "it ended in the middle of the game: {how}"),
            Self::GivenUp => write!(f, "it is not asked any more"),
        }
    }
}
