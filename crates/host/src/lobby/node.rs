//! What the lobby of a node of a cluster learns from the others: it has the games of all nodes.

use super::entry::LobbyEntry;
use super::{Ban, Lobby, LobbyEffect, LobbyError};
use crate::wire::Hello;
use crate::{Attach, AttachError, GameId, GameMeta, PlayerId};

impl Lobby {
    /// Rejects a person who is banned, wherever it comes from.
    pub fn ensure_person_not_banned(&self, person: PlayerId) -> Result<(), LobbyError> {
        if self.bans.contains(&Ban::Person(person)) { Err(LobbyError::Banned) } else { Ok(()) }
    }

    /// These are all bans, as a cluster has stored them.
    pub fn replace_bans(&mut self, bans: Vec<Ban>) {
        self.bans = bans.into_iter().collect();
    }

    /// What is stored about a game was changed by the node that runs it. False if the game is not known here. A game
    /// that has started stays so, even if that is not stored yet.
    pub fn update_meta(&mut self, meta: &GameMeta) -> bool {
        let Some(entry) = self.games.get_mut(&meta.id) else { return false };
        let has_started = entry.meta.has_started || meta.has_started;
        let next = meta.next.or(entry.meta.next);
        entry.meta = GameMeta { has_started, next, ..meta.clone() };
        true
    }

    /// The people of a game play this one next. The first such decision stays.
    pub fn set_next(&mut self, game: GameId, next: GameId) {
        if let Some(entry) = self.games.get_mut(&game) {
            entry.meta.next.get_or_insert(next);
            self.effects.push_back(LobbyEffect::StoreMeta(Box::new(entry.meta.clone())));
        }
    }

    /// Whether a game is over, or is not known here.
    pub fn has_ended(&self, game: GameId) -> bool {
        self.games.get(&game).is_none_or(LobbyEntry::is_over)
    }

    /// Whether a classic port is one of this host.
    pub fn has_udp_port(&self, port: u16) -> bool {
        self.limits.udp_ports.as_ref().is_some_and(|ports| ports.contains(&port))
    }

    /// No new games from now on, on this node of a cluster: those that run go on elsewhere.
    pub fn refuse_games(&mut self) {
        self.is_draining = true;
    }

    /// What a watcher must know to begin, without the id of its stream: for a game that runs on another node.
    pub fn watch_hello(
        &self,
        game: GameId,
        view: Option<char>,
        attach: &Attach,
    ) -> Result<Hello, AttachError> {
        let entry = self.games.get(&game).ok_or(AttachError::NoSuchGame)?;
        entry.watch_hello(view, attach)
    }
}
