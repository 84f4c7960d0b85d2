//! The processes that are measured: the host, and the bare loop that it is compared with.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, ensure};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::crowd::connect_from_next_source;
use super::player::game_id;
use crate::bench::process;

/// A process that listens.
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) address: SocketAddr,
    /// Its files, removed afterwards.
    _data: Option<TempDir>,
    /// Processor time of every thread that was seen, the ended ones included.
    threads: Mutex<BTreeMap<OsString, u64>>,
}

impl ServerProcess {
    /// Starts `nuggets serve` with a folder of its own.
    pub(crate) fn host(nuggets: &Path) -> anyhow::Result<Arc<Self>> {
        let data = tempfile::tempdir().context("can't make a folder for the host")?;
        let mut command = Command::new(nuggets);
        command.arg("serve").arg("--data").arg(data.path());
        Self::serve(command, Some(data))
    }

    /// Starts `nuggets serve` as a node that shares this database.
    pub(crate) fn node(nuggets: &Path, name: &str, database: &str) -> anyhow::Result<Arc<Self>> {
        let mut command = Command::new(nuggets);
        command.args(["serve", "--database", database, "--node", name]);
        Self::serve(command, None)
    }

    fn serve(mut command: Command, data: Option<TempDir>) -> anyhow::Result<Arc<Self>> {
        command.args(["--listen", "127.0.0.1:0", "--log", "off"]);
        command.args(["--max-games", "20000", "--max-watchers", "20000"]);
        let (child, line) = start(command)?;
        let address = line.trim().strip_prefix("Open http://");
        let address = address.with_context(|| format!("the host printed {line:?}"))?.parse()?;
        Ok(Arc::new(Self { child, address, _data: data, threads: Mutex::default() }))
    }

    /// Starts the bare loop.
    pub(crate) fn bare(bare: &Path) -> anyhow::Result<Self> {
        let (child, line) = start(Command::new(bare))?;
        Ok(Self { child, address: line.trim().parse()?, _data: None, threads: Mutex::default() })
    }

    /// Processor time of all its threads so far, in nanoseconds.
    pub(crate) fn cpu_ns(&self) -> anyhow::Result<u64> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.extend(process::cpu_ns_of_threads(self.child.id())?);
        Ok(threads.values().sum())
    }

    /// The resident memory, in KiB.
    pub(crate) fn rss_kib(&self) -> anyhow::Result<u64> {
        process::rss_kib(&self.child)
    }

    /// Stops it for a while, so that another can be measured alone.
    pub(crate) fn pause(&self) -> anyhow::Result<()> {
        Ok(kill_process(Pid::from_child(&self.child), Signal::STOP)?)
    }

    /// Lets it run again.
    pub(crate) fn unpause(&self) -> anyhow::Result<()> {
        Ok(kill_process(Pid::from_child(&self.child), Signal::CONT)?)
    }

    /// Whether it knows a game.
    pub(crate) fn knows(&self, game: &str) -> anyhow::Result<bool> {
        let answer = self.get(&format!("/api/games/{game}"))?;
        Ok(answer.split(' ').nth(1) == Some("200"))
    }

    /// What it answers to a request.
    pub(crate) fn get(&self, path: &str) -> anyhow::Result<String> {
        let address = self.address;
        let mut stream = connect_from_next_source(address)?;
        // An answer of the older version is not in chunks.
        write!(stream, "GET {path} HTTP/1.0\r\nhost: {address}\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }

    /// Creates a game on the map of the specification, as a new guest.
    pub(crate) fn create_game(&self) -> anyhow::Result<String> {
        self.create(r#"{"map":{"built_in":"main"},"visibility":"link"}"#)
    }

    /// Creates a game with these choices, as a new guest.
    pub(crate) fn create(&self, body: &str) -> anyhow::Result<String> {
        let address = self.address;
        let mut stream = connect_from_next_source(address)?;
        write!(
            stream,
            "POST /api/games HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        ensure!(answer.starts_with("HTTP/1.1 200"), "the host created no game: {answer}");
        game_id(&answer)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a server and returns its first line.
fn start(mut command: Command) -> anyhow::Result<(Child, String)> {
    let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let program = command.get_program().display();
    let mut child = started.with_context(|| format!("can't start {program}"))?;
    let stdout = child.stdout.take().context("the server has no stdout")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    Ok((child, line))
}
