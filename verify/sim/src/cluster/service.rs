//! The service of a process: its lobby and its games, and everything that these send. What is sent to clients was stored before.

use std::rc::Rc;

use nuggets_game::Setup;
use nuggets_host::cluster::routes::Epoch;
use nuggets_host::{
    GameCommand, GameId, GameMeta, GameOutput, GameReport, HostedGame, LobbyEffect, NewGame,
    OpenGame, PreparedGame, is_finished,
};
use nuggets_record::{Reading, Recording};

use super::checks::WatchedGame;
use super::database::DatabaseRequest;
use super::game_cell::{CommitJournal, OwnedCell, SimJournal};
use super::run::WebRun;

impl WebRun {
    /// The lobby of the first process of each node creates its share of the planned games.
    pub(super) fn create_planned(&mut self, node: usize) {
        let ids: Vec<GameId> = self.games.keys().copied().collect();
        let run = self.nodes[node].member.run.0;
        for (number, id) in ids.into_iter().enumerate() {
            if run != (number % self.nodes.len()) as u64 + 1 {
                continue;
            }
            let who = self.people[number % self.plan.people].who.clone();
            let (Some(watched), Some(process)) =
                (self.games.get_mut(&id), self.nodes[node].process.as_mut())
            else {
                return;
            };
            let Some(spec) = watched.spec.take() else { continue };
            let prepared =
                PreparedGame { setup: watched.setup.clone(), map_name: "own".to_owned() };
            let created = process.lobby.create(self.log.now, &who, NewGame { id, spec, prepared });
            self.expect(created.map(drop).map_err(|why| why.to_string()));
            self.run_effects(node);
        }
    }

    /// Opens a new game: at once, or when the database has stored it.
    fn create(&mut self, node: usize, meta: GameMeta, setup: Setup) {
        let game = meta.id;
        let watched = self.games.entry(game).or_insert_with(|| WatchedGame::new(setup, None));
        watched.meta = Some(meta);
        if self.plan.disk.is_some() {
            self.open_cell(node, game, Epoch(1), None);
        } else {
            self.with_ownership(node, |it| it.handle_creating(game));
            self.send(node, DatabaseRequest::Create(game));
        }
    }

    /// Runs the games whose files say that they are not over.
    pub(super) fn resume_all(&mut self, node: usize) {
        let games: Vec<_> =
            self.games.iter().map(|(id, watched)| (*id, Rc::clone(&watched.file))).collect();
        for (game, file) in games {
            let mut file = file.borrow_mut();
            match Recording::read(&file) {
                _ if file.is_empty() => {}
                Err(why) => self.expect(Err(format!("the journal: {why}"))),
                Ok(reading) if is_finished(&reading) => {}
                Ok(reading) => {
                    file.truncate(reading.good_bytes);
                    drop(file);
                    self.resume(node, game, Epoch(1), reading);
                }
            }
        }
    }

    pub(super) fn resume(&mut self, node: usize, game: GameId, epoch: Epoch, journal: Reading) {
        if let (Some(WatchedGame { meta: Some(meta), setup, .. }), Some(process)) =
            (self.games.get(&game), self.nodes[node].process.as_mut())
        {
            process.lobby.resume(self.log.now, meta.clone(), setup.clone());
            self.open_cell(node, game, epoch, Some(journal));
        }
    }

