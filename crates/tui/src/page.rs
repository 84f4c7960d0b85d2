//! Lines of text in a window of any size.

use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::style::Style;

/// Writes one line into the first row of `area`, cut where it ends.
pub fn put(line: &str, style: Style, area: Rect, buffer: &mut Buffer) {
    if !area.is_empty() {
        buffer.set_stringn(area.x, area.y, line, usize::from(area.width), style);
    }
}

/// Draws a page of lines. If it doesn't fit, its last line is kept, which says how to go on.
pub fn draw_page(lines: &[impl AsRef<str>], area: Rect, buffer: &mut Buffer) {
    let Some((last, above)) = lines.split_last() else { return };
    let shown = above.iter().take(usize::from(area.height.saturating_sub(1))).chain([last]);
    for (line, y) in shown.zip(area.top()..area.bottom()) {
        put(line.as_ref(), Style::new(), Rect { y, height: 1, ..area }, buffer);
    }
}

/// Asks for a larger window.
pub fn window_too_small(area: Rect, needed: Size) -> String {
    format!(
        "The window is too small: it has {} rows and {} columns, but needs {} and {}. Please \
         enlarge it.",
        area.height, area.width, needed.height, needed.width
    )
}
