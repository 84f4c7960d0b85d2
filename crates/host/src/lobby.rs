//! All running games of the host: permissions and limits for creating, starting, ending and repeating one, and the rows of the
//! lobby. Pure: commands in, effects out, the time (in milliseconds since 1970) as an argument, ids and seeds from the caller.
//! It knows neither sockets nor files, and parses no maps.

mod effect;
mod entry;
mod error;
mod lifecycle;
mod rows;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::RangeInclusive;

use nuggets_game::{Letter, Seed, Setup};
use nuggets_time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    EndReason, GameCommand, GameId, GameMeta, GameReport, GameSpec, PlayerId, PreparedGame, Source,
};

pub use effect::LobbyEffect;
use entry::LobbyEntry;
pub use error::LobbyError;
pub use rows::LobbyRow;
pub(crate) use rows::SharedRow;

/// Time without a connection after which a game is ended.
const ABANDONED_MS: u64 = 3_600_000;
/// Time that a finished game stays in the lobby, so that its people can play again.
const OVER_KEPT_MS: u64 = 3_600_000;
/// The maximum number of finished games that stay in the lobby.
const MAX_OVER_KEPT: usize = 1000;

/// The notice to the clients of all running games when the host is drained.
const DRAINING: &str =
    "The host will stop: this game goes on to its end, but no new games can be created.";

/// The limits of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LobbyLimits {
    /// The maximum number of games that run at the same time.
    pub max_games: usize,
    /// The maximum number of running games that one source created.
    pub max_games_per_source: usize,
    /// The maximum number of running games that one person created.
    pub max_games_per_person: usize,
    /// The UDP ports for classic clients. Each game gets one while there are free ones.
    pub udp_ports: Option<RangeInclusive<u16>>,
}

/// The person who sends a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The account.
    pub id: PlayerId,
    /// The name of the account.
    pub name: String,
    /// The source of the request.
    pub source: Source,
}

/// A request for a new game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGame {
    /// The id, from random bytes.
    pub id: GameId,
    /// The choices of the creator.
    pub spec: GameSpec,
    /// The checked result of these choices.
    pub prepared: PreparedGame,
}

/// The authority behind a command to a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// This person; must be the creator.
    Person(PlayerId),
    /// The operator of the host.
    Admin,
}

/// A banned account or source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ban {
    /// An account.
    Person(PlayerId),
    /// An address or network.
    Source(Source),
}

/// All games of a host.
#[derive(Debug)]
pub struct Lobby {
    limits: LobbyLimits,
    /// Running games and recently finished ones.
    games: BTreeMap<GameId, LobbyEntry>,
    /// The number of games on other hosts, by creator.
    elsewhere: BTreeMap<PlayerId, usize>,
    bans: BTreeSet<Ban>,
    is_draining: bool,
    effects: VecDeque<LobbyEffect>,
}

impl Lobby {
    /// Creates a lobby without games. `bans` come from the store.
    pub fn new(limits: LobbyLimits, bans: Vec<Ban>) -> Self {
        Self {
            limits,
            games: BTreeMap::new(),
            elsewhere: BTreeMap::new(),
            bans: bans.into_iter().collect(),
            is_draining: false,
            effects: VecDeque::new(),
        }
    }

    /// Adds a game that was running before a restart. The shell opens its room from its journal.
    pub fn resume(&mut self, now: Timestamp, meta: GameMeta, setup: Setup) {
        self.games.insert(meta.id, LobbyEntry::new(now, meta, setup, None));
    }

    /// Adds a game that ended before a restart, so that its people can play again.
    pub fn remember(
        &mut self,
        now: Timestamp,
        meta: GameMeta,
        setup: Setup,
        people: Vec<PlayerId>,
    ) {
        if !self.games.contains_key(&meta.id) {
            let entry = LobbyEntry::over(now, meta, setup, people);
            self.games.insert(entry.meta.id, entry);
            self.forget_old(now);
        }
    }

