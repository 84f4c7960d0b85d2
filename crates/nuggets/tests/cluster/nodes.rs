//! Nodes of a cluster as processes: `nuggets serve --cluster`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::free_port::free_port;
use crate::network::Network;
use crate::{LIMIT, now, show_end_of};

/// A node. It is killed when the test is over, however it ends.
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) network: Network,
    address: SocketAddr,
    args: Vec<String>,
    data: TempDir,
    child: Option<Child>,
}

impl Node {
    /// A node that is not started yet.
    pub(crate) fn new(name: &str, network: Network, brokers: &str, args: &[&str]) -> Self {
        let data = TempDir::with_prefix("nuggets-node-").unwrap();
        let address = SocketAddr::from((network.address(), free_port()));
        let listen = address.to_string();
        let folder = data.path().to_string_lossy().into_owned();
        let own =
            ["serve", "--cluster", brokers, "--node", name, "--listen", &listen, "--data", &folder];
        let args = own.iter().chain(args).map(|arg| (*arg).to_owned()).collect();
        Self { name: name.to_owned(), network, address, args, data, child: None }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Starts it, and waits until it says where it listens. If it ends, because the brokers are not ready, it is started
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
        let log = self.data.path().join("test.log");
        let log = File::options().create(true).append(true).open(log).unwrap();
        let mut command = self.network.command(env!("CARGO_BIN_EXE_nuggets"));
        command.args(&self.args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        self.child = Some(child);
        let (sender, receiver) = mpsc::channel();
        // Reads on, so that the pipe is never full.
        thread::spawn(move || {
            output.lines().map_while(Result::ok).for_each(|line| {
                // Nobody waits after the first line.
                let _ = sender.send(line);
            });
        });
        match receiver.recv_timeout(LIMIT) {
            Ok(line) => line.starts_with("Open "),
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
        let child = self.child.as_ref().expect("a node that runs");
        kill_process(Pid::from_child(child), signal).unwrap();
    }

    /// Waits until it ends by itself, and returns whether it was successful.
    pub(crate) fn wait_for_end(&mut self) -> bool {
        let started = now();
        let mut child = self.child.take().expect("a node that runs");
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return status.success();
            }
            if started.elapsed() > LIMIT {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
        if thread::panicking() {
            show_end_of(&self.data.path().join("test.log"));
        }
    }
}
