//! A program that nobody trusts in a pseudo-terminal, and what is seen there. What it shows is kept
//! up to a limit, and when the window goes, the program and all its children go too.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::SyncSender;

use nuggets_stranger::{Ending, Mark};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use vt100::{Parser, Screen};

use super::inbox::Event;

/// So much of what was written to the terminal is kept as it came.
const MOST_RAW_BYTES: usize = 1 << 20;
/// So much of what was said on stderr is looked at.
const MOST_SAID_BYTES: u64 = 64 << 10;

/// Nothing large is written to disk, and nobody's memory is dumped there. What is said on stderr
/// must not spoil the screen, so it goes to a file beside the program's directory.
const LIMITS: &str = "ulimit -c 0; ulimit -f 131072; exec \"$@\" 2>../said";

/// Where the program reads its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    /// From the terminal.
    Terminal,
    /// From a pipe that can be closed.
    Pipe,
    /// There is nothing to read.
    Nothing,
}

/// A pseudo-terminal with a program in it.
pub(crate) struct Window {
    child: Box<dyn Child + Send + Sync>,
    pid: Option<Pid>,
    mark: Mark,
    master: Box<dyn MasterPty + Send>,
    /// Held so that the terminal stays as the program leaves it.
    slave: Option<Box<dyn SlavePty + Send>>,
    keyboard: Option<Box<dyn Write + Send>>,
    pipe: Option<File>,
    said: PathBuf,
    emulator: Parser,
    raw: Vec<u8>,
    modes_before: String,
    modes_after: String,
    ending: Option<Ending>,
    is_closed: bool,
    had_other_screen: bool,
}

impl Window {
    /// Runs these words in a window of these rows and columns. The scratch directory is the
    /// window's own.
    pub(crate) fn open(
        words: &[OsString],
        keys: Keys,
        size: (u16, u16),
        scratch: &Path,
        inbox: SyncSender<Event>,
    ) -> Result<Self, String> {
        let trouble = |what: &'static str| move |why: io::Error| format!("{what}: {why}");
        let work = scratch.join("work");
        std::fs::create_dir_all(&work).map_err(trouble("making a directory"))?;
        let pipe = match keys {
            Keys::Pipe => Some(make_pipe(&scratch.join("keys")).map_err(trouble("a pipe"))?),
            _ => None,
        };
        let mark = Mark::new().map_err(trouble("a mark"))?;
        let pty = native_pty_system().openpty(pty_size(size)).map_err(|why| why.to_string())?;
        watch(pty.master.try_clone_reader().map_err(|why| why.to_string())?, inbox);
        let modes_before = modes(&*pty.master);
        let command = command(words, keys, &work, &mark);
        let child = pty.slave.spawn_command(command).map_err(|why| why.to_string())?;
        let number = child.process_id().and_then(|id| i32::try_from(id).ok());
        Ok(Self {
            child,
            pid: number.and_then(Pid::from_raw),
            mark,
            master: pty.master,
            slave: Some(pty.slave),
            keyboard: None,
            pipe,
            said: scratch.join("said"),
            emulator: Parser::new(nonzero(size.0), nonzero(size.1), 0),
            raw: vec![],
            modes_after: String::new(),
            modes_before,
            ending: None,
            is_closed: false,
            had_other_screen: false,
        })
    }

    /// The program has written something.
    pub(crate) fn take_in(&mut self, bytes: &[u8]) {
        let room = MOST_RAW_BYTES.saturating_sub(self.raw.len());
        self.raw.extend_from_slice(&bytes[..bytes.len().min(room)]);
        // Whatever a stranger writes must not end the tester.
        let emulator = &mut self.emulator;
        if catch_unwind(AssertUnwindSafe(|| emulator.process(bytes))).is_err() {
            let (rows, cols) = self.emulator.screen().size();
            self.emulator = Parser::new(rows, cols, 0);
        }
        self.had_other_screen |= self.screen().alternate_screen();
    }

    pub(crate) fn take_close(&mut self) {
        self.is_closed = true;
    }

