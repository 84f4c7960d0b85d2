//! The things that all nodes share once a second: the figures of their games, bans, claimed names, and messages of the host.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tracing::debug;

use super::routes::RunId;
use super::status::{self, NodeStatus};
use super::{Cluster, NodeLoad, statements};
use crate::lobby::SharedRow;
use crate::service::Service;
use crate::{GameCommand, GameId, PlayerId, StoreError};

/// The lobby is at most this old.
const SHARE_EVERY: Duration = Duration::from_secs(1);

/// The games of other nodes, as they were read last.
#[derive(Debug, Default)]
pub(super) struct LobbyCache {
    rows: Arc<Vec<SharedRow>>,
    read_at: Option<Instant>,
}

/// The last things that this node has shared and read.
#[derive(Debug, Default)]
struct Shared {
    figures: BTreeMap<GameId, String>,
    /// The counter of changes of bans and claimed names.
    claims: Option<u64>,
    /// The last message that was sent to the people of this node; none before the first look.
    announcement: Option<u64>,
}

impl Cluster {
    /// The games that other nodes run, at most a second old. Without the database, those that were known last.
    pub(crate) async fn games_elsewhere(&self) -> Arc<Vec<SharedRow>> {
        let mut cache = self.lobby.lock().await;
        if cache.read_at.is_none_or(|at| at.elapsed() >= SHARE_EVERY) {
            let run = self.me.run;
            let read =
                self.store.autocommit(move |sql| statements::figures_of_others(sql, run)).await;
            if let Ok(texts) = read {
                let rows = texts.iter().filter_map(|text| serde_json::from_str(text).ok());
                cache.rows = Arc::new(rows.collect());
            }
            cache.read_at = Some(Instant::now());
        }
        Arc::clone(&cache.rows)
    }

    /// Shows a message to the people of all nodes.
    pub(crate) async fn announce(&self, text: String) -> Result<(), StoreError> {
        self.store.autocommit(move |sql| statements::announce(sql, &text)).await
    }

    /// All nodes, for the admin page.
    pub(crate) async fn nodes(&self) -> Result<Vec<NodeStatus>, StoreError> {
        let mut nodes = self.store.autocommit(status::nodes).await?;
        let ownership = self.ownership();
        for node in &mut nodes {
            node.lease_age_ms = ownership.unrenewed_ms(RunId(node.run));
        }
        Ok(nodes)
    }

    /// Asks a node, or this one, to hand its games over and to stop.
    pub(crate) async fn drain(&self, node: Option<String>) -> Result<bool, StoreError> {
        let node = node.unwrap_or_else(|| self.me.name.clone());
        self.store.autocommit(move |sql| statements::drain(sql, &node)).await
    }

    /// Shares and reads, once a second, until the node has stopped.
    pub(super) async fn share_lobby(self: Arc<Self>, service: Arc<Service>) {
        let mut shared = Shared::default();
        let mut tick = tokio::time::interval(SHARE_EVERY);
        while !*self.stopped.borrow() {
            tick.tick().await;
            if let Err(why) = self.share(&service, &mut shared).await {
                debug!("the lobby can't be shared: {why}");
            }
        }
    }

    async fn share(&self, service: &Arc<Service>, shared: &mut Shared) -> Result<(), StoreError> {
        self.share_figures(service, shared).await?;
        if let Some((version, bans)) = self.store.reread_claims(shared.claims).await? {
            shared.claims = Some(version);
            service.replace_bans(bans).await;
        }
        let after = shared.announcement.unwrap_or(0);
        let read = self.store.autocommit(move |sql| statements::announcements(sql, after));
        let announcements = read.await?;
        let is_first = shared.announcement.is_none();
        shared.announcement.get_or_insert(0);
        for (number, text) in announcements {
            shared.announcement = Some(number);
            if !is_first {
                service.workers.send_to_all(&GameCommand::Notice(text));
            }
        }
        let mut elsewhere: BTreeMap<PlayerId, usize> = BTreeMap::new();
        for row in self.games_elsewhere().await.iter() {
            *elsewhere.entry(row.creator).or_default() += 1;
        }
        service.lobby().set_elsewhere(elsewhere);
        Ok(())
    }

    /// Stores the figures of the games that have changed, and those of the node.
    async fn share_figures(
        &self,
        service: &Service,
        shared: &mut Shared,
    ) -> Result<(), StoreError> {
        let rows: Vec<SharedRow> = service.lobby().shared_rows().collect();
        let load = NodeLoad {
            waiting: self.ownership().waiting() as u64,
            games: rows.len() as u64,
            connections: service.connected.count() as u64,
            ..self.figures.load(self.clock.now())
        };
        let (mut changed, mut figures) = (BTreeMap::new(), BTreeMap::new());
        for row in rows {
            let game = row.row.id;
            let text = serde_json::to_string(&row).expect("a row has only texts and numbers");
            if shared.figures.get(&game) != Some(&text) {
                changed.insert(game, text.clone());
            }
            figures.insert(game, text);
        }
        let me = self.me.clone();
        let load = serde_json::to_string(&load).expect("figures are numbers");
        let saved = self.store.autocommit(move |sql| {
            statements::save_node_figures(sql, &me, &load)?;
            if changed.is_empty() {
                Ok(())
            } else {
                statements::save_figures(sql, me.run, &changed)
            }
        });
        saved.await?;
        shared.figures = figures;
        Ok(())
    }
}
