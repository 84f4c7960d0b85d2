//! A client's part in a game, without socket, clock or terminal: joins, sends keys, maintains the scene and leaves.
//!
//! The contract: feed bytes and timestamps through `handle_…`, then drain `poll_effect` until it returns `None`;
//! `poll_timeout` returns the time for the next call of `handle_timeout`. There is no effect after [`Effect::Leave`].

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
use crate::{QuitText, SessionOutcome, SessionPolicy};

/// An instruction to the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Send this datagram to the server.
    Send(Vec<u8>),
    /// Stop: the session has ended with this outcome.
    Leave(SessionOutcome),
}

/// The progress of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionStage {
    /// The server has not accepted us yet.
    Joining,
    /// We are playing or watching.
    Playing,
    /// We have sent `KEY Q` and are waiting for `QUIT`.
    Leaving,
    /// The server sent a `QUIT` without text. In the 2019 dialect the final table precedes it and may have been lost,
    /// so we request it with `KEY Q`.
    AwaitingFinalTable,
    /// The outcome is known.
    Ended,
}

/// The effect of a message from the server on the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// Our letter or the size of the map has become known.
    Seat,
    /// The nugget counts have changed.
    Gold {
        /// Nuggets that we have just picked up.
        found: u32,
    },
    /// The picture of the map has changed.
    Picture,
    /// The house rules. They arrive in the form of an error reply but don't report an error.
    HouseRules(String),
    /// Other news in the form of an error reply, such as the number of steps left, or a notice from the host.
    News(String),
    /// An error reply from the server; printable ASCII, never empty.
    ErrorReply(String),
    /// Nothing but, possibly, the stage has changed.
    Stage,
}

/// The most that the server has sent so far, even if it could not be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum JoinProgress {
    Nothing,
    /// At least one datagram, possibly malformed.
    Datagram,
    /// Among others, an `OK` whose letter can't be parsed.
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
    /// Retries of the message that is waiting for an answer.
    retry: Option<Retry>,
    scene: Scene,
    /// The last error reply, unless a message about the game has arrived since.
    last_error: Option<String>,
    received: JoinProgress,
    /// Deviations from the specified message format in the server's messages so far.
    deviations: BTreeSet<Deviation>,
    /// Time of the first request to join at the current address.
    joining_since: Timestamp,
    /// Time when the last game key was sent.
    last_key_at: Option<Timestamp>,
    /// Time of the first key since the last message about the game.
    unanswered_since: Option<Timestamp>,
    /// Time of the `QUIT` without text that made us wait for the final table.
    dismissed_at: Option<Timestamp>,
    /// Time when the server's port was first reported closed, unless a message about the game has arrived since.
    port_closed_since: Option<Timestamp>,
    /// The server's text about what the game is waiting for; cleared when the game begins or a key is sent.
    awaited: Option<String>,
    /// True if the server has announced another game on the same port.
    is_next_game_announced: bool,
    /// True if this session follows a game that is over.
    awaits_next_game: bool,
    effects: VecDeque<Effect>,
}

