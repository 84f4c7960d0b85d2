//! The requests of clients, `join`, `spectate` and `press`, and their effects, which depend on the role of the
//! sender. It must not know transports; it parses text only for games without a driver.

use nuggets_game::{Event, Input, Letter, Name, Rejection, Stroke, Viewer};
use nuggets_protocol::{ClientMessage, ClientMessageError, QuitKind};
use nuggets_record::Timestamp;

use super::key_rate::KeyRate;
use super::{ErrorReply, Notice, Peer, QuitReason, Role, Room, RoomEvent, RoomStage};

/// The reason in the log.
const FORMER_PLAYER: &str = "that player has quit";

impl Room {
    /// Handles a request for a seat or for another welcome. A blank name is `None`.
    pub fn join(&mut self, now: Timestamp, from: Peer, name: Option<Name>) {
        if !self.accepts_request(now, from) {
            return;
        }
        match self.seats.role(from) {
            Role::Unknown => self.seat_player(from, name),
            Role::Player(letter) => {
                if name.as_ref() == Some(self.game.player(letter).name()) {
                    self.welcome_again(from, Viewer::Player(letter));
                } else {
                    self.complain(from, ErrorReply::OtherName);
                }
            }
            Role::Spectator => self.complain(from, ErrorReply::Watching),
            Role::Gone => self.reject(from, FORMER_PLAYER, QuitReason::HasLeft),
        }
    }

    fn seat_player(&mut self, from: Peer, name: Option<Name>) {
        if self.game.is_full() {
            return self.reject(from, "the game is full", QuitKind::GameFull.into());
        }
        let Some(name) = name else {
            return self.reject(from, "the name is blank", QuitKind::BlankName.into());
        };
        self.apply(Input::Join(name.clone()));
        let Some(&Event::Joined { player: letter, .. }) = self.events.first() else {
            let why = "There is no free spot to start from.";
            return self.reject(from, why, QuitReason::NoSpot);
        };
        self.record(RoomEvent::Join { name: name.clone(), peer: from });
        let viewer = Viewer::Player(letter);
        self.unwatch(from);
        self.seats.seat_player(from, letter, self.now);
        self.views.seat(&self.game, viewer, from);
        self.notices.push_back(Notice::Joined { peer: from, letter, name });
        self.welcome(from, viewer);
        self.broadcast_changes(Some(viewer));
        self.note_player_joined();
    }

    /// Handles a request for the spectator's seat or for another welcome.
    pub fn spectate(&mut self, now: Timestamp, from: Peer) {
        if !self.accepts_request(now, from) {
            return;
        }
        match self.seats.role(from) {
            Role::Spectator => self.welcome_again(from, Viewer::Spectator),
            Role::Unknown => self.seat_spectator(from),
            Role::Player(_) => self.complain(from, ErrorReply::Playing),
            Role::Gone => self.reject(from, FORMER_PLAYER, QuitReason::HasLeft),
        }
    }

    /// Seats a spectator, who replaces the previous one.
    fn seat_spectator(&mut self, from: Peer) {
        self.record(RoomEvent::Watch { peer: from });
        self.unwatch(from);
        self.views.seat(&self.game, Viewer::Spectator, from);
        if let Some(replaced) = self.seats.replace_spectator(from, self.now) {
            self.notices.push_back(Notice::SpectatorReplaced(replaced));
            self.dismiss(replaced, QuitKind::Replaced.into());
        }
        self.notices.push_back(Notice::Watching(from));
        self.welcome(from, Viewer::Spectator);
    }

    /// Answers a repeated request, because the first answer may have been lost.
    fn welcome_again(&mut self, from: Peer, viewer: Viewer) {
        self.notices.push_back(Notice::WelcomedAgain(from));
        self.welcome(from, viewer);
    }

    /// Handles a key press, one ASCII character. `Q` leaves the game.
    pub fn press(&mut self, now: Timestamp, from: Peer, key: u8) {
        if !self.accepts_request(now, from) {
            return;
        }
        match (self.seats.role(from), key) {
            (Role::Player(letter), b'Q') => {
                self.notices.push_back(Notice::Left(letter));
                self.remove_player(from, letter, QuitKind::Player.into());
            }
            (Role::Player(letter), _) if !self.has_begun() => {
                self.note_heard(Viewer::Player(letter));
                self.send_waiting(from);
            }
            (Role::Player(letter), _) => {
                if let Some(stroke) = Stroke::from_key(key) {
                    self.apply_stroke(from, letter, stroke);
                } else {
                    self.note_heard(Viewer::Player(letter));
                    self.complain(from, ErrorReply::UnknownKey);
                }
            }
            (Role::Spectator, b'Q') => {
                self.unseat_spectator(from, QuitKind::Spectator.into());
            }
            (Role::Spectator, _) => {
                self.note_heard(Viewer::Spectator);
                self.complain(from, ErrorReply::OnlyQ);
            }
            // The first QUIT was lost.
            (Role::Gone, b'Q') => self.dismiss(from, QuitKind::Player.into()),
            (Role::Gone, _) => self.reject(from, FORMER_PLAYER, QuitReason::HasLeft),
            (Role::Unknown, _) => self.complain(from, ErrorReply::NotJoined),
        }
    }

