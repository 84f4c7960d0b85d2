//! Faults of the screen.

use nuggets_atlas::{Gold, Scene, Size};
use nuggets_protocol::ServerMessage;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};

use crate::fault::Fault;

/// Changes the drawn screen as the fault demands, and keeps the state that the fault depends on.
#[derive(Debug, Default)]
pub(crate) struct FaultyScreen {
    fault: Fault,
    is_spectator: bool,
    scene: Scene,
    /// The maximum number of nuggets ever found at once.
    max_found: u32,
    pub(crate) last_key: Option<char>,
    /// True once the whole map was visible.
    has_fit: bool,
    last: Option<Buffer>,
}

impl FaultyScreen {
    pub(crate) fn new(fault: Fault, is_spectator: bool) -> Self {
        Self { fault, is_spectator, ..Self::default() }
    }

    pub(crate) fn handle_message(&mut self, message: &ServerMessage) {
        // The scene ignores unusable messages, as the real client does.
        let _ = self.scene.handle_message(message);
        if let ServerMessage::Gold { found, .. } = message {
            self.max_found = self.max_found.max(*found);
        }
    }

    fn has_map(&self) -> bool {
        self.scene.picture().is_some()
    }

    /// True if a window of this size ends the client.
    pub(crate) fn exits_in(&self, area: Rect) -> bool {
        let Some(Size { rows, cols }) = self.scene.size() else { return false };
        let lacks_rows = rows + 1 > area.height;
        let lacks_cols = cols > area.width;
        match self.fault {
            Fault::ExitsOnTooFewRows => lacks_rows,
            Fault::ExitsOnTooFewColumns => lacks_cols,
            Fault::ExitsOnShrink => self.has_fit && (lacks_rows || lacks_cols),
            _ => false,
        }
    }

    /// Returns the position of the cursor to show in place of the correct one.
    pub(crate) fn cursor(&self, correct: Option<Position>) -> Option<Position> {
        match (self.fault, correct) {
            (Fault::CursorHiddenForPlayer, Some(_)) => None,
            (Fault::CursorShownForSpectator, None) => Some(Position::ORIGIN),
            _ => correct,
        }
    }

    /// Changes a correctly drawn screen.
    pub(crate) fn apply(&mut self, cells: &mut Buffer) {
        if let Some(status) = self.status(&row_text(cells, 0)) {
            let width = usize::from(cells.area.width);
            let line = format!("{status:width$}");
            cells.set_stringn(0, 0, line, width, ratatui::style::Style::new());
        }
        self.apply_to_small_window(cells);
        if self.has_map() {
            self.apply_to_map(cells);
            self.last = Some(cells.clone());
        }
    }

    /// Returns the status line to show instead of this one.
    fn status(&self, line: &str) -> Option<String> {
        let Gold { purse, remaining } = self.scene.gold().filter(|_| self.has_map())?;
        let has_note = line.contains("received");
        match self.fault {
            Fault::PlayerStatusMissing if !self.is_spectator => Some(String::new()),
            Fault::SpectatorStatusMissing if self.is_spectator => Some(String::new()),
            Fault::SpectatorStatusReworded if self.is_spectator => {
                Some(format!("{remaining} are left to be found"))
            }
            Fault::PlayerStatusReworded if !self.is_spectator => {
                let letter = self.scene.letter().unwrap_or('?');
                Some(format!("{letter}: {purse} are yours, {remaining} are left"))
            }
            Fault::GoldNoteWithoutGold if !has_note => Some(format!("{line}  GOLD received: 0")),
            Fault::GoldNoteNeverCleared if self.max_found > 0 && !has_note => {
                Some(format!("{line}  GOLD received: {}", self.max_found))
            }
            Fault::StatusNotErased => {
                let old = row_text(self.last.as_ref()?, 0);
                Some(line.chars().chain(old.chars().skip(line.len())).collect())
            }
            _ => None,
        }
    }

    fn apply_to_small_window(&mut self, cells: &mut Buffer) {
        let Some(Size { rows, cols }) = self.scene.size() else { return };
        let area = cells.area;
        let is_small = rows + 1 > area.height || cols > area.width;
        self.has_fit |= self.has_map() && !is_small;
        match self.fault {
            Fault::RequiredSizeNotShown if is_small => {
                erase(cells, |symbol| symbol.chars().all(|c| c.is_ascii_digit()));
            }
            Fault::RequiresExtraRow if !is_small && rows + 2 > area.height => {
                erase(cells, |_| true);
            }
            _ => {}
        }
    }

    fn apply_to_map(&self, cells: &mut Buffer) {
        let area = cells.area;
        let correct = cells.clone();
        for y in 1..area.height {
            for x in 0..area.width {
                if let Some(symbol) = self.map_symbol(&correct, x, y) {
                    cells[(x, y)].set_symbol(&symbol);
                }
            }
        }
        if self.fault == Fault::KeysEchoed
            && area.height > 1
            && let Some(key) = self.last_key
        {
            cells[(0, 1)].set_char(key);
        }
    }

    /// Returns the symbol to show in this cell of the map instead of the correct one.
    fn map_symbol(&self, correct: &Buffer, x: u16, y: u16) -> Option<String> {
        let at = |x: u16, y: u16| correct.cell((x, y)).map_or(" ", Cell::symbol);
        let last = self.last.as_ref().filter(|last| last.area == correct.area);
        let before = || last.and_then(|last| last.cell((x, y))).map_or(" ", Cell::symbol);
        let symbol = match (self.fault, at(x, y)) {
            (Fault::MapOneRowLower, _) if y == 1 => " ",
            (Fault::MapOneRowLower, _) => at(x, y - 1),
            (Fault::SpectatorMapShifted, _) if self.is_spectator && x == 0 => " ",
            (Fault::SpectatorMapShifted, _) if self.is_spectator => at(x - 1, y),
            (Fault::SkipsBlankRows, _) => at(x, y.saturating_add(leading_blank_rows(correct))),
            (Fault::ClipsAtEightyColumns, _) if x >= 80 => " ",
            (Fault::BlanksNotDrawn, " ") => before(),
            (Fault::SwapNotRedrawn, "@") if before() == "C" => "C",
            (Fault::LetterZNotDrawn, "Z") => "?",
            _ => return None,
        };
        Some(symbol.to_owned())
    }
}

fn row_text(cells: &Buffer, row: u16) -> String {
    let symbols = (0..cells.area.width).filter_map(|x| cells.cell((x, row)));
    symbols.map(Cell::symbol).collect::<String>().trim_end().to_owned()
}

fn erase(cells: &mut Buffer, is_erased: impl Fn(&str) -> bool) {
    for cell in cells.content.iter_mut().filter(|cell| is_erased(cell.symbol())) {
        cell.set_symbol(" ");
    }
}

/// Returns the number of blank rows between the status line and the first row that is not blank.
fn leading_blank_rows(cells: &Buffer) -> u16 {
    let blank = (1..cells.area.height).take_while(|row| row_text(cells, *row).is_empty());
    u16::try_from(blank.count()).unwrap_or(0)
}
