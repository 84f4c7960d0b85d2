//! A real room with one fault: messages are rewritten before the room receives them and before they
//! are sent. Pure: no socket, no clock.

use std::collections::{BTreeSet, VecDeque};

use nuggets_game::{Game, Letter, Map, Player, Point, Setup, Stroke, TooFewSpots, Viewer};
use nuggets_protocol::{ClientMessage, Dialect, QuitKind};
use nuggets_server::{Peer, Room, Timestamp};

use crate::datagram::{Outbound, merge_rounds};
use crate::fault::Fault;
use crate::seats::{MutantSeats, ShownLetters};
use crate::sight::FaultySight;
use crate::{inbound, movement, outbound, table, world};

/// A server with a fault.
#[derive(Debug)]
pub(crate) struct Mutant {
    pub(crate) fault: Fault,
    /// A second fault: one that changes only the form of messages, or that makes spectators useless.
    pub(crate) slip: Fault,
    pub(crate) dialect: Dialect,
    pub(crate) room: Room,
    /// The map that is shown; players may walk elsewhere (see `world`).
    pub(crate) map: Map,
    pub(crate) seats: MutantSeats,
    pub(crate) letters: ShownLetters,
    pub(crate) sight: Option<FaultySight>,
    /// The gold at the start.
    pub(crate) piles: Vec<(Point, u32)>,
    /// The last correct `DISPLAY` of each peer.
    pub(crate) last_displays: Vec<Outbound>,
    /// Players that are drawn where the room does not have them.
    pub(crate) misplaced: Vec<(Letter, Point)>,
    /// The number of piles that each player has collected, by letter.
    pub(crate) piles_collected: Vec<u32>,
    /// Players whose spot has changed before this turn.
    pub(crate) moved: BTreeSet<Letter>,
    pub(crate) malformed_received: u32,
    pub(crate) keys_received: u32,
    /// Peers that have sent `PLAY`.
    pub(crate) join_requests: Vec<Peer>,
}

/// The action of the program after a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterMessage {
    Continue,
    GameOver,
    /// Die by SIGSEGV.
    Crash,
    Exit(u8),
    /// Never do anything again.
    Hang,
}

/// One message as the room received it, and its effects.
#[derive(Debug)]
pub(crate) struct MessageTurn {
    pub(crate) from: Peer,
    pub(crate) message: Vec<u8>,
    pub(crate) before: Game,
    /// The role in which the sender joined, or joined again.
    pub(crate) joined: Option<Viewer>,
    /// The other players that were moved.
    pub(crate) swapped: Vec<Letter>,
    /// The collected piles, in the order of the path.
    pub(crate) collected: Vec<(Point, u32)>,
}

impl Mutant {
    /// Creates a server for this setup, with the rules that the fault needs.
    pub(crate) fn new(fault: Fault, setup: Setup) -> Result<Self, TooFewSpots> {
        let room = world::open(fault, &setup)?;
        let Setup { map, dialect, .. } = setup;
        Ok(Self {
            fault,
            slip: Fault::None,
            dialect,
            seats: MutantSeats::default(),
            letters: ShownLetters::default(),
            sight: FaultySight::new(fault, dialect, &map),
            piles: room.game().piles().collect(),
            last_displays: vec![],
            misplaced: vec![],
            piles_collected: vec![],
            moved: BTreeSet::new(),
            malformed_received: 0,
            keys_received: 0,
            join_requests: vec![],
            map,
            room,
        })
    }

    /// Handles one datagram; returns the datagrams to send and the next action of the program.
    pub(crate) fn handle_message(
        &mut self,
        from: Peer,
        bytes: &[u8],
    ) -> (Vec<Outbound>, AfterMessage) {
        self.count(from, bytes);
        if let Some(end) = inbound::fatal(self, from, bytes) {
            return (vec![], end);
        }
        let was_spectator = self.seats.spectator == Some(from);
        let mut queue = VecDeque::from(inbound::rewrite(self, from, bytes));
        let is_one_move = bytes.starts_with(b"KEY")
            && queue.len() > 1
            && self.fault != Fault::SprintDisplaysEachStep;
        let mut sent = vec![];
        while let Some((from, bytes)) = queue.pop_front() {
            let (answers, turn) = self.forward(from, bytes);
            sent.extend(outbound::rewrite(self, &turn, answers));
            self.moved.extend(moved(&turn.before, self.room.game(), None));
            queue.extend(movement::pushes(self, &turn));
        }
        let mut sent = if is_one_move { merge_rounds(sent) } else { sent };
        sent.retain_mut(|datagram| {
            let recipient = self.seats.recipient(datagram.to);
            datagram.to = recipient.unwrap_or(datagram.to);
            recipient.is_some()
        });
        let spectator_quit = was_spectator && bytes == b"KEY Q";
        let is_over =
            self.room.is_over() || (spectator_quit && self.fault == Fault::SpectatorQuitEndsGame);
        (sent, if is_over { AfterMessage::GameOver } else { AfterMessage::Continue })
    }

