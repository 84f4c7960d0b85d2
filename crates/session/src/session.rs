//! A client's part in a game, without socket, clock or terminal: it joins, sends keys, keeps the
//! scene and leaves.
//!
//! The contract: bytes and timestamps go in through `handle_…`; then drain `poll_effect` until it is
//! empty; `poll_timeout` says when to call `handle_timeout`. Nothing comes out after
//! [`Effect::Leave`].

mod joining;
mod leaving;
mod next_game;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};

use nuggets_atlas::{MessageError, Scene, Stroke};
use nuggets_protocol::{
    ClientMessage, Deviation, LenientMessage, ServerMessage, ServerMessageError, house_rules,
    name_to_send,
};
use nuggets_time::Timestamp;

use crate::retry::{Retry, RetryStep};
use crate::text::{clean_line, clean_lines};
use crate::{QuitReason, SessionOutcome, SessionPolicy};

/// What the shell has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Send this datagram to the server.
    Send(Vec<u8>),
    /// Stop; the session has ended like this.
    Leave(SessionOutcome),
}

/// How far a session has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionStage {
    /// The server has not accepted us yet.
    Joining,
    /// We play or watch.
    Playing,
    /// We have sent `KEY Q` and wait for `QUIT`.
    Leaving,
    /// We were sent a `QUIT` without text. In the 2019 dialect the final table precedes it and may
    /// have been lost, so we ask for it with `KEY Q`.
    AwaitingFinalTable,
    /// The outcome is known.
    Ended,
}

/// What a message from the server has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// Our letter or the size of the map is known.
    Seat,
    /// The numbers of nuggets are new.
    Gold {
        /// How many nuggets we have just picked up.
        found: u32,
    },
    /// There is a new picture of the map.
    Picture,
    /// The house rules. They come in the form of an error reply and are none.
    HouseRules(String),
    /// Other news in the form of an error reply, such as the number of steps left, or words of the host.
    News(String),
    /// The server complains; printable ASCII, never empty.
    ErrorReply(String),
    /// The stage may have changed, and nothing else.
    Stage,
}

/// What has come from the server so far, whether it could be understood or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Received {
    Nothing,
    /// Any datagram, malformed ones included.
    Datagram,
    /// An `OK` whose letter can't be read, too.
    UnreadableOk,
}

/// A client that joins, plays or watches, and leaves.
///
/// ```
/// use nuggets_session::{Effect, Session, SessionOutcome, SessionPolicy, Timestamp};
///
/// let mut session = Session::new(Timestamp(0), Some(b"Ann"), SessionPolicy::PERSON);
/// assert_eq!(session.poll_effect(), Some(Effect::Send(b"PLAY Ann".to_vec())));
///
/// session.handle_message(Timestamp(3), b"OK A").unwrap();
/// session.handle_quit(Timestamp(900));
/// assert_eq!(session.poll_effect(), Some(Effect::Send(b"KEY Q".to_vec())));
///
/// session.handle_message(Timestamp(903), b"QUIT Thanks for playing!").unwrap();
/// let outcome = SessionOutcome::Left { farewell: "Thanks for playing!".into() };
/// assert_eq!(session.poll_effect(), Some(Effect::Leave(outcome)));
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    /// The cleaned name; `None` for a spectator.
    name: Option<Vec<u8>>,
    policy: SessionPolicy,
    stage: SessionStage,
    /// Retries of the message that waits for an answer.
    retry: Option<Retry>,
    scene: Scene,
    /// The last error reply, if nothing about the game has come after it.
    last_error: Option<String>,
    received: Received,
    /// How the server's messages have deviated from their form so far.
    deviations: BTreeSet<Deviation>,
    /// When we began to ask, at the address in use.
    joining_since: Timestamp,
    /// When the last key of the game was sent.
    last_key_at: Option<Timestamp>,
    /// When the first key was sent after which nothing about the game has come.
    unanswered_since: Option<Timestamp>,
    /// When the `QUIT` without text came after which we wait for the final table.
    dismissed_at: Option<Timestamp>,
    /// When the server's port was first reported closed, if nothing about the game has come since.
    port_closed_since: Option<Timestamp>,
    /// What the server has said that the game waits for, until it has begun or a key was sent.
    awaited: Option<String>,
    /// The server has announced another game on the same port.
    is_next_game_announced: bool,
    /// This game follows one that is over.
    awaits_next_game: bool,
    effects: VecDeque<Effect>,
}

impl Session {
    /// A session that asks to join now, as a player with this name or as a spectator without one.
    pub fn new(now: Timestamp, name: Option<&[u8]>, policy: SessionPolicy) -> Self {
        let mut session = Self {
            name: name.map(name_to_send),
            policy,
            stage: SessionStage::Joining,
            retry: None,
            scene: Scene::default(),
            last_error: None,
            received: Received::Nothing,
            deviations: BTreeSet::new(),
            joining_since: now,
            last_key_at: None,
            unanswered_since: None,
            dismissed_at: None,
            port_closed_since: None,
            awaited: None,
            is_next_game_announced: false,
            awaits_next_game: false,
            effects: VecDeque::new(),
        };
        session.ask_to_join(now);
        session
    }

