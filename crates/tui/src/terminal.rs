//! The terminal: changes its modes while the program runs and restores them however it ends.
//!
//! It owns the modes of the terminal and the content of its screen. It must not know what a game is: it receives cells
//! to show.

use std::io::{self, BufWriter, Stdout, Write};
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::style::{Attribute, ResetColor, SetAttribute};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, size,
};
use crossterm::{execute, queue};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use rustix::termios::{QueueSelector, tcflush};

use crate::ansi::write_cells;
use crate::{TerminalEvent, job_control};

/// The columns and rows of a terminal that doesn't report its size.
const FALLBACK_SIZE: (u16, u16) = (80, 24);

/// Turns on reports of clicks and drags, in the encoding without a limit of columns. Not more than that:
/// crossterm's own mouse capture also reports every motion.
const MOUSE_ON: &[u8] = b"\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1002l";
const BELL: &[u8] = b"\x07";

/// The set of terminal modes to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalModes {
    /// Raw mode: single keys, as they are pressed.
    pub keys: bool,
    /// The alternate screen.
    pub screen: bool,
    /// Clicks and drags of the mouse. Selecting text in the terminal then needs Shift.
    pub mouse: bool,
}

/// A terminal with changed modes. Dropping it restores them; so does a panic in any thread, before its
/// message is written.
pub struct Terminal {
    modes: TerminalModes,
    active: Arc<ActiveModes>,
    out: BufWriter<Stdout>,
    /// The content of the screen; `None` if unknown.
    shown: Option<Frame>,
}

/// The effect of an event of job control.
#[derive(Debug)]
pub(crate) enum JobChange {
    /// None: it is another event, no shell could continue us, or we are in the background. There we continue without
    /// the terminal; the shell that brings us to the front sends the signal again.
    None,
    /// The terminal is restored, and all processes of our job were asked to stop.
    Asked,
    /// This process was stopped and runs again.
    Stopped,
    /// The terminal has our modes again.
    Entered,
    /// The terminal is closing, which continues stopped processes as well.
    Gone,
}

#[derive(PartialEq, Eq)]
struct Frame {
    cells: Buffer,
    cursor: Option<Position>,
}

/// The modes that have to be restored.
#[derive(Default)]
struct ActiveModes {
    keys: AtomicBool,
    screen: AtomicBool,
    mouse: AtomicBool,
}

impl Terminal {
    /// Changes these modes of the terminal.
    pub fn enter(modes: TerminalModes) -> io::Result<Self> {
        let mut terminal = Self {
            modes,
            active: Arc::default(),
            out: BufWriter::with_capacity(1 << 16, io::stdout()),
            shown: None,
        };
        terminal.restore_on_panic();
        terminal.activate()?;
        Ok(terminal)
    }

    /// Suspends this process, or enters the terminal again when it continues. The terminal is restored first: once other
    /// processes of our job have stopped, we may no longer be allowed to.
    pub(crate) fn handle_job_control(&mut self, event: TerminalEvent) -> io::Result<JobChange> {
        Ok(match event {
            TerminalEvent::SuspendKey if job_control::can_be_continued() => {
                self.leave();
                job_control::ask_to_stop()?;
                JobChange::Asked
            }
            TerminalEvent::Stop if job_control::can_be_continued() => {
                self.leave();
                job_control::stop()?;
                JobChange::Stopped
            }
            TerminalEvent::Continue if job_control::is_in_front() => {
                // crossterm doesn't turn on what it believes to be on, so everything is turned off first.
                self.leave();
                self.activate().map_or(JobChange::Gone, |()| JobChange::Entered)
            }
            _ => JobChange::None,
        })
    }

    /// Restores the terminal for a while. Nothing is drawn until it is entered again.
    pub fn leave(&mut self) {
        self.active.restore();
        self.shown = None;
    }

    /// Discards the known screen content, so that the next draw writes all of it.
    pub(crate) fn forget(&mut self) {
        self.shown = None;
    }

    /// Rings the bell.
    pub fn ring(&mut self) -> io::Result<()> {
        if !self.active.screen.load(Ordering::SeqCst) {
            return Ok(());
        }
        self.out.write_all(BELL)?;
        self.out.flush()
    }

    /// Returns the window area of the last draw; `None` if the screen content is unknown.
    pub fn drawn_area(&self) -> Option<Rect> {
        self.shown.as_ref().map(|frame| frame.cells.area)
    }

    /// Returns the current window area, which may differ from the drawn one.
    pub fn window_area(&self) -> io::Result<Rect> {
        window()
    }

    /// Shows the frame that `paint` draws and moves the cursor to the position that it returns, writing only changed
    /// cells.
    pub fn draw(
        &mut self,
        paint: impl FnOnce(Rect, &mut Buffer) -> Option<Position>,
    ) -> io::Result<()> {
        if !self.active.screen.load(Ordering::SeqCst) {
            return Ok(());
        }
        let area = window()?;
        let mut cells = Buffer::empty(area);
        let cursor = paint(area, &mut cells);
        self.show(Frame { cells, cursor })
    }

    fn show(&mut self, next: Frame) -> io::Result<()> {
        let area = next.cells.area;
        let known = self.shown.take().filter(|last| last.cells.area == area);
        if known.as_ref() == Some(&next) {
            self.shown = known;
            return Ok(());
        }
        queue!(self.out, Hide)?;
        if known.is_none() {
            queue!(self.out, Clear(ClearType::All))?;
        }
        let last = known.map_or_else(|| Buffer::empty(area), |last| last.cells);
        write_cells(&mut self.out, last.diff_iter(&next.cells))?;
        if let Some(Position { x, y }) = next.cursor {
            queue!(self.out, MoveTo(x, y), Show)?;
        }
        self.shown = Some(next);
        self.out.flush()
    }

    fn activate(&mut self) -> io::Result<()> {
        if self.modes.keys {
            enable_raw_mode()?;
            self.active.keys.store(true, Ordering::SeqCst);
        }
        if self.modes.screen {
            self.active.screen.store(true, Ordering::SeqCst);
            execute!(io::stdout(), EnterAlternateScreen, Hide)?;
        }
        if self.modes.mouse {
            self.active.mouse.store(true, Ordering::SeqCst);
            write_now(MOUSE_ON)?;
        }
        Ok(())
    }

    fn restore_on_panic(&self) {
        let active = Arc::clone(&self.active);
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            active.restore();
            previous(info);
        }));
    }
}

fn write_now(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Returns the whole window, or the fallback size if its rows or columns are 0: then the size was never set.
fn window() -> io::Result<Rect> {
    let (width, height) = match size()? {
        (0, _) | (_, 0) => FALLBACK_SIZE,
        size => size,
    };
    Ok(Rect::new(0, 0, width, height))
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Keys typed for this program must not reach the shell. In raw mode they are not echoed either.
        if self.active.keys.load(Ordering::SeqCst) {
            let _ = tcflush(rustix::stdio::stdin(), QueueSelector::IFlush);
        }
        self.active.restore();
    }
}

impl ActiveModes {
    /// Undoes each change once. Errors are ignored: the terminal may be gone.
    fn restore(&self) {
        if self.mouse.swap(false, Ordering::SeqCst) {
            let _ = write_now(MOUSE_OFF);
        }
        if self.screen.swap(false, Ordering::SeqCst) {
            let _ = execute!(
                io::stdout(),
                ResetColor,
                SetAttribute(Attribute::Reset),
                LeaveAlternateScreen,
                Show
            );
        }
        if self.keys.swap(false, Ordering::SeqCst) {
            let _ = disable_raw_mode();
        }
    }
}
