//! The checks: of safety at any time, and of liveness after all faults.

use std::collections::BTreeMap;

use nuggets_game::Setup;
use nuggets_host::cluster::routes::{Epoch, RunId};
use nuggets_host::{AttachError, AttachRole, ConnectionId, GameId, GameMeta, GameSpec};
use nuggets_time::Timestamp;

use super::classic::ClassicClient;
use super::game_cell::JournalFile;
use super::people::{Place, SimPerson};
use super::run::{START, WebRun};
use crate::host::{Screen, Shown, ShownPicture, Truth, WatchedJournal};

/// The longest time in which keys act after a commit was sent, for the slowest clock.
pub(super) const PROOF_MS: u64 = 1_060;
/// The shortest time without a renewal that lets others claim, for the fastest clock.
const MIN_LEASE_MS: u64 = 1_400;
/// A claim is decided by renewals, or gaps between them, within this time.
const CLAIM_MS: u64 = 5_000;

/// The port of the first client of the specification.
const FIRST_PORT: u16 = 4000;

/// A game as the simulation watches it.
#[derive(Debug)]
pub(super) struct WatchedGame {
    /// The choices of its creator, until it is created.
    pub(super) spec: Option<GameSpec>,
    pub(super) setup: Setup,
    /// The metadata stored beside its journal.
    pub(super) meta: Option<GameMeta>,
    /// The journal of a host without a database.
    pub(super) file: JournalFile,
    /// The journal as it was last seen.
    journal: WatchedJournal,
    writers: BTreeMap<Epoch, RunId>,
    /// Keys of people that acted, and how many of them before all faults had ended.
    acted: u64,
    acted_before: u64,
    is_served: bool,
}

impl WatchedGame {
    pub(super) fn new(setup: Setup, spec: Option<GameSpec>) -> Self {
        Self {
            spec,
            setup,
            meta: None,
            file: JournalFile::default(),
            journal: WatchedJournal::default(),
            writers: BTreeMap::new(),
            acted: 0,
            acted_before: 0,
            is_served: false,
        }
    }

    pub(super) fn truth(&self) -> &Truth {
        &self.journal.truth
    }

    pub(super) fn find(&mut self, shown: &mut Shown, by: Timestamp) -> Result<(), String> {
        self.journal.truth.find(shown, by)
    }

    /// Continues with the journal as it is now. Keys act at most once and in order.
    fn extend(&mut self, now: Timestamp, people: &[SimPerson]) -> Result<(), String> {
        let file = self.file.borrow();
        if file.is_empty() {
            self.journal.play(now)?;
        } else {
            self.journal.truth.extend(now, &file)?;
        }
        let truth = &mut self.journal.truth;
        for person in people.iter().filter(|person| person.numbers_connections) {
            let seats = truth.seats.iter_mut().filter(|seat| seat.name == person.who.name);
            for seat in seats {
                self.acted += seat.new_keys() as u64;
                seat.find_keys(|at| person.key(at))?;
            }
        }
        Ok(())
    }
}

impl WebRun {
    /// Games and people of the plan.
    pub(super) fn plan_games(&mut self) {
        let mut ids = Vec::new();
        for plan in self.plan.games.clone() {
            let id = self.random_id();
            self.games.insert(id, WatchedGame::new(plan.setup, Some(plan.spec)));
            ids.push(id);
        }
        for number in 0..self.plan.people {
            let watches = number >= ids.len() && self.rng.below(3) == 0;
            let role = if watches { AttachRole::Watch(None) } else { AttachRole::Play };
            let game = ids[number % ids.len()];
            let mut person = SimPerson::new(number, game, role, self.log.now);
            person.numbers_connections = self.plan.disk.is_none() || number % 2 == 0;
            self.people.push(person);
            self.after(50, move |it| it.tick(number));
        }
        let classics = self.plan.disk.as_ref().map_or(0, |disk| disk.classics);
        for number in self.people.len()..self.people.len() + classics {
            let game = ids[self.rng.index(ids.len())];
            let mut person = SimPerson::new(number, game, AttachRole::Play, self.log.now);
            let port = FIRST_PORT + u16::try_from(number).expect("there are few people");
            person.classic = Some(ClassicClient { port, sent: Screen::default() });
            person.numbers_connections = false;
            self.people.push(person);
            self.after(50, move |it| it.tick(number));
        }
        if classics > 0 {
            self.deliver_datagrams();
        }
    }

