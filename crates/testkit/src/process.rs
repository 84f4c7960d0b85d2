//! Programs under test as processes. A server announces its address on its first line.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::num::ParseIntError;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};

use crate::waiting::{LIMIT, wait_until};

/// A running server. Dropping it kills it.
#[derive(Debug)]
pub struct ServerProcess {
    child: Child,
    announcement: String,
    /// Lines of its standard output after the announcement; a thread reads them, so that the pipe is never full.
    lines: Mutex<Receiver<String>>,
}

/// The result of a program that has ended.
#[derive(Debug)]
pub struct ProcessEnd {
    /// Exit code or signal.
    pub status: ExitStatus,
    /// Its standard output; of a server, the part after the announcement.
    pub stdout: String,
    /// Its standard error, if it went to a pipe.
    pub stderr: String,
}

impl ProcessEnd {
    /// Returns the exit code; `None` after a signal.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }
}

impl ServerProcess {
    /// Starts a server and waits for its announcement. The command decides about its standard error.
    pub fn start(command: &mut Command) -> Self {
        Self::try_start(command)
            .unwrap_or_else(|why| panic!("{command:?} announced nothing: {why:?}"))
    }

    /// Does the same, but returns the end of the program if it announces nothing.
    pub fn try_start(command: &mut Command) -> Result<Self, ProcessEnd> {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = spawn(command);
        let output = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || pass_lines(output, &sender));
        let mut server = Self { child, announcement: String::new(), lines: lines.into() };
        match server.next_line() {
            Some(line) => {
                server.announcement = line;
                Ok(server)
            }
            None => Err(server.end()),
        }
    }

    /// Returns the first line that it printed.
    pub fn announcement(&self) -> &str {
        &self.announcement
    }

    /// Returns the next line of its standard output without the newline; `None` at the end.
    pub fn next_line(&self) -> Option<String> {
        let lines = self.lines.lock().expect("no thread panics with this lock");
        match lines.recv_timeout(LIMIT) {
            Ok(line) => Some(line.trim_end().to_owned()),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("process {} prints nothing", self.id()),
        }
    }

    /// Returns the address in the announcement: its last word, which may be a URL, or only a port of this machine.
    pub fn address(&self) -> SocketAddr {
        let word = self.announcement.rsplit([' ', '/']).next().unwrap_or_default();
        let port = |_| word.parse().map(|port: u16| (Ipv4Addr::LOCALHOST, port).into());
        let address = word.parse().or_else(port);
        address.unwrap_or_else(|_: ParseIntError| panic!("announced {:?}", self.announcement))
    }

    /// Returns the port in the announcement.
    pub fn port(&self) -> u16 {
        self.address().port()
    }

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the process id, for system calls.
    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("a child can be sent signals");
    }

    /// Kills it without warning, and waits until it is gone.
    pub fn kill(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// True until it has ended.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("a child can be waited for").is_none()
    }

    /// Waits until it ends by itself.
    pub fn end(mut self) -> ProcessEnd {
        wait_until("the end of a server", || !self.is_running());
        let status = self.child.wait().expect("a child can be waited for");
        let mut stderr = String::new();
        if let Some(mut log) = self.child.stderr.take() {
            log.read_to_string(&mut stderr).expect("a log is text");
        }
        let lines = self.lines.get_mut().expect("no thread panics with this lock");
        ProcessEnd { status, stdout: lines.iter().collect(), stderr }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Runs a program to its end.
pub fn run(program: impl AsRef<OsStr>, args: &[&str]) -> ProcessEnd {
    run_command(Command::new(program).args(args), b"")
}

/// Runs a program to its end with this standard input.
pub fn run_command(command: &mut Command, input: &[u8]) -> ProcessEnd {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawn(command);
    // A program that needs no input may have ended before it is written.
    let _ = child.stdin.take().expect("its input is a pipe").write_all(input);
    let ended = child.wait_with_output().expect("a child can be waited for");
    let text = |bytes| String::from_utf8(bytes).expect("programs print text");
    ProcessEnd { status: ended.status, stdout: text(ended.stdout), stderr: text(ended.stderr) }
}

fn spawn(command: &mut Command) -> Child {
    command.spawn().unwrap_or_else(|why| panic!("can't start {command:?}: {why}"))
}

/// Forwards each line, with its newline, until the end of the output.
fn pass_lines(mut output: BufReader<ChildStdout>, lines: &Sender<String>) {
    let mut line = String::new();
    while output.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
        // Even if its owner is gone, the pipe must be emptied.
        let _ = lines.send(std::mem::take(&mut line));
    }
}
