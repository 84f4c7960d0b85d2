//! The part of the lobby that deals with other hosts on the same database: the number of their games, and their bans.

use std::collections::{BTreeMap, BTreeSet};

use super::{Ban, Lobby, LobbyEffect, SharedRow};
use crate::{GameCommand, GameId, PlayerId};

impl Lobby {
    /// Sets the number of games on other hosts, by creator. They count towards the limits.
    pub fn set_elsewhere(&mut self, elsewhere: BTreeMap<PlayerId, usize>) {
        self.elsewhere = elsewhere;
    }

    /// Removes a game that another host runs now. It is not over.
    pub fn remove(&mut self, game: GameId) {
        self.games.remove(&game);
    }

    /// Rejects new games from now on. Those that run continue on other hosts.
    pub fn refuse_games(&mut self) {
        self.is_draining = true;
    }

    /// Replaces all bans and removes newly banned people from the games of this host. Returns the new bans.
    pub fn replace_bans(&mut self, bans: Vec<Ban>) -> Vec<Ban> {
        let bans: BTreeSet<Ban> = bans.into_iter().collect();
        let added: Vec<Ban> = bans.difference(&self.bans).copied().collect();
        self.bans = bans;
        for ban in &added {
            self.kick_banned(*ban);
        }
        added
    }

    /// Removes a banned person from all games.
    pub(super) fn kick_banned(&mut self, ban: Ban) {
        if let Ban::Person(person) = ban {
            let running = self.games.values().filter(|entry| !entry.is_over());
            let seats = running.filter_map(|entry| Some((entry.meta.id, entry.seat_of(person)?)));
            self.effects.extend(
                seats.map(|(game, letter)| LobbyEffect::Game(game, GameCommand::Kick(letter))),
            );
        }
    }

    /// Returns the running games of this host in the form for the lobbies of other hosts.
    pub(crate) fn shared_rows(&self) -> Vec<(GameId, SharedRow)> {
        let running = self.games.iter().filter(|(_, entry)| !entry.is_over());
        running.map(|(game, entry)| (*game, entry.shared_row())).collect()
    }
}