    /// Reads what the standby has of a journal: it only grows, has no holes, and each epoch has one writer.
    pub(super) fn sync(&mut self, game: GameId) -> Result<(), String> {
        let Some(watched) = self.games.get_mut(&game) else { return Ok(()) };
        if self.plan.disk.is_some() {
            return watched.extend(self.log.now, &self.people);
        }
        let Some(rows) = self.database.durable().rows(game) else { return Ok(()) };
        if self.plan.loses_records {
            let bytes: Vec<u8> = rows.values().flat_map(|row| row.bytes.iter().copied()).collect();
            if bytes != watched.journal.bytes() {
                // Rows that were lost may come again in another form.
                watched.journal = WatchedJournal::default();
                watched.writers.clear();
            }
        }
        let known = watched.journal.rows();
        if (rows.len() as u64) < known {
            return Err(format!("the journal of {game} has lost rows"));
        }
        for (number, row) in rows.range(known..) {
            let writer = *watched.writers.entry(row.epoch).or_insert(row.run);
            if writer != row.run {
                return Err(format!("{game}: two nodes have written in epoch {}", row.epoch.0));
            }
            let added = watched.journal.add(*number, row.epoch.0, &row.bytes);
            added.map_err(|why| format!("{game}: {why}"))?;
        }
        if watched.journal.rows() == known {
            return Ok(());
        }
        watched.extend(self.log.now, &self.people).map_err(|why| format!("{game}: {why}"))
    }

    /// Everything that a client was shown is in the journal, and never goes back.
    /// A watcher with a delay sees no more than what was so at the time that the text is as old as.
    pub(super) fn check_shown(&mut self, number: usize, read_at: Timestamp) -> Result<(), String> {
        let game = self.people[number].game;
        self.sync(game)?;
        let shown = &mut self.people[number].screen.shown;
        if self.plan.loses_records {
            shown.pictures.clear();
            shown.gold.clear();
            return Ok(());
        }
        if shown.pictures.is_empty() && shown.gold.is_empty() {
            return Ok(());
        }
        let watched = self.games.get_mut(&game).filter(|it| !it.journal.truth.is_empty());
        let watched = watched.ok_or("a client is shown a game that is not stored")?;
        // Journals of a database are looked at from time to time only.
        let by = if self.plan.disk.is_some() { read_at } else { self.log.now };
        let found = watched.find(shown, by);
        found.map_err(|why| format!("client {number}: {why}"))
    }

    /// An input acts only if a commit has proved the epoch a moment ago.
    pub(super) fn check_acts(&self, node: usize, game: GameId) -> Result<(), String> {
        let Some(process) = self.nodes[node].process.as_ref() else { return Ok(()) };
        let Some(cell) = process.cells.get(&game) else { return Ok(()) };
        let proof = (game, cell.epoch, self.nodes[node].member.run);
        let proof = self.database.proofs.get(&proof).copied().unwrap_or(START);
        if process.proven_at.after(PROOF_MS) < self.log.now {
            return Err(format!("n{node} applies input to {game} without a recent commit"));
        }
        if proof.max(cell.opened_at) < process.gap_end {
            return Err(format!("n{node} applies input to {game} before a commit proves it"));
        }
        Ok(())
    }

