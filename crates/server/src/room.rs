//! One game and its clients: peer ids, names, keys and timestamps in; records, messages and notices out. No
//! socket, address, clock, log or file. All public methods of [`Room`] stand in this file, but for the requests of clients
//! (`client_requests.rs`) and `resume`.
//!
//! The contract: after every `join`, `spectate`, `press`, `handle_…`, `refuse`, `shut_down` or `abort`, drain `poll_record` before the
//! next call, because a checkpoint in a journal hashes the game as the last record left it; each call
//! applies at most one input to the game. The records must be stored before anything is sent. Then drain
//! `poll_notice` and `poll_transmit`. `poll_timeout` says when to call `handle_timeout`. Messages to one
//! peer keep their order. A picture that is left undrained is sent as it is when it is drained.

use std::collections::VecDeque;
use std::sync::Arc;

use nuggets_game::{Changes, Event, Game, Letter, Name, Setup, Sight, TooFewSpots, Viewer};
use nuggets_protocol::Dialect;
use nuggets_record::{RecordingEnd, Timestamp};

mod admission;
mod audience;
mod broadcast;
mod client_requests;
mod closing;
mod content;
mod crash_recovery;
mod gold_moved;
mod hosting;
mod idle_timeout;
mod key_rate;
mod notice;
mod outbox;
mod records;
mod resend;
mod seats;
mod views;

pub use admission::{Admission, Refusal};
pub use audience::WatchError;
use closing::RoomStage;
pub use content::{Content, ErrorReply, QuitReason, Said};
pub(crate) use crash_recovery::MAX_UNSENT;
pub use crash_recovery::ResumeError;
pub use hosting::{Hosting, Stalemate, StartRule};
use hosting::{HostingState, PastStart};
pub use notice::{Level, Notice};
use outbox::{Outbox, Payload};
pub use records::{RoomEvent, RoomRecord};
pub use resend::Reliability;
pub use seats::{Delivery, Peer};
use seats::{Role, Seats};
use views::Views;

/// A message to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit<'a> {
    /// The receiver.
    pub to: Peer,
    /// Its text, in the dialect of the room. At most one datagram long.
    pub payload: &'a [u8],
    /// Its meaning.
    pub content: Content<'a>,
}

/// How a room treats its clients. The default is what the specification says: every message is sent
/// once, to all peers, without rate limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomOptions {
    /// A move is shown only to those whose picture it changes, which helps over slow links. The
    /// specification has it sent to all clients.
    pub changed_only: bool,
    /// Resends, lingering and the idle timeout.
    pub reliability: Reliability,
    /// Messages per second that are read from one seat; `None` for no limit.
    pub keys_per_s: Option<u32>,
}

impl Default for RoomOptions {
    fn default() -> Self {
        Self { changed_only: false, reliability: Reliability::none(), keys_per_s: None }
    }
}

/// One hosted game.
#[derive(Debug)]
pub struct Room {
    game: Game,
    dialect: Dialect,
    options: RoomOptions,
    seats: Seats,
    views: Views,
    stage: RoomStage,
    hosting: HostingState,
    past_start: PastStart,
    now: Timestamp,
    outbox: Outbox,
    /// The text of the last error reply; kept for its memory.
    error_text: String,
    notices: VecDeque<Notice>,
    records: VecDeque<RoomRecord>,
    /// The events of the last input; kept for its memory.
    events: Vec<Event>,
    changes: Changes,
}

impl Room {
    /// Hosts a new game.
    pub fn new(setup: &Setup) -> Result<Self, TooFewSpots> {
        Ok(Self::with_game(Game::new(setup)?, setup.dialect))
    }

    /// Hosts a game that was made elsewhere, for example with visibility that it shares with others.
    pub fn with_game(game: Game, dialect: Dialect) -> Self {
        Self {
            game,
            dialect,
            options: RoomOptions::default(),
            seats: Seats::default(),
            views: Views::default(),
            stage: RoomStage::Open,
            hosting: HostingState::new(Hosting::default(), Timestamp(0)),
            past_start: PastStart::default(),
            now: Timestamp(0),
            outbox: Outbox::default(),
            error_text: String::new(),
            notices: VecDeque::new(),
            records: VecDeque::new(),
            events: Vec::new(),
            changes: Changes::new(),
        }
    }

