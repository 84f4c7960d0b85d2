//! The bar of time: what has passed, what is to come, and who took gold when.

use nuggets_client::Palette;
use nuggets_game::{Letter, Viewer};
use nuggets_record::Millis;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::Show;

/// Where several took gold in one column, whoever took most of it is named.
pub(super) fn draw(show: &Show, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let end = show.duration();
    let here = column(show.at(), end, area.width);
    let takers = takers(show, area.width);
    for (col, taker) in (0..area.width).zip(takers) {
        let line = if col < here { '=' } else { '-' };
        let symbol = taker.map_or(line, |(letter, _)| char::from(letter.as_char()));
        let style = taker.map_or(Style::new(), |(letter, _)| style_of(letter, show, palette));
        buffer[(area.x + col, area.y)].set_char(symbol).set_style(style);
    }
    let head = Style::new().add_modifier(Modifier::REVERSED);
    let head_cell = &mut buffer[(area.x + here, area.y)];
    head_cell.set_style(head);
    if head_cell.symbol() == "-" {
        head_cell.set_char('>');
    }
}

type Taker = Option<(Letter, u32)>;

fn takers(show: &Show, width: u16) -> Vec<Taker> {
    let mut takers: Vec<Taker> = vec![None; width.into()];
    for (moment, player, nuggets) in show.timeline().gold() {
        let taker = &mut takers[usize::from(column(moment.at, show.duration(), width))];
        if taker.is_none_or(|(_, most)| nuggets > most) {
            *taker = Some((player, nuggets));
        }
    }
    takers
}

fn style_of(letter: Letter, show: &Show, palette: &Palette) -> Style {
    let is_viewer = show.viewer() == Viewer::Player(letter);
    palette.style_of(if is_viewer { b'@' } else { letter.as_char() })
}

/// The column of a time: the start is the first, the end the last.
fn column(at: Millis, end: Millis, width: u16) -> u16 {
    let last = u128::from(width.saturating_sub(1));
    let column = u128::from(at.0.min(end.0)) * last / u128::from(end.0.max(1));
    u16::try_from(column).unwrap_or(u16::MAX)
}