    /// Takes a datagram from the server. One with a plain meaning in a wrong form is used, and its
    /// deviations are kept; a malformed one changes nothing.
    pub fn handle_message(&mut self, now: Timestamp, bytes: &[u8]) -> Result<Update, MessageError> {
        if self.stage == SessionStage::Ended {
            return Ok(self.handle_message_after_end(bytes));
        }
        self.received = self.received.max(Received::Datagram);
        let parsed = ServerMessage::parse_leniently(bytes);
        // Asking again would bring the same answer, and perhaps a second player.
        if parsed == Err(ServerMessageError::Form("OK")) {
            self.received = Received::UnreadableOk;
        }
        let LenientMessage { message, deviations } = parsed?;
        self.deviations.extend(deviations);
        Ok(match &message {
            ServerMessage::GameOver(_) if self.awaits_next_game() => self.handle_last_end(now),
            ServerMessage::GameOver(table) => {
                self.end(SessionOutcome::GameOver { table: clean_lines(table) })
            }
            ServerMessage::Quit(text) => self.handle_dismissal(now, clean_lines(text)),
            ServerMessage::Error(text) | ServerMessage::No(text)
                if house_rules::is_rules_text(text) =>
            {
                Update::HouseRules(clean_line(text))
            }
            ServerMessage::Error(text) | ServerMessage::No(text)
                if house_rules::is_information(text) =>
            {
                self.is_next_game_announced |= house_rules::is_next_game_text(text);
                // A game that has not begun answers keys with nothing else.
                self.unanswered_since = None;
                self.port_closed_since = None;
                let words = house_rules::words(&clean_line(text)).to_owned();
                self.note_awaited(&words);
                Update::News(words)
            }
            ServerMessage::Error(text) | ServerMessage::No(text) if self.is_late_answer(text) => {
                Update::Stage
            }
            ServerMessage::No(text) if self.stage == SessionStage::Joining => {
                self.end(SessionOutcome::Rejected { reason: clean_line(text) })
            }
            ServerMessage::Error(text) => self.handle_error_reply("ERROR", text),
            ServerMessage::No(text) => self.handle_error_reply("NO", text),
            about_the_game => {
                self.begin_next_game();
                self.scene.handle_message(about_the_game)?;
                self.last_error = None;
                self.unanswered_since = None;
                self.port_closed_since = None;
                self.update_acceptance();
                match *about_the_game {
                    ServerMessage::Gold { found, .. } => Update::Gold { found },
                    ServerMessage::Display(_) => Update::Picture,
                    _ => Update::Seat,
                }
            }
        })
    }

    /// Does what is due: resends, gives up, or notices that the server is lost. True if `KEY Q` was
    /// sent again because the server has not confirmed that we leave.
    pub fn handle_timeout(&mut self, now: Timestamp) -> bool {
        let step = self.retry.as_mut().and_then(|retry| retry.step(now));
        match step {
            Some(RetryStep::Resend) => self.resend(),
            Some(RetryStep::GiveUp) if self.keeps_asking(now) => self.ask_again(now),
            Some(RetryStep::GiveUp) => self.give_up(),
            None => {}
        }
        if self.server_lost_at().is_some_and(|at| at <= now) {
            self.end(SessionOutcome::ServerLost);
        }
        step == Some(RetryStep::Resend) && self.stage == SessionStage::Leaving
    }

    /// Sends a key of the game.
    pub fn send_key(&mut self, now: Timestamp, key: u8) {
        if let Some(stroke) = Stroke::from_key(key) {
            self.scene.press(stroke);
        }
        // If the game still waits, the answer says so.
        self.awaited = None;
        self.unanswered_since.get_or_insert(now);
        self.last_key_at = Some(now);
        self.push_key(key);
    }

    /// The client is asked to leave: tells the server, and waits for its confirmation if it has
    /// accepted us.
    pub fn handle_quit(&mut self, now: Timestamp) {
        match self.stage {
            SessionStage::Joining => {
                // `PLAY` may be accepted after we are gone: no seat must stay taken.
                self.push_key(b'Q');
                self.end(SessionOutcome::NeverJoined);
            }
            SessionStage::Playing => {
                self.stage = SessionStage::Leaving;
                self.last_error = None;
                self.retry = Some(Retry::start(now, self.policy.quit));
                self.push_key(b'Q');
            }
            SessionStage::AwaitingFinalTable => self.give_up(),
            SessionStage::Leaving | SessionStage::Ended => {}
        }
    }

    /// The client is asked a second time to leave: waits no longer.
    pub fn handle_impatience(&mut self) {
        if matches!(self.stage, SessionStage::Leaving | SessionStage::AwaitingFinalTable) {
            self.give_up();
        }
    }

