//! One game and everybody in it. Bytes come in, messages go out; no socket, no clock, no log.
//!
//! The contract: after every `handle_message` or `shut_down` drain `poll_transmit` and
//! `poll_notice` until both are empty. Messages to one peer keep their order.

use std::collections::VecDeque;

use nuggets_game::{Event, Game, Input, Letter, Name, Refusal, Stroke, Viewer};
use nuggets_protocol::{ClientMessage, Dialect, Farewell, ServerMessage};

mod notice;
mod seats;

pub use notice::{Level, Notice};
pub use seats::Peer;
use seats::{Role, Seats};

/// A datagram to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// To whom.
    pub to: Peer,
    /// What.
    pub payload: Vec<u8>,
}

/// One hosted game.
#[derive(Debug)]
pub struct Room {
    game: Game,
    dialect: Dialect,
    seats: Seats,
    is_closed: bool,
    transmits: VecDeque<Transmit>,
    notices: VecDeque<Notice>,
}

impl Room {
    /// Hosts a game in this dialect. (What is seen in it is the game's own: see `sight_rule`.)
    pub fn new(game: Game, dialect: Dialect) -> Self {
        let (transmits, notices) = (VecDeque::new(), VecDeque::new());
        Self { game, dialect, seats: Seats::default(), is_closed: false, transmits, notices }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Nothing more will happen here: the game has ended or the room was shut down.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// What the host is shown at the end: `GAME OVER:` and the table.
    pub fn summary(&self) -> String {
        let table = self.game.table().to_string();
        let newline = if table.is_empty() { "" } else { "\n" };
        format!("GAME OVER:{newline}{table}")
    }

    /// The next message to send, if there is one.
    pub fn poll_transmit(&mut self) -> Option<Transmit> {
        self.transmits.pop_front()
    }

    /// The next thing worth a line in the log, if there is one.
    pub fn poll_notice(&mut self) -> Option<Notice> {
        self.notices.pop_front()
    }

    /// Takes one datagram, whatever is in it.
    pub fn handle_message(&mut self, from: Peer, bytes: &[u8]) {
        if self.is_closed {
            return;
        }
        match ClientMessage::parse(bytes) {
            Ok(ClientMessage::Play(name)) => self.handle_play(from, name),
            Ok(ClientMessage::Spectate) => self.handle_spectate(from),
            Ok(ClientMessage::Key(key)) => self.handle_key(from, key),
            Err(why) => {
                self.notices.push_back(Notice::malformed(from, why, bytes));
                self.send(from, &self.dialect.complaint(&why.to_string()));
            }
        }
    }

    /// Ends the game for everybody before its time.
    pub fn shut_down(&mut self) {
        if !self.is_closed {
            self.is_closed = true;
            self.notices.push_back(Notice::ShutDown);
            self.send_to_all(&self.dialect.dismissal("The server is shutting down."));
        }
    }

    fn handle_play(&mut self, from: Peer, given: &[u8]) {
        match self.seats.role(from, &self.game) {
            Role::Stranger => self.seat_player(from, given),
            Role::Player(letter) => {
                if Name::new(given).as_ref() == Some(self.game.player(letter).name()) {
                    self.notices.push_back(Notice::Repeated(from));
                    self.welcome(from, Viewer::Player(letter));
                } else {
                    self.complain(from, "You are already playing under another name.");
                }
            }
            Role::Spectator => self.complain(from, "You are watching: quit (Q) before you play."),
            Role::Gone(_) => self.turn_away_for_good(from),
        }
    }

    fn seat_player(&mut self, from: Peer, given: &[u8]) {
        if self.game.is_full() {
            return self.refuse(from, "the game is full", &[self.dialect.game_full()]);
        }
        let Some(name) = Name::new(given) else {
            return self.refuse(from, "the name is blank", &[self.dialect.nameless()]);
        };
        let mut events = Vec::new();
        self.game.apply(Input::Join(name.clone()), &mut events);
        let Some(&Event::Joined(letter)) = events.first() else {
            let why = "There is no free spot to start from.";
            return self.refuse(from, why, &self.dialect.dismissal(why));
        };
        self.seats.seat_player(from, letter);
        self.notices.push_back(Notice::Joined { peer: from, letter, name });
        self.welcome(from, Viewer::Player(letter));
        self.send_displays(|peer| peer != from);
    }

    fn handle_spectate(&mut self, from: Peer) {
        match self.seats.role(from, &self.game) {
            Role::Spectator => {
                self.notices.push_back(Notice::Repeated(from));
                self.welcome(from, Viewer::Spectator);
            }
            Role::Stranger => {
                if let Some(old) = self.seats.seat_spectator(from) {
                    self.notices.push_back(Notice::Replaced(old));
                    self.send(old, &self.dialect.farewell(Farewell::Replaced));
                }
                self.notices.push_back(Notice::Watching(from));
                self.welcome(from, Viewer::Spectator);
            }
            Role::Player(_) => self.complain(from, "You are playing: quit (Q) before you watch."),
            Role::Gone(_) => self.turn_away_for_good(from),
        }
    }

    fn handle_key(&mut self, from: Peer, key: u8) {
        match (self.seats.role(from, &self.game), key) {
            (Role::Player(letter), b'Q') => self.player_quits(from, letter),
            (Role::Player(letter), _) => match Stroke::from_key(key) {
                Some(stroke) => self.player_moves(letter, stroke),
                None => self.complain(from, "unknown keystroke"),
            },
            (Role::Spectator, b'Q') => {
                self.seats.forget_spectator();
                self.notices.push_back(Notice::StoppedWatching(from));
                self.send(from, &self.dialect.farewell(Farewell::Spectator));
            }
            (Role::Spectator, _) => self.complain(from, "A spectator can only press Q."),
            // The first goodbye was lost on the way.
            (Role::Gone(_), b'Q') => self.send(from, &self.dialect.farewell(Farewell::Player)),
            (Role::Gone(_), _) => self.complain(from, GONE),
            (Role::Stranger, _) => self.complain(from, "You have not joined this game."),
        }
    }

    fn player_moves(&mut self, letter: Letter, stroke: Stroke) {
        let mut events = Vec::new();
        self.game.apply(Input::Press(letter, stroke), &mut events);
        if matches!(events[..], [Event::Refused(Refusal::Blocked)]) {
            return;
        }
        let found = events.iter().filter_map(|event| match event {
            Event::Collected { nuggets, .. } => Some(nuggets),
            _ => None,
        });
        let found: u32 = found.sum();
        if found > 0 {
            let remaining = self.game.remaining();
            self.notices.push_back(Notice::Collected { letter, nuggets: found, remaining });
            self.send_gold(letter, found);
        }
        self.send_displays(|_| true);
        self.close_if_over();
    }

    fn player_quits(&mut self, from: Peer, letter: Letter) {
        self.game.apply(Input::Leave(letter), &mut Vec::new());
        self.notices.push_back(Notice::Left(letter));
        self.send(from, &self.dialect.farewell(Farewell::Player));
        self.send_displays(|_| true);
        self.close_if_over();
    }

    fn close_if_over(&mut self) {
        if let Some(end) = self.game.end() {
            self.is_closed = true;
            self.notices.push_back(Notice::Over(end));
            let table = self.game.table().to_string();
            self.send_to_all(&self.dialect.game_over(&table));
        }
    }

    /// Everything that a client needs to begin, or to begin again.
    fn welcome(&mut self, peer: Peer, viewer: Viewer) {
        if let Viewer::Player(letter) = viewer {
            self.send(peer, &ServerMessage::Ok(letter.as_char().into()));
        }
        let map = self.game.map();
        let (rows, cols) = (map.rows(), map.cols());
        self.send(peer, &ServerMessage::Grid { rows, cols });
        self.send(peer, &self.gold_for(viewer, 0));
        self.send_display(peer, viewer);
    }

    fn send_gold(&mut self, taker: Letter, found: u32) {
        for (peer, viewer) in self.seats.present(&self.game) {
            let found = if viewer == Viewer::Player(taker) { found } else { 0 };
            self.send(peer, &self.gold_for(viewer, found));
        }
    }

    fn gold_for(&self, viewer: Viewer, found: u32) -> ServerMessage<'static> {
        let purse = match viewer {
            Viewer::Player(letter) => self.game.player(letter).purse(),
            Viewer::Spectator => 0,
        };
        ServerMessage::Gold { found, purse, remaining: self.game.remaining() }
    }

