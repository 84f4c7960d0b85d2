//! The kinds of programs that can be tested: the catalogue of each, and how a test run is started.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use nuggets_conformance::client::{self, ClientTest, ClientTestSettings};
use nuggets_conformance::server::{self, ServerTest, ServerTestSettings, TestMap};
use nuggets_conformance::suite::TestRun;
use nuggets_conformance::{CannotRun, Check, ProgramKind};
use nuggets_subprocess::CommandLine;

use super::tester::Tester;
use crate::map_file;

/// A kind of program under test.
pub(super) trait Subject: TestRun + Sized {
    const KIND: ProgramKind;
    type Settings: Sync;

    fn catalogue() -> Vec<Check<Self>>;

    /// Fails if a map that was given can't be used.
    fn settings(command: &CommandLine, tester: &Tester<'_>) -> anyhow::Result<Self::Settings>;

    /// Starts the program once, to see whether it can be tested at all.
    fn preflight(settings: &Self::Settings) -> Result<(), CannotRun>;

    /// True if the program was found to answer slowly, so that many checks can wait at the same time.
    fn answers_slowly(_settings: &Self::Settings) -> bool {
        false
    }

    /// A fresh test run for the check with this id.
    fn start(settings: &Self::Settings, id: &str, attempt: u32) -> Self;
}

impl Subject for ServerTest {
    const KIND: ProgramKind = ProgramKind::Server;
    type Settings = Arc<ServerTestSettings>;

    fn catalogue() -> Vec<Check<Self>> {
        server::catalogue()
    }

    fn settings(command: &CommandLine, tester: &Tester<'_>) -> anyhow::Result<Self::Settings> {
        let maps = tester.maps.iter().map(|map| test_map(map)).collect::<anyhow::Result<_>>()?;
        Ok(Arc::new(ServerTestSettings {
            maps,
            seed: tester.args.loss_seed,
            loss_percent: tester.args.loss,
            ..ServerTestSettings::new(command.clone(), tester.args.dialect)
        }))
    }

    fn preflight(settings: &Self::Settings) -> Result<(), CannotRun> {
        server::preflight(settings)
    }

    fn answers_slowly(settings: &Self::Settings) -> bool {
        server::answers_slowly(settings)
    }

    fn start(settings: &Self::Settings, id: &str, attempt: u32) -> Self {
        Self::new(settings, id, attempt)
    }
}

impl Subject for ClientTest {
    const KIND: ProgramKind = ProgramKind::Client;
    type Settings = Arc<ClientTestSettings>;

    fn catalogue() -> Vec<Check<Self>> {
        client::catalogue()
    }

    fn settings(command: &CommandLine, tester: &Tester<'_>) -> anyhow::Result<Self::Settings> {
        Ok(Arc::new(ClientTestSettings {
            seed: tester.args.loss_seed,
            loss_percent: tester.args.loss,
            ..ClientTestSettings::new(command.clone(), tester.args.dialect)
        }))
    }

    fn preflight(settings: &Self::Settings) -> Result<(), CannotRun> {
        client::preflight(settings)
    }

    fn start(settings: &Self::Settings, id: &str, attempt: u32) -> Self {
        Self::new(settings, id, attempt)
    }
}

fn test_map(source: &Path) -> anyhow::Result<TestMap> {
    let unusable = || format!("can't use the map '{}'", source.display());
    let text = String::from_utf8(map_file::read(source)?).with_context(unusable)?;
    TestMap::new(&source.to_string_lossy(), &text).with_context(unusable)
}
