//! A program that communicates in lines on its standard input and output.
//!
//! The shell starts it in the current directory, as its author would. Its lines are limited in number and length, the
//! wait for one has a time limit, and the last part of its stderr is kept.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use crate::output::{CapturedStream, KeptPart};
use crate::proc::poll;
use crate::{Exit, MarkedChild, ProcessMarker};

/// The maximum number of lines from the program that wait to be read; it blocks when it writes more.
const MAX_LINES_IN: usize = 8;
/// The maximum number of lines for the program that wait to be written; more are lost.
const MAX_LINES_OUT: usize = 256;
/// The maximum length of a line; the rest is dropped.
const MAX_LINE_BYTES: u64 = 256;
/// The maximum wait for the exit of a program that has closed its output.
const EXIT_WAIT: Duration = Duration::from_secs(2);
const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The polling interval for `stop` while waiting for a line.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The maximum wait for the end of stderr once the program has exited: a child may hold it open.
const STDERR_WAIT: Duration = Duration::from_millis(500);
/// The number of bytes kept of stderr, and the maximum number of lines that are shown.
const MAX_STDERR_BYTES: usize = 2_000;
const MAX_STDERR_LINES: usize = 12;

/// A running program. Dropping it kills the program and all its descendants.
#[derive(Debug)]
pub struct LineProgram {
    child: MarkedChild,
    /// Lines for its standard input.
    input: SyncSender<Vec<u8>>,
    output: Receiver<Vec<u8>>,
    stderr: CapturedStream,
}

/// The reason why there is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLine {
    /// The time limit was reached, or the wait was stopped.
    Silent,
    /// The program has exited.
    Exited(Exit),
    /// The program runs, but has closed its standard output.
    Closed,
}

impl LineProgram {
    /// Starts a command line for the shell.
    ///
    /// ```
    /// use std::sync::atomic::AtomicBool;
    /// use std::time::Duration;
    /// use nuggets_subprocess::LineProgram;
    ///
    /// let mut program = LineProgram::start("read name; echo hello $name").unwrap();
    /// program.send(b"Ann\n");
    /// let line = program.wait_for_line(Duration::from_secs(60), &AtomicBool::new(false));
    /// assert_eq!(line.unwrap(), b"hello Ann");
    /// ```
    pub fn start(line: &str) -> io::Result<Self> {
        let marker = ProcessMarker::new()?;
        let mut shell = marker.shell(line);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = shell.spawn()?;
        let stdin = child.stdin.take().expect("stdin is a pipe");
        let stdout = child.stdout.take().expect("stdout is a pipe");
        let stderr = child.stderr.take().expect("stderr is a pipe");
        let stderr = CapturedStream::new(stderr, KeptPart::End(MAX_STDERR_BYTES));
        let (read, output) = sync_channel(MAX_LINES_IN);
        let (input, to_write) = sync_channel(MAX_LINES_OUT);
        std::thread::spawn(move || read_lines(BufReader::new(stdout), &read));
        std::thread::spawn(move || write_lines(stdin, &to_write));
        Ok(Self { child: MarkedChild::new(child, marker), input, output, stderr })
    }

    /// Sends bytes that end with a newline. They are lost if the program does not read.
    pub fn send(&mut self, line: &[u8]) {
        let _ = self.input.try_send(line.to_vec());
    }

    /// Returns the next line without its end. Setting `stop` ends the wait.
    pub fn wait_for_line(&mut self, limit: Duration, stop: &AtomicBool) -> Result<Vec<u8>, NoLine> {
        let mut left = limit;
        while !left.is_zero() && !stop.load(Ordering::Relaxed) {
            let wait = left.min(STOP_POLL_INTERVAL);
            match self.output.recv_timeout(wait) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) => left -= wait,
                // It exits soon, unless it keeps running without output.
                Err(RecvTimeoutError::Disconnected) => {
                    let exit = poll(EXIT_POLL_INTERVAL, EXIT_WAIT, || self.child.try_exit());
                    return Err(exit.map_or(NoLine::Closed, NoLine::Exited));
                }
            }
        }
        Err(NoLine::Silent)
    }

    /// Drops lines that have already arrived.
    pub fn drop_lines(&mut self) {
        let _ = self.output.try_iter().take(MAX_LINES_IN).count();
    }

    /// Returns the last part of its stderr. Waits briefly for the rest if the program has exited.
    pub fn stderr_end(&mut self) -> String {
        if self.child.try_exit().is_some() {
            poll(EXIT_POLL_INTERVAL, STDERR_WAIT, || self.stderr.has_ended().then_some(()));
        }
        last_lines(&String::from_utf8_lossy(&self.stderr.bytes()))
    }
}

