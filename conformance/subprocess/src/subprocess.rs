//! A running program and its exit.

use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::output::{CapturedStream, KeptPart};
use crate::{CommandLine, ProcessMarker, terminal};

const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// The maximum wait for the end of its output once it has exited: a child may hold it open.
const LAST_OUTPUT_WAIT: Duration = Duration::from_secs(5);

/// No core dumps, and no file larger than 64 MiB (131,072 blocks of 512 bytes).
const RUN_WITH_LIMITS: &str = "ulimit -c 0; ulimit -f 131072; exec \"$@\"";

/// A running program. Dropping it kills the program and all its descendants.
#[derive(Debug)]
pub struct Subprocess {
    child: Child,
    stdout: CapturedStream,
    stderr: CapturedStream,
    marker: ProcessMarker,
    /// True once it has exited and its output was read.
    has_exited: bool,
}

/// The exit of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited by itself, with this exit code.
    Code(i32),
    /// The signal of this number killed it.
    Signal(i32),
}

impl Subprocess {
    /// Starts a program in this working directory, with a terminal as stdin and stdout, as when its author starts it:
    /// some programs exit at the end of their input, and C programs buffer their output to anything else and may never
    /// flush it. Nothing is ever typed.
    pub fn start(line: &CommandLine, working_dir: &Path) -> io::Result<Self> {
        let marker = ProcessMarker::new()?;
        let mut command = marker.shell(RUN_WITH_LIMITS);
        command.arg("sh").args(line.words()).current_dir(working_dir);
        let (reader, writer) = terminal::open()?;
        command.stdin(writer.try_clone()?).stdout(writer).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        // `command` holds the terminal open, so that its output would never end.
        drop(command);
        let stderr = child.stderr.take().expect("stderr is a pipe");
        Ok(Self {
            child,
            stdout: CapturedStream::new(reader, KeptPart::Start),
            stderr: CapturedStream::new(stderr, KeptPart::Start),
            marker,
            has_exited: false,
        })
    }

    /// Returns its stdout up to now, up to the limit.
    pub fn stdout(&self) -> Vec<u8> {
        self.stdout.bytes()
    }

    /// Returns its stderr up to now, up to the limit.
    pub fn stderr(&self) -> Vec<u8> {
        self.stderr.bytes()
    }

    /// Waits until `find` returns something for (stdout, stderr), both streams have ended, or the time
    /// limit is reached.
    pub fn wait_for_output<T>(
        &self,
        limit: Duration,
        find: impl Fn(&[u8], &[u8]) -> Option<T>,
    ) -> Option<T> {
        let mut waited = Duration::ZERO;
        loop {
            let has_ended = self.stdout.has_ended() && self.stderr.has_ended();
            let found = find(&self.stdout(), &self.stderr());
            if found.is_some() || has_ended || waited >= limit {
                return found;
            }
            std::thread::sleep(POLL_INTERVAL);
            waited += POLL_INTERVAL;
        }
    }

    /// Returns its exit, or `None` while it runs. Once it has exited, all its output can be read.
    pub fn try_exit(&mut self) -> Option<Exit> {
        let status = self.child.try_wait().ok().flatten()?;
        if !std::mem::replace(&mut self.has_exited, true) {
            self.wait_for_output(LAST_OUTPUT_WAIT, |_, _| None::<()>);
        }
        Some(status.into())
    }

    /// Waits for its exit up to the time limit.
    pub fn wait_for_exit(&mut self, limit: Duration) -> Option<Exit> {
        let mut waited = Duration::ZERO;
        loop {
            let exit = self.try_exit();
            if exit.is_some() || waited >= limit {
                return exit;
            }
            std::thread::sleep(POLL_INTERVAL);
            waited += POLL_INTERVAL;
        }
    }

    /// The process id of the program itself.
    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Sends a signal, unless the program has exited.
    pub fn signal(&mut self, signal: Signal) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            let _ = kill_process(self.pid(), signal);
        }
    }

    /// The marker that finds its descendants.
    pub fn marker(&self) -> &ProcessMarker {
        &self.marker
    }
}

impl Drop for Subprocess {
    fn drop(&mut self) {
        self.marker.kill(&mut self.child);
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        match status.code() {
            Some(code) => Self::Code(code),
            None => Self::Signal(status.signal().unwrap_or(0)),
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "it exited with code {code}"),
            Self::Signal(number) => match signal_name(*number) {
                Some(name) => write!(f, "it was killed by signal {number} ({name})"),
                None => write!(f, "it was killed by signal {number}"),
            },
        }
    }
}

fn signal_name(number: i32) -> Option<&'static str> {
    Some(match Signal::from_named_raw(number)? {
        Signal::SEGV => "SIGSEGV: invalid memory access",
        Signal::ABORT => "SIGABRT: aborted, as after a failed assertion or a bad free",
        Signal::FPE => "SIGFPE: division by zero",
        Signal::BUS => "SIGBUS: misaligned or unmapped memory access",
        Signal::ILL => "SIGILL: illegal instruction",
        Signal::PIPE => "SIGPIPE: write to a closed pipe",
        Signal::KILL => "SIGKILL",
        Signal::TERM => "SIGTERM",
        Signal::INT => "SIGINT",
        Signal::XFSZ => "SIGXFSZ: wrote a file of over 64 MB",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
