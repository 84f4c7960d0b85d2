//! A child process that is killed with all its descendants, and its exit.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::{ProcessMarker, proc};

/// A marked child that leads its process group. Dropping it kills it and all its descendants, and returns when they are
/// gone.
#[derive(Debug)]
pub struct MarkedChild {
    child: Child,
    marker: ProcessMarker,
}

/// The exit of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited by itself, with this exit code.
    Code(i32),
    /// The signal of this number killed it.
    Signal(i32),
}

impl MarkedChild {
    /// A child that was started with this marker.
    pub fn new(child: Child, marker: ProcessMarker) -> Self {
        Self { child, marker }
    }

    /// Returns its exit, or `None` while it runs.
    pub fn try_exit(&mut self) -> Option<Exit> {
        self.child.try_wait().ok().flatten().map(Into::into)
    }

    /// Kills it and all its descendants.
    pub fn kill(&mut self) {
        // A process that has not been reaped keeps its number, so no other group is killed.
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        proc::kill_all(|| self.marker.pids(), drop);
    }

    /// The marker that finds its descendants.
    pub fn marker(&self) -> &ProcessMarker {
        &self.marker
    }
}

impl Drop for MarkedChild {
    fn drop(&mut self) {
        self.kill();
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
