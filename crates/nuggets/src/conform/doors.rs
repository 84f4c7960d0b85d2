//! Where the catalogues are plugged in: what there is to ask of servers and of clients, and how a
//! program is put on a stage.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use nuggets_conform::client::{self, ClientStage};
use nuggets_conform::server::{self, ServerStage, TestMap};
use nuggets_conform::suite::Stage;
use nuggets_conform::{Check, Kind};
use nuggets_stranger::CommandLine;

use super::trial::Trial;
use crate::map_file;

/// A catalogue and its stage.
pub(super) trait Door {
    /// What kind of program it judges.
    const KIND: Kind;
    /// Where a check is done.
    type Stage: Stage;
    /// What the stage is told.
    type Settings: Sync;

    /// Everything that is asked.
    fn catalogue() -> Vec<Check<Self::Stage>>;

    /// For this program. An argument may turn out to be wrong here.
    fn settings(command: &CommandLine, trial: &Trial<'_>) -> anyhow::Result<Self::Settings>;

    /// Can the program be run at all? If not, why.
    fn preflight(settings: &Self::Settings) -> Result<(), String>;

    /// A fresh stage for the check of this id.
    fn stage(settings: &Self::Settings, id: &str, attempt: u32) -> Self::Stage;
}

/// Judges servers.
pub(super) enum OfServers {}

/// Judges clients.
pub(super) enum OfClients {}

impl Door for OfServers {
    const KIND: Kind = Kind::Server;
    type Stage = ServerStage;
    type Settings = Arc<server::Settings>;

    fn catalogue() -> Vec<Check<ServerStage>> {
        server::catalogue()
    }

    fn settings(command: &CommandLine, trial: &Trial<'_>) -> anyhow::Result<Self::Settings> {
        let maps: anyhow::Result<_> = trial.maps.iter().map(|map| test_map(map)).collect();
        Ok(Arc::new(server::Settings {
            maps: maps?,
            seed: trial.judging.loss_seed,
            loss_percent: trial.judging.loss,
            ..server::Settings::new(command.clone(), trial.judging.dialect)
        }))
    }

    fn preflight(settings: &Self::Settings) -> Result<(), String> {
        server::preflight(settings)
    }

    fn stage(settings: &Self::Settings, id: &str, attempt: u32) -> ServerStage {
        ServerStage::new(settings, id, attempt)
    }
}

impl Door for OfClients {
    const KIND: Kind = Kind::Client;
    type Stage = ClientStage;
    type Settings = Arc<client::Settings>;

    fn catalogue() -> Vec<Check<ClientStage>> {
        client::catalogue()
    }

    fn settings(command: &CommandLine, trial: &Trial<'_>) -> anyhow::Result<Self::Settings> {
        Ok(Arc::new(client::Settings {
            seed: trial.judging.loss_seed,
            loss_percent: trial.judging.loss,
            ..client::Settings::new(command.clone(), trial.judging.dialect)
        }))
    }

    fn preflight(settings: &Self::Settings) -> Result<(), String> {
        client::preflight(settings)
    }

    fn stage(settings: &Self::Settings, id: &str, attempt: u32) -> ClientStage {
        ClientStage::new(settings, id, attempt)
    }
}

fn test_map(source: &Path) -> anyhow::Result<TestMap> {
    let unusable = || format!("can't use the map '{}'", source.display());
    let text = String::from_utf8(map_file::read(source)?).with_context(unusable)?;
    TestMap::new(&source.to_string_lossy(), &text)
        .map_err(|why| anyhow!(why))
        .with_context(unusable)
}
