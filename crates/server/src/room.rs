//! One game and its clients: peer ids, names, keys and timestamps in; records, messages and notices out. Knows no
//! socket, address, clock, log or file. All public methods of [`Room`] are in this file, except the requests of
//! clients (`client_requests.rs`), `handle_watch` and `resume`.
//!
//! The contract: after every `join`, `spectate`, `press`, `handle_…`, `refuse`, `shut_down` or `abort`, drain
//! `poll_record` before the next call, because a checkpoint in a journal hashes the game as the last record left it;
//! each call applies at most one input to the game. Store the records before you send anything. Then drain
//! `poll_notice` and `poll_transmit`. `poll_timeout` returns the time for the next call of `handle_timeout`. Messages
//! to one peer keep their order. A picture shows the state when it is drained.

use std::collections::VecDeque;
use std::sync::Arc;

use nuggets_game::{Canvas, Changes, Event, Game, Letter, Setup, Sight, TooFewSpots, Viewer};
use nuggets_protocol::Dialect;
use nuggets_record::{Entry, RecordedEvent, RecordingEnd, Timestamp};

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
mod resend;
mod seats;
mod views;

pub use admission::{Admission, Refusal};
pub use audience::WatchError;
use closing::RoomStage;
pub use content::{Content, ErrorReply, MessageKind, QuitReason};
pub(crate) use crash_recovery::MAX_UNSENT;
pub use crash_recovery::ResumeError;
pub use hosting::{Hosting, Stalemate, StartRule};
use hosting::{HostingState, PastStart};
pub use notice::Notice;
use outbox::{Outbox, Payload};
pub use resend::Reliability;
pub use seats::{Delivery, Peer};
use seats::{Role, Seats};
use views::RoomViews;

/// A record that must be in the journal: an event that determines the game.
pub type RoomRecord = Entry<Peer>;
type RoomEvent = RecordedEvent<Peer>;

/// A message to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit<'a> {
    /// The recipient.
    pub to: Peer,
    /// The text of the message, in the dialect of the room. At most one datagram long.
    pub payload: &'a [u8],
    /// The meaning of the message.
    pub content: Content,
}

/// Options for the treatment of clients. The default follows the specification: every message is sent once, to all
/// peers, without rate limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomOptions {
    /// True if a move is sent only to clients whose picture it changes, which helps over slow links. The
    /// specification requires sending it to all clients.
    pub changed_only: bool,
    /// Resends, lingering and the idle timeout.
    pub reliability: Reliability,
    /// Limit on the messages per second that are handled from one seat; `None` for no limit.
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
    views: RoomViews,
    stage: RoomStage,
    hosting: HostingState,
    past_start: PastStart,
    now: Timestamp,
    outbox: Outbox,
    /// The text of the last error reply; kept for its memory.
    error_text: String,
    notices: VecDeque<Notice>,
    records: VecDeque<RoomRecord>,
    /// The events of the last input; kept to reuse the allocation.
    events: Vec<Event>,
    changes: Changes,
}

impl Room {
    /// Hosts a new game.
    pub fn new(setup: &Setup) -> Result<Self, TooFewSpots> {
        Ok(Self::with_game(Game::new(setup)?, setup.dialect))
    }

    /// Hosts an existing game, for example one that shares its visibility with others.
    pub fn with_game(game: Game, dialect: Dialect) -> Self {
        Self {
            game,
            dialect,
            options: RoomOptions::default(),
            seats: Seats::default(),
            views: RoomViews::default(),
            stage: RoomStage::Open,
            hosting: HostingState::new(Hosting::default(), Timestamp(0)),
            past_start: PastStart::default(),
            now: Timestamp(0),
            outbox: Outbox::default(),
            error_text: String::new(),
            notices: VecDeque::new(),
            records: VecDeque::new(),
            events: Vec::new(),
            changes: Changes::default(),
        }
    }

