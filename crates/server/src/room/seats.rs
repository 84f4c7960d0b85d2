//! The assignment of peers to seats: players and the spectator.
//!
//! A [`Peer`] is an opaque number that the shell issues, one per identity. The journal identifies a peer by an opaque token
//! (UDP: its address), so that after a restart, or over another connection, it is the same player. Watchers have no seat
//! (`audience.rs`).

use nuggets_game::{Letter, Viewer};
use nuggets_record::Timestamp;

use super::key_rate::KeyRateLimit;
use super::resend::{GOLD_NEWS_MS, RESEND_SCHEDULE_MS, RESENDS};

/// The opaque id of a client, issued by the shell: one per identity, so that a client that reconnects is the same
/// peer. The room only compares peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Peer(pub u64);

/// The kind of transport to a peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// Messages may be lost and are therefore resent.
    #[default]
    Datagram,
    /// Messages arrive in order until the connection is closed, which the shell reports with
    /// `Room::handle_disconnect`. Nothing is resent.
    Stream,
    /// Like `Stream`, but a watcher of the same view receives the pictures and the gold of the game in its place.
    Watched,
}

/// The role of a peer in the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Player(Letter),
    /// A player who has left.
    Gone,
    Spectator,
    /// No seat, now or before.
    Unknown,
}

/// At most 26 players, including those who have left, and one spectator. Peers without a seat are not stored.
#[derive(Debug, Default)]
pub(super) struct Seats {
    players: Vec<Seat>,
    spectator: Option<Seat>,
}

#[derive(Debug)]
pub(super) struct Seat {
    pub(super) peer: Peer,
    /// True if the player has left. The seat is kept so that its letter is not assigned again.
    pub(super) has_left: bool,
    pub(super) delivery: Delivery,
    /// Time of the peer's last message.
    pub(super) heard_at: Timestamp,
    /// Time when the peer was last sent something new.
    sent_at: Option<Timestamp>,
    /// Number of resends since then.
    pub(super) resends: usize,
    /// Number of those resends that omitted the gold.
    pub(super) resends_without_gold: usize,
    /// Time when the last `GOLD` was sent, if its n was greater than 0.
    gold_news_at: Option<Timestamp>,
    /// True if the journal has a key from this peer, so that a server that resumes the game knows that its welcome
    /// arrived.
    pub(super) is_heard: bool,
    /// False while the peer can't be reached.
    pub(super) is_reachable: bool,
    pub(super) key_rate: KeyRateLimit,
}

impl Seat {
    fn new(peer: Peer, now: Timestamp) -> Self {
        Self {
            peer,
            has_left: false,
            delivery: Delivery::default(),
            heard_at: now,
            sent_at: None,
            resends: 0,
            resends_without_gold: 0,
            gold_news_at: None,
            is_heard: false,
            is_reachable: true,
            key_rate: KeyRateLimit::default(),
        }
    }

    /// Restarts the resend schedule because something new is sent.
    pub(super) fn note_sent(&mut self, now: Timestamp) {
        self.sent_at = Some(now);
        self.resends = 0;
        self.resends_without_gold = 0;
    }

    /// Restarts the resend schedule because `GOLD` with this n is sent.
    pub(super) fn note_gold_sent(&mut self, now: Timestamp, found: u32) {
        self.note_sent(now);
        self.gold_news_at = (found > 0).then_some(now);
    }

    /// True while the client may still show how much gold was found, which another `GOLD` would remove.
    pub(super) fn has_gold_news(&self, now: Timestamp) -> bool {
        self.gold_news_at.is_some_and(|at| now < at.after(GOLD_NEWS_MS))
    }

    /// True if messages can be sent to the peer.
    pub(super) fn receives(&self) -> bool {
        !self.has_left && self.is_reachable
    }

    /// True if the peer itself is sent the changes of its view.
    pub(super) fn receives_changes(&self) -> bool {
        self.receives() && self.delivery != Delivery::Watched
    }

    /// True if messages to the peer may be lost.
    pub(super) fn needs_resends(&self) -> bool {
        self.receives() && self.delivery == Delivery::Datagram
    }

    /// The time of the next resend of the last picture. The gold is resent as many times as the picture is for other
    /// clients.
    pub(super) fn next_resend(&self) -> Option<Timestamp> {
        let is_left = self.resends < RESENDS + self.resends_without_gold;
        let sent_at = self.sent_at.filter(|_| is_left && self.needs_resends())?;
        RESEND_SCHEDULE_MS.get(self.resends).map(|wait| sent_at.after(*wait))
    }
}

impl Seats {
    pub(super) fn role(&self, peer: Peer) -> Role {
        if self.spectator.as_ref().is_some_and(|seat| seat.peer == peer) {
            return Role::Spectator;
        }
        let place = self.players.iter().position(|seat| seat.peer == peer);
        match place.and_then(Letter::nth) {
            None => Role::Unknown,
            Some(letter) if self.players[letter.index()].has_left => Role::Gone,
            Some(letter) => Role::Player(letter),
        }
    }

