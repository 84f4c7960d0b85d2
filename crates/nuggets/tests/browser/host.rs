//! A running `nuggets serve` with a folder of its own.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

#[path = "../programs/free_port.rs"]
mod free_port;

pub(crate) use free_port::free_port;

/// Long enough for the slowest machine; only a test that fails waits for it.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// A host. It is killed when the test is over, however it ends.
pub(crate) struct Host {
    child: Child,
    args: Vec<String>,
    /// Its address without a slash at the end.
    url: String,
    data: TempDir,
}

impl Host {
    /// Starts it with these arguments on a port on which it can be started again.
    pub(crate) fn start(args: &[&str]) -> Self {
        let data = TempDir::with_prefix("nuggets-host-").unwrap();
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let (child, url) = spawn(&args, &data, &format!("127.0.0.1:{}", free_port()));
        Self { child, args, url, data }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// Ends it as a power cut would: it can't do anything about it.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Lets it stop as the system does when it shuts down.
    pub(crate) fn terminate(&mut self) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        assert!(self.child.wait().unwrap().success());
    }

    /// The folder of its data.
    pub(crate) fn data(&self) -> &Path {
        self.data.path()
    }

    /// Starts it again on the same port with the same folder.
    pub(crate) fn start_again(&mut self) {
        let address = self.url.strip_prefix("http://").unwrap();
        let (child, url) = spawn(&self.args, &self.data, address);
        assert_eq!(url, self.url);
        self.child = child;
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            let log =
                std::fs::read_to_string(self.data.path().join("test.log")).unwrap_or_default();
            #[expect(clippy::print_stderr, reason = "helps to find out why a test failed")]
            {
                eprintln!("log of the host:\n{log}");
            }
        }
    }
}

/// Starts a host and waits until it says where it listens.
fn spawn(args: &[String], data: &TempDir, listen: &str) -> (Child, String) {
    let log = data.path().join("test.log");
    let log = File::options().create(true).append(true).open(log).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_nuggets"));
    command.args(["serve", "--listen", listen]).args(args);
    if !args.contains(&"--database".to_owned()) {
        command.arg("--data").arg(data.path());
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut printed = vec![];
    while let Some(Ok(line)) = lines.next() {
        if let Some(url) = line.strip_prefix("Open ") {
            let url = url.trim_end_matches('/').to_owned();
            // What it prints next must not fill the pipe.
            thread::spawn(move || lines.count());
            return (child, url);
        }
        printed.push(line);
    }
    let _ = child.kill();
    panic!("the host does not start: {printed:?} {:?}", child.wait());
}
