//! Runs untrusted programs: each in a scratch directory, with bounded output, bounded waiting and
//! bounded files. Dropping the handle kills the program and all its descendants.
//!
//! This crate must not know what the programs are for.

mod command;
mod env_marker;
mod output;
mod subprocess;
mod terminal;

pub use command::{CommandError, CommandLine, shell_quote};
pub use env_marker::EnvMarker;
pub use output::MAX_OUTPUT_BYTES;
pub use subprocess::{Exit, Subprocess};
