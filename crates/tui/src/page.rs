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

/// Wraps a text at blanks into at most this many lines of this width; the last line holds the whole rest. Lines after
/// the first are indented.
pub fn fold(text: &str, width: usize, indent: usize, max_lines: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let is_last = lines.len() == max_lines;
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if is_last || line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(" ".repeat(indent) + word),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_broken_at_blanks_into_a_limited_number_of_lines() {
        let two = |text, width| fold(text, width, 0, 2);
        assert_eq!(two("House rules: steal", 51), ["House rules: steal"]);
        assert_eq!(two("House rules: steal", 18), ["House rules: steal"]);
        assert_eq!(two("House rules: steal", 17), ["House rules:", "steal"]);
        assert_eq!(two("House rules: vision 5, steal", 5), ["House", "rules: vision 5, steal"]);
        assert_eq!(two("House rules: x", 0), ["House", "rules: x"]);
        assert_eq!(fold("00:00 B takes 12", 10, 6, 9), ["00:00 B", "      takes", "      12"]);
    }
}