    /// Creates a game.
    pub fn create(
        &mut self,
        now: Timestamp,
        who: &Person,
        game: NewGame,
    ) -> Result<GameId, LobbyError> {
        let NewGame { id, spec, prepared } = game;
        let meta = GameMeta {
            created_unix_ms: now.0,
            bots: spec.bots,
            visibility: spec.visibility,
            start: spec.start,
            watch_delay_s: spec.watch_delay_s,
            rated: spec.rated,
            ..GameMeta::new(id, prepared.map_name, who.id, who.name.clone())
        };
        self.open(now, who.source, meta, prepared.setup)
    }

    /// Returns the next game for the people of a finished one. The first request creates it, with the given random id and seed;
    /// later requests get the same id.
    pub fn play_again(
        &mut self,
        now: Timestamp,
        who: &Person,
        game: GameId,
        (next, seed): (GameId, Seed),
    ) -> Result<GameId, LobbyError> {
        let entry = self.games.get(&game).ok_or(LobbyError::UnknownGame)?;
        entry.ensure_is_of(who.id)?;
        if !entry.is_over() {
            return Err(LobbyError::NotOver);
        }
        if let Some(next) = entry.meta.next {
            return Ok(next);
        }
        let meta = GameMeta {
            id: next,
            creator: who.id,
            creator_name: who.name.clone(),
            created_unix_ms: now.0,
            udp_port: None,
            has_started: false,
            finished: None,
            ..entry.meta.clone()
        };
        let setup = Setup { seed, ..entry.setup.clone() };
        self.open(now, who.source, meta, setup)?;
        self.link_next(game, next);
        Ok(next)
    }

    /// Handles a report of a game.
    pub fn handle_report(&mut self, now: Timestamp, game: GameId, report: GameReport) {
        let Some(entry) = self.games.get_mut(&game).filter(|entry| !entry.is_over()) else {
            return;
        };
        match report {
            GameReport::Over => self.finish(now, game, EndReason::Over),
            GameReport::Failed { .. } => self.finish(now, game, EndReason::Failed),
            report => {
                if entry.update(now, report) {
                    self.effects.push_back(LobbyEffect::StoreMeta(Box::new(entry.meta.clone())));
                }
            }
        }
    }

    /// Gives a running game a command, or rejects it if `who` lacks the permission.
    pub fn command(
        &mut self,
        who: Authority,
        game: GameId,
        command: GameCommand,
    ) -> Result<(), LobbyError> {
        self.running_mut(game)?.ensure_may(who, &command)?;
        match (command, who) {
            (GameCommand::End, Authority::Person(_)) => self.end_because(game, EndReason::Creator),
            (GameCommand::End, Authority::Admin) => self.end_because(game, EndReason::Admin),
            (command, _) => self.effects.push_back(LobbyEffect::Game(game, command)),
        }
        Ok(())
    }

    /// Returns the letter of a person in a running game.
    pub fn seat_of(&self, game: GameId, person: PlayerId) -> Option<Letter> {
        self.games.get(&game).filter(|entry| !entry.is_over())?.seat_of(person)
    }

    /// Bans a person or a source: removes them from all games and rejects them from now on.
    pub fn ban(&mut self, ban: Ban) {
        if !self.bans.insert(ban) {
            return;
        }
        self.effects.push_back(LobbyEffect::Ban(ban));
        self.kick_banned(ban);
    }

    /// Lifts a ban.
    pub fn unban(&mut self, ban: Ban) {
        if self.bans.remove(&ban) {
            self.effects.push_back(LobbyEffect::Unban(ban));
        }
    }

