//! The part of the lobby that is about other hosts with the same database: the number of their games, and their bans.

use std::collections::{BTreeMap, BTreeSet};

use nuggets_time::Timestamp;

use super::{Ban, Lobby, LobbyEffect, SharedRow};
use crate::{GameCommand, GameId, PlayerId};

impl Lobby {
    /// The games that other hosts run, counted by their creators. They count towards the limits.
    pub fn set_elsewhere(&mut self, elsewhere: BTreeMap<PlayerId, usize>) {
        self.elsewhere = elsewhere;
    }

    /// Forgets a game that another host runs now. It is not over.
    pub fn remove(&mut self, game: GameId) {
        self.games.remove(&game);
    }

    /// No new games from now on; those that run go on elsewhere.
    pub fn refuse_games(&mut self) {
        self.is_draining = true;
    }

    /// These are all bans: those who are banned now leave the games of this host. Returns the new ones.
    pub fn replace_bans(&mut self, bans: Vec<Ban>) -> Vec<Ban> {
        let bans: BTreeSet<Ban> = bans.into_iter().collect();
        let added: Vec<Ban> = bans.difference(&self.bans).copied().collect();
        self.bans = bans;
        for ban in &added {
            self.kick_banned(*ban);
        }
        added
    }

    /// A banned person leaves all games.
    pub(super) fn kick_banned(&mut self, ban: Ban) {
        if let Ban::Person(person) = ban {
            let running = self.games.values().filter(|entry| !entry.is_over());
            let seats = running.filter_map(|entry| Some((entry.meta.id, entry.seat_of(person)?)));
            self.effects.extend(
                seats.map(|(game, letter)| LobbyEffect::Game(game, GameCommand::Kick(letter))),
            );
        }
    }

    /// The running games of this host, as the lobbies of other hosts need them.
    pub(crate) fn shared_rows(&self, now: Timestamp) -> Vec<(GameId, SharedRow)> {
        let running = self.games.iter().filter(|(_, entry)| !entry.is_over());
        running.map(|(game, entry)| (*game, entry.shared_row(now))).collect()
    }
}
