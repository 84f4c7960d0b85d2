//! Who sits where: which peer is which player, and who watches.

use std::fmt;
use std::net::SocketAddr;

use nuggets_game::{Canvas, Letter, Viewer};
use nuggets_record::Millis;

use super::care::REPEAT_AFTER_MS;
use crate::Guard;

/// Somebody at the other end. The room only compares peers and prints them; the shell that made
/// one knows what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Peer(SocketAddr);

/// What a peer is to the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Plays as this letter.
    Player(Letter),
    /// Played and quit.
    Gone,
    /// Watches.
    Spectator,
    /// None of these.
    Stranger,
}

/// At most 26 players, here or gone, and one spectator. Strangers are not remembered.
#[derive(Debug, Default)]
pub(super) struct Seats {
    players: Vec<Seat>,
    spectator: Option<Seat>,
}

/// A peer and its picture; none once it has left.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) peer: Peer,
    pub(super) canvas: Option<Canvas>,
    /// When it said something last.
    pub(super) heard_at: Millis,
    /// When it was told something new last, and how often it was told that again.
    told_at: Option<Millis>,
    pub(super) repeats: usize,
    /// What is sent there does not come back.
    pub(super) is_reachable: bool,
    /// When it pressed keys before the game was taken up again.
    pressed_before: Vec<Millis>,
}

impl Seat {
    fn new(peer: Peer, canvas: Canvas, now: Millis) -> Self {
        Self {
            peer,
            canvas: Some(canvas),
            heard_at: now,
            told_at: None,
            repeats: 0,
            is_reachable: true,
            pressed_before: vec![],
        }
    }

    /// Something new is on its way to it.
    pub(super) fn told(&mut self, now: Millis) {
        self.told_at = Some(now);
        self.repeats = 0;
    }

    /// When its last picture should go out again.
    pub(super) fn next_repeat(&self) -> Option<Millis> {
        let told = self.told_at.filter(|_| self.canvas.is_some() && self.is_reachable)?;
        REPEAT_AFTER_MS.get(self.repeats).map(|wait| told.after(*wait))
    }
}

impl Seats {
    pub(super) fn role(&self, peer: Peer) -> Role {
        if self.spectator.as_ref().is_some_and(|seat| seat.peer == peer) {
            return Role::Spectator;
        }
        let place = self.players.iter().position(|seat| seat.peer == peer);
        match place.and_then(Letter::nth) {
            None => Role::Stranger,
            Some(letter) if self.players[letter.index()].canvas.is_some() => Role::Player(letter),
            Some(_) => Role::Gone,
        }
    }

    pub(super) fn seat_player(&mut self, peer: Peer, letter: Letter, canvas: Canvas, now: Millis) {
        assert_eq!(letter.index(), self.players.len(), "seats are given in the order of letters");
        self.players.push(Seat::new(peer, canvas, now));
    }

    pub(super) fn unseat_player(&mut self, letter: Letter) {
        self.players[letter.index()].canvas = None;
    }

    /// Gives the spectator's seat away; tells who had it.
    pub(super) fn seat_spectator(
        &mut self,
        peer: Peer,
        canvas: Canvas,
        now: Millis,
    ) -> Option<Peer> {
        let old = self.spectator.replace(Seat::new(peer, canvas, now));
        old.map(|seat| seat.peer)
    }

    pub(super) fn unseat_spectator(&mut self) {
        self.spectator = None;
    }

    pub(super) fn has_spectator(&self) -> bool {
        self.spectator.is_some()
    }

    /// Whoever says something is there, and hears again.
    pub(super) fn hear(&mut self, peer: Peer, now: Millis) {
        if let Some((_, seat)) = self.all_mut().find(|(_, seat)| seat.peer == peer) {
            seat.heard_at = now;
            if !seat.is_reachable {
                seat.is_reachable = true;
                seat.told(now);
            }
        }
    }

