//! The terminal: taken over while we play, and given back whole whatever happens.
//!
//! It owns the modes of the terminal and what is on its screen. It must not know what a game is:
//! it is handed the cells to show.

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

use crate::ink::write_cells;

/// The columns and rows of a terminal that doesn't say how many it has.
const UNKNOWN_SIZE: (u16, u16) = (80, 24);

/// Has clicks reported, in the form that knows no limit of columns. Not more than clicks: crossterm's
/// own way to capture the mouse would tell us of every motion.
const CLICKS_ON: &[u8] = b"\x1b[?1000h\x1b[?1006h";
const CLICKS_OFF: &[u8] = b"\x1b[?1006l\x1b[?1000l";

/// What we need the terminal for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    /// Single keys as they are pressed: raw mode.
    pub keys: bool,
    /// A screen to draw on.
    pub screen: bool,
    /// Clicks of the mouse. The terminal's own use of it, selecting text, then takes Shift.
    pub clicks: bool,
}

/// A terminal that we have taken over. Dropping it gives it back; so does a panic in any thread,
/// before its message is written.
pub struct Terminal {
    wants: Wants,
    taken: Arc<Taken>,
    out: BufWriter<Stdout>,
    /// What is on the screen; nothing when that is not known.
    shown: Option<Frame>,
}

#[derive(PartialEq, Eq)]
struct Frame {
    cells: Buffer,
    cursor: Option<Position>,
}

/// Which changes to the terminal are to be undone.
#[derive(Default)]
struct Taken {
    keys: AtomicBool,
    screen: AtomicBool,
    clicks: AtomicBool,
}

impl Terminal {
    /// Takes over as much of the terminal as is wanted.
    pub fn enter(wants: Wants) -> io::Result<Self> {
        let mut terminal = Self {
            wants,
            taken: Arc::default(),
            out: BufWriter::with_capacity(1 << 16, io::stdout()),
            shown: None,
        };
        terminal.give_back_on_panic();
        terminal.take()?;
        Ok(terminal)
    }

    /// Gives the terminal back for a while. Nothing is drawn until `reenter`.
    pub fn leave(&mut self) {
        self.taken.give_back();
        self.shown = None;
    }

    /// Takes the terminal over again, whatever somebody else has done to it meanwhile.
    pub fn reenter(&mut self) -> io::Result<()> {
        // What crossterm believes to be on it does not turn on: so off and on again.
        self.leave();
        self.take()
    }

    /// The window as it was drawn last; nothing when it is not known what is on it.
    pub(crate) fn shown(&self) -> Option<Rect> {
        self.shown.as_ref().map(|frame| frame.cells.area)
    }

    /// Shows what `paint` paints and puts the cursor where it says, touching only what has changed.
    pub fn draw(
        &mut self,
        paint: impl FnOnce(Rect, &mut Buffer) -> Option<Position>,
    ) -> io::Result<()> {
        if !self.taken.screen.load(Ordering::SeqCst) {
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

    fn take(&mut self) -> io::Result<()> {
        if self.wants.keys {
            enable_raw_mode()?;
            self.taken.keys.store(true, Ordering::SeqCst);
        }
        if self.wants.screen {
            self.taken.screen.store(true, Ordering::SeqCst);
            execute!(io::stdout(), EnterAlternateScreen, Hide)?;
        }
        if self.wants.clicks {
            self.taken.clicks.store(true, Ordering::SeqCst);
            write_now(CLICKS_ON)?;
        }
        Ok(())
    }

    fn give_back_on_panic(&self) {
        let taken = Arc::clone(&self.taken);
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            taken.give_back();
            previous(info);
        }));
    }
}

fn write_now(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// The whole window. One without rows or columns is one whose size was never set.
fn window() -> io::Result<Rect> {
    let (width, height) = match size()? {
        (0, _) | (_, 0) => UNKNOWN_SIZE,
        size => size,
    };
    Ok(Rect::new(0, 0, width, height))
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.taken.give_back();
    }
}

impl Taken {
    /// Undoes each change once. Errors are of no use to anybody here: the terminal may be gone.
    fn give_back(&self) {
        if self.clicks.swap(false, Ordering::SeqCst) {
            let _ = write_now(CLICKS_OFF);
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
