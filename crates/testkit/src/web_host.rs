//! `nuggets serve` as a process, at an address that it keeps when it is killed and restarted.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::thread;

use rustix::process::Signal;
use tempfile::TempDir;

use crate::HttpClient;
use crate::ports::free_port;
use crate::process::{ProcessEnd, ServerProcess};
use crate::waiting::wait_until;

const LOG: &str = "host.log";
/// The lines at the end of its log that a failed test prints.
const LOG_LINES: usize = 80;

/// A host with a scratch folder for its log, its configuration and, without a database, its games. Dropping it kills it.
#[derive(Debug)]
pub struct WebHost {
    command: Command,
    address: SocketAddr,
    process: Option<ServerProcess>,
    folder: TempDir,
}

impl WebHost {
    /// Starts `nuggets serve` with these arguments.
    pub fn start(nuggets: impl AsRef<OsStr>, args: &[&str]) -> Self {
        let mut host = Self::new(nuggets, args);
        host.start_again();
        host
    }

    /// Prepares a host that is not started yet.
    pub fn new(nuggets: impl AsRef<OsStr>, args: &[&str]) -> Self {
        let folder =
            TempDir::with_prefix("nuggets-host-").expect("a scratch folder can be created");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()));
        let log = File::create(folder.path().join(LOG)).expect("a log can be created");
        let mut command = Command::new(nuggets);
        command.args(["serve", "--listen", &address.to_string()]).args(args).stderr(log);
        command.current_dir(folder.path()).env("XDG_CONFIG_HOME", folder.path());
        if !args.contains(&"--database") {
            command.arg("--data").arg(folder.path());
        }
        Self { command, address, process: None, folder }
    }

    /// Starts a host that does not run.
    pub fn start_again(&mut self) {
        assert!(self.try_start(), "the host does not start");
    }

    /// Retries the start until it succeeds, as a service manager does: its database may not be ready.
    pub fn start_when_possible(&mut self) {
        wait_until("a host that starts", || self.try_start());
    }

    fn try_start(&mut self) -> bool {
        self.process = ServerProcess::try_start(&mut self.command).ok();
        let announcement = self.process.as_ref().map(ServerProcess::announcement);
        announcement.inspect(|line| assert!(line.starts_with("Open http"), "{line:?}")).is_some()
    }

    /// Returns the address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Creates a new visitor, without cookies.
    pub fn visitor(&self) -> HttpClient {
        HttpClient::new(self.address)
    }

    /// Returns the folder of its data.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the process of a running host.
    pub fn process(&self) -> &ServerProcess {
        self.process.as_ref().expect("the host runs")
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        self.process().signal(signal);
    }

    /// Kills it without warning.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// Waits until it ends by itself.
    pub fn end(&mut self) -> ProcessEnd {
        self.process.take().expect("the host runs").end()
    }
}

impl Drop for WebHost {
    fn drop(&mut self) {
        self.kill();
        if thread::panicking() {
            let log = fs::read_to_string(self.folder.path().join(LOG)).unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            let end = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
            #[expect(clippy::print_stderr, reason = "helps to find out why a test failed")]
            {
                eprintln!("log of the host at {}:\n{end}", self.address);
            }
        }
    }
}
