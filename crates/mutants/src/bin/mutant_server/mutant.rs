//! A real room with one fault: what comes in is bent before the room hears it, and what goes out
//! before anybody does. No socket, no clock.

use std::collections::{HashSet, VecDeque};

use nuggets_game::{Game, Letter, Map, Player, Point, Stroke, Viewer};
use nuggets_protocol::{ClientMessage, Dialect};
use nuggets_server::{Millis, Peer, Room};

use crate::datagram::{Datagram, merge};
use crate::eyes::Eyes;
use crate::fault::Fault;
use crate::labels::Labels;
use crate::seats::Seats;
use crate::world::World;
use crate::{doom, inbound, outbound, steps, table};

/// A server with a fault.
#[derive(Debug)]
pub(crate) struct Mutant {
    pub(crate) fault: Fault,
    pub(crate) dialect: Dialect,
    pub(crate) room: Room,
    pub(crate) map: Map,
    pub(crate) seats: Seats,
    pub(crate) labels: Labels,
    pub(crate) eyes: Option<Eyes>,
    /// The gold at the start.
    pub(crate) piles: Vec<(Point, u32)>,
    /// The last right picture of each.
    pub(crate) pictures: Vec<Datagram>,
    /// Where those stood who have quit, and those who share a spot.
    pub(crate) ghosts: Vec<(Letter, Point)>,
    /// How many piles each has taken.
    pub(crate) piles_taken: Vec<u32>,
    /// Who has moved, or was moved, before this turn.
    pub(crate) moved: HashSet<Letter>,
    pub(crate) malformed: u32,
    pub(crate) keys: u32,
    /// Everybody who has asked to play.
    pub(crate) askers: HashSet<Peer>,
}

/// What becomes of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// It goes on.
    GoOn,
    /// The game is over.
    Over,
    /// It dies from a signal.
    Crash,
    /// It exits with this code.
    Exit(u8),
    /// It never does anything again.
    Hang,
}

/// One message as the room heard it, and the game before it.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) from: Peer,
    pub(crate) heard: Vec<u8>,
    pub(crate) before: Game,
    /// Who was welcomed, if anybody was.
    pub(crate) welcomed: Option<Viewer>,
    /// Who of the others was moved by it.
    pub(crate) swapped: Vec<Letter>,
    /// What was taken from where, in the order of the way.
    pub(crate) taken: Vec<(Point, u32)>,
}

impl Mutant {
    pub(crate) fn new(fault: Fault, dialect: Dialect, world: World) -> Self {
        let World { room, map } = world;
        Self {
            fault,
            dialect,
            seats: Seats::default(),
            labels: Labels::default(),
            eyes: Eyes::new(fault, dialect, &map),
            piles: room.game().piles().collect(),
            pictures: vec![],
            ghosts: vec![],
            piles_taken: vec![],
            moved: HashSet::new(),
            malformed: 0,
            keys: 0,
            askers: HashSet::new(),
            map,
            room,
        }
    }

    /// Takes one datagram; tells what is sent, and what becomes of the program then.
    pub(crate) fn hear(&mut self, from: Peer, bytes: &[u8]) -> (Vec<Datagram>, After) {
        self.count(from, bytes);
        if let Some(end) = doom::strike(self, from, bytes) {
            return (vec![], end);
        }
        let was_watching = self.seats.spectator == Some(from);
        let mut waiting = VecDeque::from(inbound::bend(self, from, bytes));
        let is_one_move = bytes.starts_with(b"KEY") && self.fault != Fault::SprintInSteps;
        let is_one_move = is_one_move && waiting.len() > 1;
        let mut sent = vec![];
        while let Some((from, bytes)) = waiting.pop_front() {
            let (answers, turn) = self.tell_room(from, bytes);
            sent.extend(outbound::bend(self, &turn, answers));
            self.moved.extend(moved(&turn.before, self.room.game(), None));
            waiting.extend(steps::thrown(self, &turn));
        }
        let sent = if is_one_move { merge(sent) } else { sent };
        let heard = |datagram: Datagram| {
            let to = self.seats.face(datagram.to)?;
            Some(Datagram { to, ..datagram })
        };
        (
            sent.into_iter().filter_map(heard).collect(),
            self.outlook(was_watching && bytes == b"KEY Q"),
        )
    }

