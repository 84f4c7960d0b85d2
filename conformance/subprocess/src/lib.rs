//! Runs untrusted programs: [`Subprocess`] in a scratch directory, with bounded output, bounded waiting and
//! bounded files; [`LineProgram`] to talk to by lines. Dropping the handle kills the program and all its descendants.
//!
//! This crate must not know what the programs are for.

mod child;
mod command;
mod limits;
mod line_program;
mod orphans;
mod output;
pub mod proc;
mod process_marker;
mod subprocess;
mod terminal;

pub use child::{Exit, MarkedChild};
pub use command::{CommandError, CommandLine, shell_quote};
pub use limits::{Breach, ResourceLimits};
pub use line_program::{LineProgram, NoLine};
pub use orphans::Orphans;
pub use output::{MAX_OUTPUT_BYTES, read_blocks};
pub use process_marker::ProcessMarker;
pub use subprocess::{RUN_WITH_LIMITS, Subprocess};
