//! One game and everybody in it. Bytes and moments come in, messages go out; no socket, no clock, no
//! log, no file.
//!
//! The contract: after every `handle_…` or `shut_down` drain first `poll_record`, then
//! `poll_transmit` and `poll_notice`, until all are empty; what a record tells must be kept before
//! anybody hears of it. `poll_timeout` says when to call `handle_timeout`. Messages to one peer keep
//! their order. A picture that is left undrained would be sent as it has become, not as it was.

use std::collections::VecDeque;

use nuggets_game::{Canvas, Changes, Event, Game, Input, Letter, Name, Refusal, Stroke, Viewer};
use nuggets_protocol::{ClientMessage, DISPLAY_HEAD, Dialect, Farewell, ServerMessage};
use nuggets_record::{Millis, What};

mod care;
mod closing;
mod gold_moved;
mod notice;
mod outbox;
mod recorder;
mod resume;
mod seats;
mod telling;

pub use care::Care;
use closing::Stage;
pub use notice::{Level, Notice};
use outbox::{Outbox, Payload};
pub use recorder::RecordKind;
use recorder::Recorder;
pub(crate) use resume::MOST_UNSENT;
pub use resume::ResumeError;
pub use seats::Peer;
use seats::{Role, Seats};

use crate::{Guard, Heard};

/// A datagram to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit<'a> {
    /// To whom.
    pub to: Peer,
    /// What.
    pub payload: &'a [u8],
}

/// One hosted game.
#[derive(Debug)]
pub struct Room {
    game: Game,
    dialect: Dialect,
    changed_only: bool,
    care: Care,
    guard: Option<Guard>,
    seats: Seats,
    stage: Stage,
    now: Millis,
    outbox: Outbox,
    notices: VecDeque<Notice>,
    recorders: Vec<Recorder>,
    /// What came of the last input; kept for its memory.
    events: Vec<Event>,
    changes: Changes,
}

impl Room {
    /// Hosts a game in this dialect. (What is seen in it is the game's own: see `sight_rule`.)
    pub fn new(game: Game, dialect: Dialect) -> Self {
        Self {
            game,
            dialect,
            changed_only: false,
            care: Care::none(),
            guard: None,
            seats: Seats::default(),
            stage: Stage::Open,
            now: Millis(0),
            outbox: Outbox::default(),
            notices: VecDeque::new(),
            recorders: Vec::new(),
            events: Vec::new(),
            changes: Changes::new(),
        }
    }

    /// From now on a move is shown only to those whose picture it changes. The documents have it
    /// shown to everybody; over slow links the rest is a burden.
    #[must_use]
    pub fn changed_only(mut self, changed_only: bool) -> Self {
        self.changed_only = changed_only;
        self
    }

    /// From now on what may be lost on the way is said again, and whoever is silent for too long
    /// has left.
    #[must_use]
    pub fn careful(mut self, care: Care) -> Self {
        self.care = care;
        self
    }

    /// From now on strangers are held to limits.
    #[must_use]
    pub fn guarded(mut self, mut guard: Guard) -> Self {
        self.seats.introduce(self.now, &mut guard);
        self.guard = Some(guard);
        self
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The game has ended, or the room was shut down. Some may have to be told once more.
    pub fn is_over(&self) -> bool {
        self.stage != Stage::Open
    }

    /// Nothing more will happen here.
    pub fn is_closed(&self) -> bool {
        matches!(self.stage, Stage::Told | Stage::Closed)
    }

    /// What the host is shown at the end: `GAME OVER:` and the table. A tab, which a name may hold, is
    /// a control byte, and shown as a blank.
    pub fn summary(&self) -> String {
        let table = self.game.table().to_string().replace('\t', " ");
        let newline = if table.is_empty() { "" } else { "\n" };
        format!("GAME OVER:{newline}{table}")
    }

    /// The next message to send, if there is one.
    pub fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        let (to, payload) = loop {
            let Some((to, payload)) = self.outbox.pop() else {
                self.forget_the_spectator_who_left();
                return None;
            };
            let bytes = match &payload {
                Payload::Text(place) => Some(place.len()),
                // Whoever left before a picture was drained gets none.
                Payload::Picture(of) => self.seats.canvas(*of).map(|canvas| canvas.bytes().len()),
            };
            if bytes.is_some_and(|bytes| self.may_send(to, bytes)) {
                break (to, payload);
            }
        };
        let payload = match payload {
            Payload::Text(place) => self.outbox.text(place),
            Payload::Picture(viewer) => self.seats.canvas(viewer)?.bytes(),
        };
        Some(Transmit { to, payload })
    }

