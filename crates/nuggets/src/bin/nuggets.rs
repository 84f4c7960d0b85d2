//! `nuggets`: everything in one program.

use std::process::ExitCode;

fn main() -> ExitCode {
    nuggets_programs::nuggets()
}
