//! What a person can choose when starting the client, checked already.

use std::ffi::OsStr;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::Join;

/// Whom to join, as whom, and how to look.
///
/// ```
/// use nuggets_client::{ColorChoice, Settings};
///
/// let settings = Settings {
///     host: "localhost".into(),
///     port: 1234,
///     name: Some(b"Ann".to_vec()),
///     color: "never".parse().unwrap(),
///     hint: None,
///     auto: true,
/// };
/// assert_eq!(settings.color, ColorChoice::Never);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The server's host: a name or an address.
    pub host: String,
    /// The server's port.
    pub port: u16,
    /// The name to play under; without one the client only watches.
    pub name: Option<Vec<u8>>,
    /// Whether to use colours.
    pub color: ColorChoice,
    /// A first note, for people who have just arrived.
    pub hint: Option<&'static str>,
    /// Whether `o` explores and the mouse walks. A spectator has neither.
    pub auto: bool,
}

/// Whether to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColorChoice {
    /// When the terminal and its owner seem to like them.
    #[default]
    Auto,
    /// In any case.
    Always,
    /// In no case.
    Never,
}

/// A word that names no choice of colours.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("colours can be had auto, always or never")]
pub struct UnknownColorChoice;

/// What the choice of colours depends on when it is left to us.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    pub(crate) stdout_is_terminal: bool,
    pub(crate) no_color: Option<&'a OsStr>,
    pub(crate) term: Option<&'a OsStr>,
}

impl Settings {
    /// Whether somebody plays who may have things go by themselves.
    pub(crate) fn plays_with_auto(&self) -> bool {
        self.auto && self.name.is_some()
    }

    pub(crate) fn join(&self) -> Join {
        Join { host: self.host.clone(), port: self.port, name: self.name.clone() }
    }
}

impl ColorChoice {
    /// All choices, the default first.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Always, Self::Never];

    /// Whether there are colours in these surroundings.
    pub(crate) fn allows_color(self, around: Surroundings) -> bool {
        let unwanted = around.no_color.is_some_and(|value| !value.is_empty());
        let dumb = around.term.is_some_and(|term| term == "dumb");
        match self {
            Self::Auto => around.stdout_is_terminal && !unwanted && !dumb,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

impl FromStr for ColorChoice {
    type Err = UnknownColorChoice;

    fn from_str(word: &str) -> Result<Self, UnknownColorChoice> {
        Self::ALL.into_iter().find(|choice| choice.to_string() == word).ok_or(UnknownColorChoice)
    }
}

impl fmt::Display for ColorChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn left_to_us_colours_need_a_terminal_that_wants_them() {
        for (stdout_is_terminal, no_color, term, colored) in [
            (true, None, Some("xterm"), true),
            (true, None, None, true),
            (true, Some(""), Some("xterm"), true),
            (true, Some("1"), Some("xterm"), false),
            (true, Some("0"), Some("xterm"), false),
            (true, None, Some("dumb"), false),
            (false, None, Some("xterm"), false),
        ] {
            let around = Surroundings {
                stdout_is_terminal,
                no_color: no_color.map(OsStr::new),
                term: term.map(OsStr::new),
            };
            assert_eq!(ColorChoice::Auto.allows_color(around), colored, "{around:?}");
            assert!(ColorChoice::Always.allows_color(around));
            assert!(!ColorChoice::Never.allows_color(around));
        }
    }

    #[test]
    fn choices_are_read_by_their_names() {
        for choice in ColorChoice::ALL {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        assert_eq!("sometimes".parse::<ColorChoice>(), Err(UnknownColorChoice));
    }
}
