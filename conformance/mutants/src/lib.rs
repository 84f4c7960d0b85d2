//! Code that the faulty server and the faulty client share: the enum of faults with its names on the command line, and
//! messages on stderr.

use std::io::{self, Write};
use std::process::ExitCode;

use thiserror::Error;

/// A word that is not the name of a fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown fault '{0}': --list prints all faults")]
pub struct UnknownFault(pub String);

/// Declares `Fault` from one list of variants and descriptions, `None` first. `FaultName` is written
/// `fault-name` on the command line.
#[macro_export]
macro_rules! faults {
    (None: $none:literal, $($name:ident: $description:literal,)+) => {
        /// The one fault of a mutant.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(crate) enum Fault {
            #[doc = $none]
            #[default]
            None,
            $(#[doc = $description] $name,)+
        }

        impl Fault {
            pub(crate) const ALL: &[Self] = &[Self::None, $(Self::$name,)+];

            /// Returns a one-sentence description of the fault.
            pub(crate) fn description(self) -> &'static str {
                match self {
                    Self::None => $none,
                    $(Self::$name => $description,)+
                }
            }
        }

        impl ::std::fmt::Display for Fault {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(&$crate::kebab_case(&format!("{self:?}")))
            }
        }

        impl ::std::str::FromStr for Fault {
            type Err = $crate::UnknownFault;

            fn from_str(word: &str) -> Result<Self, $crate::UnknownFault> {
                let found = Self::ALL.iter().copied().find(|fault| fault.to_string() == word);
                found.ok_or_else(|| $crate::UnknownFault(word.escape_debug().to_string()))
            }
        }
    };
}

/// `SprintOneStep` becomes `sprint-one-step`.
pub fn kebab_case(name: &str) -> String {
    let mut kebab = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.push(letter.to_ascii_lowercase());
    }
    kebab
}

/// Prints lines to stdout; fails if stdout is closed.
pub fn print_lines(mut lines: impl Iterator<Item = String>) -> ExitCode {
    let mut stdout = io::stdout().lock();
    let printed = lines.try_for_each(|line| writeln!(stdout, "{line}"));
    if printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes a line to stderr. A closed stderr does not end a game.
pub fn log(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Reports an error on stderr and exits with this code.
pub fn fail(error: &str, code: u8) -> ExitCode {
    log(&format!("error: {error}"));
    ExitCode::from(code)
}
