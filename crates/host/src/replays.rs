//! Replays of finished games: a journal becomes the data of its page and a recording that can be shared. Bounded: a few
//! are kept, and a few are computed at the same time.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use nuggets_record::{BadRecord, CatchUp, CatchUpError, ReadError, Recording};
use nuggets_replay::page::ReplayData;
use thiserror::Error;
use tokio::sync::Semaphore;

use crate::locks::lock;
use crate::{GameId, StoreError};

/// The replay of one finished game.
#[derive(Debug)]
pub struct FinishedReplay {
    /// The data without its frames, which the page itself shows.
    pub summary: ReplayData,
    /// The data as JSON: the response of `/api/games/{id}/replay`.
    pub json: String,
    /// The recording, without the tokens of players: the response of `/g/{id}/recording`.
    pub recording: Vec<u8>,
}

/// Why a game has no replay.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The game still runs, so players must not see the views of others yet.
    #[error("this game is still running: it has a replay when it is over")]
    Running,
    /// The journal is too large.
    #[error("the journal of this game is too large for a replay")]
    TooLarge,
    /// The journal is damaged, or of another version.
    #[error("the journal of this game can't be replayed: {0}")]
    Unreadable(#[from] ReadError),
    /// The journal does not replay to the recorded game.
    #[error("the journal of this game can't be replayed: {0}")]
    Bad(#[from] BadRecord),
    /// The recording can't be made from the journal.
    #[error("the journal of this game can't be shared: {0}")]
    Unshared(#[from] CatchUpError),
    /// The computation failed.
    #[error("the replay of this game could not be computed")]
    Failed,
}

/// The maximum size of a journal: more than any game of people needs.
const MAX_JOURNAL_BYTES: usize = 64 << 20;
/// The approximate memory limit of the cache.
const MAX_KEPT_BYTES: usize = 64 << 20;
/// The maximum number of replays that are computed at the same time.
const MAX_AT_ONCE: usize = 2;

/// The replays of finished games, computed on demand and cached.
#[derive(Debug)]
pub struct Replays {
    kept: Mutex<CachedReplays>,
    permits: Semaphore,
}

/// The cache of replays, with the most recently used at the back.
#[derive(Debug, Default)]
struct CachedReplays {
    replays: VecDeque<(GameId, Arc<FinishedReplay>)>,
    bytes: usize,
}

impl Default for Replays {
    fn default() -> Self {
        Self { kept: Mutex::default(), permits: Semaphore::new(MAX_AT_ONCE) }
    }
}

impl Replays {
    /// Returns the replay of a game. `journal` must be `None` while the game runs (see `Store::recording`), because a replay
    /// shows the views of all players.
    pub async fn get(
        &self,
        id: GameId,
        journal: impl Future<Output = Result<Option<Vec<u8>>, StoreError>>,
    ) -> Result<Arc<FinishedReplay>, ReplayError> {
        if let Some(kept) = lock(&self.kept).take(id) {
            return Ok(kept);
        }
        let _permit = self.permits.acquire().await.map_err(|_| ReplayError::Failed)?;
        // Another request may have computed the same replay in the meantime.
        if let Some(kept) = lock(&self.kept).take(id) {
            return Ok(kept);
        }
        let journal = journal.await?.ok_or(ReplayError::Running)?;
        let computed = tokio::task::spawn_blocking(move || FinishedReplay::new(&journal)).await;
        let replay = Arc::new(computed.map_err(|_| ReplayError::Failed)??);
        lock(&self.kept).add(id, &replay, MAX_KEPT_BYTES);
        Ok(replay)
    }
}

impl CachedReplays {
    fn take(&mut self, id: GameId) -> Option<Arc<FinishedReplay>> {
        let index = self.replays.iter().position(|(kept, _)| *kept == id)?;
        let found = self.replays.remove(index)?;
        let replay = found.1.clone();
        self.replays.push_back(found);
        Some(replay)
    }

    fn add(&mut self, id: GameId, replay: &Arc<FinishedReplay>, max_bytes: usize) {
        self.bytes += replay.bytes();
        self.replays.push_back((id, replay.clone()));
        while self.bytes > max_bytes
            && let Some((_, oldest)) = self.replays.pop_front()
        {
            self.bytes -= oldest.bytes();
        }
    }
}

impl FinishedReplay {
    /// Replays the journal of a finished game.
    pub fn new(journal: &[u8]) -> Result<Self, ReplayError> {
        if journal.len() > MAX_JOURNAL_BYTES {
            return Err(ReplayError::TooLarge);
        }
        let journal = Recording::read(journal)?.recording;
        let recording = CatchUp::of(b"", &journal)?.bytes;
        let mut data = ReplayData::of(journal)?;
        let json = serde_json::to_string(&data).map_err(|_| ReplayError::Failed)?;
        data.frames = vec![];
        Ok(Self { summary: data, json, recording })
    }

    /// Returns the data without its frames as JSON: players, events, purses, results.
    pub fn summary_json(&self) -> String {
        serde_json::to_string(&self.summary).expect("plain data has JSON")
    }

    fn bytes(&self) -> usize {
        self.json.len() + self.recording.len()
    }
}

#[cfg(test)]
mod tests;
