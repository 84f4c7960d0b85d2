//! The arguments of `nuggets cluster`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::serve::broker_urls;

/// Look at a cluster: hosts on several machines that were started with `nuggets serve --cluster`.
#[derive(Debug, Subcommand)]
pub(crate) enum ClusterCommand {
    /// Show its nodes, the games that run, which node runs each, and what is not served
    Status(ClusterStatusArgs),
}

/// Show the nodes of a cluster (hosts that were started with `nuggets serve --cluster`), its games, and which node owns each.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ClusterStatusArgs {
    /// The NATS brokers, with commas between them, as for `nuggets serve --cluster`
    #[arg(value_name = "URLS", value_parser = broker_urls)]
    pub(crate) brokers: String,

    /// Print the same as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// The credentials of the cluster's NATS account (a .creds file)
    #[arg(long, value_name = "FILE")]
    pub(crate) cluster_creds: Option<PathBuf>,

    /// Speak TLS with the brokers, whose certificates are signed by one of this PEM file
    #[arg(long, value_name = "FILE")]
    pub(crate) cluster_tls_ca: Option<PathBuf>,

    /// The certificate with which to prove to the brokers who asks, in PEM format
    #[arg(long, value_name = "FILE", requires = "cluster_tls_key")]
    pub(crate) cluster_tls_cert: Option<PathBuf>,

    /// The private key of that certificate, in PEM format
    #[arg(long, value_name = "FILE", requires = "cluster_tls_cert")]
    pub(crate) cluster_tls_key: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  nuggets cluster status nats://nuggets:nuggets@127.0.0.1:4222
  nuggets cluster status nats://a,nats://b,nats://c --cluster-creds nuggets.creds --json

The exit code is 0 if every game that is not over is served, and 1 otherwise.";
