//! The lifecycle of a game in the lobby: opening, end, removal; and what other hosts on the same database change: the number of
//! their games, and bans.

use std::collections::{BTreeMap, BTreeSet};

use nuggets_game::Setup;
use nuggets_time::Timestamp;

use super::entry::LobbyEntry;
use super::{Ban, Lobby, LobbyEffect, LobbyError, MAX_OVER_KEPT, SharedRow};
use crate::{EndReason, GameCommand, GameId, GameMeta, PlayerId, Source};

impl Lobby {
    pub(super) fn open(
        &mut self,
        now: Timestamp,
        source: Source,
        mut meta: GameMeta,
        setup: Setup,
    ) -> Result<GameId, LobbyError> {
        self.ensure_not_banned(Some(meta.creator), source)?;
        self.ensure_below_limits(meta.creator, source)?;
        let id = meta.id;
        if self.games.contains_key(&id) {
            // Two equal ids of 60 random bits are so unlikely that the person may simply try again.
            return Err(LobbyError::TooManyGames);
        }
        meta.udp_port = self.free_udp_ports().first().copied();
        let open =
            LobbyEffect::Open { meta: Box::new(meta.clone()), setup: Box::new(setup.clone()) };
        self.effects.push_back(open);
        self.games.insert(id, LobbyEntry::new(now, meta, setup, Some(source)));
        Ok(id)
    }

    fn ensure_below_limits(&self, creator: PlayerId, source: Source) -> Result<(), LobbyError> {
        if self.is_draining {
            return Err(LobbyError::Draining);
        }
        let elsewhere: usize = self.elsewhere.values().sum();
        if self.running() + elsewhere >= self.limits.max_games {
            return Err(LobbyError::TooManyGames);
        }
        let running = || self.games.values().filter(|entry| !entry.is_over());
        let of_person = running().filter(|entry| entry.meta.creator == creator).count()
            + self.elsewhere.get(&creator).copied().unwrap_or(0);
        let of_source = running().filter(|entry| entry.source == Some(source)).count();
        if of_person >= self.limits.max_games_per_person {
            return Err(LobbyError::TooManyGamesOfYours(of_person));
        }
        if of_source >= self.limits.max_games_per_source {
            return Err(LobbyError::TooManyGamesOfYours(of_source));
        }
        Ok(())
    }

    pub(super) fn link_next(&mut self, game: GameId, next: GameId) {
        let Some(entry) = self.games.get_mut(&game) else { return };
        entry.meta.next = Some(next);
        self.effects.push_back(LobbyEffect::StoreMeta(Box::new(entry.meta.clone())));
        self.effects.push_back(LobbyEffect::Game(game, GameCommand::ShowNext(next)));
    }

    /// Gives the game the command to end, once.
    pub(super) fn end_because(&mut self, game: GameId, reason: EndReason) {
        if self.games.get_mut(&game).is_some_and(|entry| entry.begin_end(reason)) {
            self.effects.push_back(LobbyEffect::Game(game, GameCommand::End));
        }
    }

    /// Marks a game as over. The reason of an earlier request to end it takes precedence over `reason`.
    pub(super) fn finish(&mut self, now: Timestamp, game: GameId, reason: EndReason) {
        let Some(entry) = self.games.get_mut(&game) else { return };
        let reason = entry.finish(now, reason);
        self.effects.push_back(LobbyEffect::Finish(game, reason));
        self.forget_old(now);
        if self.is_draining {
            self.stop_if_drained();
        }
    }

    pub(super) fn stop_if_drained(&mut self) {
        if self.running() == 0 {
            self.effects.push_back(LobbyEffect::Stop);
        }
    }

    pub(super) fn forget_old(&mut self, now: Timestamp) {
        self.games.retain(|_, entry| entry.forgotten_at().is_none_or(|at| at > now));
        let mut over: Vec<(Timestamp, GameId)> = self
            .games
            .values()
            .filter_map(|entry| Some((entry.forgotten_at()?, entry.meta.id)))
            .collect();
        over.sort_unstable();
        for (_, game) in over.iter().rev().skip(MAX_OVER_KEPT) {
            self.games.remove(game);
        }
    }

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
    pub(crate) fn shared_rows(&self) -> impl Iterator<Item = SharedRow> {
        self.games.values().filter(|entry| !entry.is_over()).map(LobbyEntry::shared_row)
    }
}
