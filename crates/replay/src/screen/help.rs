//! The page with the keys.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::put;

const PAGE: [&str; 20] = [
    "NUGGETS: a recorded game",
    "",
    "  blank        play or pause; at the end, begin anew",
    "  . ,          one input forward or back; so do the",
    "               arrows to the right and left",
    "  l h          ten seconds forward or back; so do the",
    "               arrows together with Shift",
    "  Home End     to the start, to the end",
    "  g b          to the next gold, to the gold before",
    "  + -          faster, slower: 0.25x to 64x",
    "  s            skip: no pause is longer than a second",
    "",
    "  A-Z          through this player's eyes",
    "  0            as the spectator, who sees everything",
    "  Tab          through the next eyes; with Shift, back",
    "",
    "  ?            this page",
    "  q            leave; so do Ctrl-C and Ctrl-D",
    "",
    "Press any key to go on.",
];

/// Where the page doesn't fit, its last line is kept: it says how to get out.
pub(super) fn draw(area: Rect, buffer: &mut Buffer) {
    let above = PAGE.len().min(area.height.into()).saturating_sub(1);
    let lines = PAGE[..above].iter().chain(PAGE.last());
    for (line, y) in lines.zip(area.top()..area.bottom()) {
        put(line, Style::new(), Rect { y, height: 1, ..area }, buffer);
    }
}
