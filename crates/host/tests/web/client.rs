//! A host in this process.

use std::net::SocketAddr;

use nuggets_host::{HostOptions, RunningHost};
use nuggets_testkit::{HttpClient, WebSocketPeer};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A host with its own folder.
pub(crate) struct TestHost {
    pub(crate) folder: TempDir,
    runtime: Runtime,
    host: Option<RunningHost>,
}

impl TestHost {
    pub(crate) fn start() -> Self {
        Self::start_with(|_| {})
    }

    /// Starts a host with a game, and returns its creator and its id.
    pub(crate) fn with_game(game: &Value) -> (Self, HttpClient, String) {
        let host = Self::start();
        let mut creator = host.visitor();
        let id = creator.create_game(game);
        (host, creator, id)
    }

    pub(crate) fn start_with(change: impl FnOnce(&mut HostOptions)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::new().unwrap();
        let mut host = Self { folder, runtime, host: None };
        host.start_again(change);
        host
    }

    /// Starts the host again in the same folder.
    pub(crate) fn start_again(&mut self, change: impl FnOnce(&mut HostOptions)) {
        let mut options = HostOptions::new(self.folder.path().into());
        options.listen = "127.0.0.1:0".parse().unwrap();
        change(&mut options);
        self.host = Some(self.runtime.block_on(RunningHost::start(options)).unwrap());
    }

    pub(crate) fn stop(&mut self) {
        if let Some(host) = self.host.take() {
            self.runtime.block_on(host.stop());
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.host.as_ref().unwrap().address()
    }

    pub(crate) fn admin_token(&self) -> &str {
        self.host.as_ref().unwrap().admin_token()
    }

    /// Waits until the host has been drained.
    pub(crate) fn wait_until_drained(&self) {
        self.runtime.block_on(self.host.as_ref().unwrap().drained());
    }

    /// A visitor without cookies.
    pub(crate) fn visitor(&self) -> HttpClient {
        HttpClient::new(self.address())
    }
}

impl Drop for TestHost {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Joins a game, and returns when its picture has arrived.
pub(crate) fn join(visitor: &HttpClient, game: &str) -> WebSocketPeer {
    enter(visitor, game, r#"{"join":{}}"#)
}

/// Watches a game, and returns when its picture has arrived.
pub(crate) fn watch(visitor: &HttpClient, game: &str) -> WebSocketPeer {
    enter(visitor, game, r#"{"watch":{}}"#)
}

fn enter(visitor: &HttpClient, game: &str, line: &str) -> WebSocketPeer {
    let mut socket = visitor.join_socket(game);
    socket.send(line);
    socket.wait_for("whole");
    socket
}

/// A game on a built-in map without bots.
pub(crate) fn plain_game() -> Value {
    serde_json::json!({ "map": { "built_in": "main" } })
}
