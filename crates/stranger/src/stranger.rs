//! A running program.

use std::fmt;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::output::{Output, Stream};
use crate::{CommandLine, Mark, terminal};

/// Between two looks whether it has ended.
const GLANCE: Duration = Duration::from_millis(2);

/// Nothing larger is written to disk, in blocks of 512 bytes, and nobody's memory is dumped there.
const LIMITS: &str = "ulimit -c 0; ulimit -f 131072; exec \"$@\"";

/// A program that runs in a directory of its own. It and its children are ended with the handle.
#[derive(Debug)]
pub struct Stranger {
    child: Child,
    output: Output,
    mark: Mark,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
}

impl Stranger {
    /// Starts it with nothing to read, in this directory. Its stdout is a terminal, as for people: a C
    /// program that is not flushed keeps its words back from anything else.
    pub fn start(line: &CommandLine, scratch: &Path) -> io::Result<Self> {
        let mark = Mark::new()?;
        let (name, value) = mark.variable();
        let mut command = Command::new("sh");
        command.args(["-c", LIMITS, "sh"]).args(line.words()).current_dir(scratch);
        command.env(name, value).process_group(0);
        let (ours, theirs) = terminal::open()?;
        command.stdin(Stdio::null()).stdout(theirs).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        // The terminal ends with the last who can write to it.
        drop(command);
        let output = Output::default();
        output.listen(Stream::Out, ours);
        if let Some(err) = child.stderr.take() {
            output.listen(Stream::Err, err);
        }
        Ok(Self { child, output, mark })
    }

    /// What it has said on stdout so far.
    pub fn stdout(&self) -> Vec<u8> {
        self.output.kept()[Stream::Out as usize].bytes.clone()
    }

    /// What it has said on stderr so far.
    pub fn stderr(&self) -> Vec<u8> {
        self.output.kept()[Stream::Err as usize].bytes.clone()
    }

    /// Waits until something is found in its stdout and stderr, at most so long, and not once both
    /// have ended.
    pub fn wait_for_output<T>(
        &self,
        limit: Duration,
        find: impl Fn(&[u8], &[u8]) -> Option<T>,
    ) -> Option<T> {
        self.output.wait(limit, find)
    }

    /// How it ended, if it has.
    pub fn ending(&mut self) -> Option<Ending> {
        self.child.try_wait().ok().flatten().map(Ending::from)
    }

    /// Waits for its end, at most so long.
    pub fn wait_for_end(&mut self, limit: Duration) -> Option<Ending> {
        let mut waited = Duration::ZERO;
        loop {
            let ending = self.ending();
            if ending.is_some() || waited >= limit {
                return ending;
            }
            std::thread::sleep(GLANCE);
            waited += GLANCE;
        }
    }

    /// Its process.
    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Sends it a signal; one that has ended doesn't mind.
    pub fn signal(&mut self, signal: Signal) {
        if self.ending().is_none() {
            let _ = kill_process(self.pid(), signal);
        }
    }

    /// Its mark, by which its children are found.
    pub fn mark(&self) -> &Mark {
        &self.mark
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        // Its group may be gone already. A process that has not been waited for keeps its number, so
        // nobody else is hit.
        if self.ending().is_none() {
            let _ = kill_process_group(self.pid(), Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.mark.end_all();
    }
}

impl From<ExitStatus> for Ending {
    fn from(status: ExitStatus) -> Self {
        match status.code() {
            Some(code) => Self::Exit(code),
            None => Self::Signal(status.signal().unwrap_or(0)),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "it exited with code {code}"),
            Self::Signal(number) => match signal_name(*number) {
                Some(name) => write!(f, "it was ended by signal {number} ({name})"),
                None => write!(f, "it was ended by signal {number}"),
            },
        }
    }
}

fn signal_name(number: i32) -> Option<&'static str> {
    Some(match Signal::from_named_raw(number)? {
        Signal::SEGV => "SIGSEGV: it touched memory that isn't its own",
        Signal::ABORT => "SIGABRT: it gave up, as after a failed assertion or a bad free",
        Signal::FPE => "SIGFPE: a division by zero",
        Signal::BUS => "SIGBUS: it touched memory wrongly",
        Signal::ILL => "SIGILL: an instruction that doesn't exist",
        Signal::PIPE => "SIGPIPE: it wrote where nobody reads",
        Signal::KILL => "SIGKILL",
        Signal::TERM => "SIGTERM",
        Signal::INT => "SIGINT",
        Signal::XFSZ => "SIGXFSZ: it wrote a file of over 64 MB",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
