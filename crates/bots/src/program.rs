//! A bot as an external program: it reads and writes the messages of the protocol, one per line, on its standard input
//! and output. docs/bots.md describes the interface for authors of programs.
//!
//! Programs are not trusted: their answers have a time limit, and dropping the value kills the program with all its
//! descendants.

mod brain;

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use nuggets_atlas::Stroke;
use nuggets_protocol::ClientMessage;
use nuggets_subprocess::{Exit, LineProgram, NoLine};
use thiserror::Error;

pub(crate) use brain::{ProgramBrain, ProgramEnd, SharedEnd};

/// The maximum number of turns that a program may lose in a game.
pub const MAX_LOST_TURNS: u32 = 3;
/// The exit codes of the shell if it can't run the command.
const SHELL_NOT_EXECUTABLE: i32 = 126;
const SHELL_NOT_FOUND: i32 = 127;
/// The maximum number of bytes of an invalid message that are shown.
const MAX_SHOWN_BYTES: usize = 40;

/// The time limits for the answers of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerLimits {
    /// The limit for the first message, in milliseconds: interpreters start slowly.
    pub start_ms: u64,
    /// The limit for the key of a turn, in milliseconds.
    pub turn_ms: u64,
}

impl Default for AnswerLimits {
    fn default() -> Self {
        Self { start_ms: 10_000, turn_ms: 1_000 }
    }
}

/// The fault of a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramFault {
    /// It could not be started.
    #[error("could not be started: {0}")]
    NotStarted(String),
    /// It sent no answer in time.
    #[error("no answer within {limit_ms} ms")]
    Silent {
        /// The time limit that it exceeded, in milliseconds.
        limit_ms: u64,
    },
    /// It sent something that is not a message, or a wrong one.
    #[error("invalid message: {0}")]
    InvalidMessage(String),
    /// It exited or closed its output, as the text says.
    #[error("{0}")]
    Died(String),
    /// It has already failed in the maximum number of games of a tournament.
    #[error("not started again after too many failed games")]
    GivenUp,
}

/// A fault, with the program's stderr up to that point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramFailure {
    /// Its command line.
    pub line: String,
    /// The fault itself.
    pub fault: ProgramFault,
    /// The last lines of its stderr; may be empty.
    pub stderr: String,
}

impl std::error::Error for ProgramFailure {}

impl fmt::Display for ProgramFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}': {}", self.line.escape_debug(), self.fault)?;
        f.write_str(&stderr_lines(&self.stderr))
    }
}

/// The end of a program's stderr as indented lines below its fault; empty if it wrote nothing.
pub fn stderr_lines(stderr: &str) -> String {
    if stderr.is_empty() {
        return String::new();
    }
    let lines = stderr.lines().map(|line| format!("\n  | {line}"));
    format!("\nThe end of its stderr:{}", lines.collect::<String>())
}

/// A running program that has introduced itself.
#[derive(Debug)]
pub struct BotProgram {
    line: String,
    limits: AnswerLimits,
    running: LineProgram,
    name: Vec<u8>,
}

impl BotProgram {
    /// Starts a command line for the shell and waits for `PLAY name`. Waiting ends when `stop` is set.
    pub fn start(
        line: &str,
        limits: AnswerLimits,
        stop: &AtomicBool,
    ) -> Result<Self, ProgramFailure> {
        let failure = |fault, stderr| ProgramFailure { line: line.to_owned(), fault, stderr };
        let not_started = |why: std::io::Error| ProgramFault::NotStarted(why.to_string());
        let mut running =
            LineProgram::start(line).map_err(|why| failure(not_started(why), String::new()))?;
        match first_name(&mut running, limits, stop) {
            Ok(name) => Ok(Self { line: line.to_owned(), limits, running, name }),
            Err(fault) => Err(failure(fault, running.stderr_end())),
        }
    }

    /// The name that it asks to play under.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Its command line.
    pub fn line(&self) -> &str {
        &self.line
    }

    /// Returns its time limits.
    pub(crate) fn limits(&self) -> AnswerLimits {
        self.limits
    }

    /// Sends it a message of the server. The message is lost if the program does not read; then it will miss its turn.
    pub fn send(&mut self, message: &[u8]) {
        self.running.send(&escape(message));
    }

    /// Sends it a picture and waits for its key: a stroke, or `Q`.
    pub fn ask(&mut self, picture: &[u8], stop: &AtomicBool) -> Result<u8, ProgramFault> {
        // Answers to earlier turns, which came too late.
        self.running.drop_lines();
        self.send(picture);
        let limit_ms = self.limits.turn_ms;
        let line = self.running.wait_for_line(Duration::from_millis(limit_ms), stop);
        let line = line.map_err(|why| fault_of(why, limit_ms, "during the game"))?;
        match ClientMessage::parse(&line) {
            // The server would reject any other key without a fault of the program being noted.
            Ok(ClientMessage::Key(key)) if key == b'Q' || Stroke::from_key(key).is_some() => {
                Ok(key)
            }
            _ => Err(invalid_message("KEY and a key", &line)),
        }
    }

