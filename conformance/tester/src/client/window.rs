//! An untrusted program in a pseudo-terminal, and its screen there. Its output is kept up to a limit. Dropping the
//! window kills the program and all its descendants.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use nuggets_subprocess::{Exit, MarkedChild, ProcessMarker, RUN_WITH_LIMITS, read_blocks};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use vt100::{Parser, Screen};

/// The maximum number of blocks of output that wait to be handled. The program waits with the rest.
const MAX_BLOCKS: usize = 256;
/// The number of bytes kept of the raw output.
const MAX_RAW_BYTES: usize = 1 << 20;
/// The number of bytes read of stderr.
const MAX_STDERR_BYTES: u64 = 64 << 10;

/// The source of the program's keystrokes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeySource {
    /// The terminal.
    Terminal,
    /// A pipe that can be closed.
    Pipe,
    /// An empty file.
    Empty,
}

/// A pseudo-terminal with a program in it.
pub(crate) struct ClientTerminal {
    child: MarkedChild,
    master: Box<dyn MasterPty + Send>,
    /// Kept open so that the terminal's modes stay as the program leaves them.
    slave: Option<Box<dyn SlavePty + Send>>,
    keyboard: Option<Box<dyn Write + Send>>,
    /// Our end of the pipe from which the program reads; dropping it ends the program's input.
    pub(crate) pipe: Option<File>,
    stderr: PathBuf,
    output: Receiver<Vec<u8>>,
    emulator: Parser,
    /// The bytes written to the terminal, up to a limit.
    pub(crate) raw: Vec<u8>,
    modes_before: String,
    modes_after: String,
    /// Set once the program is known to have exited.
    pub(crate) exit: Option<Exit>,
    /// True if no process can write to the terminal any more, and all output was handled.
    pub(crate) is_closed: bool,
    /// True if the alternate screen was ever used.
    pub(crate) used_alternate_screen: bool,
}

impl ClientTerminal {
    /// Runs a command line in a window. No other window may use the scratch directory.
    pub(crate) fn open(
        words: &[OsString],
        input: KeySource,
        size: (u16, u16),
        scratch: &Path,
    ) -> io::Result<Self> {
        let work = scratch.join("work");
        std::fs::create_dir_all(&work)?;
        let pipe = match input {
            KeySource::Pipe => Some(make_pipe(&scratch.join("keys"))?),
            _ => None,
        };
        let marker = ProcessMarker::new()?;
        let pty = native_pty_system().openpty(pty_size(size)).map_err(io::Error::other)?;
        let reader = pty.master.try_clone_reader().map_err(io::Error::other)?;
        let (sender, output) = sync_channel(MAX_BLOCKS);
        std::thread::spawn(move || read_blocks(reader, |it| sender.send(it.to_vec()).is_ok()));
        let modes_before = modes(&*pty.master);
        let command = command(words, input, &work, &marker);
        // It leads its session and its process group.
        let child: Box<dyn Child> = pty.slave.spawn_command(command).map_err(io::Error::other)?;
        let child = child.downcast().map_err(|_| io::Error::other("not a child process"))?;
        Ok(Self {
            child: MarkedChild::new(*child, marker),
            master: pty.master,
            slave: Some(pty.slave),
            keyboard: None,
            pipe,
            stderr: scratch.join("stderr"),
            output,
            emulator: Parser::new(nonzero(size.0), nonzero(size.1), 0),
            raw: vec![],
            modes_after: String::new(),
            modes_before,
            exit: None,
            is_closed: false,
            used_alternate_screen: false,
        })
    }

    /// Handles the next output of the program, if it arrives in time.
    pub(crate) fn handle_output_within(&mut self, limit: Duration) {
        match self.output.recv_timeout(limit) {
            Ok(bytes) => self.process_output(&bytes),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => self.is_closed = true,
        }
    }

    fn process_output(&mut self, bytes: &[u8]) {
        let room = MAX_RAW_BYTES.saturating_sub(self.raw.len());
        self.raw.extend_from_slice(&bytes[..bytes.len().min(room)]);
        // Output that the emulator can't handle must not end the tester.
        let emulator = &mut self.emulator;
        if catch_unwind(AssertUnwindSafe(|| emulator.process(bytes))).is_err() {
            let (rows, cols) = self.emulator.screen().size();
            self.emulator = Parser::new(rows, cols, 0);
        }
        self.used_alternate_screen |= self.screen().alternate_screen();
    }

    /// Types keys. A terminal that is gone ignores them.
    pub(crate) fn type_keys(&mut self, keys: &[u8]) {
        if self.keyboard.is_none() {
            self.keyboard = self.master.take_writer().ok();
        }
        if let Some(keyboard) = &mut self.keyboard {
            let _ = keyboard.write_all(keys).and_then(|()| keyboard.flush());
        }
    }

    pub(crate) fn resize(&mut self, size: (u16, u16)) {
        self.emulator.set_size(nonzero(size.0), nonzero(size.1));
        let _ = self.master.resize(pty_size(size));
    }

    pub(crate) fn screen(&self) -> &Screen {
        self.emulator.screen()
    }

    /// Identifies the program's descendants.
    #[cfg(test)]
    pub(crate) fn marker(&self) -> &ProcessMarker {
        self.child.marker()
    }

    /// The terminal's modes before the program started and after it exited.
    pub(crate) fn modes(&self) -> (&str, &str) {
        (&self.modes_before, &self.modes_after)
    }

    /// Returns the program's stderr up to now.
    pub(crate) fn stderr(&self) -> String {
        let mut text = vec![];
        if let Ok(file) = File::open(&self.stderr) {
            let _ = file.take(MAX_STDERR_BYTES).read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Returns the exit of the program, if it has exited.
    pub(crate) fn try_exit(&mut self) -> Option<Exit> {
        if self.exit.is_none() {
            self.exit = self.child.try_exit();
            if self.exit.is_some() {
                self.modes_after = modes(&*self.master);
                // The terminal closes once no process can write to it.
                self.slave = None;
            }
        }
        self.exit
    }
}

impl std::fmt::Debug for ClientTerminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientTerminal").field("exit", &self.exit).finish_non_exhaustive()
    }
}

/// The program with the same environment on every machine.
fn command(
    words: &[OsString],
    input: KeySource,
    work: &Path,
    marker: &ProcessMarker,
) -> CommandBuilder {
    let from = match input {
        KeySource::Terminal => "",
        KeySource::Pipe => " <../keys",
        KeySource::Empty => " </dev/null",
    };
    // Stderr goes to a file outside the program's directory, so that it doesn't disturb the screen.
    let shell = marker.shell(&format!("{RUN_WITH_LIMITS} 2>../stderr{from}"));
    let mut command = CommandBuilder::new(shell.get_program());
    command.args(shell.get_args());
    command.arg("sh");
    command.args(words);
    command.cwd(work);
    for (name, value) in shell.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.env("TERM", "xterm-256color");
    for name in ["LINES", "COLUMNS", "NO_COLOR"] {
        command.env_remove(name);
    }
    command
}

/// Our end of a named pipe. Open for reading too, so that opening doesn't block.
fn make_pipe(path: &Path) -> io::Result<File> {
    let made = Command::new("mkfifo").arg(path).status()?;
    if !made.success() {
        return Err(io::Error::other("mkfifo failed"));
    }
    File::options().read(true).write(true).open(path)
}

fn modes(master: &dyn MasterPty) -> String {
    master.get_termios().map_or_else(String::new, |modes| format!("{modes:?}"))
}

fn pty_size((rows, cols): (u16, u16)) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

fn nonzero(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN)
}
