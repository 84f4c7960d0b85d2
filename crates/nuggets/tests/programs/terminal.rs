//! A program in a pseudo-terminal, and what a person in front of it would see.
//!
//! Nothing here waits for a fixed time: every wait is for something to appear on the screen or for
//! the program to end.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use vt100::{MouseProtocolEncoding, MouseProtocolMode, Screen};

use crate::host::LIMIT;

pub(crate) const PLAYER: &str = env!("CARGO_BIN_EXE_player");
pub(crate) const NUGGETS: &str = env!("CARGO_BIN_EXE_nuggets");

/// The rows and columns of an ordinary window.
pub(crate) const ORDINARY: (u16, u16) = (24, 80);

/// The time between two looks at something that does not tell by itself.
pub(crate) const PAUSE: Duration = Duration::from_millis(5);

/// A pseudo-terminal in which a program runs. The program is killed when the test is over, however
/// it ends.
pub(crate) struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    master: Option<Box<dyn MasterPty + Send>>,
    /// Held so that the terminal stays as the program leaves it.
    slave: Option<Box<dyn SlavePty + Send>>,
    /// Made for the first key: when it goes, it types an end of file of its own.
    keyboard: Option<Box<dyn Write + Send>>,
    window: Arc<Window>,
    onlooker: Option<JoinHandle<()>>,
    modes_before: String,
}

/// How a program ended, and what it left behind.
pub(crate) struct Ended {
    pub(crate) code: u32,
    /// What is on the screen.
    pub(crate) lines: Vec<String>,
    /// Every byte that was written to the terminal.
    pub(crate) raw: Vec<u8>,
}

/// What has come out of the program so far.
#[derive(Default)]
struct Window {
    seen: Mutex<Seen>,
    changed: Condvar,
}

#[derive(Default)]
struct Seen {
    emulator: vt100::Parser,
    raw: Vec<u8>,
    looks_away: bool,
    closed: bool,
}

impl Terminal {
    /// Starts a program with these arguments in a window of these rows and columns.
    pub(crate) fn start(size: (u16, u16), program: &str, args: &[&str]) -> Self {
        Self::start_command(size, command(program, args))
    }

    /// The same in this folder, which is also that of the user's state and configuration.
    pub(crate) fn start_in(
        folder: &std::path::Path,
        size: (u16, u16),
        program: &str,
        args: &[&str],
    ) -> Self {
        let mut command = command(program, args);
        command.cwd(folder);
        command.env("XDG_STATE_HOME", folder);
        command.env("XDG_CONFIG_HOME", folder);
        Self::start_command(size, command)
    }

    /// Starts a line of shell with job control, as in a login. The program and its arguments are
    /// its `"$@"`.
    pub(crate) fn start_in_shell(line: &str, program: &str, args: &[&str]) -> Self {
        let line = format!("set -m; {line}");
        let words = [&["-c", &line, "sh", program], args].concat();
        Self::start(ORDINARY, "sh", &words)
    }

    /// Starts `player` for Ann in an ordinary window, with these variables in its environment.
    pub(crate) fn start_player(port: u16, options: &[&str], variables: &[(&str, &str)]) -> Self {
        let port = port.to_string();
        let args = [&["127.0.0.1", &port, "Ann"], options].concat();
        let mut command = command(PLAYER, &args);
        for (name, value) in variables {
            command.env(name, value);
        }
        Self::start_command(ORDINARY, command)
    }

