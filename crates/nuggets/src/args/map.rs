//! The arguments of `nuggets map …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What to do with maps.
#[derive(Debug, Subcommand)]
pub(crate) enum MapCommand {
    /// Say whether maps keep to every rule, and what would mend them
    Check(CheckArgs),
}

/// Say whether maps keep to every rule, and what would mend them.
#[derive(Args, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArgs {
    /// The maps: files, names of built-in maps, or - for the standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// For programs: an array with an object for each file
    #[arg(long)]
    pub(crate) json: bool,
}

const CHECK_EXAMPLES: &str = "\
The exit code is 0 if all maps are valid and 1 if one is not, or can't be read.

Examples:
  nuggets map check my-map.txt          every rule, and every place where one is broken
  nuggets map check maps/*.txt --json   the same for programs";
