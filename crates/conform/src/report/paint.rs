//! Colours for a terminal, or none.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// Whether there are colours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    pub(super) colored: bool,
}

impl Paint {
    pub(super) fn bad(self, text: impl Display) -> String {
        self.with(AnsiColor::Red.on_default().bold(), text)
    }

    pub(super) fn weak(self, text: impl Display) -> String {
        self.with(AnsiColor::Yellow.on_default(), text)
    }

    pub(super) fn good(self, text: impl Display) -> String {
        self.with(AnsiColor::Green.on_default(), text)
    }

    pub(super) fn bold(self, text: impl Display) -> String {
        self.with(Style::new().bold(), text)
    }

    pub(super) fn faint(self, text: impl Display) -> String {
        self.with(Style::new().dimmed(), text)
    }

    fn with(self, style: Style, text: impl Display) -> String {
        if self.colored { format!("{style}{text}{style:#}") } else { text.to_string() }
    }
}
