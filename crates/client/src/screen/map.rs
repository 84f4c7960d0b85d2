//! The map, or the part of it that the window shows: the visible part bright, the remembered part dim. A scrolled map
//! has a small overview in a corner; at the bottom of the panel, if there is one.

use nuggets_tui::{MapView, Palette};
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};

use crate::App;
use crate::layout::{Fit, Layout};

pub(super) fn draw(app: &App, palette: &Palette, layout: &Layout, buffer: &mut Buffer) {
    let Some(picture) = app.scene().picture() else { return };
    let origin = layout.origin(app);
    let map = Size::new(picture.size().cols, picture.size().rows);
    let shown = Rect::new(origin.col, origin.row, layout.map.width, layout.map.height);
    let view = MapView { cells: picture.cells(), map, shown };
    view.draw(palette, layout.map, buffer, |at| !app.sight.contains(at));
    match layout.panel {
        _ if layout.fit != Fit::Scrolled => {}
        Some(panel) => view.draw_overview_at_bottom(palette, panel, buffer),
        None => {
            let focus = picture.you().unwrap_or(origin);
            view.draw_overview_in_corner(palette, layout.map, focus, buffer);
        }
    }
}
