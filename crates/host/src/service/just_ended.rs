//! Games that have just ended: players see the end slightly before the results are stored.

use std::time::Duration;

use super::Service;
use crate::{FinishedGame, GameId, StoreError};

/// Maximum wait for the results of a game that has just ended to be stored.
const RESULTS_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval between two queries for the results.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

impl Service {
    /// Returns a finished game. Waits briefly for the results of a game that has just ended: players see the end slightly
    /// before the results are stored, and may open the replay at once.
    pub(crate) async fn finished_game(
        &self,
        game: GameId,
    ) -> Result<Option<FinishedGame>, StoreError> {
        let end = tokio::time::Instant::now() + RESULTS_TIMEOUT;
        loop {
            let is_known = self.meta(game).is_some();
            let found = self.store.finished_game(game).await?;
            if found.is_some() || !is_known || tokio::time::Instant::now() >= end {
                return Ok(found);
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }
}
