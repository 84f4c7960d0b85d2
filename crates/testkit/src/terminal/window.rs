//! The screen of a pseudo-terminal as an emulator shows it, and everything that was written to it.

use std::fmt::Write as _;
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};

use vt100::Screen;

use crate::waiting::LIMIT;

/// The output of a program up to now.
#[derive(Default)]
pub(super) struct Window {
    seen: Mutex<TerminalScreen>,
    changed: Condvar,
}

#[derive(Default)]
pub(super) struct TerminalScreen {
    pub(super) emulator: vt100::Parser,
    pub(super) raw: Vec<u8>,
    /// True if the reader ends after the next output.
    pub(super) looks_away: bool,
    closed: bool,
}

impl Window {
    pub(super) fn seen(&self) -> MutexGuard<'_, TerminalScreen> {
        self.seen.lock().expect("no thread panics with this lock")
    }

    /// Reads all output on a separate thread.
    pub(super) fn watch(self: &Arc<Self>, mut output: Box<dyn Read + Send>) -> JoinHandle<()> {
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

    /// Processes some output. Returns false if reading must stop.
    fn take_in(&self, bytes: &[u8]) -> bool {
        let mut seen = self.seen();
        seen.raw.extend(bytes);
        seen.emulator.process(bytes);
        self.changed.notify_all();
        !seen.looks_away
    }

    /// Waits until the screen meets the condition, and returns it.
    pub(super) fn wait_for(&self, complaint: &str, is_so: impl Fn(&Screen) -> bool) -> Screen {
        let waits = |seen: &mut TerminalScreen| !is_so(seen.emulator.screen()) && !seen.closed;
        let (seen, _) = self
            .changed
            .wait_timeout_while(self.seen(), LIMIT, waits)
            .expect("no thread panics with this lock");
        let screen = seen.emulator.screen().clone();
        // A panic must not leave the lock poisoned for `drop`.
        drop(seen);
        assert!(is_so(&screen), "{complaint}\nbut the screen is:\n{}", drawn(&screen));
        screen
    }
}

/// Returns the lines on a screen, without trailing blanks and trailing empty lines.
pub fn lines(screen: &Screen) -> Vec<String> {
    let mut lines: Vec<String> =
        screen.rows(0, screen.size().1.get()).map(|row| row.trim_end().to_owned()).collect();
    let filled = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    lines.truncate(filled);
    lines
}

/// Returns the first line on a screen; empty while the program redraws it.
pub fn status(screen: &Screen) -> String {
    lines(screen).into_iter().next().unwrap_or_default()
}

/// Returns the row and column of a visible cursor.
pub fn cursor(screen: &Screen) -> Option<(u16, u16)> {
    (!screen.hide_cursor()).then(|| screen.cursor_position())
}

/// Draws the whole screen in a frame, and describes its invisible state.
pub(super) fn drawn(screen: &Screen) -> String {
    let cols = usize::from(screen.size().1.get());
    let edge = format!("+{}+\n", "-".repeat(cols));
    let mut drawing = edge.clone();
    for row in screen.rows(0, screen.size().1.get()) {
        writeln!(drawing, "|{row:cols$}|").expect("a string grows");
    }
    let at = cursor(screen);
    let other = screen.alternate_screen();
    drawing + &edge + &format!("cursor {at:?}, alternate screen {other}\n")
}