    /// Presses keys. A terminal that is gone takes none.
    pub(crate) fn type_keys(&mut self, keys: &[u8]) {
        if self.keyboard.is_none() {
            self.keyboard = self.master.take_writer().ok();
        }
        if let Some(keyboard) = &mut self.keyboard {
            let _ = keyboard.write_all(keys).and_then(|()| keyboard.flush());
        }
    }

    /// Closes the pipe from which the program reads.
    pub(crate) fn close_pipe(&mut self) {
        self.pipe = None;
    }

    pub(crate) fn resize(&mut self, size: (u16, u16)) {
        self.emulator.set_size(nonzero(size.0), nonzero(size.1));
        let _ = self.master.resize(pty_size(size));
    }

    pub(crate) fn screen(&self) -> &Screen {
        self.emulator.screen()
    }

    /// Every byte that was written to the terminal, up to a limit.
    pub(crate) fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// By which the program's children are found.
    #[cfg(test)]
    pub(crate) fn mark(&self) -> &Mark {
        &self.mark
    }

    /// Was the screen for programs that fill it ever used?
    pub(crate) fn had_other_screen(&self) -> bool {
        self.had_other_screen
    }

    /// The terminal's modes before the program and after it.
    pub(crate) fn modes(&self) -> (&str, &str) {
        (&self.modes_before, &self.modes_after)
    }

    /// What the program has said on stderr.
    pub(crate) fn said(&self) -> String {
        let mut said = vec![];
        if let Ok(file) = File::open(&self.said) {
            let _ = file.take(MOST_SAID_BYTES).read_to_end(&mut said);
        }
        String::from_utf8_lossy(&said).into_owned()
    }

    /// How the program ended, if it has.
    pub(crate) fn ending(&mut self) -> Option<Ending> {
        if self.ending.is_none() {
            self.ending =
                self.own_child().and_then(|child| child.try_wait().ok().flatten()).map(Into::into);
            if self.ending.is_some() {
                self.modes_after = modes(&*self.master);
                // Once nobody can write any more, the terminal closes.
                self.slave = None;
            }
        }
        self.ending
    }

    /// Is it known that the program has ended?
    pub(crate) fn has_ended(&self) -> bool {
        self.ending.is_some()
    }

    /// Has everything been seen that was written?
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn own_child(&mut self) -> Option<&mut std::process::Child> {
        let child: &mut dyn Child = &mut *self.child;
        child.downcast_mut()
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if self.ending().is_none()
            && let Some(pid) = self.pid
        {
            // It leads its session and its group. As long as nobody has waited for it, its number
            // is nobody else's.
            let _ = kill_process_group(pid, Signal::KILL);
            let _ = kill_process(pid, Signal::KILL);
            let _ = self.child.wait();
        }
        self.mark.end_all();
    }
}

impl std::fmt::Debug for Window {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Window").field("pid", &self.pid).finish_non_exhaustive()
    }
}

/// Hands on what is written, until nobody can write any more: a terminal tells that by an error.
fn watch(mut output: Box<dyn Read + Send>, inbox: SyncSender<Event>) {
    std::thread::spawn(move || {
        let mut block = [0; 4096];
        loop {
            match output.read(&mut block) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(length @ 1..) => {
                    if inbox.send(Event::Shown(block[..length].to_vec())).is_err() {
                        return;
                    }
                }
                _ => break,
            }
        }
        let _ = inbox.send(Event::Closed);
    });
}

/// The program in the usual surroundings, whatever ours are.
fn command(words: &[OsString], keys: Keys, work: &Path, mark: &Mark) -> CommandBuilder {
    let from = match keys {
        Keys::Terminal => "",
        Keys::Pipe => " <../keys",
        Keys::Nothing => " </dev/null",
    };
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", &format!("{LIMITS}{from}"), "sh"]);
    command.args(words);
    command.cwd(work);
    command.env("TERM", "xterm-256color");
    for name in ["LINES", "COLUMNS", "NO_COLOR"] {
        command.env_remove(name);
    }
    let (name, value) = mark.variable();
    command.env(name, value);
    command
}

/// Our end of it. Held for reading too, so that nobody has to wait for the other end.
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