    fn apply_stroke(&mut self, from: Peer, letter: Letter, stroke: Stroke) {
        self.apply(Input::Press(letter, stroke));
        if matches!(self.events[..], [Event::Rejected(Rejection::Blocked)]) {
            return self.note_heard(Viewer::Player(letter));
        }
        self.record(RoomEvent::Press(letter, stroke));
        if let Some(seat) = self.seats.of_viewer_mut(Viewer::Player(letter)) {
            seat.is_heard = true;
        }
        if self.game.player(letter).at().is_none() {
            self.unseat_player(letter);
            self.notices.push_back(Notice::Starved(letter));
            self.dismiss(from, QuitReason::Starved);
            self.note_player_left();
        }
        self.broadcast_gold(letter);
        self.broadcast_changes(None);
        self.send_steps_left(from, letter);
        self.end_if_over();
    }

    /// Records that a key arrived which changed nothing but shows that the welcome has arrived. Recorded once per
    /// seat, so that a flood of such keys does not make the journal grow.
    fn note_heard(&mut self, viewer: Viewer) {
        let seat = self.seats.of_viewer_mut(viewer);
        if seat.is_some_and(|seat| !std::mem::replace(&mut seat.is_heard, true)) {
            self.record(RoomEvent::Heard(viewer));
        }
    }

    /// Removes a player from the game, for example after quitting or the idle timeout.
    pub(super) fn remove_player(&mut self, peer: Peer, letter: Letter, why: QuitReason) {
        self.apply(Input::Leave(letter));
        self.record(RoomEvent::Leave(letter));
        self.unseat_player(letter);
        self.dismiss(peer, why);
        self.broadcast_gold(letter);
        self.broadcast_changes(None);
        self.note_player_left();
        self.end_if_over();
    }

    pub(super) fn unseat_spectator(&mut self, peer: Peer, why: QuitReason) {
        self.record(RoomEvent::Unwatch);
        self.seats.unseat_spectator();
        self.views.unseat(Viewer::Spectator);
        self.notices.push_back(Notice::StoppedWatching(peer));
        self.dismiss(peer, why);
    }

    fn unseat_player(&mut self, letter: Letter) {
        self.seats.unseat_player(letter);
        self.views.unseat(Viewer::Player(letter));
    }

    /// Handles a malformed message from a peer.
    pub fn reject_malformed(
        &mut self,
        now: Timestamp,
        from: Peer,
        why: ClientMessageError,
        bytes: &[u8],
    ) {
        if self.accepts_request(now, from) {
            self.notices.push_back(Notice::malformed(from, why, bytes));
            if why.may_be_answered() {
                self.send_error(from, why.into());
            }
        }
    }

    /// Parses and executes one message of arbitrary bytes. For games without a driver.
    pub fn handle_message(&mut self, now: Timestamp, from: Peer, bytes: &[u8]) {
        match ClientMessage::parse(bytes) {
            Ok(ClientMessage::Play(name)) => self.join(now, from, Name::new(name)),
            Ok(ClientMessage::Spectate) => self.spectate(now, from),
            Ok(ClientMessage::Key(key)) => self.press(now, from, key),
            Err(why) => self.reject_malformed(now, from, why, bytes),
        }
    }

    /// Does the steps before any request: advances the time, ends a recovered game, checks the key rate, and answers
    /// messages after the end. Returns false if the request must not be handled.
    pub(super) fn accepts_request(&mut self, now: Timestamp, from: Peer) -> bool {
        self.now = self.now.max(now);
        if let RoomStage::Over { recorded } = self.stage {
            self.end_game(recorded);
        }
        match self.check_key_rate(from) {
            KeyRate::Within => {}
            KeyRate::Exceeded { complain } => {
                if complain {
                    self.complain(from, ErrorReply::TooFast);
                }
                return false;
            }
        }
        if self.stage != RoomStage::Open {
            self.answer_after_end(from);
            return false;
        }
        self.hear(from);
        true
    }

    pub(super) fn apply(&mut self, input: Input) {
        self.events.clear();
        self.game.apply(input, &mut self.events);
    }
}
