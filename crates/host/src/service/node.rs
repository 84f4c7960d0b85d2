//! What is different on a node of a cluster: games run on one node and are known to all.

use std::collections::BTreeSet;
use std::sync::Arc;

use nuggets_game::Setup;
use tokio::runtime::Handle;

use super::{Service, now};
use crate::{Ban, GameId, GameMeta, GameReport, LobbyError, PlayerId, UdpPort};

impl Service {
    /// A game of any node is known: it is in the lobby of all. `setup` is asked for if it is new here.
    pub(crate) fn handle_known(&self, meta: &GameMeta, setup: impl FnOnce() -> Option<Setup>) {
        let is_new = !self.lobby().update_meta(meta);
        if is_new && let Some(setup) = setup() {
            self.lobby().resume(now(), meta.clone(), setup);
        }
    }

    /// A game of another node has reported something.
    pub(crate) fn handle_others_reports(
        self: &Arc<Self>,
        runtime: &Handle,
        game: GameId,
        reports: Vec<GameReport>,
    ) {
        let mut lobby = self.lobby();
        for report in reports {
            lobby.handle_report(now(), game, report);
        }
        drop(lobby);
        let service = Arc::clone(self);
        runtime.spawn(async move { service.run_effects().await });
    }

    /// The people of a game that this node owns play this one next, as somebody at any node has decided.
    pub(crate) fn set_next(self: &Arc<Self>, runtime: &Handle, game: GameId, next: GameId) {
        self.lobby().set_next(game, next);
        let service = Arc::clone(self);
        runtime.spawn(async move { service.run_effects().await });
    }

    /// Whether the lobby knows that a game is over, or does not know it at all.
    pub(crate) fn has_ended(&self, game: GameId) -> bool {
        self.lobby().has_ended(game)
    }

    /// The bans of all nodes have changed.
    pub(crate) fn replace_bans(&self, bans: Vec<Ban>) {
        for ban in &bans {
            self.connected.close_banned(*ban);
        }
        self.lobby().replace_bans(bans);
    }

    /// Rejects a person who is banned.
    pub(crate) fn ensure_person_not_banned(&self, person: PlayerId) -> Result<(), LobbyError> {
        self.lobby().ensure_person_not_banned(person)
    }

    /// The classic port of a game that begins to run on this node. A port of another node means nothing here.
    pub(crate) fn open_udp_of_node(&self, meta: &mut GameMeta) -> Option<UdpPort> {
        meta.udp_port = meta.udp_port.filter(|port| self.lobby().has_udp_port(*port));
        self.open_udp(meta, &BTreeSet::new())
    }

    /// A game does not run on this node any more.
    pub(crate) fn close_game_of_node(&self, game: GameId) {
        self.close_udp(game);
        self.workers.close_game(game);
    }

    /// All games are handed over.
    pub(crate) fn handle_drained(&self) {
        self.drained.notify_one();
    }
}
