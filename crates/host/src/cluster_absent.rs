//! What stands for a cluster in a host that is built without the feature `cluster`: there can't be one.

use std::path::Path;
use std::sync::Arc;

use nuggets_game::{Letter, Setup};
use tokio::sync::mpsc;

use crate::pages::ClusterFigures;
use crate::service::Service;
use crate::wire::{DirectLine, Hello, JoinClient};
use crate::{
    AttachError, Attached, ClusterOptions, ConnectionId, GameId, GameMeta, SessionToken, StartError,
};

/// No cluster.
#[derive(Debug)]
pub(crate) enum Cluster {}

/// Nobody watches in no cluster.
#[derive(Debug)]
pub(crate) enum Watching {}

/// What somebody may want of a game.
#[derive(Debug)]
#[expect(dead_code, reason = "nobody reads the orders")]
pub(crate) enum GameOrder {
    Start,
    End,
    Notice(String),
    SetNext(GameId),
}

/// Runs a node, if there were one.
#[derive(Debug)]
pub(crate) enum ClusterShell {}

#[expect(clippy::unused_async, reason = "as in a cluster")]
impl ClusterShell {
    pub(crate) async fn start(
        cluster: &Arc<Cluster>,
        _: &Arc<Service>,
        _: String,
    ) -> Result<(), StartError> {
        match **cluster {}
    }
}

#[expect(clippy::unused_async, reason = "as in a cluster")]
impl Cluster {
    pub(crate) async fn connect(
        options: &ClusterOptions,
        _: &Path,
    ) -> Result<Arc<Self>, StartError> {
        match *options {}
    }

    pub(crate) async fn create(&self, _: GameMeta, _: Setup) -> Result<(), String> {
        match *self {}
    }

    pub(crate) async fn play(
        &self,
        _: (GameId, ConnectionId),
        _: (&SessionToken, Option<JoinClient>),
        _: u64,
        _: mpsc::Sender<DirectLine>,
    ) -> Result<Attached, AttachError> {
        match *self {}
    }

    pub(crate) async fn watch(
        &self,
        _: GameId,
        _: Option<char>,
        _: Hello,
    ) -> Result<Attached, AttachError> {
        match *self {}
    }

    pub(crate) fn key(&self, _: ConnectionId, _: char) {
        match *self {}
    }

    pub(crate) fn leave(&self, _: ConnectionId) {
        match *self {}
    }

    pub(crate) fn order(&self, _: GameId, order: GameOrder) {
        // The orders have a meaning only in a cluster.
        drop(order);
        match *self {}
    }

    pub(crate) fn kick(&self, _: GameId, _: Letter) {
        match *self {}
    }

    pub(crate) fn notice_all(&self, _: &str) {
        match *self {}
    }

    pub(crate) fn set_meta(&self, _: GameMeta) {
        match *self {}
    }

    pub(crate) fn drain(&self) {
        match *self {}
    }

    pub(crate) fn refresh(&self, _: GameId) {
        match *self {}
    }

    pub(crate) async fn hand_over_all(&self) {
        match *self {}
    }

    pub(crate) fn stop(&self) {
        match *self {}
    }

    pub(crate) fn take_finishing(&self, _: GameId) -> bool {
        match *self {}
    }

    pub(crate) fn handle_results_stored(&self, _: GameId) {
        match *self {}
    }

    pub(crate) fn count_watcher(self: &Arc<Self>, _: GameId) -> Watching {
        match **self {}
    }

    pub(crate) fn watchers(&self, _: GameId) -> u32 {
        match *self {}
    }

    pub(crate) async fn figures(&self) -> ClusterFigures {
        match *self {}
    }

    pub(crate) async fn fetch_journal(&self, _: GameId, _: &Path) -> Result<(), String> {
        match *self {}
    }
}