    /// The same room with these options.
    #[must_use]
    pub fn with_options(mut self, options: RoomOptions) -> Self {
        self.options = options;
        self
    }

    /// The same room with these decisions of its host, from now on.
    #[must_use]
    pub fn with_hosting(mut self, hosting: Hosting) -> Self {
        self.set_hosting(hosting);
        self
    }

    /// Visibility that the game shares with others on its map (see `Game::share_sight`).
    pub fn share_sight(&mut self, sight: Arc<Sight>) {
        self.game.share_sight(sight);
    }

    /// The hosted game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The time of the last call, or where the journal ended.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// True once the game has ended or the room was shut down. The end may still have to be resent.
    pub fn is_over(&self) -> bool {
        self.stage != RoomStage::Open
    }

    /// True if keys move players: there is nothing that the game waits for.
    pub fn has_begun(&self) -> bool {
        self.hosting.has_begun()
    }

    /// How the game was ended before all gold was found; `None` if it was not.
    pub fn ended_early(&self) -> Option<RecordingEnd> {
        self.hosting.ended
    }

    /// True once nothing more will happen here.
    pub fn is_closed(&self) -> bool {
        matches!(self.stage, RoomStage::EndDelivered | RoomStage::Closed)
    }

    /// What the server prints at the end: `GAME OVER:` and the table. A tab, which a name may hold, is a
    /// control byte and printed as a blank.
    pub fn summary(&self) -> String {
        let table = self.game.table().to_string().replace('\t', " ");
        let newline = if table.is_empty() { "" } else { "\n" };
        format!("GAME OVER:{newline}{table}")
    }

    /// True if this peer plays, has played or is the spectator.
    pub fn has_seat(&self, peer: Peer) -> bool {
        self.seats.role(peer) != Role::Unknown
    }

