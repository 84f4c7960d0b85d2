//! A program in a pseudo-terminal, and the screen that a person in front of it would see.
//!
//! Nothing here waits for a fixed time: every wait is for something to appear on the screen or for
//! the program to end.

mod window;

use std::ffi::OsStr;
use std::io::Write;
use std::num::NonZeroU16;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread::JoinHandle;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use vt100::{MouseProtocolEncoding, MouseProtocolMode, Screen};

use crate::waiting::wait_for;
use window::{Window, drawn};

pub use window::{cursor, lines, status};

/// The rows and columns of an ordinary window.
pub const ORDINARY: (u16, u16) = (24, 80);

/// A pseudo-terminal in which a program runs. Dropping it kills the program.
pub struct PseudoTerminal {
    child: Box<dyn Child + Send + Sync>,
    master: Option<Box<dyn MasterPty + Send>>,
    /// Kept open so that the terminal stays in the state in which the program leaves it.
    slave: Option<Box<dyn SlavePty + Send>>,
    /// Created at the first key, because dropping it types an end of file.
    keyboard: Option<Box<dyn Write + Send>>,
    window: Arc<Window>,
    onlooker: Option<JoinHandle<()>>,
    modes_before: String,
}

/// The exit code of a program, and its last screen.
#[derive(Debug)]
pub struct TerminalEnd {
    /// The exit code.
    pub code: u32,
    /// The lines on the screen.
    pub lines: Vec<String>,
    /// Every byte that was written to the terminal.
    pub raw: Vec<u8>,
}

impl PseudoTerminal {
    /// Starts a program with these arguments in a window of these rows and columns.
    pub fn start(size: (u16, u16), program: impl AsRef<OsStr>, args: &[&str]) -> Self {
        Self::start_command(size, Command::new(program).args(args))
    }

    /// Does the same in this folder, which also holds the user's state and configuration.
    pub fn start_in(
        folder: &Path,
        size: (u16, u16),
        program: impl AsRef<OsStr>,
        args: &[&str],
    ) -> Self {
        let mut command = Command::new(program);
        command.args(args).current_dir(folder);
        command.env("XDG_STATE_HOME", folder).env("XDG_CONFIG_HOME", folder);
        Self::start_command(size, &command)
    }

    /// Starts a line of shell with job control, as in a login. The program and its arguments are
    /// its `"$@"`.
    pub fn start_in_shell(line: &str, program: &str, args: &[&str]) -> Self {
        let line = format!("set -m; {line}");
        let words = [&["-c", &line, "sh", program], args].concat();
        Self::start(ORDINARY, "sh", &words)
    }

    /// Starts a command in a window of these rows and columns.
    pub fn start_command(size: (u16, u16), command: &Command) -> Self {
        let pty = native_pty_system().openpty(pty_size(size)).expect("there are pseudo-terminals");
        let window = Arc::new(Window::default());
        window.seen().emulator.set_size(nonzero(size.0), nonzero(size.1));
        let onlooker = window.watch(pty.master.try_clone_reader().expect("a terminal can be read"));
        let modes_before = modes(&*pty.master);
        let child =
            pty.slave.spawn_command(surrounded(command)).expect("the program can be started");
        Self {
            child,
            master: Some(pty.master),
            slave: Some(pty.slave),
            keyboard: None,
            window,
            onlooker: Some(onlooker),
            modes_before,
        }
    }

    /// Waits until the screen meets the condition.
    pub fn wait_for(&self, is_so: impl Fn(&Screen) -> bool) -> Screen {
        self.window.wait_for("something else was expected", is_so)
    }

    /// Waits until exactly these lines are on the screen, without trailing blanks and trailing empty
    /// lines.
    pub fn wait_for_lines(&self, expected: &[impl AsRef<str>]) -> Screen {
        let expected: Vec<&str> = expected.iter().map(AsRef::as_ref).collect();
        let complaint = format!("these lines were expected:\n{}", expected.join("\n"));
        self.window.wait_for(&complaint, |screen| lines(screen) == expected)
    }

    /// Types keys, as the bytes that a terminal sends for them.
    pub fn type_keys(&mut self, keys: &str) {
        let master = self.master.as_ref().expect("a window that is not closed");
        let keyboard = || master.take_writer().expect("the keyboard was not taken");
        let keyboard = self.keyboard.get_or_insert_with(keyboard);
        keyboard.write_all(keys.as_bytes()).expect("keys can be typed");
        keyboard.flush().expect("keys can be typed");
    }

    /// Writes to the terminal as another program would.
    pub fn scribble(&self, text: &str) {
        let path = self.master().tty_name().expect("it has a name");
        let mut tty = std::fs::OpenOptions::new().write(true).open(path).expect("a terminal");
        tty.write_all(text.as_bytes()).expect("a terminal takes text");
    }