    /// A join, return or watch is answered after a commit that began after it arrived.
    pub(super) fn check_answer(
        &self,
        node: usize,
        game: GameId,
        arrived_at: Timestamp,
    ) -> Result<(), String> {
        let Some(process) = self.nodes[node].process.as_ref() else { return Ok(()) };
        let Some(cell) = process.cells.get(&game) else { return Ok(()) };
        match self.database.proofs.get(&(game, cell.epoch, self.nodes[node].member.run)) {
            Some(began) if *began >= arrived_at => Ok(()),
            _ if self.plan.loses_records || !cell.is_open() => Ok(()),
            _ => Err(format!("n{node} answers a connection to {game} without a commit")),
        }
    }

    pub(super) fn is_over(&self, game: GameId) -> bool {
        self.database.durable().finished.contains_key(&game)
    }

    /// A connection may be rejected, but no person loses a seat.
    pub(super) fn check_rejected(
        &self,
        number: usize,
        id: ConnectionId,
        why: &AttachError,
    ) -> Result<(), String> {
        let person = &self.people[number];
        let truth = self.games[&person.game].truth();
        let is_playing =
            person.letter().is_some_and(|letter| !truth.is_over() && !truth.has_left(letter));
        let is_allowed = match why {
            AttachError::Over => true,
            AttachError::Superseded => person.connection != Some(id),
            AttachError::Plays => person.role != AttachRole::Play,
            _ => self.plan.loses_records,
        };
        if is_playing && !is_allowed {
            return Err(format!("client {number} has lost its seat: {why}"));
        }
        Ok(())
    }

    /// A game is claimed only if its owner is gone, or has not renewed its lease for long enough.
    pub(super) fn check_claims(&mut self) -> Result<(), String> {
        for (game, before) in std::mem::take(&mut self.database.claims) {
            self.log.count("claims", 1);
            let now = self.log.now;
            let renewals = self.database.renewals.get(&before).map_or(&[][..], |it| &it[..]);
            let ends = renewals.iter().skip(1).chain([&now]);
            let is_long = |(from, to): (&Timestamp, &Timestamp)| {
                to.since(*from) >= MIN_LEASE_MS && now.since(*to) < CLAIM_MS
            };
            let has_gap = renewals.is_empty() || renewals.iter().zip(ends).any(is_long);
            let is_listed = self.database.durable().has_run(before);
            let is_checked = !self.plan.loses_records && !self.plan.ignores_leases;
            if is_listed && !has_gap && is_checked {
                return Err(format!("{game} was claimed although its owner lives"));
            }
        }
        Ok(())
    }

    /// All faults have ended.
    pub(super) fn note_calm(&mut self) {
        for watched in self.games.values_mut() {
            watched.acted_before = watched.acted;
        }
    }

    /// True if every game is served: a key acts, and its player has the right picture; or it is over, and the results are
    /// stored. On a host, every person and every lobby must have the current state.
    pub(super) fn is_recovered(&mut self) -> bool {
        let ids: Vec<GameId> = self.games.keys().copied().collect();
        for game in ids {
            let checked = self.sync(game);
            self.expect(checked);
            let is_served = self.is_served(game);
            if let Some(watched) = self.games.get_mut(&game) {
                watched.is_served |= is_served;
            }
        }
        if self.plan.disk.is_some() {
            self.expect(self.check_lobby());
            return self.have_people_settled();
        }
        self.games.values().all(|watched| watched.is_served)
    }

    fn have_people_settled(&mut self) -> bool {
        let mut settled = 0;
        for person in self.people.iter_mut().filter(|person| !person.has_settled) {
            let truth = self.games[&person.game].truth();
            let (view, picture) = (person.screen.shown.view, person.screen.picture());
            let is_delayed = person.role != AttachRole::Play
                && person.screen.hello.as_ref().is_some_and(|hello| hello.delay_s > 0);
            let is_current = |it: &ShownPicture| match person.classic {
                Some(_) => it.rows == picture.rows,
                None => *it == picture,
            };
            let has_place = person.place == Place::Given || person.classic.is_some();
            let has_picture =
                has_place && (is_delayed || truth.current(view).is_some_and(is_current));
            let has_left = view.is_some_and(|letter| truth.has_left(letter));
            settled += u64::from(has_picture || has_left);
            let has_no_place = person.place == Place::Refused
                || person.screen.is_over
                || person.classic.is_some() && (view.is_none() || truth.is_over());
            person.has_settled = has_picture || has_left || has_no_place;
        }
        self.log.count("settled", settled);
        self.people.iter().all(|person| person.has_settled)
    }