    /// Sets the options.
    #[must_use]
    pub fn with_options(mut self, options: RoomOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the host's choices, effective from now on.
    #[must_use]
    pub fn with_hosting(mut self, hosting: Hosting) -> Self {
        self.set_hosting(hosting);
        self
    }

    /// Shares visibility with other games on the same map (see `Game::share_sight`).
    pub fn share_sight(&mut self, sight: Arc<Sight>) {
        self.game.share_sight(sight);
    }

    /// The hosted game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The time of the last call, or of the end of the journal.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// True once the game has ended or the room was shut down. The final table may still have to be resent.
    pub fn is_over(&self) -> bool {
        self.stage != RoomStage::Open
    }

    /// True if keys move players: the game is not waiting for its start.
    pub fn has_begun(&self) -> bool {
        self.hosting.has_begun()
    }

    /// The way in which the game was ended before all gold was found; `None` if it was not.
    pub fn ended_early(&self) -> Option<RecordingEnd> {
        self.hosting.ended
    }

    /// True once nothing more will happen in this room.
    pub fn is_closed(&self) -> bool {
        matches!(self.stage, RoomStage::EndDelivered | RoomStage::Closed)
    }

    /// The summary that the server prints at the end: `GAME OVER:` and the table. A tab, which a name may contain, is
    /// a control byte and printed as a blank.
    pub fn summary(&self) -> String {
        let table = self.game.table().to_string().replace('\t', " ");
        let newline = if table.is_empty() { "" } else { "\n" };
        format!("GAME OVER:{newline}{table}")
    }

    /// True if this peer is a player, has been one, or is the spectator.
    pub fn has_seat(&self, peer: Peer) -> bool {
        self.seats.role(peer) != Role::Unknown
    }

    /// All peers for which `has_seat` is true: at most 26 players ordered by letter, then the spectator.
    pub fn peers(&self) -> impl Iterator<Item = Peer> + '_ {
        self.seats.peers()
    }

    /// The number of peers for which `has_seat` is true.
    pub fn seat_count(&self) -> usize {
        self.seats.len()
    }

    /// The spectator, if there is one.
    pub fn spectator(&self) -> Option<Peer> {
        self.seats.spectator()
    }

    /// The picture of a view that a client uses. When the room has nothing to send, `Canvas::changed` has the gridpoints
    /// that may differ from the picture that a watcher of this view was sent before the last one; a first picture must be
    /// read as a whole.
    pub fn canvas(&self, viewer: Viewer) -> Option<&Canvas> {
        self.views.get(viewer).map(|view| &view.canvas)
    }

    /// The number of watchers.
    pub fn watcher_count(&self) -> usize {
        self.views.watcher_count()
    }

    /// Exempts a peer with a seat from the key rate because the shell trusts it.
    pub fn lift_key_rate(&mut self, peer: Peer) {
        if let Some(seat) = self.seats.of_peer_mut(peer) {
            seat.key_rate.lift();
        }
    }

    /// Sets the kind of transport to a peer that has a seat. New seats have `Delivery::Datagram`.
    pub fn set_delivery(&mut self, peer: Peer, delivery: Delivery) {
        if let Some(seat) = self.seats.of_peer_mut(peer) {
            seat.delivery = delivery;
        }
        self.stop_lingering_if_delivered();
    }