    /// Changes the size of the window.
    pub fn resize(&self, rows: u16, cols: u16) {
        self.window.seen().emulator.set_size(nonzero(rows), nonzero(cols));
        self.master().resize(pty_size((rows, cols))).expect("a window can be resized");
    }

    /// Returns the foreground process of the terminal.
    pub fn in_front(&self) -> Pid {
        let leader = self.master().process_group_leader().expect("a foreground process");
        Pid::from_raw(leader).expect("a process id")
    }

    /// Sends a signal to that process.
    pub fn signal(&self, signal: Signal) {
        kill_process(self.in_front(), signal).expect("it runs");
    }

    /// Checks that the terminal is in its original state: modes, screen, cursor and pen.
    pub fn check_given_back(&self) {
        let screen = self.window.seen().emulator.screen().clone();
        assert!(!screen.alternate_screen(), "still the other screen:\n{}", drawn(&screen));
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        assert_eq!(
            screen.attributes_formatted(),
            vt100::Parser::default().screen().attributes_formatted()
        );
        assert!(!screen.bracketed_paste() && !screen.application_cursor());
        assert!(!screen.application_keypad());
        assert_eq!(screen.mouse_protocol_mode(), MouseProtocolMode::None);
        assert_eq!(screen.mouse_protocol_encoding(), MouseProtocolEncoding::Default);
        assert_eq!(modes(self.master()), self.modes_before);
    }

    /// Checks that the program has taken over the terminal: the counterpart of
    /// [`Self::check_given_back`], which would be meaningless without it.
    pub fn check_taken(&self) {
        let screen = self.window.seen().emulator.screen().clone();
        assert!(screen.alternate_screen());
        assert_eq!(screen.mouse_protocol_mode(), MouseProtocolMode::ButtonMotion);
        assert_eq!(screen.mouse_protocol_encoding(), MouseProtocolEncoding::Sgr);
        assert_ne!(modes(self.master()), self.modes_before);
    }

    /// Waits until the program ends by itself, and checks that the terminal is restored.
    pub fn wait_for_end(mut self) -> TerminalEnd {
        let code = self.wait_for_exit();
        // When all writers are gone, the reader thread ends.
        self.slave = None;
        self.join_onlooker();
        self.check_given_back();
        let seen = self.window.seen();
        TerminalEnd { code, lines: lines(seen.emulator.screen()), raw: seen.raw.clone() }
    }

    /// Closes the window while the program runs in it. `stir` must make the program write something,
    /// because the reader ends after the next output. Returns the exit code.
    pub fn close_window(mut self, stir: impl FnOnce()) -> u32 {
        assert!(self.keyboard.is_none(), "dropping it would type an end of file");
        self.window.seen().looks_away = true;
        stir();
        self.join_onlooker();
        self.slave = None;
        self.master = None;
        self.wait_for_exit()
    }

    fn join_onlooker(&mut self) {
        let onlooker = self.onlooker.take().expect("a program ends once");
        onlooker.join().expect("the onlooker does not panic");
    }

    fn master(&self) -> &dyn MasterPty {
        self.master.as_deref().expect("a window that is not closed")
    }

    fn wait_for_exit(&mut self) -> u32 {
        let status = wait_for(&format!("the end of a program, at\n{}", self.drawn()), || {
            self.child.try_wait().expect("a child can be waited for")
        });
        assert_eq!(status.signal(), None, "ended by a signal");
        status.exit_code()
    }

    fn drawn(&self) -> String {
        drawn(self.window.seen().emulator.screen())
    }
}

impl Drop for PseudoTerminal {
    fn drop(&mut self) {
        // The program may have ended already. Programs started by a shell end with it or are in the foreground.
        if let Some(front) = self.master.as_ref().and_then(|master| master.process_group_leader()) {
            let _ = Pid::from_raw(front).map(|front| kill_process_group(front, Signal::KILL));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the command with a fixed environment, independent of that of the test, plus its own variables.
fn surrounded(command: &Command) -> CommandBuilder {
    let mut builder = CommandBuilder::new(command.get_program());
    builder.args(command.get_args());
    builder.cwd(command.get_current_dir().unwrap_or(&std::env::temp_dir()));
    builder.env("TERM", "xterm-256color");
    // Don't use the state and configuration of the user who runs the tests.
    let own = std::env::temp_dir().join(format!("nuggets-tests-{}", std::process::id()));
    builder.env("XDG_STATE_HOME", own.join("state"));
    builder.env("XDG_CONFIG_HOME", own.join("config"));
    builder.env_remove("NO_COLOR");
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => builder.env(name, value),
            None => builder.env_remove(name),
        }
    }
    builder
}

fn modes(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().expect("a terminal has modes"))
}

fn pty_size((rows, cols): (u16, u16)) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

fn nonzero(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).expect("a window has rows and columns")
}