    /// Returns this fault together with the program's stderr.
    pub fn failure(&mut self, fault: ProgramFault) -> ProgramFailure {
        ProgramFailure { line: self.line.clone(), fault, stderr: self.running.stderr_end() }
    }
}

fn first_name(
    running: &mut LineProgram,
    limits: AnswerLimits,
    stop: &AtomicBool,
) -> Result<Vec<u8>, ProgramFault> {
    let line = running.wait_for_line(Duration::from_millis(limits.start_ms), stop);
    let line = line.map_err(|why| fault_of(why, limits.start_ms, "before it sent PLAY"))?;
    match ClientMessage::parse(&line) {
        Ok(ClientMessage::Play(name)) => Ok(name.to_vec()),
        _ => Err(invalid_message("PLAY and a name", &line)),
    }
}

fn fault_of(why: NoLine, limit_ms: u64, when: &str) -> ProgramFault {
    ProgramFault::Died(match why {
        NoLine::Silent => return ProgramFault::Silent { limit_ms },
        NoLine::Closed => format!("closed its standard output {when}"),
        NoLine::Exited(Exit::Code(code)) => {
            let advice = match code {
                SHELL_NOT_FOUND => " (the command was not found: check --bot-cmd)",
                SHELL_NOT_EXECUTABLE => " (the command is not executable: run chmod +x on it)",
                _ => "",
            };
            format!("exited {when} with code {code}{advice}")
        }
        NoLine::Exited(Exit::Signal(number)) => format!("was killed {when} by signal {number}"),
    })
}

/// Encodes a message as one line: newlines within it become `\n`, and backslashes `\\`.
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

fn invalid_message(wanted: &str, line: &[u8]) -> ProgramFault {
    let shown = line[..line.len().min(MAX_SHOWN_BYTES)].escape_ascii();
    ProgramFault::InvalidMessage(format!("\"{shown}\" instead of {wanted}"))
}

/// Returns the same names, numbered where several are equal.
///
/// ```
/// use nuggets_bots::numbered;
///
/// let names = ["monty", "scout", "monty"].map(String::from);
/// assert_eq!(numbered(&names), ["monty 1", "scout", "monty 2"]);
/// ```
pub fn numbered(names: &[String]) -> Vec<String> {
    let number = |(index, name): (usize, &String)| {
        let is_alike = |other: &&String| *other == name;
        if names.iter().filter(is_alike).count() == 1 {
            return name.clone();
        }
        format!("{name} {}", names[..=index].iter().filter(is_alike).count())
    };
    names.iter().enumerate().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: AnswerLimits = AnswerLimits { start_ms: 60_000, turn_ms: 60_000 };

    fn start(line: &str) -> Result<BotProgram, ProgramFailure> {
        BotProgram::start(line, LIMITS, &AtomicBool::new(false))
    }

    #[test]
    fn a_message_becomes_one_line() {
        assert_eq!(escape(b"DISPLAY\n|@|\n"), b"DISPLAY\\n|@|\\n\n");
        assert_eq!(escape(b"ERROR a\\b"), b"ERROR a\\\\b\n");
    }

    #[test]
    fn a_program_answers_a_picture_with_a_key() {
        let mut program = start("echo PLAY Ann; read -r a; read -r b; echo KEY L").unwrap();
        assert_eq!(program.name(), b"Ann");
        program.send(b"OK A");
        assert_eq!(program.ask(b"DISPLAY\n|@.|\n", &AtomicBool::new(false)), Ok(b'L'));
    }

    #[test]
    fn a_program_that_does_not_introduce_itself_is_reported_with_its_stderr() {
        let cases = [
            ("no-such-program-anywhere", "code 127 (the command was not found: check --bot-cmd)"),
            ("/", "code 126 (the command is not executable: run chmod +x on it)"),
            ("echo hello", "invalid message: \"hello\" instead of PLAY and a name"),
            ("exit 3", "exited before it sent PLAY with code 3"),
            ("kill -9 $$", "was killed before it sent PLAY by signal 9"),
            ("echo oops >&2; exit 1", "with code 1\nThe end of its stderr:\n  | oops"),
        ];
        for (line, words) in cases {
            let failure = start(line).unwrap_err().to_string();
            assert!(
                failure.starts_with(&format!("'{line}': ")) && failure.contains(words),
                "{failure}"
            );
        }
    }

    #[test]
    fn an_invalid_key_is_a_fault_and_q_is_not() {
        for (answer, expected) in [("KEY Q", Ok(b'Q')), ("KEY x", Err("\"KEY x\" instead of KEY"))]
        {
            let mut program = start(&format!("echo PLAY Ann; read -r a; echo {answer}")).unwrap();
            let asked = program.ask(b"DISPLAY\n|@.|\n", &AtomicBool::new(false));
            match expected {
                Ok(key) => assert_eq!(asked, Ok(key)),
                Err(words) => assert!(asked.unwrap_err().to_string().contains(words)),
            }
        }
    }
}
