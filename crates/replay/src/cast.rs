//! A replay as an asciinema file, version 2: a line of JSON about the whole, then one for each change of
//! the screen. It runs in virtual time.

use std::fmt::Write;

use nuggets_record::Timestamp;
use nuggets_tui::{Palette, write_cells};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;

use crate::{ReplayApp, screen};

/// Hides the cursor and clears the screen.
const START: &str = "\x1b[?25l\x1b[0m\x1b[H\x1b[2J";
/// The time for which the last picture is shown.
const LAST_PICTURE_MS: u64 = 2_000;

/// Plays a replay from its position to its end in the smallest window that fits.
pub fn cast(mut app: ReplayApp, title: &str) -> String {
    let size = screen::needed(&app);
    let area = Rect::new(0, 0, size.width, size.height);
    let head = json!({ "version": 2, "width": size.width, "height": size.height, "title": title });
    let mut lines = format!("{head}\n");
    push(&mut lines, Timestamp(0), START);
    let mut shown = Buffer::empty(area);
    let mut now = Timestamp(0);
    loop {
        let mut next = Buffer::empty(area);
        screen::draw(&app, &Palette::colored(), area, &mut next);
        push(&mut lines, now, &difference(&shown, &next));
        shown = next;
        let Some(then) = app.poll_timeout() else { break };
        now = then;
        app.handle_timeout(now);
    }
    // Show the cursor again, below the picture.
    push(&mut lines, now.after(LAST_PICTURE_MS), &format!("\x1b[{};1H\x1b[?25h\r\n", size.height));
    lines
}

fn difference(shown: &Buffer, next: &Buffer) -> String {
    let mut bytes = vec![];
    write_cells(&mut bytes, shown.diff_iter(next)).expect("writing to memory can't fail");
    String::from_utf8(bytes).expect("cells and escapes are text")
}

/// Appends a line, unless there is nothing to write.
fn push(lines: &mut String, at: Timestamp, text: &str) {
    if !text.is_empty() {
        let seconds = at.0 / 1_000;
        let ms = at.0 % 1_000;
        writeln!(lines, "[{seconds}.{ms:03}, \"o\", {}]", json!(text))
            .expect("writing to memory can't fail");
    }
}