    fn count(&mut self, from: Peer, bytes: &[u8]) {
        match ClientMessage::parse(bytes) {
            Ok(ClientMessage::Play(_)) if !self.join_requests.contains(&from) => {
                self.join_requests.push(from);
            }
            Ok(ClientMessage::Key(_)) => self.keys_received += 1,
            Ok(ClientMessage::Play(_) | ClientMessage::Spectate) => {}
            Err(_) => self.malformed_received += 1,
        }
    }

    fn forward(&mut self, from: Peer, message: Vec<u8>) -> (Vec<Outbound>, MessageTurn) {
        let before = self.room.game().clone();
        // A room without resends and rate limits ignores the time.
        self.room.handle_message(Timestamp(0), from, &message);
        let answers = self.drain();
        self.seats.learn(from, &message, &answers);
        let after = self.room.game();
        if let Some(sight) = &mut self.sight {
            sight.update(&before, after);
        }
        self.letters.assign(self.fault, after);
        let mover = self.seats.letter(from);
        let turn = MessageTurn {
            from,
            joined: joined(from, &answers),
            swapped: moved(&before, after, mover),
            collected: movement::collected(&before, after, mover),
            message,
            before,
        };
        (answers, turn)
    }

    fn drain(&mut self) -> Vec<Outbound> {
        let mut answers = vec![];
        while let Some(transmit) = self.room.poll_transmit() {
            answers.push(Outbound::new(transmit.to, transmit.payload));
        }
        while self.room.poll_record().is_some() || self.room.poll_notice().is_some() {}
        answers
    }

    /// Ends the game early, as a signal does.
    pub(crate) fn shut_down(&mut self) -> Vec<Outbound> {
        self.room.shut_down();
        self.drain()
    }

    /// Returns the summary that is printed at the end.
    pub(crate) fn summary(&self) -> Vec<u8> {
        let rows = table::rows(self);
        let newline: &[u8] = if rows.is_empty() { b"" } else { b"\n" };
        match self.fault {
            Fault::TableNoHeading | Fault::PrintedTableNoHeading => rows,
            Fault::PrintsExtraLine => [b"GAME OVER:", newline, &rows, b"\nBye!"].concat(),
            _ => [b"GAME OVER:", newline, &rows].concat(),
        }
    }

    /// The player with this peer, if it is on the map.
    pub(crate) fn active(&self, peer: Peer) -> Option<Letter> {
        let letter = self.seats.letter(peer)?;
        self.room.game().player(letter).at().map(|_| letter)
    }

    /// The gold of the whole game.
    pub(crate) fn total_gold(&self) -> u32 {
        self.piles.iter().map(|(_, size)| size).sum()
    }
}

impl MessageTurn {
    /// The movement that was asked for.
    pub(crate) fn stroke(&self) -> Option<Stroke> {
        match ClientMessage::parse(&self.message) {
            Ok(ClientMessage::Key(key)) => Stroke::from_key(key),
            _ => None,
        }
    }

    /// True if the sender has asked to join under a name, even a blank one.
    pub(crate) fn is_play(&self) -> bool {
        self.message.starts_with(b"PLAY ")
    }

    /// True for the answer to the `Q` of a player or spectator.
    pub(crate) fn is_farewell(&self, mutant: &Mutant, answer: &Outbound, kind: QuitKind) -> bool {
        let is_player = mutant.seats.letter(self.from).is_some();
        self.message == b"KEY Q"
            && is_player == (kind == QuitKind::Player)
            && answer.to == self.from
            && answer.bytes == mutant.dialect.quit(kind).to_bytes()
    }

    /// True if a new player joined.
    pub(crate) fn adds_player(&self, after: &Game) -> bool {
        after.players().len() > self.before.players().len()
    }
}

fn joined(from: Peer, answers: &[Outbound]) -> Option<Viewer> {
    let first = answers.iter().find(|answer| answer.to == from)?;
    match first.word() {
        b"OK" => Letter::from_byte(*first.bytes.last()?).map(Viewer::Player),
        b"GRID" => Some(Viewer::Spectator),
        _ => None,
    }
}

/// The players other than `mover` that are on another spot than before.
fn moved(before: &Game, after: &Game, mover: Option<Letter>) -> Vec<Letter> {
    let pairs = before.players().iter().zip(after.players());
    let is_moved = |(was, is): &(&Player, &Player)| {
        was.at() != is.at() && is.at().is_some() && Some(is.letter()) != mover
    };
    pairs.filter(is_moved).map(|(_, is)| is.letter()).collect()
}
