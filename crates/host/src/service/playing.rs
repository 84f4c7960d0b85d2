//! Games that have just ended: players see the end a little earlier than the results are stored.

use std::time::Duration;

use super::Service;
use crate::{FinishedGame, GameId, StoreError};

/// How long the results of a game that has just ended may take to be stored.
const RESULTS_TIMEOUT: Duration = Duration::from_secs(2);
/// How long to wait before looking again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

impl Service {
    /// A game that is over. Players see its end a little earlier than its results are stored, and then open its replay.
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
