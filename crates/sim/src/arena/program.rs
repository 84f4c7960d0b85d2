//! An external program that plays: messages on its standard input and output, one per line.
//!
//! It is not trusted: its output is bounded, its answers have a time limit, and it and its children are killed
//! at the end of the game.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use nuggets_game::Stroke;
use nuggets_protocol::{ClientMessage, DISPLAY_HEAD};
use nuggets_subprocess::ProcessMarker;
use rustix::process::{Pid, Signal, kill_process_group};

use super::contender::Contender;
use super::contest::ContenderFault;

/// How long programs may take for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerLimits {
    /// For the first message: interpreters start slowly.
    pub start_ms: u64,
    /// For the key of a turn.
    pub turn_ms: u64,
}

/// Lines of the program that wait to be read; it blocks when it writes more.
const MAX_LINES_IN: usize = 8;
/// Lines for the program that wait to be written; more are lost.
const MAX_LINES_OUT: usize = 256;
/// No message of a client is longer; the rest of a longer line is dropped.
const MAX_LINE_BYTES: u64 = 256;
/// How often the exit status of a program that has closed its output is polled.
const EXIT_POLLS: u32 = 200;
const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The exit code of the shell if it does not find the command.
const SHELL_NOT_FOUND: i32 = 127;
/// How often `stop` is polled while waiting for an answer.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How many bytes of an invalid message are shown.
const MAX_SHOWN_BYTES: usize = 40;

/// A program as a contender.
pub(super) struct ProgramContender {
    line: String,
    limits: AnswerLimits,
    running: Option<Running>,
    /// The last picture, which is sent when it is the program's turn.
    picture: Vec<u8>,
}

struct Running {
    child: Child,
    /// Finds children that have left the process group or the session.
    marker: ProcessMarker,
    /// Lines for its standard input.
    input: SyncSender<Vec<u8>>,
    output: Receiver<Vec<u8>>,
}

impl Default for AnswerLimits {
    fn default() -> Self {
        Self { start_ms: 10_000, turn_ms: 1_000 }
    }
}

impl ProgramContender {
    pub(super) fn new(line: &str, limits: AnswerLimits) -> Self {
        Self { line: line.to_owned(), limits, running: None, picture: vec![] }
    }

    fn wait_for_line(
        &mut self,
        limit_ms: u64,
        stop: &AtomicBool,
    ) -> Result<Vec<u8>, ContenderFault> {
        let Some(running) = &mut self.running else { return Err(died("was not started")) };
        let mut left = Duration::from_millis(limit_ms);
        while !left.is_zero() && !stop.load(Ordering::Relaxed) {
            let wait = left.min(STOP_POLL_INTERVAL);
            match running.output.recv_timeout(wait) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) => left -= wait,
                Err(RecvTimeoutError::Disconnected) => return Err(running.exit_fault()),
            }
        }
        Err(ContenderFault::Silent { limit_ms })
    }

    /// Sends one line. It is lost if the program does not read; then the program will miss its turn.
    fn send(&mut self, message: &[u8]) {
        if let Some(running) = &mut self.running {
            let _ = running.input.try_send(escape(message));
        }
    }

    /// Drops answers to earlier turns that came too late.
    fn drop_late_answers(&mut self) {
        if let Some(running) = &self.running {
            let _ = running.output.try_iter().take(MAX_LINES_IN).count();
        }
    }
}

impl Contender for ProgramContender {
    fn join(&mut self, stop: &AtomicBool) -> Result<Vec<u8>, ContenderFault> {
        let running = Running::start(&self.line);
        self.running = Some(running.map_err(|why| ContenderFault::NotStarted(why.to_string()))?);
        let line = self.wait_for_line(self.limits.start_ms, stop)?;
        match ClientMessage::parse(&line) {
            Ok(ClientMessage::Play(_)) => Ok(line),
            _ => Err(invalid_message("PLAY and a name", &line)),
        }
    }

    fn receive(&mut self, message: &[u8]) {
        if message.starts_with(DISPLAY_HEAD) {
            self.picture.clear();
            self.picture.extend_from_slice(message);
        } else {
            self.send(message);
        }
    }

    fn turn(&mut self, stop: &AtomicBool) -> Result<Option<Vec<u8>>, ContenderFault> {
        self.drop_late_answers();
        let picture = std::mem::take(&mut self.picture);
        self.send(&picture);
        self.picture = picture;
        let line = self.wait_for_line(self.limits.turn_ms, stop)?;
        match ClientMessage::parse(&line) {
            Ok(ClientMessage::Key(key)) if is_key(key) => Ok(Some(line)),
            _ => Err(invalid_message("KEY and a key", &line)),
        }
    }
}

