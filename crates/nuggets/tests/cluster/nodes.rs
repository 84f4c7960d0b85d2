//! One node as a process: `nuggets serve --database`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, prlimit};
use tempfile::TempDir;

use crate::free_port::free_port;
use crate::{LIMIT, now};

/// UDP ports of each node: as many as there are games in a test.
const UDP_PORTS: u16 = 8;
/// The end of a log that a failed test shows.
const LOG_LINES: usize = 80;

/// A node. It is killed when the test is over, however it ends.
pub(crate) struct Node {
    pub(crate) name: String,
    address: SocketAddr,
    database: String,
    udp: String,
    /// The folder of its log: it keeps nothing else in files.
    folder: TempDir,
    child: Option<Child>,
}

impl Node {
    /// A node that is not started yet.
    pub(crate) fn new(name: &str, database: &str) -> Self {
        let folder = TempDir::with_prefix("nuggets-node-").unwrap();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()));
        let first = free_ports();
        let udp = format!("{first}-{}", first + UDP_PORTS - 1);
        let (name, database) = (name.to_owned(), database.to_owned());
        Self { name, address, database, udp, folder, child: None }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Starts it, and waits until it says where it listens. If it ends, because the database is not ready, it is started
    /// again, as a service is.
    pub(crate) fn start(&mut self) {
        let started = now();
        while !self.try_start() {
            assert!(started.elapsed() < LIMIT, "{} does not start", self.name);
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// False if it ends at once.
    fn try_start(&mut self) -> bool {
        let log = self.folder.path().join("log");
        let log = File::options().create(true).append(true).open(log).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_nuggets"));
        command.args(["serve", "--node", &self.name, "--listen", &self.address.to_string()]);
        command.args(["--udp", &self.udp, "--log", "info"]).env("NUGGETS_DATABASE", &self.database);
        command.current_dir(self.folder.path()).env("XDG_CONFIG_HOME", self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        self.child = Some(child);
        let (sender, receiver) = mpsc::channel();
        // Reads on, so that the pipe is never full.
        thread::spawn(move || {
            output.lines().map_while(Result::ok).for_each(|line| {
                // Nobody waits after the line that says where.
                let _ = line.starts_with("Open ").then(|| sender.send(()));
            });
        });
        match receiver.recv_timeout(LIMIT) {
            Ok(()) => true,
            Err(RecvTimeoutError::Timeout) => panic!("{} hangs", self.name),
            Err(RecvTimeoutError::Disconnected) => {
                self.kill();
                false
            }
        }
    }

    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Sends a signal, for example `STOP`.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Lets it open no more files and sockets than it has, or as many as usual.
    pub(crate) fn limit_descriptors(&self, is_limited: bool) {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.pid())).unwrap().count();
        let usual = getrlimit(Resource::Nofile);
        let current = if is_limited { Some(open as u64) } else { usual.current };
        prlimit(Some(self.pid()), Resource::Nofile, Rlimit { current, ..usual }).unwrap();
    }

    /// Waits until it ends by itself, and returns whether it was successful.
    pub(crate) fn wait_for_end(&mut self) -> bool {
        let mut child = self.child.take().expect("a node that runs");
        let status = crate::wait_for("the end of a node", || child.try_wait().unwrap());
        status.success()
    }

    fn pid(&self) -> Pid {
        Pid::from_child(self.child.as_ref().expect("a node that runs"))
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
        if thread::panicking() {
            let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            let end = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
            #[expect(clippy::print_stderr, reason = "helps to find out why a test failed")]
            {
                eprintln!("log of {}:\n{end}", self.name);
            }
        }
    }
}

/// The first of some ports that are free.
fn free_ports() -> u16 {
    loop {
        let first = free_port();
        let rest: Vec<u16> = (1..UDP_PORTS).map(|_| free_port()).collect();
        if (first + 1..).zip(rest).all(|(expected, found)| expected == found) {
            return first;
        }
    }
}
