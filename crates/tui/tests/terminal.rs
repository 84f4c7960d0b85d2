//! A program that panics restores the terminal. This test runs itself as a child in a pseudo-terminal
//! and checks its state afterwards.

use std::env;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use nuggets_tui::{Terminal, TerminalModes};
use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};
use ratatui::style::Style;
use vt100::{MouseProtocolEncoding, MouseProtocolMode};

const LONG: Duration = Duration::from_secs(60);
const IS_CHILD: &str = "NUGGETS_TEST_IS_CHILD";
const SIZE: PtySize = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };

/// The child process, not a test of its own.
#[test]
#[ignore = "the child of the test below"]
fn child() {
    if env::var_os(IS_CHILD).is_none() {
        return;
    }
    let modes = TerminalModes { keys: true, screen: true, mouse: true };
    let mut terminal = Terminal::enter(modes).unwrap();
    terminal
        .draw(|_, cells| {
            cells.set_string(0, 0, "all is well", Style::new());
            None
        })
        .unwrap();
    crossterm::event::read().unwrap();
    panic!("on purpose");
}

/// The screen of the pseudo-terminal, as a person would see it.
struct Observer {
    output: Receiver<Vec<u8>>,
    terminal: vt100::Parser,
}

impl Observer {
    fn new(master: &dyn MasterPty) -> Self {
        let mut reader = master.try_clone_reader().expect("the master can be read");
        let (tx, output) = channel();
        thread::spawn(move || {
            let mut block = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut block) {
                let _ = tx.send(block[..n].to_vec());
            }
        });
        let [rows, cols] =
            [SIZE.rows, SIZE.cols].map(|n| NonZeroU16::new(n).expect("there are rows and columns"));
        let terminal = vt100::Parser::new(rows, cols, 0);
        Self { output, terminal }
    }

    fn wait_for(&mut self, what: &str) -> &vt100::Screen {
        while !self.terminal.screen().contents().contains(what) {
            let Ok(bytes) = self.output.recv_timeout(LONG) else {
                panic!("no {what:?} in:\n{}", self.terminal.screen().contents());
            };
            self.terminal.process(&bytes);
        }
        self.terminal.screen()
    }
}

#[test]
fn a_panic_restores_the_terminal_before_its_message_is_written() {
    let pty = native_pty_system().openpty(SIZE).unwrap();
    let modes = || pty.master.get_termios().unwrap();
    let before = modes();
    let mut observer = Observer::new(&*pty.master);

    let mut command = CommandBuilder::new(env::current_exe().unwrap());
    command.args(["--exact", "child", "--ignored", "--nocapture"]);
    command.env(IS_CHILD, "yes");
    command.env("RUST_BACKTRACE", "0");
    let mut child = pty.slave.spawn_command(command).unwrap();

    let screen = observer.wait_for("all is well");
    assert!(screen.alternate_screen() && screen.hide_cursor());
    assert_eq!(screen.mouse_protocol_mode(), MouseProtocolMode::ButtonMotion);
    assert_ne!(modes(), before, "keys come one by one");
    pty.master.take_writer().unwrap().write_all(b"x").unwrap();

    let screen = observer.wait_for("on purpose");
    assert!(!screen.alternate_screen() && !screen.hide_cursor());
    assert_eq!(screen.mouse_protocol_mode(), MouseProtocolMode::None);
    assert_eq!(screen.mouse_protocol_encoding(), MouseProtocolEncoding::Default);
    assert!(!screen.contents().contains("all is well"));
    let status = child.wait().unwrap();
    assert!(!status.success());
    assert_eq!(modes(), before);
}