    /// The lobby shows the true state of every game.
    fn check_lobby(&self) -> Result<(), String> {
        let Some(process) = &self.nodes[0].process else { return Ok(()) };
        for game in process.cells.keys() {
            let truth = self.games[game].truth();
            let Some(row) = process.lobby.row(self.log.now, *game, None) else {
                if truth.is_over() {
                    continue;
                }
                return Err(format!("the lobby has lost the game {game}"));
            };
            let shown = (row.gold_left, row.players.len());
            let real = (truth.game().remaining(), truth.game().players().len());
            if shown != real {
                return Err(format!(
                    "the lobby shows {shown:?}, but {real:?} is so, in game {game}"
                ));
            }
        }
        Ok(())
    }

    fn is_served(&self, game: GameId) -> bool {
        let durable = self.database.durable();
        let Some(watched) = self.games.get(&game) else { return true };
        let truth = &watched.journal.truth;
        let is_gone = durable.row(game).is_none();
        if self.is_over(game) || is_gone && (truth.is_empty() || self.plan.loses_records) {
            return true;
        }
        let has_picture = |person: &SimPerson| {
            let view = person.screen.shown.view;
            let is_player = person.game == game && person.place == Place::Given && view.is_some();
            is_player && truth.current(view) == Some(&person.screen.picture())
        };
        watched.acted > watched.acted_before && self.people.iter().any(has_picture)
    }

    /// The results of every finished game are stored once.
    pub(super) fn check_end(&mut self) -> Result<(), String> {
        for watched in self.games.values() {
            self.log.count("games", 1);
            self.log.count("pictures", watched.truth().found);
            // A journal that has lost records is counted again from its beginning.
            self.log.count("acted", if self.plan.loses_records { 0 } else { watched.acted });
        }
        let calm_since = self.calm_since.unwrap_or(self.log.now);
        self.log.count("longest_recovery_ms", self.log.now.since(calm_since));
        let over = self.games.values().filter(|watched| watched.truth().is_over()).count();
        let finished = self.database.durable().finished.len();
        self.log.count("over", if self.plan.disk.is_some() { over } else { finished } as u64);
        self.log.count("datagrams_lost", self.network.tally().lost);
        self.log.count("virtual_ms", self.log.passed_ms());
        for (game, (_, results)) in &self.database.durable().finished {
            if *results != 1 {
                return Err(format!("the results of {game} are stored {results} times"));
            }
        }
        Ok(())
    }

    pub(super) fn describe_unserved(&self) -> String {
        let unserved = self.games.iter().filter(|(_, watched)| !watched.is_served);
        let describe = |(game, watched): (&GameId, &WatchedGame)| {
            let row = self.database.durable().row(*game);
            let ended = watched.journal.truth.is_over();
            let keys = watched.acted - watched.acted_before;
            let people = self.people.iter().filter(|person| person.game == *game);
            let people: Vec<(Place, Option<char>)> =
                people.map(|person| (person.place, person.screen.shown.view)).collect();
            format!("{game} ({row:?}, over: {ended}, {keys} keys acted, people {people:?})")
        };
        let unserved: Vec<String> = unserved.map(describe).collect();
        let unsettled = self.people.iter().filter(|it| !it.has_settled && self.plan.disk.is_some());
        let unsettled: Vec<&str> = unsettled.map(|it| it.who.name.as_str()).collect();
        format!(
            "15 s after the last fault these games are not served: {}; people without the current state: {unsettled:?}",
            unserved.join(", ")
        )
    }
}
