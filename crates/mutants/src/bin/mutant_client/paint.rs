//! What goes wrong with what is shown.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};

use crate::faults::Fault;

/// What a faulty client remembers of its screen.
#[derive(Debug)]
pub(crate) struct Paint {
    fault: Fault,
    is_spectator: bool,
    /// The rows and columns that the server has told.
    pub(crate) grid: Option<(u16, u16)>,
    pub(crate) gold: Option<[u32; 3]>,
    /// The most that was ever found at once.
    pub(crate) found: u32,
    pub(crate) letter: char,
    pub(crate) last_key: Option<char>,
    /// Has a map been shown?
    pub(crate) has_map: bool,
    /// Has it been seen whole?
    has_fit: bool,
    last: Option<Buffer>,
}

impl Paint {
    pub(crate) fn new(fault: Fault, is_spectator: bool) -> Self {
        Self {
            fault,
            is_spectator,
            grid: None,
            gold: None,
            found: 0,
            letter: '?',
            last_key: None,
            has_map: false,
            has_fit: false,
            last: None,
        }
    }

    /// Does the window end the client?
    pub(crate) fn dies_in(&self, area: Rect) -> bool {
        let Some((rows, cols)) = self.grid else { return false };
        let (few_rows, few_cols) = (rows + 1 > area.height, cols > area.width);
        self.fault.is("rows-exit") && few_rows
            || self.fault.is("cols-exit") && few_cols
            || self.fault.is("resize-dies") && self.has_fit && (few_rows || few_cols)
    }

    /// Where the cursor is shown.
    pub(crate) fn cursor(&self, right: Option<Position>) -> Option<Position> {
        match right {
            Some(_) if self.fault.is("cursor-hidden-for-player") => None,
            None if self.fault.is("cursor-for-spectator") => Some(Position::ORIGIN),
            right => right,
        }
    }

    /// Spoils what was drawn.
    pub(crate) fn spoil(&mut self, cells: &mut Buffer) {
        self.spoil_status(cells);
        self.spoil_size(cells);
        if self.has_map {
            self.spoil_map(cells);
            self.last = Some(cells.clone());
        }
    }

    fn spoil_status(&mut self, cells: &mut Buffer) {
        let fault = self.fault;
        let line = text(cells, 0);
        let Some([_, purse, left]) = self.gold.filter(|_| self.has_map) else { return };
        if fault.is(if self.is_spectator { "spectator-no-status" } else { "no-status" }) {
            put(cells, "");
        } else if fault.is("spectator-other-words") && self.is_spectator {
            put(cells, &format!("{left} are left to be found"));
        } else if fault.is("other-words") && !self.is_spectator {
            put(cells, &format!("{}: {purse} are yours, {left} are left", self.letter));
        } else if fault.is("gold-note-always") && !line.contains("received") {
            put(cells, &format!("{line}  GOLD received: 0"));
        } else if fault.is("gold-note-stays") && self.found > 0 && !line.contains("received") {
            put(cells, &format!("{line}  GOLD received: {}", self.found));
        } else if fault.is("status-remains")
            && let Some(old) = &self.last
        {
            let old: String = text(old, 0).chars().skip(line.len()).collect();
            put(cells, &format!("{line}{old}"));
        }
    }

    fn spoil_size(&mut self, cells: &mut Buffer) {
        let Some((rows, cols)) = self.grid else { return };
        let area = cells.area;
        let is_small = rows + 1 > area.height || cols > area.width;
        self.has_fit |= self.has_map && !is_small;
        if self.fault.is("size-untold") && is_small {
            blank(cells, |cell| cell.chars().all(|c| c.is_ascii_digit()));
        }
        if self.fault.is("wants-more-room") && !is_small && rows + 2 > area.height {
            blank(cells, |_| true);
        }
    }

    fn spoil_map(&self, cells: &mut Buffer) {
        let fault = self.fault;
        let area = cells.area;
        let old = self.last.as_ref().filter(|last| last.area == area);
        let right = cells.clone();
        let skipped = blank_lines(&right);
        for y in 1..area.height {
            for x in 0..area.width {
                let at = |x: Option<u16>, y: Option<u16>| {
                    let cell = x.zip(y).and_then(|at| right.cell(at));
                    cell.map_or(" ", Cell::symbol).to_owned()
                };
                let here = at(Some(x), Some(y));
                let before = old.and_then(|old| old.cell((x, y))).map(Cell::symbol);
                let symbol = match here.as_str() {
                    _ if fault.is("grid-lower") => at(Some(x), Some(y - 1).filter(|y| *y > 0)),
                    _ if fault.is("spectator-shifted") && self.is_spectator => {
                        at(x.checked_sub(1), Some(y))
                    }
                    _ if fault.is("skips-blank-lines") => at(Some(x), y.checked_add(skipped)),
                    _ if fault.is("eighty-columns") && x >= 80 => " ".to_owned(),
                    " " if fault.is("adds-only") => before.unwrap_or(" ").to_owned(),
                    "@" if fault.is("sticky-letters") && before == Some("C") => "C".to_owned(),
                    "Z" if fault.is("no-z") => "?".to_owned(),
                    _ => continue,
                };
                cells[(x, y)].set_symbol(&symbol);
            }
        }
        if let Some(key) = self.last_key.filter(|_| fault.is("echoes") && area.height > 1) {
            cells[(0, 1)].set_char(key);
        }
    }
}

fn text(cells: &Buffer, row: u16) -> String {
    let symbols = (0..cells.area.width).filter_map(|x| cells.cell((x, row)));
    symbols.map(Cell::symbol).collect::<String>().trim_end().to_owned()
}

/// Writes the first line anew.
fn put(cells: &mut Buffer, line: &str) {
    let width = usize::from(cells.area.width);
    cells.set_stringn(0, 0, format!("{line:width$}"), width, ratatui::style::Style::new());
}

fn blank(cells: &mut Buffer, is_so: impl Fn(&str) -> bool) {
    for cell in &mut cells.content {
        if is_so(cell.symbol()) {
            cell.set_symbol(" ");
        }
    }
}

/// So many lines below the first are blank.
fn blank_lines(cells: &Buffer) -> u16 {
    let blank = (1..cells.area.height).take_while(|row| text(cells, *row).is_empty());
    u16::try_from(blank.count()).unwrap_or(0)
}
