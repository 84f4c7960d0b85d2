//! `nuggets map …`: what can be done with maps beside playing them.

mod check;

use std::process::ExitCode;

use crate::args::map::MapCommand;

pub(crate) fn run(command: &MapCommand) -> anyhow::Result<ExitCode> {
    match command {
        MapCommand::Check(args) => check::run(args),
    }
}