    /// Every peer for which `has_seat` is true: at most 26 players in the order of letters, then the spectator.
    pub fn peers(&self) -> impl Iterator<Item = Peer> + '_ {
        self.seats.peers()
    }

    /// The number of peers for whom `has_seat` is true.
    pub fn seat_count(&self) -> usize {
        self.seats.len()
    }

    /// The spectator, if there is one.
    pub fn spectator(&self) -> Option<Peer> {
        self.seats.spectator()
    }

    /// The number of watchers.
    pub fn watcher_count(&self) -> usize {
        self.views.watcher_count()
    }

    /// Returns the admission that `join` with this name needs: to a seat, or to its welcome once more; `None` if the room rejects it
    /// itself. Changes nothing: the caller asks the guard, then calls either `join` or `refuse`.
    pub fn admission_to_join(&self, from: Peer, name: Option<&Name>) -> Option<Admission> {
        match self.seats.role(from) {
            _ if self.stage != RoomStage::Open => None,
            Role::Unknown => (!self.game.is_full() && name.is_some()).then_some(Admission::Join),
            Role::Player(letter) => {
                let is_same = name == Some(self.game.player(letter).name());
                is_same.then_some(Admission::JoinAgain)
            }
            Role::Spectator | Role::Gone => None,
        }
    }

    /// The same for `spectate`.
    pub fn admission_to_spectate(&self, from: Peer) -> Option<Admission> {
        match self.seats.role(from) {
            _ if self.stage != RoomStage::Open => None,
            Role::Unknown => Some(Admission::Watch),
            Role::Spectator => Some(Admission::WatchAgain),
            Role::Player(_) | Role::Gone => None,
        }
    }

    /// The guard refuses what a peer asks for (see `admission_to_join`). A peer without a seat is sent the
    /// reason; a client that asks for its welcome too often is sent nothing.
    pub fn refuse(&mut self, now: Timestamp, from: Peer, admission: Admission, why: Refusal) {
        if self.accepts_request(now, from) && admission.is_new() {
            self.notices.push_back(Notice::Refused { peer: from, why });
            self.dismiss(from, why.into());
        }
    }

    /// Exempts a peer that has a seat from the key rate: the shell trusts it.
    pub fn lift_key_rate(&mut self, peer: Peer) {
        if let Some(seat) = self.seats.of_peer_mut(peer) {
            seat.key_rate.lift();
        }
    }

    /// Sets how messages travel to a peer that has a seat. New seats get `Delivery::Datagram`.
    pub fn set_delivery(&mut self, peer: Peer, delivery: Delivery) {
        if let Some(seat) = self.seats.of_peer_mut(peer) {
            seat.delivery = delivery;
        }
        self.stop_lingering_if_delivered();
    }

    /// Adds a watcher to the audience, or changes the view of one: the whole map, or what one player sees. It is
    /// sent everything that it needs to begin. The view of a player who leaves stays as it was then.
    pub fn handle_watch(
        &mut self,
        now: Timestamp,
        peer: Peer,
        viewer: Viewer,
    ) -> Result<(), WatchError> {
        self.now = self.now.max(now);
        self.watch(peer, viewer)
    }

    /// Nothing can be sent to this peer: a datagram came back, or its connection was closed. A seat is kept, but
    /// sent nothing more until the peer sends something or `handle_reconnect` is called. A watcher is removed.
    pub fn handle_disconnect(&mut self, now: Timestamp, peer: Peer) {
        self.now = self.now.max(now);
        // A client that has received the end closes its port.
        if self.seats.disconnect(peer) {
            if let Some(viewer) = self.seats.viewer(peer) {
                self.views.unseat(viewer);
            }
            if self.stage == RoomStage::Open {
                self.notices.push_back(Notice::Disconnected(peer));
            }
        }
        self.unwatch(peer);
        self.stop_lingering_if_delivered();
    }

    /// This peer is connected again. It is sent everything that it needs to begin again.
    pub fn handle_reconnect(&mut self, now: Timestamp, peer: Peer) {
        self.now = self.now.max(now);
        self.hear(peer);
        match (self.stage, self.seats.viewer(peer)) {
            (RoomStage::Open, Some(viewer)) => {
                self.notices.push_back(Notice::Reconnected(peer));
                self.welcome(peer, viewer);
            }
            (RoomStage::Lingering { .. }, Some(_)) => self.answer_after_end(peer),
            _ => {}
        }
    }

    /// The shell removes a player from the game; its client is sent this reason. Does nothing if the player has left
    /// or the game is over.
    pub fn handle_removal(&mut self, now: Timestamp, letter: Letter, why: QuitReason) {
        self.now = self.now.max(now);
        let player = self.seats.players().find(|(playing, _)| *playing == letter);
        let peer = player.map(|(_, seat)| seat.peer);
        if let Some(peer) = peer.filter(|_| self.stage == RoomStage::Open) {
            self.notices.push_back(Notice::Removed(letter));
            self.remove_player(peer, letter, why);
        }
    }

    /// The shell removes the spectator, if there is one; its client is sent this reason.
    pub fn handle_spectator_removal(&mut self, now: Timestamp, why: QuitReason) {
        self.now = self.now.max(now);
        if let Some(peer) = self.seats.spectator().filter(|_| self.stage == RoomStage::Open) {
            self.unseat_spectator(peer, why);
        }
    }

    /// When `handle_timeout` wants to be called; a time in the past means at once.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        match self.stage {
            RoomStage::Over { .. } => Some(self.now),
            RoomStage::Open => {
                let resends = self.next_resend().into_iter().chain(self.next_idle_timeout());
                resends.chain(self.next_start()).chain(self.next_stalemate()).min()
            }
            RoomStage::Lingering { .. } => {
                Some(self.end_of_lingering().min(self.next_end_resend()))
            }
            RoomStage::EndDelivered | RoomStage::Closed => None,
        }
    }

    /// Does what is due by now. At most one idle player is dropped in one call; `poll_timeout` asks for
    /// the next call at once if there are more. Every message that arrived before `now` must have been handled;
    /// `now` may be earlier than the last of them.
    pub fn handle_timeout(&mut self, now: Timestamp) {
        self.now = self.now.max(now);
        match self.stage {
            RoomStage::Over { recorded } => self.end_game(recorded),
            RoomStage::Open => {
                self.resend_due();
                self.begin_if_due();
                self.drop_idle_player(now);
                self.end_stalemate(now);
            }
            RoomStage::Lingering { .. } => self.linger(),
            RoomStage::EndDelivered | RoomStage::Closed => {}
        }
    }

    /// Closes the room. A game that is still played ends for all peers at once. Call it, too, when
    /// everything of a finished game has been sent: then the journal learns that nothing is left to do.
    pub fn shut_down(&mut self) {
        match self.stage {
            RoomStage::Open => {
                self.notices.push_back(Notice::ShutDown);
                self.send_shutting_down();
                self.record(RoomEvent::End(RecordingEnd::Closed));
            }
            RoomStage::EndDelivered => self.record(RoomEvent::EndDelivered),
            // Before the end was delivered, a peer may not have received it: a server that resumes the journal
            // sends it again.
            RoomStage::Over { .. } | RoomStage::Lingering { .. } | RoomStage::Closed => {}
        }
        self.stage = RoomStage::Closed;
    }

    /// The same, but first all peers are sent the table of the game so far. Peers that may wait for the next game
    /// are sent that there is none.
    pub fn shut_down_with_table(&mut self) {
        match self.stage {
            RoomStage::Open => self.send_standings(),
            _ if self.hosting.next_game_text().is_some() => self.send_shutting_down(),
            _ => {}
        }
        self.shut_down();
    }

    /// The host ends the game as it is, before all gold is found: all peers are sent the table. The game can't be
    /// resumed.
    pub fn end_early(&mut self, now: Timestamp) {
        self.now = self.now.max(now);
        if self.stage == RoomStage::Open {
            self.notices.push_back(Notice::EndedEarly);
            self.end_before_its_time(RecordingEnd::ByHost);
        }
    }

    /// The host begins a game that waits. Does nothing if it has begun.
    pub fn handle_start(&mut self, now: Timestamp) {
        self.now = self.now.max(now);
        self.begin();
    }

    /// Words of the host: all peers are sent them. They must be printable ASCII and fit a datagram.
    pub fn handle_words(&mut self, now: Timestamp, words: &str) {
        self.now = self.now.max(now);
        self.send_words_to_all(words);
    }

    /// The players wait, or play again: the time in between does not count as a stalemate.
    pub fn handle_pause(&mut self, now: Timestamp, is_paused: bool) {
        self.now = self.now.max(now);
        self.set_paused(is_paused);
    }

    /// Closes the room without sending what happened last, because it could not be stored.
    pub fn abort(&mut self) {
        self.shut_down();
        while self.outbox.pop().is_some() {}
        self.send_shutting_down();
    }

    /// The next record to store. It must be stored before any message is sent.
    pub fn poll_record(&mut self) -> Option<RoomRecord> {
        self.records.pop_front()
    }

    /// The next message to send.
    pub fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        loop {
            let (to, payload) = self.outbox.pop()?;
            match payload {
                Payload::Text(place, said) => {
                    let (payload, content) = (self.outbox.text(place), Content::Message(said));
                    return Some(Transmit { to, payload, content });
                }
                Payload::Picture(viewer) => {
                    if let Some(picture) = self.views.picture(viewer, to) {
                        return Some(picture);
                    }
                }
            }
        }
    }

    /// The next event worth a line in the log.
    pub fn poll_notice(&mut self) -> Option<Notice> {
        self.notices.pop_front()
    }

    /// The picture of a seat is kept only while its peer can be reached: a host has many players who are away.
    fn hear(&mut self, peer: Peer) {
        if self.seats.hear(peer, self.now)
            && let Some(viewer) = self.seats.viewer(peer)
        {
            self.views.seat(&self.game, viewer, peer);
        }
    }

    fn record(&mut self, event: RoomEvent) {
        self.records.push_back(RoomRecord { at: self.now, event });
    }
}

#[cfg(test)]
mod tests;