impl Session {
    /// Creates a session that asks to join at once, as a player with this name or as a spectator without one.
    pub fn new(now: Timestamp, name: Option<&[u8]>, policy: SessionPolicy) -> Self {
        let mut session = Self {
            name: name.map(name_to_send),
            policy,
            stage: SessionStage::Joining,
            retry: None,
            scene: Scene::default(),
            last_error: None,
            received: JoinProgress::Nothing,
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

    /// Handles a datagram from the server. Accepts a message in a wrong form if its meaning is clear, and records its
    /// deviations; a malformed message changes nothing.
    pub fn handle_message(&mut self, now: Timestamp, bytes: &[u8]) -> Result<Update, MessageError> {
        if self.stage == SessionStage::Ended {
            return Ok(self.handle_message_after_end(bytes));
        }
        self.received = self.received.max(JoinProgress::Datagram);
        let parsed = ServerMessage::parse_leniently(bytes);
        // Asking again would get the same answer, and perhaps create a second player.
        if parsed == Err(ServerMessageError::Form("OK")) {
            self.received = JoinProgress::UnreadableOk;
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
                // A game that has not begun replies to keys with nothing else.
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

    /// Handles a timeout: resends, gives up, or detects that the server is lost. Returns true if it has resent `KEY
    /// Q` because the server has not confirmed that we leave.
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

    /// Sends a game key.
    pub fn send_key(&mut self, now: Timestamp, key: u8) {
        if let Some(stroke) = Stroke::from_key(key) {
            self.scene.press(stroke);
        }
        // If the game is still waiting, the reply says so.
        self.awaited = None;
        self.unanswered_since.get_or_insert(now);
        self.last_key_at = Some(now);
        self.push_key(key);
    }

    /// Leaves: sends `KEY Q`, and waits for the confirmation if the server has accepted us.
    pub fn handle_quit(&mut self, now: Timestamp) {
        match self.stage {
            SessionStage::Joining => {
                // The server may accept `PLAY` after we are gone, and no seat must stay taken.
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

    /// Handles a second request to leave: stops waiting.
    pub fn handle_impatience(&mut self) {
        if matches!(self.stage, SessionStage::Leaving | SessionStage::AwaitingFinalTable) {
            self.give_up();
        }
    }

    /// Handles the loss of the terminal: sends `KEY Q` and ends without waiting.
    pub fn handle_hangup(&mut self) {
        if matches!(self.stage, SessionStage::Joining | SessionStage::Playing) {
            self.push_key(b'Q');
        }
        if self.stage != SessionStage::Ended {
            self.end(SessionOutcome::HungUp);
        }
    }

    /// Handles a closed port of the server when there is no other address to try.
    pub fn handle_port_closed(&mut self, now: Timestamp) {
        match self.stage {
            // A server that is restarting may have given us a seat, or is about to begin its next game.
            SessionStage::Joining if self.may_have_seat() || self.awaits_next_game() => {}
            SessionStage::Joining => _ = self.end(SessionOutcome::PortClosed),
            // Messages that the server sent before may still arrive, and it may be restarting.
            SessionStage::Playing => _ = self.port_closed_since.get_or_insert(now),
            SessionStage::Leaving => self.give_up(),
            // A restarted server resends the final table.
            SessionStage::AwaitingFinalTable => self.renew_wait_for_final_table(now),
            SessionStage::Ended => {}
        }
    }

    /// Starts joining again after the shell has fallen back to another address of the server.
    pub fn handle_address_change(&mut self, now: Timestamp) {
        if self.stage == SessionStage::Joining {
            self.ask_to_join(now);
        }
    }

    /// Discards the last error reply, which is not the reason for a later `QUIT` without text.
    pub fn clear_last_error(&mut self) {
        self.last_error = None;
    }

    /// Returns the next effect, if any.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// The time for the next call of `handle_timeout`.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        let retry = self.retry.as_ref().map(Retry::next);
        retry.into_iter().chain(self.server_lost_at()).min()
    }

    /// The progress of the session.
    pub fn stage(&self) -> SessionStage {
        self.stage
    }

    /// The state of the game according to the server's messages.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Deviations from the specified message format in the server's messages so far.
    pub fn deviations(&self) -> &BTreeSet<Deviation> {
        &self.deviations
    }

    /// The server's text about what the game is waiting for.
    pub fn awaited(&self) -> Option<&str> {
        self.awaited.as_deref()
    }

    /// True if we are only watching.
    pub fn is_spectator(&self) -> bool {
        self.name.is_none()
    }

    /// True if part of the answer to `PLAY` or `SPECTATE` is missing and may still arrive.
    pub fn is_answer_incomplete(&self) -> bool {
        matches!(self.stage, SessionStage::Joining | SessionStage::Playing) && self.retry.is_some()
    }

    /// The number of requests to join sent so far and its maximum; `None` once accepted.
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

    /// Ends the current wait after the last try got no answer.
    fn give_up(&mut self) {
        self.retry = None;
        match self.stage {
            SessionStage::Joining => self.give_up_joining(),
            SessionStage::Leaving => _ = self.end(SessionOutcome::LeftUnconfirmed),
            SessionStage::AwaitingFinalTable => {
                self.end(SessionOutcome::Dismissed { reason: QuitText::Unknown });
            }
            // The game is playable even if our letter is unknown.
            SessionStage::Playing | SessionStage::Ended => {}
        }
    }

    /// The time when the server counts as lost unless a message about the game arrives before.
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
