//! The palette: a style for each kind of thing on the screen. Colours come from the sixteen that every
//! terminal has, and never carry a meaning alone: the characters and their weights differ as well.

#[cfg(test)]
mod vision;

use ratatui::style::{Color, Modifier, Style};

use crate::{ColorChoice, wants_color};

/// A style for each kind of thing.
///
/// ```
/// use nuggets_tui::Palette;
/// use ratatui::style::Color;
///
/// assert_eq!(Palette::colored().style_of(b'*').fg, Some(Color::Yellow));
/// assert_eq!(Palette::plain().style_of(b'*').fg, None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    gold: Style,
    you: Style,
    others: Style,
    walls: Style,
    passages: Style,
    rooms: Style,
    note: Style,
}

impl Palette {
    /// The palette for standard output, by this choice and the environment.
    pub fn for_stdout(choice: ColorChoice) -> Self {
        if wants_color(choice) { Self::colored() } else { Self::plain() }
    }

    /// Colours that people with any kind of colour blindness can tell apart. Dark gray and dark blue are
    /// not among them: on many terminals they are hardly visible.
    pub fn colored() -> Self {
        let plain = Self::plain();
        Self {
            gold: plain.gold.fg(Color::Yellow),
            you: plain.you.fg(Color::White),
            others: plain.others.fg(Color::LightRed),
            walls: plain.walls.fg(Color::Cyan),
            passages: plain.passages.fg(Color::LightBlue),
            rooms: plain.rooms.add_modifier(Modifier::DIM),
            note: plain.note,
        }
    }

    /// Weights only, for terminals and people without colours.
    pub fn plain() -> Self {
        let thin = Style::new();
        let bold = thin.add_modifier(Modifier::BOLD);
        Self {
            gold: bold,
            you: bold.add_modifier(Modifier::REVERSED),
            others: bold,
            walls: thin,
            passages: thin,
            rooms: thin,
            note: bold,
        }
    }

    /// The style of a character of the map.
    pub fn style_of(&self, symbol: u8) -> Style {
        match symbol {
            b'*' => self.gold,
            b'@' => self.you,
            b'A'..=b'Z' => self.others,
            b'-' | b'|' | b'+' => self.walls,
            b'#' => self.passages,
            b'.' => self.rooms,
            _ => Style::new(),
        }
    }

    /// The style of the note on the status line.
    pub fn note(&self) -> Style {
        self.note
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYMBOLS: &[u8] = b"*@B-|+#. ?";

    #[test]
    fn the_plain_palette_has_no_colour_anywhere() {
        let plain = Palette::plain();
        for style in SYMBOLS.iter().map(|&s| plain.style_of(s)).chain([plain.note()]) {
            assert_eq!((style.fg, style.bg), (None, None));
        }
    }

    #[test]
    fn the_own_player_is_reversed_and_gold_and_players_are_bold() {
        for palette in [Palette::plain(), Palette::colored()] {
            let has = |symbol, weight| palette.style_of(symbol).add_modifier.contains(weight);
            assert!(SYMBOLS.iter().all(|&s| has(s, Modifier::REVERSED) == (s == b'@')));
            assert!(SYMBOLS.iter().all(|&s| has(s, Modifier::BOLD) == b"*@B".contains(&s)));
        }
    }
}
