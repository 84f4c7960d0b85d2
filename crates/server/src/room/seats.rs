//! Who sits where: which peer is which player, and who watches.

use std::fmt;
use std::net::SocketAddr;

use nuggets_game::{Game, Letter, Viewer};

/// Somebody at the other end. The room only compares peers and prints them; the shell that made
/// one knows what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Peer(SocketAddr);

/// What a peer is to the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Plays as this letter.
    Player(Letter),
    /// Played as this letter and quit.
    Gone(Letter),
    /// Watches.
    Spectator,
    /// None of these.
    Stranger,
}

/// At most 26 players, here or gone, and one spectator. Strangers are not remembered.
#[derive(Debug, Default)]
pub(super) struct Seats {
    players: Vec<Peer>,
    spectator: Option<Peer>,
}

impl Seats {
    pub(super) fn role(&self, peer: Peer, game: &Game) -> Role {
        if self.spectator == Some(peer) {
            return Role::Spectator;
        }
        let seat = self.players.iter().position(|player| *player == peer);
        match seat.and_then(Letter::nth) {
            None => Role::Stranger,
            Some(letter) if game.player(letter).at().is_some() => Role::Player(letter),
            Some(letter) => Role::Gone(letter),
        }
    }

    pub(super) fn seat_player(&mut self, peer: Peer, letter: Letter) {
        assert_eq!(letter.index(), self.players.len(), "seats are given in the order of letters");
        self.players.push(peer);
    }

    /// Gives the spectator's seat away; tells who had it.
    pub(super) fn seat_spectator(&mut self, peer: Peer) -> Option<Peer> {
        self.spectator.replace(peer)
    }

    pub(super) fn forget_spectator(&mut self) {
        self.spectator = None;
    }

    /// Everybody who is here, the players in the order of letters, the spectator last.
    pub(super) fn present(&self, game: &Game) -> Vec<(Peer, Viewer)> {
        let players = game.players().iter().zip(&self.players);
        let here = players.filter(|(player, _)| player.at().is_some());
        let here = here.map(|(player, peer)| (*peer, Viewer::Player(player.letter())));
        here.chain(self.spectator.map(|peer| (peer, Viewer::Spectator))).collect()
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
