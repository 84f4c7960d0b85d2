//! Resumes all unfinished games from their journals at startup. A game that can't be resumed is logged and skipped.

use std::collections::BTreeSet;
use std::path::Path;

use nuggets_server::JournalFile;
use tracing::{info, warn};

use super::{Service, now};
use crate::{GameMeta, Store, StoreError};

impl Service {
    /// Resumes these games; logs those that can't be resumed.
    pub(super) fn resume_all(&self, unfinished: Vec<GameMeta>) {
        let count = unfinished.len();
        let reserved: BTreeSet<u16> = unfinished.iter().filter_map(|meta| meta.udp_port).collect();
        let mut resumed = 0;
        for meta in unfinished {
            let id = meta.id;
            match self.resume(meta, &reserved) {
                Ok(()) => resumed += 1,
                Err(why) => warn!("game {id} can't be resumed: {why}. Its files are kept"),
            }
        }
        if count > 0 {
            info!("{resumed} of {count} unfinished games continue");
        }
    }

    fn resume(&self, meta: GameMeta, reserved: &BTreeSet<u16>) -> Result<(), String> {
        let path = self.store.journal_file(meta.id).ok_or("games in a database have no file")?;
        // Opening a missing journal would create it.
        if !path.exists() {
            return Err(format!("there is no journal '{}'", path.display()));
        }
        let journal = JournalFile::open(&path).map_err(|why| why.to_string())?;
        let header = journal.header().ok_or("its journal is empty")?;
        let setup = header.setup.clone();
        self.lobby().resume(now(), meta.clone(), setup.clone());
        self.run_game(self.with_file(meta, setup, journal), reserved);
        Ok(())
    }
}

/// Executes `--reindex`: rebuilds results and ratings from the journals.
pub(crate) fn reindex(folder: &Path, now_unix_ms: u64) -> Result<(), StoreError> {
    let done = Store::reindex(folder, now_unix_ms)?;
    for skipped in &done.skipped {
        warn!("skipped {skipped}");
    }
    info!("the index has {} finished games again", done.games);
    Ok(())
}