    fn send_displays(&mut self, wanted: impl Fn(Peer) -> bool) {
        for (peer, viewer) in self.seats.present(&self.game) {
            if wanted(peer) {
                self.send_display(peer, viewer);
            }
        }
    }

    fn send_display(&mut self, peer: Peer, viewer: Viewer) {
        let mut picture = Vec::new();
        self.game.view(viewer).write_to(&mut picture);
        self.send(peer, &ServerMessage::Display(picture.into()));
    }

    fn send_to_all(&mut self, messages: &[ServerMessage<'_>]) {
        for (peer, _) in self.seats.present(&self.game) {
            self.send_each(peer, messages);
        }
    }

    fn refuse(&mut self, peer: Peer, why: &'static str, messages: &[ServerMessage<'_>]) {
        self.notices.push_back(Notice::TurnedAway { peer, why });
        self.send_each(peer, messages);
    }

    fn turn_away_for_good(&mut self, peer: Peer) {
        self.refuse(peer, "that player has quit", &self.dialect.dismissal(GONE));
    }

    fn complain(&mut self, peer: Peer, why: &'static str) {
        self.notices.push_back(Notice::Complained { peer, why });
        self.send(peer, &self.dialect.complaint(why));
    }

    fn send_each(&mut self, to: Peer, messages: &[ServerMessage<'_>]) {
        for message in messages {
            self.send(to, message);
        }
    }

    fn send(&mut self, to: Peer, message: &ServerMessage<'_>) {
        self.transmits.push_back(Transmit { to, payload: message.to_bytes() });
    }
}

const GONE: &str = "You have left this game and can't come back.";

#[cfg(test)]
mod tests;
