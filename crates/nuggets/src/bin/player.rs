//! `player hostname port [playername]`: one of the two programs that the specification names.

use std::process::ExitCode;

fn main() -> ExitCode {
    nuggets_programs::player()
}
