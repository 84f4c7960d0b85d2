//! One game as the lobby knows it.

use std::collections::BTreeMap;

use nuggets_game::{Letter, Setup};
use nuggets_protocol::web::Stage;
use nuggets_time::Timestamp;

use super::{ABANDONED_MS, Authority, LobbyError, LobbyRow, OVER_KEPT_MS, SharedRow};
use crate::{EndReason, GameCommand, GameMeta, GameReport, PlayerId, SeatedPlayer, Source, Start};

/// A running or recently finished game.
#[derive(Debug)]
pub(super) struct LobbyEntry {
    pub(super) meta: GameMeta,
    pub(super) setup: Setup,
    /// The source of its creator; unknown after a restart.
    pub(super) source: Option<Source>,
    players: BTreeMap<Letter, SeatedPlayer>,
    gold_left: u32,
    watchers: u32,
    /// True once a player or watcher has connected since it was opened. Bots wait for that.
    has_company: bool,
    /// The start of the time without a connection; `None` while there is one.
    alone_since: Option<Timestamp>,
    /// The reason of the first request to end it.
    ending: Option<EndReason>,
    /// The time of its end, and the people who may play again.
    over: Option<(Timestamp, Vec<PlayerId>)>,
}

impl LobbyEntry {
    pub(super) fn new(
        now: Timestamp,
        meta: GameMeta,
        setup: Setup,
        source: Option<Source>,
    ) -> Self {
        Self {
            meta,
            source,
            players: BTreeMap::new(),
            gold_left: setup.rules.nuggets,
            setup,
            watchers: 0,
            has_company: false,
            alone_since: Some(now),
            ending: None,
            over: None,
        }
    }

    /// Creates the entry of a finished game with the people who played it.
    pub(super) fn over(
        now: Timestamp,
        meta: GameMeta,
        setup: Setup,
        people: Vec<PlayerId>,
    ) -> Self {
        Self { over: Some((now, people)), ..Self::new(now, meta, setup, None) }
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.is_some()
    }

    pub(super) fn has_started(&self) -> bool {
        self.meta.has_started || self.meta.start == Start::AtOnce
    }

    /// Applies a report other than that of its end. Returns true if the meta has changed.
    pub(super) fn update(&mut self, now: Timestamp, report: GameReport) -> bool {
        match report {
            GameReport::Opened { gold_left, has_started } => {
                self.gold_left = gold_left;
                if has_started && !self.has_started() {
                    self.meta.has_started = true;
                    return true;
                }
            }
            GameReport::GoldLeft(gold_left) => self.gold_left = gold_left,
            GameReport::Joined(seated) => {
                self.has_company |= !seated.is_bot();
                self.players.insert(seated.letter, seated);
            }
            GameReport::Left(letter) => {
                self.players.entry(letter).and_modify(|player| player.has_left = true);
            }
            GameReport::Connected { players, watchers } => {
                self.watchers = watchers;
                let is_alone = players == 0 && watchers == 0;
                self.has_company |= !is_alone;
                self.alone_since = is_alone.then(|| self.alone_since.unwrap_or(now));
            }
            GameReport::Started => return !std::mem::replace(&mut self.meta.has_started, true),
            GameReport::Over | GameReport::Failed { .. } | GameReport::Closed => {}
        }
        false
    }

    /// Records why the game has to end. Returns true for the first request.
    pub(super) fn begin_end(&mut self, reason: EndReason) -> bool {
        let is_first = self.ending.is_none();
        self.ending.get_or_insert(reason);
        is_first
    }

    /// Marks the game as over. Returns the recorded reason of the request to end it, or else `reason`.
    pub(super) fn finish(&mut self, now: Timestamp, reason: EndReason) -> EndReason {
        let people = self.players.values().filter_map(SeatedPlayer::person).collect();
        self.over = Some((now, people));
        self.ending.unwrap_or(reason)
    }

