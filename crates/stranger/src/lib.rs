//! Runs programs that nobody trusts. A stranger works in a scratch directory of its own, what it
//! says is kept only up to a limit, nobody waits for it longer than told, and when its handle goes,
//! it and all its children go too.
//!
//! Nothing here knows what the programs are for.

mod command;
mod mark;
mod output;
mod stranger;
mod terminal;

pub use command::{CommandLine, NoProgram, quoted};
pub use mark::Mark;
pub use output::MOST_OUTPUT_BYTES;
pub use stranger::{Ending, Stranger};
