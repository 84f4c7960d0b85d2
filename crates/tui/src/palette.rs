//! The palette: a style for each kind of thing on the screen. Colours come from the sixteen that every
//! terminal has, those of the rivals from the 256 that most have. They never carry a meaning alone: the
//! characters and their weights differ as well.

#[cfg(test)]
mod vision;

use ratatui::style::{Color, Modifier, Style};

use crate::{ColorChoice, wants_color};

/// The colours of players, by letter: the eighth player has the colour of the first. All pairs of them, and
/// of each and every other colour of the palette, are distinguishable in every kind of colour blindness; no
/// larger set from the 256 was found.
const RIVALS: [Color; 7] = [
    Color::Indexed(147),
    Color::Indexed(204),
    Color::Indexed(215),
    Color::Indexed(157),
    Color::Indexed(133),
    Color::Indexed(100),
    Color::Indexed(29),
];

/// The number of colours of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorDepth {
    /// Sixteen: all rivals look alike.
    Sixteen,
    /// 256 or more: rivals have colours of their own.
    Many,
}

impl ColorDepth {
    /// Detects the colour depth of the terminal from the environment.
    pub fn of_terminal() -> Self {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let term = std::env::var("TERM").unwrap_or_default();
        let known = ["256color", "direct", "kitty", "alacritty", "ghostty", "foot", "wezterm"];
        let many = is_set("COLORTERM") || known.iter().any(|name| term.contains(name));
        if many { Self::Many } else { Self::Sixteen }
    }
}

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
    depth: Option<ColorDepth>,
}

impl Palette {
    /// The palette for standard output, by this choice and the environment.
    pub fn for_stdout(choice: ColorChoice) -> Self {
        if wants_color(choice) {
            Self::colored().with(ColorDepth::of_terminal())
        } else {
            Self::plain()
        }
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
            rooms: plain.rooms,
            note: plain.note,
            depth: Some(ColorDepth::Sixteen),
        }
    }

    /// Returns the same palette for a terminal with this many colours. A palette without colours stays as it is.
    #[must_use]
    pub fn with(self, depth: ColorDepth) -> Self {
        Self { depth: self.depth.and(Some(depth)), ..self }
    }

    /// Returns a palette of weights only, for terminals and people without colours.
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
            depth: None,
        }
    }

    /// The style of a character of the map.
    pub fn style_of(&self, symbol: u8) -> Style {
        match symbol {
            b'*' => self.gold,
            b'@' => self.you,
            b'A'..=b'Z' => self.player(symbol),
            b'-' | b'|' | b'+' => self.walls,
            b'#' => self.passages,
            b'.' => self.rooms,
            _ => Style::new(),
        }
    }

    /// Returns the style of a remembered character that is not in sight.
    pub fn remembered(&self, symbol: u8) -> Style {
        self.style_of(symbol).remove_modifier(Modifier::BOLD).add_modifier(Modifier::DIM)
    }

    /// The style of a player, by its letter: on the map, in the panel, in a replay and in the final table.
    pub fn player(&self, letter: u8) -> Style {
        let index = usize::from(letter.to_ascii_uppercase().wrapping_sub(b'A'));
        match self.depth {
            Some(ColorDepth::Many) => self.others.fg(RIVALS[index % RIVALS.len()]),
            _ => self.others,
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

    #[test]
    fn what_is_remembered_is_dim_and_never_bold() {
        for palette in [Palette::plain(), Palette::colored()] {
            for &symbol in SYMBOLS {
                let remembered = palette.remembered(symbol);
                assert!(remembered.add_modifier.contains(Modifier::DIM));
                assert!(!remembered.add_modifier.contains(Modifier::BOLD));
                assert!(!palette.style_of(symbol).add_modifier.contains(Modifier::DIM));
            }
        }
    }

    #[test]
    fn rivals_have_colours_of_their_own_only_where_there_are_enough() {
        let many = Palette::colored().with(ColorDepth::Many);
        let colors: Vec<_> = (b'A'..=b'G').map(|letter| many.player(letter).fg).collect();
        for (n, color) in colors.iter().enumerate() {
            assert!(color.is_some() && !colors[..n].contains(color));
        }
        assert_eq!(many.player(b'H').fg, many.player(b'A').fg);
        assert_eq!(Palette::colored().player(b'B').fg, Some(Color::LightRed));
        assert_eq!(Palette::plain().with(ColorDepth::Many).player(b'B').fg, None);
    }
}