/// The last lines of a text, without control characters.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let shown = &lines[lines.len().saturating_sub(MAX_STDERR_LINES)..];
    let is_shown = |c: &char| *c == '\n' || !c.is_control();
    shown.join("\n").replace('\t', "    ").chars().filter(is_shown).collect()
}

/// Reads lines until the output ends or the receiver is dropped.
fn read_lines(mut output: impl BufRead, lines: &SyncSender<Vec<u8>>) {
    loop {
        let mut line = Vec::new();
        match (&mut output).take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(1..) => {}
            _ => return,
        }
        if line.last() != Some(&b'\n') && output.skip_until(b'\n').is_err() {
            return;
        }
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if lines.send(line.to_vec()).is_err() {
            return;
        }
    }
}

/// Writes lines until the sender is dropped or the program closes its input.
fn write_lines(mut input: impl Write, lines: &Receiver<Vec<u8>>) {
    for line in lines {
        if input.write_all(&line).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn start(line: &str) -> LineProgram {
        LineProgram::start(line).unwrap()
    }

    fn line_of(program: &mut LineProgram) -> Result<Vec<u8>, NoLine> {
        program.wait_for_line(LONG, &AtomicBool::new(false))
    }

    #[test]
    fn line_ends_are_removed_and_long_lines_are_truncated() {
        let (sender, lines) = sync_channel(9);
        let text = format!("KEY h\r\n{}\nKEY l", "x".repeat(1000));
        read_lines(text.as_bytes(), &sender);
        drop(sender);
        let read: Vec<usize> = lines.iter().map(|line| line.len()).collect();
        assert_eq!(read, [5, 256, 5]);
    }

    #[test]
    fn the_last_lines_are_shown_without_control_characters() {
        assert_eq!(last_lines(""), "");
        assert_eq!(last_lines("Traceback:\n\tline 7\x1b[2J\n\n"), "Traceback:\n    line 7[2J");
        let many: Vec<String> = (0..1000).map(|line| line.to_string()).collect();
        assert_eq!(last_lines(&many.join("\n")), many[1000 - MAX_STDERR_LINES..].join("\n"));
    }

    #[test]
    fn an_exit_is_reported_with_the_end_of_stderr() {
        let mut program = start("echo one; echo first >&2; echo 'last words' >&2; exit 7");
        assert_eq!(line_of(&mut program), Ok(b"one".to_vec()));
        assert_eq!(line_of(&mut program), Err(NoLine::Exited(Exit::Code(7))));
        assert_eq!(program.stderr_end(), "first\nlast words");
    }

    #[test]
    fn a_program_that_says_nothing_is_silent_until_the_limit_or_the_stop() {
        let mut program = start("sleep 1000");
        let soon = Duration::from_millis(20);
        assert_eq!(program.wait_for_line(soon, &AtomicBool::new(false)), Err(NoLine::Silent));
        assert_eq!(program.wait_for_line(LONG, &AtomicBool::new(true)), Err(NoLine::Silent));
        assert_eq!(program.stderr_end(), "");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn children_in_a_session_of_their_own_are_killed_with_the_program() {
        let mut program = start("setsid sleep 1000 & echo it; sleep 1000");
        assert_eq!(line_of(&mut program), Ok(b"it".to_vec()));
        let marker = program.child.marker().clone();
        assert!(!marker.pids().is_empty());
        drop(program);
        assert!(marker.pids().is_empty());
    }
}
