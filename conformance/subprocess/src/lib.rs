//! Runs untrusted programs: each in a scratch directory, with bounded output, bounded waiting and
//! bounded files. Dropping the handle kills the program and all its descendants.
//!
//! This crate must not know what the programs are for.

mod command;
mod output;
mod process_marker;
mod subprocess;
mod terminal;

pub use command::{CommandError, CommandLine, shell_quote};
pub use output::MAX_OUTPUT_BYTES;
pub use process_marker::ProcessMarker;
pub use subprocess::{Exit, Subprocess};
