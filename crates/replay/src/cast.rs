//! A show as a file of asciinema, version 2: a line of JSON about the whole, then a line for each
//! change of the screen. It is played in a time of its own.

use std::fmt::Write;

use nuggets_client::{Millis, Palette, write_cells};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;

use crate::{Show, screen};

/// No cursor, and a screen that is empty.
const START: &str = "\x1b[?25l\x1b[0m\x1b[H\x1b[2J";
/// The last picture stays for so long.
const LAST_MS: u64 = 2_000;

/// Plays a show from where it stands to its end, in a window just large enough for it.
pub fn cast(mut show: Show, title: &str) -> String {
    let size = screen::needed(&show);
    let area = Rect::new(0, 0, size.width, size.height);
    let head = json!({ "version": 2, "width": size.width, "height": size.height, "title": title });
    let mut lines = format!("{head}\n");
    push(&mut lines, Millis(0), START);
    let (mut shown, mut now) = (Buffer::empty(area), Millis(0));
    loop {
        let mut next = Buffer::empty(area);
        screen::draw(&show, &Palette::colored(), area, &mut next);
        push(&mut lines, now, &difference(&shown, &next));
        shown = next;
        let Some(then) = show.poll_timeout() else { break };
        now = then;
        show.handle_timeout(now);
    }
    // Whoever plays it in a terminal goes on below the picture, with a cursor.
    push(&mut lines, now.after(LAST_MS), &format!("\x1b[{};1H\x1b[?25h\r\n", size.height));
    lines
}

fn difference(shown: &Buffer, next: &Buffer) -> String {
    let mut bytes = vec![];
    write_cells(&mut bytes, shown.diff_iter(next)).expect("writing to memory can't fail");
    String::from_utf8(bytes).expect("cells and escapes are text")
}

/// Nothing new is nothing to tell.
fn push(lines: &mut String, at: Millis, text: &str) {
    if !text.is_empty() {
        let (seconds, ms) = (at.0 / 1_000, at.0 % 1_000);
        writeln!(lines, "[{seconds}.{ms:03}, \"o\", {}]", json!(text))
            .expect("writing to memory can't fail");
    }
}
