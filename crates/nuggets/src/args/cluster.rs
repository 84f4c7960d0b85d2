//! The arguments of `nuggets cluster`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::serve::broker_urls;

/// Look at a cluster: hosts on several machines that were started with `nuggets serve --cluster`.
#[derive(Debug, Subcommand)]
pub(crate) enum ClusterCommand {
    /// Show its nodes, the games that run, which node runs each, and what is not served
    Status(ClusterStatusArgs),
    /// Let a log be opened again that contradicts the file of its owner, when you have decided which of them is right
    Reopen(ClusterReopenArgs),
}

/// Show the nodes of a cluster (hosts that were started with `nuggets serve --cluster`), its games, and which node owns each.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ClusterStatusArgs {
    #[command(flatten)]
    pub(crate) brokers: BrokerArgs,

    /// Print the same as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Let a log be opened again that has the state `failed`: it contradicts the file of the node that owned it. Decide first which of
/// them is right, and remove the other one: see docs/cluster.md, "When a log is failed".
#[derive(Args, Debug)]
pub(crate) struct ClusterReopenArgs {
    #[command(flatten)]
    pub(crate) brokers: BrokerArgs,

    /// The log: the id of a game, or `accounts`, as `nuggets cluster status` shows it
    #[arg(value_name = "LOG")]
    pub(crate) log: String,
}

/// Where the brokers are, and how to be let in.
#[derive(Args, Debug)]
pub(crate) struct BrokerArgs {
    /// The NATS brokers, with commas between them, as for `nuggets serve --cluster`
    #[arg(value_name = "URLS", value_parser = broker_urls)]
    pub(crate) urls: String,

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
