//! The decision for or against colours, by option or by the environment.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::io::{self, IsTerminal};
use std::str::FromStr;

use thiserror::Error;

/// The `--color` setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColorChoice {
    /// Colours if standard output is a terminal that can show them and `NO_COLOR` is not set.
    #[default]
    Auto,
    /// Colours even in files and pipes.
    Always,
    /// No colours.
    Never,
}

/// The word is none of `auto`, `always`, `never`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected auto, always or never")]
pub struct UnknownColorChoice;

/// The environment that `ColorChoice::Auto` depends on.
#[derive(Clone, Copy, Debug)]
struct Environment<'a> {
    stdout_is_terminal: bool,
    no_color: Option<&'a OsStr>,
    term: Option<&'a OsStr>,
}

impl ColorChoice {
    /// All choices, the default first.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Always, Self::Never];

    fn allows_color(self, env: Environment) -> bool {
        let unwanted = env.no_color.is_some_and(|value| !value.is_empty());
        let dumb = env.term.is_some_and(|term| term == "dumb");
        match self {
            Self::Auto => env.stdout_is_terminal && !unwanted && !dumb,
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

/// True if standard output gets colours, by this choice and the environment.
pub fn wants_color(choice: ColorChoice) -> bool {
    choice.allows_color(Environment {
        stdout_is_terminal: io::stdout().is_terminal(),
        no_color: env::var_os("NO_COLOR").as_deref(),
        term: env::var_os("TERM").as_deref(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_default_colours_need_a_terminal_that_can_show_them() {
        for (stdout_is_terminal, no_color, term, colored) in [
            (true, None, Some("xterm"), true),
            (true, None, None, true),
            (true, Some(""), Some("xterm"), true),
            (true, Some("1"), Some("xterm"), false),
            (true, Some("0"), Some("xterm"), false),
            (true, None, Some("dumb"), false),
            (false, None, Some("xterm"), false),
        ] {
            let env = Environment {
                stdout_is_terminal,
                no_color: no_color.map(OsStr::new),
                term: term.map(OsStr::new),
            };
            assert_eq!(ColorChoice::Auto.allows_color(env), colored, "{env:?}");
            assert!(ColorChoice::Always.allows_color(env));
            assert!(!ColorChoice::Never.allows_color(env));
        }
    }

    #[test]
    fn choices_are_parsed_by_their_names() {
        for choice in ColorChoice::ALL {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        assert_eq!("sometimes".parse::<ColorChoice>(), Err(UnknownColorChoice));
    }
}
