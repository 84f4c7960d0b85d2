//! Who sits where: which peer is which player, and who watches.

use std::fmt;
use std::net::SocketAddr;

use nuggets_game::{Canvas, Letter, Viewer};

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
struct Seat {
    peer: Peer,
    canvas: Option<Canvas>,
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

    pub(super) fn seat_player(&mut self, peer: Peer, letter: Letter, canvas: Canvas) {
        assert_eq!(letter.index(), self.players.len(), "seats are given in the order of letters");
        self.players.push(Seat { peer, canvas: Some(canvas) });
    }

    pub(super) fn unseat_player(&mut self, letter: Letter) {
        self.players[letter.index()].canvas = None;
    }

    /// Gives the spectator's seat away; tells who had it.
    pub(super) fn seat_spectator(&mut self, peer: Peer, canvas: Canvas) -> Option<Peer> {
        let old = self.spectator.replace(Seat { peer, canvas: Some(canvas) });
        old.map(|seat| seat.peer)
    }

    pub(super) fn unseat_spectator(&mut self) {
        self.spectator = None;
    }

    /// Everybody who is here, the players in the order of letters, the spectator last.
    pub(super) fn present(&self) -> impl Iterator<Item = (Peer, Viewer)> + '_ {
        let players = (0..).map_while(Letter::nth).zip(&self.players);
        let here = players.filter(|(_, seat)| seat.canvas.is_some());
        let here = here.map(|(letter, seat)| (seat.peer, Viewer::Player(letter)));
        here.chain(self.spectator.iter().map(|seat| (seat.peer, Viewer::Spectator)))
    }

    /// The same with their pictures.
    pub(super) fn canvases(&mut self) -> impl Iterator<Item = (Peer, Viewer, &mut Canvas)> + '_ {
        let players = (0..).map_while(Letter::nth).map(Viewer::Player).zip(&mut self.players);
        let all = players.chain(self.spectator.iter_mut().map(|seat| (Viewer::Spectator, seat)));
        all.filter_map(|(viewer, seat)| Some((seat.peer, viewer, seat.canvas.as_mut()?)))
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
