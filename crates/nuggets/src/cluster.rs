//! `nuggets cluster`: looks at a cluster from outside, through its brokers.

#[cfg(feature = "cluster")]
mod status;

use std::process::ExitCode;

use crate::args::cluster::ClusterCommand;

/// Says how to get it: the client of NATS is built only when asked for.
#[cfg(not(feature = "cluster"))]
pub(crate) fn run(command: &ClusterCommand) -> anyhow::Result<ExitCode> {
    let ClusterCommand::Status(_) = command;
    Err(crate::args::BadArgument(
        "this program was built without clusters. Get it with\n    \
         cargo run --release --features cluster -- cluster status URLS"
            .into(),
    )
    .into())
}

#[cfg(feature = "cluster")]
pub(crate) fn run(command: &ClusterCommand) -> anyhow::Result<ExitCode> {
    let ClusterCommand::Status(args) = command;
    status::run(args)
}