    /// The terminal is gone: tells the server and waits for nothing.
    pub fn handle_hangup(&mut self) {
        if matches!(self.stage, SessionStage::Joining | SessionStage::Playing) {
            self.push_key(b'Q');
        }
        if self.stage != SessionStage::Ended {
            self.end(SessionOutcome::HungUp);
        }
    }

    /// The server's port is closed, and there is no other address to try.
    pub fn handle_port_closed(&mut self, now: Timestamp) {
        match self.stage {
            // A server that is being restarted may have given us a seat before, or begins its next game then.
            SessionStage::Joining if self.may_have_seat() || self.awaits_next_game() => {}
            SessionStage::Joining => _ = self.end(SessionOutcome::PortClosed),
            // Messages that the server sent before may still arrive, and it may be restarted.
            SessionStage::Playing => _ = self.port_closed_since.get_or_insert(now),
            SessionStage::Leaving => self.give_up(),
            // A server that is restarted sends the end again.
            SessionStage::AwaitingFinalTable => self.renew_wait_for_final_table(now),
            SessionStage::Ended => {}
        }
    }

    /// The shell has fallen back to another address of the server: joining starts again there.
    pub fn handle_address_change(&mut self, now: Timestamp) {
        if self.stage == SessionStage::Joining {
            self.ask_to_join(now);
        }
    }

    /// Drops the last error reply: it is not the reason for a `QUIT` without text that comes later.
    pub fn clear_last_error(&mut self) {
        self.last_error = None;
    }

    /// The next effect, if there is any.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// When to call `handle_timeout`.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        let retry = self.retry.as_ref().map(Retry::next);
        retry.into_iter().chain(self.server_lost_at()).min()
    }

    /// How far the session has got.
    pub fn stage(&self) -> SessionStage {
        self.stage
    }

    /// What the server has sent about the game.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// How the server's messages have deviated from their form so far.
    pub fn deviations(&self) -> &BTreeSet<Deviation> {
        &self.deviations
    }

    /// What the server has said that the game waits for.
    pub fn awaited(&self) -> Option<&str> {
        self.awaited.as_deref()
    }

    /// Whether we only watch.
    pub fn is_spectator(&self) -> bool {
        self.name.is_none()
    }

    /// Whether something of the answer to `PLAY` or `SPECTATE` is missing and may still come.
    pub fn is_answer_incomplete(&self) -> bool {
        matches!(self.stage, SessionStage::Joining | SessionStage::Playing) && self.retry.is_some()
    }

    /// How often we have asked to join, and how often we will at most; `None` once accepted.
    pub fn join_tries(&self) -> Option<(u32, u32)> {
        let max_tries = self.policy.join.max_tries;
        let tries = self.retry.as_ref().map_or(max_tries, Retry::tries);
        (self.stage == SessionStage::Joining).then_some((tries, max_tries))
    }

    fn note_awaited(&mut self, words: &str) {
        if words.starts_with(house_rules::WAITING_FOR) {
            self.awaited = Some(words.to_owned());
        } else if words == house_rules::HAS_BEGUN {
            self.awaited = None;
        }
    }

    fn push_key(&mut self, key: u8) {
        self.effects.push_back(Effect::Send(ClientMessage::Key(key).to_bytes()));
    }

    fn resend(&mut self) {
        match self.stage {
            SessionStage::Joining | SessionStage::Playing => self.retry_play(),
            SessionStage::Leaving | SessionStage::AwaitingFinalTable => self.push_key(b'Q'),
            SessionStage::Ended => {}
        }
    }

    /// The last try was not answered.
    fn give_up(&mut self) {
        self.retry = None;
        match self.stage {
            SessionStage::Joining => self.give_up_joining(),
            SessionStage::Leaving => _ = self.end(SessionOutcome::LeftUnconfirmed),
            SessionStage::AwaitingFinalTable => {
                self.end(SessionOutcome::Dismissed { reason: QuitReason::Unknown });
            }
            // The game can be played without knowing one's letter.
            SessionStage::Playing | SessionStage::Ended => {}
        }
    }

    /// When the server counts as lost, if nothing about the game comes before.
    fn server_lost_at(&self) -> Option<Timestamp> {
        if self.stage != SessionStage::Playing {
            return None;
        }
        let limit = |since: Option<Timestamp>, limit_ms: Option<u64>| Some(since?.after(limit_ms?));
        let silent = limit(self.unanswered_since, self.policy.max_silence_ms);
        let closed = limit(self.port_closed_since, self.policy.max_closed_port_ms);
        silent.into_iter().chain(closed).min()
    }

    fn end(&mut self, outcome: SessionOutcome) -> Update {
        self.stage = SessionStage::Ended;
        self.retry = None;
        self.effects.push_back(Effect::Leave(outcome));
        Update::Stage
    }
}
