//! `nuggets cluster`: looks at a cluster from outside, through its brokers.

#[cfg(feature = "cluster")]
mod reopen;
#[cfg(feature = "cluster")]
mod status;

use std::process::ExitCode;

#[cfg(feature = "cluster")]
use nuggets_cluster::nats::NatsOptions;

#[cfg(feature = "cluster")]
use crate::args::cluster::BrokerArgs;
use crate::args::cluster::ClusterCommand;

/// Says how to get it: the client of NATS is built only when asked for.
#[cfg(not(feature = "cluster"))]
pub(crate) fn run(command: &ClusterCommand) -> anyhow::Result<ExitCode> {
    let what = match command {
        ClusterCommand::Status(_) => "status URLS",
        ClusterCommand::Reopen(_) => "reopen URLS LOG",
    };
    Err(crate::args::BadArgument(format!(
        "this program was built without clusters. Get it with\n    \
         cargo run --release --features cluster -- cluster {what}"
    ))
    .into())
}

#[cfg(feature = "cluster")]
pub(crate) fn run(command: &ClusterCommand) -> anyhow::Result<ExitCode> {
    match command {
        ClusterCommand::Status(args) => status::run(args),
        ClusterCommand::Reopen(args) => reopen::run(args),
    }
}

#[cfg(feature = "cluster")]
impl BrokerArgs {
    fn options(&self) -> NatsOptions {
        let urls = self.urls.split(',').map(|url| url.trim().to_owned()).collect();
        let mut options = NatsOptions::new(urls);
        options.creds.clone_from(&self.cluster_creds);
        options.tls_ca.clone_from(&self.cluster_tls_ca);
        options.tls_identity = self.cluster_tls_cert.clone().zip(self.cluster_tls_key.clone());
        options
    }
}