    pub(super) fn open_cell(
        &mut self,
        node: usize,
        game: GameId,
        epoch: Epoch,
        journal: Option<Reading>,
    ) {
        self.openings += 1;
        let local = self.nodes[node].local(self.log.now);
        let Some(WatchedGame { meta: Some(meta), setup, file, .. }) = self.games.get(&game) else {
            return;
        };
        let Some(process) = self.nodes[node].process.as_mut() else { return };
        process.clock.set(local);
        let is_open = Rc::new(());
        let closed = Rc::downgrade(&is_open);
        let storage = if self.plan.disk.is_some() {
            SimJournal::File(Rc::clone(file))
        } else {
            SimJournal::Commits(CommitJournal {
                ownership: Rc::clone(&process.ownership),
                clock: Rc::clone(&process.clock),
                game,
                epoch,
                sabotage: self.plan.sabotage,
                _is_open: is_open,
            })
        };
        let new = OpenGame::new(meta.clone(), setup.clone(), storage);
        match HostedGame::open(local, OpenGame { journal, nonce: self.openings, ..new }) {
            Ok(hosted) => {
                let cell = OwnedCell::new(hosted, epoch, self.log.now, closed);
                process.cells.insert(game, cell);
            }
            Err(why) => self.expect(Err(format!("{game}: {why}"))),
        }
    }

    /// Timeouts, reports and output of all games of a process, and of its lobby.
    pub(super) fn pump_cells(&mut self, node: usize) {
        loop {
            let local = self.nodes[node].local(self.log.now);
            let Some(process) = self.nodes[node].process.as_mut() else { return };
            let (mut failed, mut acted) = (None, vec![]);
            let (mut answers, mut texts, mut datagrams) = (vec![], vec![], vec![]);
            for (game, cell) in &mut process.cells {
                if cell.hosted.poll_timeout().is_some_and(|due| due <= local) {
                    cell.hosted.handle(local, GameCommand::Timeout);
                }
                while let Some(output) = cell.hosted.poll_output() {
                    match output {
                        GameOutput::Report(GameReport::Failed { why }) => {
                            failed = Some(format!("{game} has failed: {why}"));
                        }
                        GameOutput::Report(report) => {
                            process.lobby.handle_report(self.log.now, *game, report);
                        }
                        GameOutput::Answer(to, attached) => answers.push((*game, to, *attached)),
                        GameOutput::Direct(to, line) => {
                            let line = serde_json::to_string(&line);
                            texts.extend(line.map(|text| (to, local, text)));
                        }
                        GameOutput::Datagram(to, bytes) => datagrams.push((*game, to, bytes)),
                    }
                }
                acted.extend(std::mem::take(&mut cell.has_acted).then_some(*game));
                texts.extend(cell.read(local));
            }
            self.expect(failed.map_or(Ok(()), Err));
            if self.plan.disk.is_some() {
                let games: Vec<GameId> = self.games.keys().copied().collect();
                let synced = games.into_iter().try_for_each(|game| self.sync(game));
                self.expect(synced);
            }
            let has_effects = self.run_effects(node);
            for game in acted {
                self.expect(self.check_acts(node, game));
            }
            for (game, to, attached) in answers {
                self.handle_attached(node, game, to, attached);
            }
            for (to, read_at, text) in texts {
                self.send_down(to, read_at, text);
            }
            self.send_datagrams(datagrams);
            if !has_effects {
                return;
            }
        }
    }

    /// Carries out the effects of the lobby of a process. Returns true if there were any.
    pub(super) fn run_effects(&mut self, node: usize) -> bool {
        let local = self.nodes[node].local(self.log.now);
        let mut has_any = false;
        while let Some(process) = self.nodes[node].process.as_mut()
            && let Some(effect) = process.lobby.poll_effect()
        {
            has_any = true;
            match effect {
                LobbyEffect::Open { meta, setup } => self.create(node, *meta, *setup),
                LobbyEffect::StoreMeta(meta) => {
                    self.games.entry(meta.id).and_modify(|it| it.meta = Some(*meta));
                }
                LobbyEffect::Game(game, command) => {
                    if let Some(cell) = process.cells.get_mut(&game) {
                        cell.handle(local, command);
                    }
                }
                LobbyEffect::Finish(game, _) => {
                    let epoch = process.cells.get(&game).map(|cell| cell.epoch);
                    if let Some(epoch) = epoch.filter(|_| self.plan.disk.is_none()) {
                        self.send(node, DatabaseRequest::Finish(game, epoch));
                    }
                }
                other => self.expect(Err(format!("an effect without a command: {other:?}"))),
            }
        }
        has_any
    }
}