    fn start_command(size: (u16, u16), command: CommandBuilder) -> Self {
        let pty = native_pty_system().openpty(pty_size(size)).unwrap();
        let window = Arc::new(Window::default());
        window.seen().emulator.set_size(nonzero(size.0), nonzero(size.1));
        let onlooker = window.watch(pty.master.try_clone_reader().unwrap());
        let modes_before = modes(&*pty.master);
        let child = pty.slave.spawn_command(command).unwrap();
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

    /// Waits until the screen is as expected.
    pub(crate) fn wait_for(&self, is_so: impl Fn(&Screen) -> bool) -> Screen {
        self.window.wait_for("something else was expected", is_so)
    }

    /// Waits until exactly these lines are on the screen, blanks at their ends and empty lines at
    /// the end left out.
    pub(crate) fn wait_for_lines(&self, expected: &[impl AsRef<str>]) -> Screen {
        let expected: Vec<&str> = expected.iter().map(AsRef::as_ref).collect();
        let complaint = format!("these lines were expected:\n{}", expected.join("\n"));
        self.window.wait_for(&complaint, |screen| lines(screen) == expected)
    }

    pub(crate) fn type_keys(&mut self, keys: &str) {
        let master = self.master.as_ref().unwrap();
        let keyboard = self.keyboard.get_or_insert_with(|| master.take_writer().unwrap());
        keyboard.write_all(keys.as_bytes()).unwrap();
        keyboard.flush().unwrap();
    }

    /// Another program writes to the same terminal.
    pub(crate) fn scribble(&self, text: &str) {
        let path = self.master().tty_name().expect("it has a name");
        let mut tty = std::fs::OpenOptions::new().write(true).open(path).unwrap();
        tty.write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn resize(&self, rows: u16, cols: u16) {
        self.window.seen().emulator.set_size(nonzero(rows), nonzero(cols));
        self.master().resize(pty_size((rows, cols))).unwrap();
    }

    /// The process that the terminal's keys go to.
    pub(crate) fn in_front(&self) -> Pid {
        Pid::from_raw(self.master().process_group_leader().unwrap()).unwrap()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.in_front(), signal).unwrap();
    }

    /// The terminal is as the program found it: modes, screen, cursor and pen.
    pub(crate) fn check_given_back(&self) {
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

    /// The program has taken the terminal over: the counterpart of `check_given_back`, so that
    /// that one means something.
    pub(crate) fn check_taken(&self) {
        let screen = self.window.seen().emulator.screen().clone();
        assert!(screen.alternate_screen());
        assert_eq!(screen.mouse_protocol_mode(), MouseProtocolMode::ButtonMotion);
        assert_eq!(screen.mouse_protocol_encoding(), MouseProtocolEncoding::Sgr);
        assert_ne!(modes(self.master()), self.modes_before);
    }

    /// Waits until the program ends by itself. However that was, the terminal is as before.
    pub(crate) fn wait_for_end(mut self) -> Ended {
        let code = self.wait_for_exit();
        // When all writers are gone, the reader thread ends.
        self.slave = None;
        self.onlooker.take().unwrap().join().unwrap();
        self.check_given_back();
        let seen = self.window.seen();
        Ended { code, lines: lines(seen.emulator.screen()), raw: seen.raw.clone() }
    }

    /// Closes the window while the program runs in it. `stir` must make the program write
    /// something: the onlooker goes when it has seen that. Returns the exit code.
    pub(crate) fn close_window(mut self, stir: impl FnOnce()) -> u32 {
        assert!(self.keyboard.is_none(), "dropping it would type an end of file");
        self.window.seen().looks_away = true;
        stir();
        self.onlooker.take().unwrap().join().unwrap();
        self.slave = None;
        self.master = None;
        self.wait_for_exit()
    }

    fn master(&self) -> &dyn MasterPty {
        self.master.as_deref().expect("a window that is not closed")
    }

    fn wait_for_exit(&mut self) -> u32 {
        for _ in 0..LIMIT.as_millis() / PAUSE.as_millis() {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert_eq!(status.signal(), None, "ended by a signal");
                return status.exit_code();
            }
            thread::sleep(PAUSE);
        }
        panic!("the program does not end:\n{}", drawn(self.window.seen().emulator.screen()));
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended already. What a shell has started ends with it or is in front.
        if let Some(front) = self.master.as_ref().and_then(|master| master.process_group_leader()) {
            let _ = Pid::from_raw(front).map(|front| kill_process_group(front, Signal::KILL));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Window {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }

    fn watch(self: &Arc<Self>, mut output: Box<dyn Read + Send>) -> JoinHandle<()> {
        let window = Arc::clone(self);
        thread::spawn(move || {
            let mut block = [0; 4096];
            // An error is the end, too: a terminal returns it when the last writer is gone.
            while let Ok(n @ 1..) = output.read(&mut block)
                && window.take_in(&block[..n])
            {}
            window.seen().closed = true;
            window.changed.notify_all();
        })
    }

    /// Whether to look on.
    fn take_in(&self, bytes: &[u8]) -> bool {
        let mut seen = self.seen();
        seen.raw.extend(bytes);
        seen.emulator.process(bytes);
        self.changed.notify_all();
        !seen.looks_away
    }

    fn wait_for(&self, complaint: &str, is_so: impl Fn(&Screen) -> bool) -> Screen {
        let waits = |seen: &mut Seen| !is_so(seen.emulator.screen()) && !seen.closed;
        let (seen, _) = self.changed.wait_timeout_while(self.seen(), LIMIT, waits).unwrap();
        let screen = seen.emulator.screen().clone();
        // A panic must not leave the lock poisoned for `drop`.
        drop(seen);
        assert!(is_so(&screen), "{complaint}\nbut the screen is:\n{}", drawn(&screen));
        screen
    }
}

/// The lines on a screen, without blanks at their ends and without empty lines at the end.
pub(crate) fn lines(screen: &Screen) -> Vec<String> {
    let mut lines: Vec<String> =
        screen.rows(0, screen.size().1.get()).map(|row| row.trim_end().to_owned()).collect();
    let filled = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    lines.truncate(filled);
    lines
}

/// The first line on a screen; empty while the program redraws it.
pub(crate) fn status(screen: &Screen) -> String {
    lines(screen).into_iter().next().unwrap_or_default()
}

/// Where the cursor is seen, row and column.
pub(crate) fn cursor(screen: &Screen) -> Option<(u16, u16)> {
    (!screen.hide_cursor()).then(|| screen.cursor_position())
}

/// The whole screen in a frame, and what is not seen of it.
fn drawn(screen: &Screen) -> String {
    let cols = usize::from(screen.size().1.get());
    let edge = format!("+{}+\n", "-".repeat(cols));
    let mut drawing = edge.clone();
    for row in screen.rows(0, screen.size().1.get()) {
        writeln!(drawing, "|{row:cols$}|").unwrap();
    }
    let at = cursor(screen);
    let other = screen.alternate_screen();
    drawing + &edge + &format!("cursor {at:?}, alternate screen {other}\n")
}

/// A program in the usual surroundings, whatever those of the test are.
fn command(program: &str, args: &[&str]) -> CommandBuilder {
    let mut command = CommandBuilder::new(program);
    command.args(args);
    command.cwd(std::env::temp_dir());
    command.env("TERM", "xterm-256color");
    // Not the state and configuration of the user that runs the tests.
    let own = std::env::temp_dir().join(format!("nuggets-tests-{}", std::process::id()));
    command.env("XDG_STATE_HOME", own.join("state"));
    command.env("XDG_CONFIG_HOME", own.join("config"));
    command.env_remove("NO_COLOR");
    command
}

fn modes(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().unwrap())
}

fn pty_size((rows, cols): (u16, u16)) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

fn nonzero(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap()
}
