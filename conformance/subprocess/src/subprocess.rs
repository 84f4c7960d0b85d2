//! A running program with a terminal of its own.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::output::{CapturedStream, KeptPart};
use crate::proc::poll;
use crate::{CommandLine, Exit, MarkedChild, ProcessMarker, terminal};

const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// The maximum wait for the end of its output once it has exited: a child may hold it open.
const LAST_OUTPUT_WAIT: Duration = Duration::from_secs(5);

/// Shell script that runs its arguments with no core dumps, and no file larger than 64 MiB (131,072 blocks of 512 bytes).
pub const RUN_WITH_LIMITS: &str = "ulimit -c 0; ulimit -f 131072; exec \"$@\"";

/// A running program. Dropping it kills the program and all its descendants.
#[derive(Debug)]
pub struct Subprocess {
    child: MarkedChild,
    stdout: CapturedStream,
    stderr: CapturedStream,
    /// True once it has exited and its output was read.
    has_exited: bool,
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
            child: MarkedChild::new(child, marker),
            stdout: CapturedStream::new(reader, KeptPart::Start),
            stderr: CapturedStream::new(stderr, KeptPart::Start),
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
        let found = poll(POLL_INTERVAL, limit, || {
            let has_ended = self.stdout.has_ended() && self.stderr.has_ended();
            let found = find(&self.stdout(), &self.stderr());
            (has_ended || found.is_some()).then_some(found)
        });
        found.flatten()
    }

    /// Returns its exit, or `None` while it runs. Once it has exited, all its output can be read.
    pub fn try_exit(&mut self) -> Option<Exit> {
        let exit = self.child.try_exit()?;
        if !std::mem::replace(&mut self.has_exited, true) {
            self.wait_for_output(LAST_OUTPUT_WAIT, |_, _| None::<()>);
        }
        Some(exit)
    }

    /// Waits for its exit up to the time limit.
    pub fn wait_for_exit(&mut self, limit: Duration) -> Option<Exit> {
        poll(POLL_INTERVAL, limit, || self.try_exit())
    }

    /// Kills it and all its descendants. Its output can still be read.
    pub fn kill(&mut self) {
        self.child.kill();
    }

    /// The marker that finds its descendants.
    pub fn marker(&self) -> &ProcessMarker {
        self.child.marker()
    }
}

#[cfg(test)]
pub(crate) mod tests;