    /// When the goodbye has been sent the guard may know it.
    fn forget_the_spectator_who_left(&mut self) {
        if let Some(guard) = self.guard.as_mut().filter(|_| !self.seats.has_spectator()) {
            guard.unseat_spectator();
        }
    }

    fn may_send(&mut self, to: Peer, bytes: usize) -> bool {
        let now = self.now;
        self.guard.as_mut().is_none_or(|guard| guard.may_send(now, to.into(), bytes))
    }

    /// The next thing worth a line in the log, if there is one.
    pub fn poll_notice(&mut self) -> Option<Notice> {
        self.notices.pop_front()
    }

    /// Takes one datagram, whatever is in it.
    pub fn handle_message(&mut self, now: Millis, from: Peer, bytes: &[u8]) {
        self.now = self.now.max(now);
        if let Stage::Over { is_written } = self.stage {
            self.end(is_written);
        }
        if !self.is_heard(from) {
            return;
        }
        if self.stage != Stage::Open {
            return self.answer_at_the_end(from);
        }
        self.seats.hear(from, self.now);
        match ClientMessage::parse(bytes) {
            Ok(ClientMessage::Play(name)) => self.handle_play(from, name),
            Ok(ClientMessage::Spectate) => self.handle_spectate(from),
            Ok(ClientMessage::Key(key)) => self.handle_key(from, key),
            Err(why) => {
                self.notices.push_back(Notice::malformed(from, why, bytes));
                if why.may_be_answered() {
                    self.send(from, &self.dialect.complaint(&why.to_string()));
                }
            }
        }
    }

    /// Does the guard let this through? Whoever is too fast is told so now and then.
    fn is_heard(&mut self, from: Peer) -> bool {
        let heard = self.guard.as_mut().map(|guard| guard.hear(self.now, from.into()));
        match heard {
            None | Some(Heard::Yes) => true,
            Some(Heard::TooFast { say_so }) => {
                if say_so {
                    self.complain(from, "You press keys too fast: some are left out.");
                }
                false
            }
        }
    }

    fn handle_play(&mut self, from: Peer, given: &[u8]) {
        match self.seats.role(from) {
            Role::Stranger => self.seat_player(from, given),
            Role::Player(letter) => {
                if Name::new(given).as_ref() == Some(self.game.player(letter).name()) {
                    self.welcome_again(from, Viewer::Player(letter));
                } else {
                    self.complain(from, "You are already playing under another name.");
                }
            }
            Role::Spectator => self.complain(from, "You are watching: quit (Q) before you play."),
            Role::Gone => self.turn_away_for_good(from),
        }
    }

    fn seat_player(&mut self, from: Peer, given: &[u8]) {
        if self.game.is_full() {
            return self.refuse(from, "the game is full", &[self.dialect.game_full()]);
        }
        let Some(name) = Name::new(given) else {
            return self.refuse(from, "the name is blank", &[self.dialect.nameless()]);
        };
        if let Some(why) = self.guard.as_mut().and_then(|g| g.may_join(self.now, from.into()).err())
        {
            return self.refuse_for_now(from, why);
        }
        self.apply(Input::Join(name.clone()));
        let Some(&Event::Joined { player: letter, .. }) = self.events.first() else {
            let why = "There is no free spot to start from.";
            return self.refuse(from, why, &self.dialect.dismissal(why));
        };
        self.record(What::Join { name: name.clone(), peer: Some(from.into()) });
        let viewer = Viewer::Player(letter);
        let canvas = Canvas::new(&self.game, viewer, DISPLAY_HEAD);
        self.seats.seat_player(from, letter, canvas, self.now);
        if let Some(guard) = &mut self.guard {
            guard.seat_player(self.now, from.into());
        }
        self.notices.push_back(Notice::Joined { peer: from, letter, name });
        self.welcome(from, viewer);
        self.show_changes(Some(viewer));
    }

