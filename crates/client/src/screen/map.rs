//! The map, or the part of it that the window shows: the visible part bright, the remembered part dim. A scrolled map
//! has a small overview in a corner.

use nuggets_atlas::Picture;
use nuggets_tui::{Overview, Palette};
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};

use crate::App;
use crate::layout::{Fit, Layout};

pub(super) fn draw(app: &App, palette: &Palette, layout: &Layout, buffer: &mut Buffer) {
    let Some(picture) = app.scene().picture() else { return };
    let area = layout.map.intersection(buffer.area);
    for at in area.positions() {
        let Some(point) = app.point_at(layout, at) else { continue };
        let cell = picture.cell(point);
        let style = match cell {
            b' ' => continue,
            _ if app.sight.contains(point) => palette.style_of(cell),
            _ => palette.remembered(cell),
        };
        buffer[at].set_char(char::from(cell)).set_style(style);
    }
    if layout.fit == Fit::Scrolled {
        draw_overview(app, picture, palette, layout, buffer);
    }
}

/// Draws the whole map on a small scale; at the bottom of the panel, if there is one.
fn draw_overview(
    app: &App,
    picture: &Picture,
    palette: &Palette,
    layout: &Layout,
    buffer: &mut Buffer,
) {
    let origin = layout.origin(app);
    let map = Size::new(picture.size().cols, picture.size().rows);
    let shown = Rect::new(origin.col, origin.row, layout.map.width, layout.map.height);
    let overview = Overview { cells: picture.cells(), map, shown };
    if let Some(panel) = layout.panel {
        overview.draw_at_bottom(palette, panel, buffer);
    } else {
        let focus = picture.you().unwrap_or(origin);
        overview.draw_in_corner(palette, layout.map, focus, buffer);
    }
}
