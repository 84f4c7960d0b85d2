//! The layout of a window of any size: the status line, the map or a part of it, the panel.

use nuggets_atlas::Point;
use ratatui::layout::{Rect, Size};

use crate::{App, screen};

/// The smallest window in which a map is scrolled.
const MIN_SCROLLED: Size = Size::new(20, 6);
/// The minimum and maximum number of columns of the panel.
const MIN_PANEL_COLS: u16 = 26;
const MAX_PANEL_COLS: u16 = 44;
/// The minimum number of columns that the panel leaves to a scrolled map.
const MIN_COLS_BESIDE_PANEL: u16 = 70;

/// The fit of the map into a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// The window shows all of it, or its size is not known yet.
    Whole,
    /// The window shows a part of it.
    Scrolled,
    /// The window shows nothing of it.
    TooSmall,
}

/// The areas of a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) fit: Fit,
    /// The smallest window that the map fits into, or can be scrolled in.
    pub(crate) needed: Size,
    pub(crate) status: Rect,
    pub(crate) map: Rect,
    pub(crate) panel: Option<Rect>,
}

impl Layout {
    /// Returns the layout of this client in this area.
    pub(crate) fn of(app: &App, area: Rect) -> Self {
        let below = below_status(area);
        let status = Rect { height: area.height.min(1), ..area };
        let Some(map) = app.scene().size() else {
            let needed = Size::ZERO;
            return Self { fit: Fit::Whole, needed, status, map: below, panel: None };
        };
        let cols = map.cols.max(screen::max_status_width(app));
        let needed = Size::new(cols, map.rows.saturating_add(1));
        let fits = |needed: Size| needed.width <= area.width && needed.height <= area.height;
        let is_whole = fits(needed);
        let is_scrolled = app.view.scrolls;
        let smallest = if is_scrolled { smaller(needed, MIN_SCROLLED) } else { needed };
        let fit = match () {
            () if is_whole => Fit::Whole,
            () if is_scrolled && fits(smallest) => Fit::Scrolled,
            () => Fit::TooSmall,
        };
        let panel = app.panel_is_open.then(|| panel(below, cols, fit)).flatten();
        let width = panel.map_or(below.width, |panel| panel.x - below.x - 1);
        Self { fit, needed: smallest, status, map: Rect { width, ..below }, panel }
    }

    /// The gridpoint in the upper left corner of the map's area.
    pub(crate) fn origin(&self, app: &App) -> Point {
        match (self.fit, app.scene().size()) {
            (Fit::Scrolled, Some(map)) => {
                let map = Size::new(map.cols, map.rows);
                app.view.viewport.within(map, self.map.as_size()).origin()
            }
            _ => Point::new(0, 0),
        }
    }
}

/// The rows of this area below the status line.
pub(crate) fn below_status(area: Rect) -> Rect {
    let height = area.height.saturating_sub(1);
    Rect { y: area.y.saturating_add(1), height, ..area }
}

/// The panel right of a map of this many columns, if there is room for it.
fn panel(below: Rect, cols: u16, fit: Fit) -> Option<Rect> {
    let beside = match fit {
        Fit::Whole => cols,
        Fit::Scrolled => cols.min(MIN_COLS_BESIDE_PANEL),
        Fit::TooSmall => return None,
    };
    let free = below.width.saturating_sub(beside.saturating_add(1));
    let width = free.min(MAX_PANEL_COLS);
    // A scrolled map gets the columns that the panel does not need.
    let width = if fit == Fit::Scrolled { width.min(MIN_PANEL_COLS + 8) } else { width };
    (width >= MIN_PANEL_COLS && below.height > 0).then(|| Rect {
        x: below.right() - width,
        width,
        ..below
    })
}

fn smaller(one: Size, other: Size) -> Size {
    Size::new(one.width.min(other.width), one.height.min(other.height))
}