    /// Returns the time at which it is ended for lack of connections.
    pub(super) fn abandoned_at(&self) -> Option<Timestamp> {
        let is_waited_for = self.over.is_none() && self.ending.is_none();
        self.alone_since.filter(|_| is_waited_for).map(|since| since.after(ABANDONED_MS))
    }

    /// Returns the time at which it leaves the lobby after its end.
    pub(super) fn forgotten_at(&self) -> Option<Timestamp> {
        self.over.as_ref().map(|(since, _)| since.after(OVER_KEPT_MS))
    }

    /// Rejects commands that `who` may not give, or that the state of the game does not allow. The creator may start and end the
    /// game; all other commands are for the operator.
    pub(super) fn ensure_may(
        &self,
        who: Authority,
        command: &GameCommand,
    ) -> Result<(), LobbyError> {
        let is_for_creator = matches!(command, GameCommand::Start | GameCommand::End);
        let is_creator = is_for_creator && who == Authority::Person(self.meta.creator);
        match command {
            _ if who != Authority::Admin && !is_creator => Err(LobbyError::NotYours),
            GameCommand::Start if self.has_started() => Err(LobbyError::AlreadyStarted),
            GameCommand::Kick(letter) if !self.is_playing(*letter) => Err(LobbyError::NotAPlayer),
            _ => Ok(()),
        }
    }

    /// Rejects a person who is neither a player of the game nor its creator.
    pub(super) fn ensure_is_of(&self, person: PlayerId) -> Result<(), LobbyError> {
        let has_played = self.over.as_ref().is_some_and(|(_, people)| people.contains(&person));
        let is_of = has_played || self.has_seated(person) || self.meta.creator == person;
        if is_of { Ok(()) } else { Err(LobbyError::NotAPlayer) }
    }

    pub(super) fn is_playing(&self, letter: Letter) -> bool {
        self.players.get(&letter).is_some_and(|player| !player.has_left)
    }

    /// Returns the letter of a person who plays.
    pub(super) fn seat_of(&self, person: PlayerId) -> Option<Letter> {
        let mut playing = self.players.iter().filter(|(_, player)| !player.has_left);
        playing.find(|(_, player)| player.person() == Some(person)).map(|(letter, _)| *letter)
    }

    /// Returns the row in the form for the lobbies of other nodes.
    pub(super) fn shared_row(&self) -> SharedRow {
        let meta = &self.meta;
        let row = LobbyRow {
            id: meta.id,
            map: meta.map_name.clone(),
            rows: self.setup.map.rows(),
            cols: self.setup.map.cols(),
            players: self.players.values().map(SeatedPlayer::line).collect(),
            max_players: self.setup.rules.max_players,
            gold_left: self.gold_left,
            gold: self.setup.rules.nuggets,
            watchers: self.watchers as usize,
            stage: self.stage(),
            start: meta.start,
            delay_s: meta.watch_delay_s,
            rated: meta.rated,
            rules: self.setup.rules.variants(),
            creator: meta.creator_name.clone(),
            mine: false,
            seated: false,
            visibility: meta.visibility,
            udp_port: meta.udp_port,
            age_s: 0,
        };
        let players = self.players.values().filter(|player| !player.has_left);
        let seated = players.filter_map(SeatedPlayer::person).collect();
        let created_unix_ms = meta.created_unix_ms;
        SharedRow { row, creator: meta.creator, seated, created_unix_ms }
    }

    fn stage(&self) -> Stage {
        if self.has_started() {
            let first = Stage::Waiting { missing: Some(1) };
            return if self.has_company { Stage::Playing } else { first };
        }
        let is_present = |player: &&SeatedPlayer| !player.has_left && !player.is_bot();
        let present = self.players.values().filter(is_present).count();
        Stage::Waiting { missing: self.meta.start.missing(present) }
    }

    fn has_seated(&self, person: PlayerId) -> bool {
        self.players.values().any(|player| player.person() == Some(person))
    }
}