    fn handle_spectate(&mut self, from: Peer) {
        match self.seats.role(from) {
            Role::Spectator => {
                self.note_key(from);
                self.welcome_again(from, Viewer::Spectator);
            }
            Role::Stranger => self.seat_spectator(from),
            Role::Player(_) => self.complain(from, "You are playing: quit (Q) before you watch."),
            Role::Gone => self.turn_away_for_good(from),
        }
    }

    fn seat_spectator(&mut self, from: Peer) {
        if let Some(why) =
            self.guard.as_mut().and_then(|g| g.may_watch(self.now, from.into()).err())
        {
            return self.refuse_for_now(from, why);
        }
        self.record(What::Watch { peer: Some(from.into()) });
        let canvas = Canvas::new(&self.game, Viewer::Spectator, DISPLAY_HEAD);
        if let Some(old) = self.seats.seat_spectator(from, canvas, self.now) {
            self.notices.push_back(Notice::Replaced(old));
            self.send(old, &self.dialect.farewell(Farewell::Replaced));
        }
        if let Some(guard) = &mut self.guard {
            guard.seat_spectator(self.now, from.into());
        }
        self.notices.push_back(Notice::Watching(from));
        self.welcome(from, Viewer::Spectator);
    }

    /// The same question again: the answer may have been lost.
    fn welcome_again(&mut self, from: Peer, viewer: Viewer) {
        let may = self.guard.as_mut().is_none_or(|guard| match viewer {
            Viewer::Player(_) => guard.may_join(self.now, from.into()).is_ok(),
            Viewer::Spectator => guard.may_watch(self.now, from.into()).is_ok(),
        });
        if may {
            self.notices.push_back(Notice::Repeated(from));
            self.welcome(from, viewer);
        }
    }

    /// A well-formed message from somebody with a seat.
    fn note_key(&mut self, from: Peer) {
        if let Some(guard) = &mut self.guard {
            guard.note_key(self.now, from.into());
        }
    }

    fn handle_key(&mut self, from: Peer, key: u8) {
        self.note_key(from);
        match (self.seats.role(from), key) {
            (Role::Player(letter), b'Q') => self.player_quits(from, letter),
            (Role::Player(letter), _) => match Stroke::from_key(key) {
                Some(stroke) => self.player_moves(from, letter, stroke),
                None => self.complain(from, "unknown keystroke"),
            },
            (Role::Spectator, b'Q') => {
                self.record(What::Unwatch);
                self.seats.unseat_spectator();
                self.notices.push_back(Notice::StoppedWatching(from));
                self.send(from, &self.dialect.farewell(Farewell::Spectator));
            }
            (Role::Spectator, _) => self.complain(from, "A spectator can only press Q."),
            // The first goodbye was lost on the way.
            (Role::Gone, b'Q') => self.send(from, &self.dialect.farewell(Farewell::Player)),
            (Role::Gone, _) => self.turn_away_for_good(from),
            (Role::Stranger, _) => self.complain(from, "You have not joined this game."),
        }
    }

    fn player_moves(&mut self, from: Peer, letter: Letter, stroke: Stroke) {
        self.apply(Input::Press(letter, stroke));
        if matches!(self.events[..], [Event::Refused(Refusal::Blocked)]) {
            return;
        }
        self.record(What::Press(letter, stroke));
        if self.game.player(letter).at().is_none() {
            self.seats.unseat_player(letter);
            self.notices.push_back(Notice::Starved(letter));
            self.send_each(from, &self.dialect.dismissal(STARVED));
        }
        self.tell_of_gold(letter);
        self.show_changes(None);
        self.tell_steps_left(from, letter);
        self.close_if_over();
    }

    fn player_quits(&mut self, from: Peer, letter: Letter) {
        self.notices.push_back(Notice::Left(letter));
        self.take_leave(from, letter, &[self.dialect.farewell(Farewell::Player)]);
    }

    fn take_leave(&mut self, from: Peer, letter: Letter, parting: &[ServerMessage<'_>]) {
        self.apply(Input::Leave(letter));
        self.record(What::Leave(letter));
        self.seats.unseat_player(letter);
        self.send_each(from, parting);
        self.tell_of_gold(letter);
        self.show_changes(None);
        self.close_if_over();
    }

    fn apply(&mut self, input: Input) {
        self.events.clear();
        self.game.apply(input, &mut self.events);
    }
}

const STARVED: &str = "You have no steps left and are out of the game.";

#[cfg(test)]
mod tests;
