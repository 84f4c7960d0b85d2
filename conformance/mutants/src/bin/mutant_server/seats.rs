//! The seats of all peers, learned from the room's answers; the aliases under which the room knows a peer; the letters
//! that players are shown as.

use nuggets_game::{Game, Letter, Player, Viewer};
use nuggets_server::Peer;

use crate::datagram::Outbound;
use crate::fault::Fault;

/// Real peers are numbered from 0 and never reach this number.
const FIRST_ALIAS: u64 = 1 << 32;

/// The peers that have a seat, or had one.
#[derive(Debug, Default)]
pub(crate) struct MutantSeats {
    /// The peers of the players, by letter.
    pub(crate) players: Vec<Peer>,
    /// The players' names as they were received, by letter.
    pub(crate) names: Vec<Vec<u8>>,
    pub(crate) spectator: Option<Peer>,
    pub(crate) replaced_spectators: Vec<Peer>,
    /// Spectators that have quit.
    pub(crate) former_spectators: Vec<Peer>,
    aliases: Vec<Alias>,
}

#[derive(Debug)]
struct Alias {
    /// The peer as the room knows it.
    alias: Peer,
    /// The recipient of messages to the alias; `None` discards them.
    owner: Option<Peer>,
}

impl MutantSeats {
    /// Updates the seats from the room's answers to this message.
    pub(crate) fn learn(&mut self, from: Peer, message: &[u8], answers: &[Outbound]) {
        let mut to_sender = answers.iter().filter(|answer| answer.to == from);
        match to_sender.next() {
            Some(first) if first.is("OK") && !self.players.contains(&from) => {
                self.players.push(from);
                self.names.push(message.strip_prefix(b"PLAY ").unwrap_or_default().to_vec());
            }
            Some(first) if first.is("GRID") && self.spectator != Some(from) => {
                self.replaced_spectators.extend(self.spectator.replace(from));
                self.replaced_spectators.retain(|peer| *peer != from);
            }
            Some(first) if first.is("QUIT") && self.spectator == Some(from) => {
                self.former_spectators.extend(self.spectator.take());
            }
            _ => {}
        }
    }

    pub(crate) fn letter(&self, peer: Peer) -> Option<Letter> {
        self.players.iter().position(|seated| *seated == peer).and_then(Letter::nth)
    }

    pub(crate) fn viewer(&self, peer: Peer) -> Option<Viewer> {
        if self.spectator == Some(peer) {
            return Some(Viewer::Spectator);
        }
        self.letter(peer).map(Viewer::Player)
    }

    pub(crate) fn is_spectator(&self, peer: Peer) -> bool {
        self.viewer(peer) == Some(Viewer::Spectator)
    }

    /// True for a peer without a seat.
    pub(crate) fn is_unknown(&self, peer: Peer) -> bool {
        self.viewer(peer).is_none()
    }

    pub(crate) fn add_alias(&mut self, owner: Option<Peer>) -> Peer {
        let alias = Peer(FIRST_ALIAS + self.aliases.len() as u64);
        self.aliases.push(Alias { alias, owner });
        alias
    }

    /// Redirects this player's messages to another peer, whose messages then count as the player's.
    pub(crate) fn hand_over(&mut self, player: Peer, to: Peer) {
        self.aliases.push(Alias { alias: player, owner: Some(to) });
    }

    /// The latest alias of a peer, or the peer itself.
    pub(crate) fn alias_of(&self, peer: Peer) -> Peer {
        let latest = self.aliases.iter().rev().find(|alias| alias.owner == Some(peer));
        latest.map_or(peer, |alias| alias.alias)
    }

    /// Returns the peer that receives the room's messages to this one.
    pub(crate) fn recipient(&self, peer: Peer) -> Option<Peer> {
        match self.aliases.iter().find(|alias| alias.alias == peer) {
            Some(alias) => alias.owner,
            None => Some(peer),
        }
    }
}

/// The letter that each player is shown as, by the room's own letter.
#[derive(Debug, Default)]
pub(crate) struct ShownLetters(Vec<u8>);

impl ShownLetters {
    /// Assigns letters to players that have none yet.
    pub(crate) fn assign(&mut self, fault: Fault, game: &Game) {
        for player in &game.players()[self.0.len()..] {
            self.0.push(self.choose(fault, game, player));
        }
    }

    fn choose(&self, fault: Fault, game: &Game, player: &Player) -> u8 {
        let index = player.letter().index();
        let nth = |index| Letter::nth(index % Letter::COUNT).map_or(b'A', Letter::as_byte);
        match fault {
            Fault::LettersFromB => nth(index + 1),
            Fault::LettersSkip => nth(2 * index + index / 13),
            Fault::LettersReused => {
                let gone = game.players().iter().filter(|other| other.at().is_none());
                let mut free = gone.map(|other| self.of(other.letter()));
                free.find(|letter| !self.is_in_use(game, *letter)).unwrap_or(nth(index))
            }
            Fault::LettersByName => {
                let first = player.name().as_str().bytes().find(u8::is_ascii_alphabetic);
                let wanted = first.map(|byte| byte.to_ascii_uppercase());
                let mut choices = wanted.into_iter().chain(b'A'..=b'Z');
                choices.find(|letter| !self.0.contains(letter)).unwrap_or(nth(index))
            }
            _ => nth(index),
        }
    }

    fn is_in_use(&self, game: &Game, letter: u8) -> bool {
        let mut shown = game.players().iter().zip(&self.0);
        shown.any(|(player, shown)| player.at().is_some() && *shown == letter)
    }

    /// The letter that this player is shown as.
    pub(crate) fn of(&self, letter: Letter) -> u8 {
        self.0.get(letter.index()).copied().unwrap_or(letter.as_byte())
    }

    /// The same for a symbol of a picture; other symbols stay.
    pub(crate) fn of_symbol(&self, symbol: u8) -> u8 {
        Letter::from_byte(symbol).map_or(symbol, |letter| self.of(letter))
    }
}