    fn count(&mut self, from: Peer, bytes: &[u8]) {
        match ClientMessage::parse(bytes) {
            Ok(ClientMessage::Play(_)) => drop(self.askers.insert(from)),
            Ok(ClientMessage::Key(_)) => self.keys += 1,
            Ok(ClientMessage::Spectate) => {}
            Err(_) => self.malformed += 1,
        }
    }

    fn outlook(&self, has_stopped_watching: bool) -> After {
        if self.room.is_over() || (self.fault == Fault::WatcherEndsGame && has_stopped_watching) {
            After::Over
        } else {
            After::GoOn
        }
    }

    fn tell_room(&mut self, from: Peer, heard: Vec<u8>) -> (Vec<Datagram>, Turn) {
        let before = self.room.game().clone();
        // Without care and guard a room doesn't ask for the time.
        self.room.handle_message(Millis(0), from, &heard);
        let answers = self.drain();
        self.seats.learn(from, &heard, &answers);
        let after = self.room.game();
        if let Some(eyes) = &mut self.eyes {
            eyes.watch(&before, after);
        }
        self.labels.give(self.fault, after);
        let turn = Turn {
            from,
            welcomed: welcomed(from, &answers),
            swapped: moved(&before, after, self.seats.letter(from)),
            taken: steps::taken(&before, after, self.seats.letter(from)),
            heard,
            before,
        };
        (answers, turn)
    }

    fn drain(&mut self) -> Vec<Datagram> {
        let mut answers = vec![];
        while let Some(transmit) = self.room.poll_transmit() {
            answers.push(Datagram::new(transmit.to, transmit.payload));
        }
        while self.room.poll_notice().is_some() {}
        answers
    }

    /// Ends the game before its time, as a signal does.
    pub(crate) fn shut_down(&mut self) -> Vec<Datagram> {
        self.room.shut_down();
        self.drain()
    }

    /// What is printed at the end.
    pub(crate) fn summary(&self) -> Vec<u8> {
        let rows = table::rows(self);
        let newline: &[u8] = if rows.is_empty() { b"" } else { b"\n" };
        match self.fault {
            Fault::TableNoHead | Fault::PrintsNoHead => rows,
            Fault::ChatterAtEnd => [b"GAME OVER:", newline, &rows, b"\nBye!"].concat(),
            _ => [b"GAME OVER:", newline, &rows].concat(),
        }
    }

    /// The player who comes from there and is on the map.
    pub(crate) fn active(&self, peer: Peer) -> Option<Letter> {
        let letter = self.seats.letter(peer)?;
        self.room.game().player(letter).at().map(|_| letter)
    }
}

impl Turn {
    /// The movement that was asked for.
    pub(crate) fn stroke(&self) -> Option<Stroke> {
        match ClientMessage::parse(&self.heard) {
            Ok(ClientMessage::Key(key)) => Stroke::from_key(key),
            _ => None,
        }
    }

    pub(crate) fn is_quit(&self) -> bool {
        self.heard == b"KEY Q"
    }

    pub(crate) fn is_join(&self, after: &Game) -> bool {
        after.players().len() > self.before.players().len()
    }
}

fn welcomed(from: Peer, answers: &[Datagram]) -> Option<Viewer> {
    let first = answers.iter().find(|answer| answer.to == from)?;
    match first.word() {
        b"OK" => Letter::from_char(*first.bytes.last()?).map(Viewer::Player),
        b"GRID" => Some(Viewer::Spectator),
        _ => None,
    }
}

fn moved(before: &Game, after: &Game, mover: Option<Letter>) -> Vec<Letter> {
    let pairs = before.players().iter().zip(after.players());
    let is_moved = |(was, is): &(&Player, &Player)| {
        was.at() != is.at() && is.at().is_some() && Some(is.letter()) != mover
    };
    pairs.filter(is_moved).map(|(_, is)| is.letter()).collect()
}