impl Running {
    /// Starts the program in a process group of its own, so that its children can be killed with it.
    fn start(line: &str) -> std::io::Result<Self> {
        let marker = ProcessMarker::new()?;
        let (name, value) = marker.variable();
        let mut shell = std::process::Command::new("sh");
        let script = format!("{}\n{line}", marker.shell_command());
        shell.args(["-c", &script]).env(name, value).process_group(0);
        let shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = shell.spawn()?;
        let stdin = child.stdin.take().expect("stdin is a pipe");
        let stdout = child.stdout.take().expect("stdout is a pipe");
        let (read, output) = sync_channel(MAX_LINES_IN);
        let (input, to_write) = sync_channel(MAX_LINES_OUT);
        std::thread::spawn(move || read_lines(BufReader::new(stdout), &read));
        std::thread::spawn(move || write_lines(stdin, &to_write));
        Ok(Self { child, marker, input, output })
    }

    /// The program has closed its output. It will exit soon, unless it keeps running without output.
    fn exit_fault(&mut self) -> ContenderFault {
        for _ in 0..EXIT_POLLS {
            if let Ok(Some(status)) = self.child.try_wait() {
                return died(&exit_text(status));
            }
            std::thread::sleep(EXIT_POLL_INTERVAL);
        }
        died("closed its standard output during the game")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // An error means that the group is gone already.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.marker.kill_all();
    }
}

/// Ends with the output, or when the receiver is dropped.
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

/// Ends when the sender is dropped or the program has closed its input.
fn write_lines(mut input: impl Write, lines: &Receiver<Vec<u8>>) {
    for line in lines {
        if input.write_all(&line).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

/// One line for a message: newlines within it become `\n`, and backslashes `\\`.
fn escape(message: &[u8]) -> Vec<u8> {
    let mut line = Vec::with_capacity(message.len() + 64);
    for &byte in message {
        match byte {
            b'\n' => line.extend_from_slice(b"\\n"),
            b'\\' => line.extend_from_slice(b"\\\\"),
            _ => line.push(byte),
        }
    }
    line.push(b'\n');
    line
}

/// The room would reject any other key without a fault of the contender being noted.
fn is_key(key: u8) -> bool {
    key == b'Q' || Stroke::from_key(key).is_some()
}

fn exit_text(status: ExitStatus) -> String {
    match status.code() {
        Some(SHELL_NOT_FOUND) => format!(
            "exited during the game with code {SHELL_NOT_FOUND} (the command was not found: check \
             --bot-cmd)"
        ),
        Some(code) => format!("exited during the game with code {code}"),
        None => format!("ended during the game: {status}"),
    }
}

fn died(how: &str) -> ContenderFault {
    ContenderFault::Died(how.to_owned())
}

fn invalid_message(wanted: &str, line: &[u8]) -> ContenderFault {
    let shown = line[..line.len().min(MAX_SHOWN_BYTES)].escape_ascii();
    ContenderFault::InvalidMessage(format!("\"{shown}\" instead of {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_becomes_one_line() {
        assert_eq!(escape(b"DISPLAY\n|@|\n"), b"DISPLAY\\n|@|\\n\n");
        assert_eq!(escape(b"ERROR a\\b"), b"ERROR a\\\\b\n");
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
    #[cfg(target_os = "linux")]
    fn children_in_a_session_of_their_own_are_killed_with_the_program() {
        let limits = AnswerLimits { start_ms: 60_000, turn_ms: 60_000 };
        let mut command =
            ProgramContender::new("setsid sleep 1000 & echo PLAY it; sleep 1000", limits);
        assert_eq!(command.join(&AtomicBool::new(false)).unwrap(), b"PLAY it");
        let marker = command.running.as_ref().unwrap().marker.clone();
        assert!(!marker.pids().is_empty());
        drop(command);
        assert!(marker.pids().is_empty());
    }

    /// It has neither our environment nor a parent, group or session in common with the program.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_daemon_is_killed_with_the_program_that_started_it() {
        let limits = AnswerLimits { start_ms: 60_000, turn_ms: 60_000 };
        let daemon = "(env -i setsid sh -c 'echo PLAY $$; exec sleep 1000' &); sleep 1000";
        let mut command = ProgramContender::new(daemon, limits);
        let play = command.join(&AtomicBool::new(false)).unwrap();
        let pid = String::from_utf8(play).unwrap().split_off("PLAY ".len());
        let stat = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(!stat().is_empty(), "it runs");
        drop(command);
        // It may still wait for its new parent to reap it.
        assert!(stat().is_empty() || stat().contains(") Z "), "{}", stat());
    }
}
