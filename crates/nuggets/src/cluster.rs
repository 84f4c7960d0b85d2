//! `nuggets cluster`: looks at hosts that share a database, through that database.

#[cfg(feature = "host")]
mod status;

use std::process::ExitCode;

use crate::args::BadArgument;
use crate::args::cluster::ClusterCommand;

/// Explains how to get the command: the host is an optional feature of the build.
#[cfg(not(feature = "host"))]
pub(crate) fn run(_: &ClusterCommand) -> anyhow::Result<ExitCode> {
    let words = "this program was built without the web host. Get it with\n    \
                 cargo run --release --features host -- cluster status --database URL";
    Err(BadArgument(words.into()).into())
}

#[cfg(feature = "host")]
pub(crate) fn run(command: &ClusterCommand) -> anyhow::Result<ExitCode> {
    match command {
        ClusterCommand::Status(args) => status::run(args),
        ClusterCommand::Drain(args) => drain(args),
    }
}

#[cfg(feature = "host")]
fn drain(args: &crate::args::cluster::ClusterDrainArgs) -> anyhow::Result<ExitCode> {
    let node = &args.node;
    if !nuggets_host::drain_node(&database(&args.database)?, node)? {
        anyhow::bail!("there is no node '{node}': `nuggets cluster status` lists them");
    }
    crate::print::text(&format!("{node} hands its games over and stops\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// The database that was named.
#[cfg(feature = "host")]
fn database(
    args: &crate::args::cluster::DatabaseArgs,
) -> anyhow::Result<nuggets_host::DatabaseUrl> {
    let url = args.database.clone().or_else(|| std::env::var("NUGGETS_DATABASE").ok());
    let missing =
        || BadArgument("name the database with --database URL, or in NUGGETS_DATABASE".into());
    let url = url.ok_or_else(missing)?;
    Ok(url.parse().map_err(|why| BadArgument(format!("database: {why}")))?)
}