    /// The view of a peer; `None` if it has no seat or has left.
    pub(super) fn viewer(&self, peer: Peer) -> Option<Viewer> {
        match self.role(peer) {
            Role::Player(letter) => Some(Viewer::Player(letter)),
            Role::Spectator => Some(Viewer::Spectator),
            Role::Gone | Role::Unknown => None,
        }
    }

    pub(super) fn seat_player(&mut self, peer: Peer, letter: Letter, now: Timestamp) {
        assert_eq!(letter.index(), self.players.len(), "seats are given in the order of letters");
        self.players.push(Seat::new(peer, now));
    }

    pub(super) fn unseat_player(&mut self, letter: Letter) {
        self.players[letter.index()].has_left = true;
    }

    /// Gives the spectator's seat to a new peer and returns the replaced one.
    pub(super) fn replace_spectator(&mut self, peer: Peer, now: Timestamp) -> Option<Peer> {
        let replaced = self.spectator.replace(Seat::new(peer, now));
        replaced.map(|seat| seat.peer)
    }

    pub(super) fn unseat_spectator(&mut self) {
        self.spectator = None;
    }

    /// Restarts the idle timeout of every player.
    pub(super) fn restart_idle_clocks(&mut self, now: Timestamp) {
        for seat in &mut self.players {
            seat.heard_at = now;
        }
    }

    /// Records a message from a peer, which makes it reachable again. Returns true if it has a seat and was
    /// unreachable.
    pub(super) fn hear(&mut self, peer: Peer, now: Timestamp) -> bool {
        let Some(seat) = self.of_peer_mut(peer) else { return false };
        seat.heard_at = now;
        let has_returned = !std::mem::replace(&mut seat.is_reachable, true);
        if has_returned {
            seat.note_sent(now);
        }
        has_returned
    }

    /// Marks a peer as unreachable. Returns true if it was reachable.
    pub(super) fn disconnect(&mut self, peer: Peer) -> bool {
        let seat = self.of_peer_mut(peer).filter(|seat| !seat.has_left);
        seat.is_some_and(|seat| std::mem::replace(&mut seat.is_reachable, false))
    }

    /// The time of the next resend. Called after every message, so it iterates over seats, not over letters.
    pub(super) fn next_resend(&self) -> Option<Timestamp> {
        self.players.iter().chain(&self.spectator).filter_map(Seat::next_resend).min()
    }

    /// Records that `GOLD 0 p r` and the picture are sent to this seat.
    pub(super) fn note_state_sent(&mut self, viewer: Viewer, now: Timestamp) {
        if let Some(seat) = self.of_viewer_mut(viewer) {
            seat.note_gold_sent(now, 0);
        }
    }

    /// All reachable peers with a seat: the players ordered by letter, then the spectator.
    pub(super) fn reachable(&self) -> impl Iterator<Item = Peer> + '_ {
        let seats = self.players.iter().chain(&self.spectator);
        seats.filter(|seat| seat.receives()).map(|seat| seat.peer)
    }

    /// All reachable peers with a seat whose messages may be lost.
    pub(super) fn needing_resends(&self) -> impl Iterator<Item = Peer> + '_ {
        let seats = self.players.iter().chain(&self.spectator);
        seats.filter(|seat| seat.needs_resends()).map(|seat| seat.peer)
    }

    /// The players who have not left.
    pub(super) fn players(&self) -> impl Iterator<Item = (Letter, &Seat)> + '_ {
        let players = (0..).map_while(Letter::nth).zip(&self.players);
        players.filter(|(_, seat)| !seat.has_left)
    }

    /// All seats, including those of players who have left; the spectator's is last.
    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = (Viewer, &mut Seat)> + '_ {
        let players = (0..).map_while(Letter::nth).map(Viewer::Player).zip(&mut self.players);
        players.chain(self.spectator.iter_mut().map(|seat| (Viewer::Spectator, seat)))
    }

    pub(super) fn of_peer_mut(&mut self, peer: Peer) -> Option<&mut Seat> {
        self.players.iter_mut().chain(&mut self.spectator).find(|seat| seat.peer == peer)
    }

    /// All peers with a seat, including players who have left: ordered by letter, then the spectator.
    pub(super) fn peers(&self) -> impl Iterator<Item = Peer> + '_ {
        self.players.iter().chain(&self.spectator).map(|seat| seat.peer)
    }

    pub(super) fn spectator(&self) -> Option<Peer> {
        self.spectator.as_ref().map(|seat| seat.peer)
    }

    /// The number of seats, including those of players who have left.
    pub(super) fn len(&self) -> usize {
        self.players.len() + usize::from(self.spectator.is_some())
    }

    /// The seat that a view belongs to, even if its player has left.
    pub(super) fn of_viewer_mut(&mut self, viewer: Viewer) -> Option<&mut Seat> {
        match viewer {
            Viewer::Player(letter) => self.players.get_mut(letter.index()),
            Viewer::Spectator => self.spectator.as_mut(),
        }
    }
}
