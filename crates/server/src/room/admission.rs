//! The kinds of admission that a request needs, and the reasons for refusing it. The room determines the first, the
//! guard the second.

use nuggets_game::Name;
use nuggets_time::Timestamp;
use thiserror::Error;

use super::{Notice, Peer, Role, Room, RoomStage};

/// A request that a guard may refuse, because its answer is large or seats are scarce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// A new player.
    Join,
    /// A new spectator.
    Watch,
    /// Another welcome for a player.
    JoinAgain,
    /// Another welcome for the spectator.
    WatchAgain,
}

impl Admission {
    /// True if the peer has no seat yet.
    pub fn is_new(self) -> bool {
        matches!(self, Self::Join | Self::Watch)
    }
}

/// The reason why a peer may not join. Its text is sent to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The rate limit for joins is used up.
    #[error("Too many are joining: try again in a few seconds.")]
    TooFast,
    /// The source already has the maximum number of players.
    #[error("No more players may join from your address.")]
    NoSeatLeft,
    /// The operator has banned the source.
    #[error("The host of this game has banned your address.")]
    Banned,
    /// No answer could arrive at that address.
    #[error("That is not the address of one machine.")]
    NoAddress,
}

impl Room {
    /// Returns the admission that `join` with this name needs: a seat, or another welcome; `None` if the room rejects
    /// the request itself. Changes nothing: the caller asks the guard, then calls either `join` or `refuse`.
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

    /// Returns the admission that `spectate` needs, like `admission_to_join`.
    pub fn admission_to_spectate(&self, from: Peer) -> Option<Admission> {
        match self.seats.role(from) {
            _ if self.stage != RoomStage::Open => None,
            Role::Unknown => Some(Admission::Watch),
            Role::Spectator => Some(Admission::WatchAgain),
            Role::Player(_) | Role::Gone => None,
        }
    }

    /// Refuses a request because of the guard (see `admission_to_join`). A peer without a seat is sent the reason; a
    /// client that requests its welcome too often is sent nothing.
    pub fn refuse(&mut self, now: Timestamp, from: Peer, admission: Admission, why: Refusal) {
        if self.accepts_request(now, from) && admission.is_new() {
            self.notices.push_back(Notice::Refused(from, why));
            self.dismiss(from, why.into());
        }
    }
}