    /// Marks a peer as unreachable: a datagram came back, or its connection was closed. A seat is kept, but gets no
    /// more messages until the peer sends something or `handle_reconnect` is called. A watcher is removed.
    pub fn handle_disconnect(&mut self, now: Timestamp, peer: Peer) {
        self.now = self.now.max(now);
        // A client that has received the final table closes its port.
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

    /// Handles a reconnect of this peer: sends it the complete state.
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

    /// Removes a player from the game and sends its client this reason. Does nothing if the player has left or the
    /// game is over.
    pub fn handle_removal(&mut self, now: Timestamp, letter: Letter, why: QuitReason) {
        self.now = self.now.max(now);
        let player = self.seats.players().find(|(playing, _)| *playing == letter);
        let peer = player.map(|(_, seat)| seat.peer);
        if let Some(peer) = peer.filter(|_| self.stage == RoomStage::Open) {
            self.notices.push_back(Notice::Removed(letter));
            self.remove_player(peer, letter, why);
        }
    }

    /// Removes the spectator, if there is one, and sends its client this reason.
    pub fn handle_spectator_removal(&mut self, now: Timestamp, why: QuitReason) {
        self.now = self.now.max(now);
        if let Some(peer) = self.seats.spectator().filter(|_| self.stage == RoomStage::Open) {
            self.unseat_spectator(peer, why);
        }
    }

    /// The time for the next call of `handle_timeout`; a time in the past means immediately.
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

    /// Handles everything that is due by `now`. Drops at most one idle player per call; if there are more,
    /// `poll_timeout` requests the next call immediately. Every message that arrived before `now` must have been
    /// handled; `now` may be earlier than the last of them.
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

    /// Closes the room. A game in progress ends for all peers at once. Also call it after everything of a finished
    /// game has been sent: the journal then records that nothing is left to do.
    pub fn shut_down(&mut self) {
        match self.stage {
            RoomStage::Open => {
                self.notices.push_back(Notice::ShutDown);
                self.send_shutting_down();
                self.record(RoomEvent::End(RecordingEnd::Closed));
            }
            RoomStage::EndDelivered => self.record(RoomEvent::EndDelivered),
            // Until the end is delivered, a peer may not have received it: a server that resumes the journal resends
            // it.
            RoomStage::Over { .. } | RoomStage::Lingering { .. } | RoomStage::Closed => {}
        }
        self.stage = RoomStage::Closed;
    }

    /// Closes the room like `shut_down`, but first sends all peers the table of the game so far. Peers that may be
    /// waiting for the next game are notified that there is none.
    pub fn shut_down_with_table(&mut self) {
        match self.stage {
            RoomStage::Open => self.send_standings(),
            _ if self.hosting.next_game_text().is_some() => self.send_shutting_down(),
            _ => {}
        }
        self.shut_down();
    }

    /// Ends the game for the host before all gold is found, and sends all peers the table. The game can't be resumed.
    pub fn end_early(&mut self, now: Timestamp) {
        self.now = self.now.max(now);
        if self.stage == RoomStage::Open {
            self.notices.push_back(Notice::EndedEarly);
            self.end_before_its_time(RecordingEnd::ByHost);
        }
    }

    /// Starts a waiting game for the host. Does nothing if it has begun.
    pub fn handle_start(&mut self, now: Timestamp) {
        self.now = self.now.max(now);
        self.begin();
    }

    /// Sends a notice from the host to all peers. It must be printable ASCII and fit into a datagram.
    pub fn handle_notice(&mut self, now: Timestamp, words: &str) {
        self.now = self.now.max(now);
        self.broadcast_notice(words);
    }

    /// Pauses or resumes the stalemate clock: the time while the players wait does not count.
    pub fn handle_pause(&mut self, now: Timestamp, is_paused: bool) {
        self.now = self.now.max(now);
        self.set_paused(is_paused);
    }

    /// Closes the room without sending the last events, because they could not be stored.
    pub fn abort(&mut self) {
        self.shut_down();
        while self.outbox.pop().is_some() {}
        self.send_shutting_down();
    }

    /// Returns the next record. Store it before you send any message.
    pub fn poll_record(&mut self) -> Option<RoomRecord> {
        self.records.pop_front()
    }

    /// Returns the next message to send.
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

    /// Returns the next event worth a log line.
    pub fn poll_notice(&mut self) -> Option<Notice> {
        self.notices.pop_front()
    }

    /// Records a message from a peer. A seat has a picture only while its peer is reachable, because a host has many
    /// players who are away.
    fn hear(&mut self, peer: Peer) {
        if self.seats.hear(peer, self.now)
            && let Some(viewer) = self.seats.viewer(peer)
        {
            self.views.seat(&self.game, viewer, peer);
        }
    }

    fn record(&mut self, event: RoomEvent) {
        self.records.push_back(RoomRecord { at: self.now, what: event });
    }
}

#[cfg(test)]
mod tests;
