//! The arguments of `nuggets cluster`.

use clap::{Args, Subcommand};

/// Look at hosts that share a database: those that were started with `nuggets serve --database`.
#[derive(Debug, Subcommand)]
pub(crate) enum ClusterCommand {
    /// Show the nodes, the games that run, and which node runs each
    Status(ClusterStatusArgs),
    /// Ask a node to hand its games over to the others and to stop
    Drain(ClusterDrainArgs),
}

/// Show the nodes of a cluster, their leases and load, the games that run, and which node runs each.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ClusterStatusArgs {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    /// Print the same as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Ask a node to hand its games over to the other nodes and to stop.
#[derive(Args, Debug)]
pub(crate) struct ClusterDrainArgs {
    /// The name of the node, as `nuggets cluster status` shows it
    #[arg(value_name = "NODE")]
    pub(crate) node: String,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// The address of the database.
#[derive(Args, Debug)]
pub(crate) struct DatabaseArgs {
    /// The database, as for `nuggets serve`; the environment variable `NUGGETS_DATABASE` keeps a password out of the list of
    /// processes
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  nuggets cluster status --database postgres://nuggets@db/nuggets
  NUGGETS_DATABASE=postgres://nuggets:secret@db/nuggets nuggets cluster status --json

The exit code is 0 if every game that is not over has a living owner, and 1 otherwise.";
