//! The games of this node: opened from the replicated log, closed, and their results kept.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use nuggets_cluster::{LogName, LogState, Ownership};
use nuggets_record::Recording;
use tracing::{error, info, warn};

use super::ClusterShell;
use crate::cluster::driver::{game_of, log_of};
use crate::cluster::effect::Input;
use crate::cluster::messages::Details;
use crate::cluster::{lock, log_file};
use crate::store::write_atomically;
use crate::workers::relay::{Relay, RelayStorage};
use crate::{GameId, GameReport, WorkerGame};

impl ClusterShell {
    /// Runs a game from its journal; a new one if that is empty.
    pub(super) fn open_game(&mut self, log: &LogName, epoch: u64, journal: &[u8]) {
        if let Err(why) = self.try_open_game(log, epoch, journal) {
            self.cluster.input(Input::OpenFailed(log.clone(), why));
        }
    }

    fn try_open_game(&mut self, log: &LogName, epoch: u64, journal: &[u8]) -> Result<(), String> {
        let Details { mut meta, mut setup } =
            self.driver.details(log).ok_or("its recipe can't be read")?;
        let mut reading = None;
        if !journal.is_empty() {
            let read = Recording::read(journal).map_err(|why| why.to_string())?;
            setup = read.recording.header.setup.clone();
            reading = Some(read);
        }
        let game = meta.id;
        self.service.handle_known(&meta, || Some(setup.clone()));
        // The task of the port belongs to the runtime of the host, not to this thread.
        let of_host = self.runtime.enter();
        let udp = self.service.open_udp_of_node(&mut meta);
        drop(of_host);
        if let Some(udp) = &udp {
            self.udp.insert(game, Arc::clone(&udp.send));
        }
        let journal = RelayStorage::default();
        let cluster = Arc::clone(&self.cluster);
        let sink = Arc::new(move |output| cluster.input(Input::Output(output)));
        let storage = journal.storage();
        let relay = Some(Relay { epoch, sink, journal });
        let worker = WorkerGame { meta, setup, journal: reading, storage, udp, relay };
        self.service.workers.open_game(worker);
        info!("game {game} runs here, in epoch {epoch}");
        Ok(())
    }

    pub(super) fn close_game(&mut self, game: GameId) {
        self.udp.remove(&game);
        self.service.close_game_of_node(game);
    }

    /// What an own game has reported is in the log: the lobby may know it.
    pub(super) fn pass_on_reports(&mut self, game: GameId, reports: Vec<GameReport>) {
        for report in reports {
            if matches!(report, GameReport::Over { .. } | GameReport::Failed { .. }) {
                self.write_journal(game);
                if self.service.has_ended(game) {
                    // The former owner has said so, and perhaps did not live to store the results.
                    let meta = self.driver.details(&log_of(game)).map(|details| details.meta);
                    self.service.finish_taken_over(&self.runtime, game, meta);
                } else {
                    lock(&self.cluster.finishing).insert(game);
                }
            }
            self.service.workers.report(game, report);
        }
    }

    /// The journal of a game that is over, from the own copy of its log, for its replay and its results.
    fn write_journal(&self, game: GameId) {
        let store = &self.service.store;
        let log = store.games_folder().join(format!("{}.log", log_of(game)));
        if let Err(why) = copy_journal(&log, &store.journal_path(game)) {
            error!("can't write the journal of game {game}: {why}");
        }
    }

    /// Every node knows all games.
    pub(super) fn handle_known(&mut self, log: &LogName, record: &Ownership) {
        let Some(game) = game_of(log) else { return };
        match record.state {
            LogState::Running => {
                let details = &record.details;
                let Some(meta) = Details::meta(details) else {
                    return warn!("what is known of game {game} can't be read");
                };
                let setup = || Details::decode(details).map(|details| details.setup);
                self.service.handle_known(&meta, setup);
            }
            LogState::Finished => {
                if !self.service.has_ended(game) {
                    let over = GameReport::Over { results: vec![] };
                    self.service.handle_others_reports(&self.runtime, game, vec![over]);
                }
                self.remove_log(game);
            }
            LogState::Failed => {
                let why = "its log contradicts a copy of it".to_owned();
                let failed = GameReport::Failed { why };
                self.service.handle_others_reports(&self.runtime, game, vec![failed]);
            }
        }
    }

    /// The own copy of a log that nobody writes any more is replaced by the journal.
    fn remove_log(&self, game: GameId) {
        let store = &self.service.store;
        let (folder, journal) = (store.games_folder(), store.journal_path(game));
        let log = folder.join(format!("{}.log", log_of(game)));
        if log.exists() && journal.exists() {
            // It is of no use any more, but does no harm either.
            let _ = fs::remove_file(log);
        }
    }
}

fn copy_journal(log: &Path, journal: &Path) -> std::io::Result<()> {
    let (_, records) = log_file::LogFile::open(log)?;
    let mut bytes = Vec::new();
    for record in records {
        let record = nuggets_cluster::LogRecord::decode(&record).map_err(std::io::Error::other)?;
        bytes.extend(log_file::journal_bytes(record));
    }
    write_atomically(journal, &bytes)
}
