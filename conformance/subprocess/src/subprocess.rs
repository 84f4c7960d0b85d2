//! A running program and its exit.

use std::fmt;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::output::{CapturedOutput, OutputStream};
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
    output: CapturedOutput,
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
        let (name, value) = marker.variable();
        let mut command = Command::new("sh");
        let script = format!("{}; {RUN_WITH_LIMITS}", marker.shell_command());
        command.args(["-c", &script, "sh"]).args(line.words()).current_dir(working_dir);
        command.env(name, value).process_group(0);
        let (reader, writer) = terminal::open()?;
        command.stdin(writer.try_clone()?).stdout(writer).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        // `command` holds the terminal open, so that its output would never end.
        drop(command);
        let output = CapturedOutput::default();
        output.capture(OutputStream::Out, reader);
        if let Some(err) = child.stderr.take() {
            output.capture(OutputStream::Err, err);
        }
        Ok(Self { child, output, marker, has_exited: false })
    }

    /// Returns its stdout up to now, up to the limit.
    pub fn stdout(&self) -> Vec<u8> {
        self.output.captured()[OutputStream::Out as usize].bytes.clone()
    }

    /// Returns its stderr up to now, up to the limit.
    pub fn stderr(&self) -> Vec<u8> {
        self.output.captured()[OutputStream::Err as usize].bytes.clone()
    }

    /// Waits until `find` returns something for (stdout, stderr), both streams have ended, or the time
    /// limit is reached.
    pub fn wait_for_output<T>(
        &self,
        limit: Duration,
        find: impl Fn(&[u8], &[u8]) -> Option<T>,
    ) -> Option<T> {
        self.output.wait(limit, find)
    }

    /// Returns its exit, or `None` while it runs. Once it has exited, all its output can be read.
    pub fn try_exit(&mut self) -> Option<Exit> {
        let status = self.child.try_wait().ok().flatten()?;
        if !std::mem::replace(&mut self.has_exited, true) {
            self.output.wait(LAST_OUTPUT_WAIT, |_, _| None::<()>);
        }
        Some(status.into())
    }

    fn is_running(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_none())
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
        if self.is_running() {
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
        // A process that has not been reaped keeps its number, so no other group is killed.
        if self.is_running() {
            let _ = kill_process_group(self.pid(), Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.marker.kill_all();
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
