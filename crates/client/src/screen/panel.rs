//! The side panel: purses as far as they are known, gold left, and the log, newest entry first.

use nuggets_tui::{Palette, fold, put};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::App;

/// A line of the panel: text on the left, a number on the right.
struct PanelLine {
    left: String,
    right: String,
    style: Style,
}

impl PanelLine {
    fn new(left: impl Into<String>, right: impl Into<String>, style: Style) -> Self {
        Self { left: left.into(), right: right.into(), style }
    }
}

pub(super) fn draw(app: &App, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    let log = app.log.entries.iter().flat_map(|entry| {
        let seconds = entry.after_ms / 1_000;
        let text = format!("{:02}:{:02} {}", seconds / 60, seconds % 60, entry.text);
        let style = entry.letter.map_or(Style::new(), |letter| palette.player(letter));
        // Continuation lines are indented to the text, right of the time.
        let lines = fold(&text, area.width.into(), 6, usize::MAX);
        lines.into_iter().map(move |line| PanelLine::new(line, "", style))
    });
    let lines =
        purses(app, palette).into_iter().chain([PanelLine::new("", "", Style::new())]).chain(log);
    for (line, y) in lines.zip(area.top()..area.bottom()) {
        let row = Rect { y, height: 1, ..area };
        put(&line.left, line.style, row, buffer);
        let width = u16::try_from(line.right.len()).unwrap_or(u16::MAX).min(row.width);
        put(&line.right, line.style, Rect { x: row.right() - width, width, ..row }, buffer);
    }
}

/// Returns a line for us, for each rival by letter, for the gold taken out of sight, and for the gold that is left.
fn purses(app: &App, palette: &Palette) -> Vec<PanelLine> {
    let mut lines = Vec::new();
    let gold = app.scene().gold();
    if let Some(name) = &app.join().name {
        let letter = app.scene().letter().unwrap_or('?');
        let name: String = name.iter().map(|&b| char::from(nuggets_atlas::clean_byte(b))).collect();
        let purse = gold.map_or(String::new(), |gold| gold.purse.to_string());
        // The style without the reversal that marks the player on the map.
        let style = Style { add_modifier: palette.note().add_modifier, ..palette.style_of(b'@') };
        lines.push(PanelLine::new(format!("{letter} {name} (you)"), purse, style));
    }
    let rivals = &app.rivals;
    let steals = app.house_rules.as_deref().is_some_and(|rules| rules.contains("steal"));
    let sign = match () {
        () if steals => "?",
        () if rivals.are_complete() => "",
        () => "+",
    };
    for (letter, rival) in rivals.all() {
        let name = rival.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
        let gone = if rival.is_gone { " (gone)" } else { "" };
        let left = format!("{}{name}{gone}", char::from(letter));
        lines.push(PanelLine::new(left, format!("{}{sign}", rival.taken), palette.player(letter)));
    }
    if rivals.taken_unseen > 0 {
        lines.push(PanelLine::new(
            "taken out of sight",
            rivals.taken_unseen.to_string(),
            Style::new(),
        ));
    }
    if let Some(gold) = gold {
        lines.push(PanelLine::new(
            "* gold left",
            gold.remaining.to_string(),
            palette.style_of(b'*'),
        ));
    }
    lines
}
