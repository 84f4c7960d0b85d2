//! The service of a host that shares its database: it takes games over from other hosts and hands them over, and its lobby
//! shows the games of all hosts.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use nuggets_record::Reading;

use super::{Service, now};
use crate::lobby::SharedRow;
use crate::{Ban, GameId, GameMeta, GameStorage, LobbyRow, OpenGame, PlayerId, StoreError};

/// Maximum time that a planned stop waits for all games to be handed over.
const LEAVE_LIMIT: Duration = Duration::from_secs(5);

impl Service {
    /// Runs a game that this host has taken over.
    pub(crate) fn run_taken_over(
        &self,
        mut meta: GameMeta,
        reading: Reading,
        storage: GameStorage,
    ) {
        // The port was one of another host.
        meta.udp_port = None;
        let setup = reading.recording.header.setup.clone();
        self.lobby().resume(now(), meta.clone(), setup.clone());
        let game = OpenGame { journal: Some(reading), ..OpenGame::new(meta, setup, storage) };
        self.run_game(game, &BTreeSet::new());
    }

    /// Closes a game that another host runs now: removes it from the lobby and closes its connections, whose clients reconnect
    /// to that host.
    pub(crate) fn close_game_of_node(&self, game: GameId) {
        self.close_udp(game);
        self.workers.close_game(game);
        self.lobby().remove(game);
        self.connected.close_moved(game);
    }

    /// Marks this node as drained, after all games were handed over.
    pub(crate) fn handle_drained(&self) {
        self.drained.notify_one();
    }

    /// Hands all games over to other hosts.
    pub(crate) async fn leave_cluster(&self) {
        if let Some(cluster) = &self.cluster {
            self.lobby().refuse_games();
            cluster.leave(LEAVE_LIMIT).await;
        }
    }

    /// Waits until a new game is stored, since other hosts see it only then.
    pub(crate) async fn ensure_stored(&self, game: GameId) -> Result<GameId, StoreError> {
        if let Some(cluster) = &self.cluster {
            cluster.stored(game).await?;
        }
        Ok(game)
    }

    /// Adds the games of other hosts and sorts all rows, newest first.
    pub(super) async fn with_elsewhere(
        &self,
        mut rows: Vec<LobbyRow>,
        viewer: Option<PlayerId>,
        is_listed: impl Fn(&SharedRow) -> bool,
    ) -> Vec<LobbyRow> {
        let Some(cluster) = &self.cluster else { return rows };
        let elsewhere = cluster.games_elsewhere().await;
        let own: BTreeSet<GameId> = rows.iter().map(|row| row.id).collect();
        let listed =
            elsewhere.iter().filter(|row| is_listed(row)).map(|row| row.row(now(), viewer));
        rows.extend(listed.filter(|row| !own.contains(&row.id)));
        rows.sort_by_key(|row| row.age_s);
        rows
    }

    /// Replaces all bans by those of the database, which any host may have changed.
    pub(crate) async fn replace_bans(self: &Arc<Self>, bans: Vec<Ban>) {
        let added = self.lobby().replace_bans(bans);
        for ban in added {
            self.connected.close_banned(ban);
        }
        self.run_effects().await;
    }
}