    /// What was sent to this peer came back. True if that is news.
    pub(super) fn lose(&mut self, peer: Peer) -> bool {
        let seat = self.all_mut().find(|(_, seat)| seat.peer == peer && seat.canvas.is_some());
        seat.is_some_and(|(_, seat)| std::mem::replace(&mut seat.is_reachable, false))
    }

    /// This player pressed keys before the game was taken up again.
    pub(super) fn remember_keys(&mut self, letter: Letter, pressed_at: Vec<Millis>) {
        self.players[letter.index()].pressed_before = pressed_at;
    }

    /// The new guard learns who sits here already, and who of them has shown that it listens.
    pub(super) fn introduce(&mut self, now: Millis, guard: &mut Guard) {
        for seat in &mut self.players {
            guard.seat_player(now, seat.peer.into());
            for at in std::mem::take(&mut seat.pressed_before) {
                guard.note_key(at, seat.peer.into());
            }
        }
        if let Some(seat) = &self.spectator {
            guard.seat_spectator(now, seat.peer.into());
        }
    }

    /// When somebody's last picture should go out again. Asked after every message, so it goes by
    /// seats, not by letters.
    pub(super) fn next_repeat(&self) -> Option<Millis> {
        self.players.iter().chain(&self.spectator).filter_map(Seat::next_repeat).min()
    }

    /// Something new is on its way to somebody.
    pub(super) fn told(&mut self, viewer: Viewer, now: Millis) {
        if let Some((_, seat)) = self.all_mut().find(|(whose, _)| *whose == viewer) {
            seat.told(now);
        }
    }

    /// Everybody who is here and can be told something, the players in the order of letters, the
    /// spectator last.
    pub(super) fn reachable(&self) -> impl Iterator<Item = (Peer, Viewer)> + '_ {
        let here = self.all().filter(|(_, seat)| seat.canvas.is_some() && seat.is_reachable);
        here.map(|(viewer, seat)| (seat.peer, viewer))
    }

    /// The players who are here.
    pub(super) fn players(&self) -> impl Iterator<Item = (Letter, &Seat)> + '_ {
        let players = (0..).map_while(Letter::nth).zip(&self.players);
        players.filter(|(_, seat)| seat.canvas.is_some())
    }

    /// All seats, also of those who have left, the spectator's last.
    pub(super) fn all(&self) -> impl Iterator<Item = (Viewer, &Seat)> + '_ {
        let players = (0..).map_while(Letter::nth).map(Viewer::Player).zip(&self.players);
        players.chain(self.spectator.iter().map(|seat| (Viewer::Spectator, seat)))
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = (Viewer, &mut Seat)> + '_ {
        let players = (0..).map_while(Letter::nth).map(Viewer::Player).zip(&mut self.players);
        players.chain(self.spectator.iter_mut().map(|seat| (Viewer::Spectator, seat)))
    }

    /// How many seats there are, also of those who have left.
    pub(super) fn len(&self) -> usize {
        self.players.len() + usize::from(self.spectator.is_some())
    }

    /// A seat by its number.
    pub(super) fn nth_mut(&mut self, index: usize) -> Option<(Viewer, &mut Seat)> {
        self.all_mut().nth(index)
    }

    /// The picture of somebody, as long as it is here.
    pub(super) fn canvas(&self, viewer: Viewer) -> Option<&Canvas> {
        let seat = match viewer {
            Viewer::Player(letter) => self.players.get(letter.index()),
            Viewer::Spectator => self.spectator.as_ref(),
        };
        seat?.canvas.as_ref()
    }
}

impl From<SocketAddr> for Peer {
    fn from(address: SocketAddr) -> Self {
        Self(address)
    }
}

impl From<Peer> for SocketAddr {
    fn from(peer: Peer) -> Self {
        peer.0
    }
}

/// An IPv4 address that came in over IPv6 is shown as what it is.
impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SocketAddr::new(self.0.ip().to_canonical(), self.0.port()).fmt(f)
    }
}
