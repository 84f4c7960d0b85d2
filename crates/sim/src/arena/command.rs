//! A program of anybody's that plays: messages on its standard input and output, one per line.
//!
//! It is a stranger. Its output is bounded, it is waited for so long and no longer, and it and its
//! children are gone when the game is.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use nuggets_game::Stroke;
use nuggets_protocol::{ClientMessage, DISPLAY_HEAD};
use nuggets_stranger::Mark;
use rustix::process::{Pid, Signal, kill_process_group};

use super::contender::Contender;
use super::contest::Trouble;

/// How long programs may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For the first word: interpreters start slowly.
    pub start_ms: u64,
    /// For a turn.
    pub turn_ms: u64,
}

/// Lines that wait to be read; a program that says more waits itself.
const WAITING_LINES: usize = 8;
/// Lines that wait to be taken by the program; more are lost.
const WAITING_LINES_TO_TELL: usize = 256;
/// No message of a client is longer; the rest of a longer line is thrown away.
const MOST_LINE_BYTES: u64 = 256;
/// How often it is looked after a program that has closed its output, every 10 ms.
const LAST_LOOKS: u32 = 200;
/// So often it is asked whether to go on waiting.
const GLANCE: Duration = Duration::from_millis(50);
/// So much of nonsense is shown.
const SHOWN_BYTES: usize = 40;

/// A program as a contender.
pub(super) struct Command {
    line: String,
    patience: Patience,
    running: Option<Running>,
    /// The last picture, told when it is the program's turn.
    picture: Vec<u8>,
}

struct Running {
    child: Child,
    /// Finds children that have left its process group.
    mark: Mark,
    /// Lines on their way to its standard input.
    told: SyncSender<Vec<u8>>,
    lines: Receiver<Vec<u8>>,
}

impl Default for Patience {
    fn default() -> Self {
        Self { start_ms: 10_000, turn_ms: 1_000 }
    }
}

impl Command {
    pub(super) fn new(line: &str, patience: Patience) -> Self {
        Self { line: line.to_owned(), patience, running: None, picture: vec![] }
    }

    fn listen(&mut self, limit_ms: u64, stop: &AtomicBool) -> Result<Vec<u8>, Trouble> {
        let Some(running) = &mut self.running else { return Err(died("it was never started")) };
        let mut left = Duration::from_millis(limit_ms);
        while !left.is_zero() && !stop.load(Ordering::Relaxed) {
            let wait = left.min(GLANCE);
            match running.lines.recv_timeout(wait) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) => left -= wait,
                Err(RecvTimeoutError::Disconnected) => return Err(running.how_it_died()),
            }
        }
        Err(Trouble::Silent { limit_ms })
    }

    /// Says one line. To a program that doesn't listen it is lost; its silence will be noticed.
    fn say(&mut self, message: &[u8]) {
        if let Some(running) = &mut self.running {
            let _ = running.told.try_send(escape(message));
        }
    }

    /// Answers to earlier turns that came too late are not taken for the next one.
    fn forget_late_answers(&mut self) {
        if let Some(running) = &self.running {
            let _ = running.lines.try_iter().take(WAITING_LINES).count();
        }
    }
}

impl Contender for Command {
    fn join(&mut self, stop: &AtomicBool) -> Result<Vec<u8>, Trouble> {
        let running = Running::start(&self.line);
        self.running = Some(running.map_err(|why| Trouble::NotStarted(why.to_string()))?);
        let line = self.listen(self.patience.start_ms, stop)?;
        match ClientMessage::parse(&line) {
            Ok(ClientMessage::Play(_)) => Ok(line),
            _ => Err(nonsense("PLAY and a name", &line)),
        }
    }

    fn hear(&mut self, message: &[u8]) {
        if message.starts_with(DISPLAY_HEAD) {
            self.picture.clear();
            self.picture.extend_from_slice(message);
        } else {
            self.say(message);
        }
    }

    fn turn(&mut self, stop: &AtomicBool) -> Result<Option<Vec<u8>>, Trouble> {
        self.forget_late_answers();
        let picture = std::mem::take(&mut self.picture);
        self.say(&picture);
        self.picture = picture;
        let line = self.listen(self.patience.turn_ms, stop)?;
        match ClientMessage::parse(&line) {
            Ok(ClientMessage::Key(key)) if is_key(key) => Ok(Some(line)),
            _ => Err(nonsense("KEY and a key", &line)),
        }
    }
}

impl Running {
    /// In a process group of its own, so that its children can be ended with it.
    fn start(line: &str) -> std::io::Result<Self> {
        let mark = Mark::new()?;
        let (name, value) = mark.variable();
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", line]).env(name, value).process_group(0);
        let shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = shell.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take());
        let (Some(stdin), Some(stdout)) = pipes else { unreachable!("both are pipes") };
        let (heard, lines) = sync_channel(WAITING_LINES);
        let (told, to_tell) = sync_channel(WAITING_LINES_TO_TELL);
        std::thread::spawn(move || read_lines(BufReader::new(stdout), &heard));
        std::thread::spawn(move || write_lines(stdin, &to_tell));
        Ok(Self { child, mark, told, lines })
    }

    /// Its output has ended; its own end follows in a moment, unless it goes on in silence.
    fn how_it_died(&mut self) -> Trouble {
        for _ in 0..LAST_LOOKS {
            if let Ok(Some(status)) = self.child.try_wait() {
                return died(&status.to_string());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        died("it closed its standard output")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Its group may be gone already; then there is nobody to end.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.mark.end_all();
    }
}

/// Ends with the output, or when nobody listens any more.
fn read_lines(mut output: impl BufRead, lines: &SyncSender<Vec<u8>>) {
    loop {
        let mut line = Vec::new();
        match (&mut output).take(MOST_LINE_BYTES).read_until(b'\n', &mut line) {
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

/// Ends when there is nothing more to tell, or nobody to hear it.
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

/// Any other key the room would refuse, without telling us.
fn is_key(key: u8) -> bool {
    key == b'Q' || Stroke::from_key(key).is_some()
}

fn died(how: &str) -> Trouble {
    Trouble::Died(how.to_owned())
}

fn nonsense(wanted: &str, line: &[u8]) -> Trouble {
    let shown = line[..line.len().min(SHOWN_BYTES)].escape_ascii();
    Trouble::Nonsense(format!("\"{shown}\" instead of {wanted}"))
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
    fn lines_are_read_without_their_ends_and_cut_where_they_are_too_long() {
        let (sender, lines) = sync_channel(9);
        let text = format!("KEY h\r\n{}\nKEY l", "x".repeat(1000));
        read_lines(text.as_bytes(), &sender);
        drop(sender);
        let read: Vec<usize> = lines.iter().map(|line| line.len()).collect();
        assert_eq!(read, [5, 256, 5]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn children_in_a_session_of_their_own_end_with_it() {
        let patience = Patience { start_ms: 60_000, turn_ms: 60_000 };
        let mut command = Command::new("setsid sleep 1000 & echo PLAY it; sleep 1000", patience);
        assert_eq!(command.join(&AtomicBool::new(false)).unwrap(), b"PLAY it");
        let mark = command.running.as_ref().unwrap().mark.clone();
        assert!(!mark.bearers().is_empty());
        drop(command);
        assert!(mark.bearers().is_empty());
    }
}