    /// Returns all bans.
    pub fn bans(&self) -> impl Iterator<Item = Ban> + '_ {
        self.bans.iter().copied()
    }

    /// Rejects banned people and sources.
    pub fn ensure_not_banned(
        &self,
        person: Option<PlayerId>,
        source: Source,
    ) -> Result<(), LobbyError> {
        let bans = person.map(Ban::Person).into_iter().chain([Ban::Source(source)]);
        let is_banned = bans.into_iter().any(|ban| self.bans.contains(&ban));
        if is_banned { Err(LobbyError::Banned) } else { Ok(()) }
    }

    /// Sends a notice of the host to all clients of all games.
    pub fn message(&mut self, words: &str) {
        self.effects.push_back(LobbyEffect::AllGames(GameCommand::Notice(words.to_owned())));
    }

    /// Rejects new games from now on. [`LobbyEffect::Stop`] follows when the last running game is over.
    pub fn drain(&mut self) {
        if !self.is_draining {
            self.is_draining = true;
            if self.running() > 0 {
                self.message(DRAINING);
            }
            self.stop_if_drained();
        }
    }

    /// True if new games are rejected.
    pub fn is_draining(&self) -> bool {
        self.is_draining
    }

    /// Ends abandoned games and removes old finished ones.
    pub fn handle_timeout(&mut self, now: Timestamp) {
        let is_due = |entry: &&LobbyEntry| entry.abandoned_at().is_some_and(|at| at <= now);
        let due = self.games.values().filter(is_due);
        for game in due.map(|entry| entry.meta.id).collect::<Vec<_>>() {
            self.end_because(game, EndReason::Abandoned);
        }
        self.forget_old(now);
    }

    /// Returns the time at which to call [`Self::handle_timeout`].
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        let times = |entry: &LobbyEntry| [entry.abandoned_at(), entry.forgotten_at()];
        self.games.values().flat_map(times).flatten().min()
    }

    /// Takes the next effect. After every command, call it until it returns `None`.
    pub fn poll_effect(&mut self) -> Option<LobbyEffect> {
        self.effects.pop_front()
    }

    /// Returns the running games that are listed for this person, the newest first: public ones, those it created and those it
    /// plays.
    pub fn rows(&self, now: Timestamp, viewer: Option<PlayerId>) -> Vec<LobbyRow> {
        self.rows_of(now, viewer, |row| row.is_listed_for(viewer))
    }

    /// Returns all running games, the newest first. Only for the operator.
    pub fn all_rows(&self, now: Timestamp) -> Vec<LobbyRow> {
        self.rows_of(now, None, |_| true)
    }

    /// Returns one running game, for a person who has its link.
    pub fn row(&self, now: Timestamp, game: GameId, viewer: Option<PlayerId>) -> Option<LobbyRow> {
        let entry = self.games.get(&game).filter(|entry| !entry.is_over())?;
        Some(entry.shared_row().row(now, viewer))
    }

    /// Returns the metadata of a running or recently finished game.
    pub fn meta(&self, game: GameId) -> Option<&GameMeta> {
        self.games.get(&game).map(|entry| &entry.meta)
    }

    /// Returns the classic ports that no running game uses, the lowest first.
    pub fn free_udp_ports(&self) -> Vec<u16> {
        let running = self.games.values().filter(|entry| !entry.is_over());
        let taken: BTreeSet<u16> = running.filter_map(|entry| entry.meta.udp_port).collect();
        let all = self.limits.udp_ports.clone().into_iter().flatten();
        all.filter(|port| !taken.contains(port)).collect()
    }

    /// Replaces the classic port of a game, because the first could not be opened.
    pub fn set_udp_port(&mut self, game: GameId, port: Option<u16>) {
        if let Some(entry) = self.games.get_mut(&game)
            && entry.meta.udp_port != port
        {
            entry.meta.udp_port = port;
            self.effects.push_back(LobbyEffect::StoreMeta(Box::new(entry.meta.clone())));
        }
    }

    /// Returns the number of running games.
    pub fn running(&self) -> usize {
        self.games.values().filter(|entry| !entry.is_over()).count()
    }

    fn running_mut(&mut self, game: GameId) -> Result<&mut LobbyEntry, LobbyError> {
        let entry = self.games.get_mut(&game).ok_or(LobbyError::UnknownGame)?;
        if entry.is_over() { Err(LobbyError::Over) } else { Ok(entry) }
    }

    fn rows_of(
        &self,
        now: Timestamp,
        viewer: Option<PlayerId>,
        is_listed: impl Fn(&SharedRow) -> bool,
    ) -> Vec<LobbyRow> {
        let mut listed: Vec<SharedRow> = self.shared_rows().filter(is_listed).collect();
        listed.sort_by_key(|row| std::cmp::Reverse(row.created_unix_ms));
        listed.iter().map(|row| row.row(now, viewer)).collect()
    }
}

#[cfg(test)]
mod tests;
