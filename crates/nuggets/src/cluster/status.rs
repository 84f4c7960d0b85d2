//! `nuggets cluster status`: asks all nodes how they are, and puts together what they say.

mod report;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use nuggets_cluster::nats::{
    Nats, NatsError, NatsOptions, NodeStatus, OWNERSHIP_STREAM, ask_status,
};

use crate::args::cluster::ClusterStatusArgs;
use crate::print;
use report::ClusterReport;

/// How long the nodes have to answer. They send heartbeats five times in a second.
const WAIT: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &ClusterStatusArgs) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let asked = runtime.context("can't start a thread")?.block_on(ask(&args.brokers.options()));
    let (nodes, stored) = asked?;
    if nodes.is_empty() {
        bail!(
            "the brokers are there, but no node of the cluster answers. Start one with `nuggets serve --cluster \
             URLS --node NAME`, or give the credentials of the account that the nodes use"
        );
    }
    let report = ClusterReport::of(&nodes, stored);
    if args.json {
        print::out(|out| {
            serde_json::to_writer_pretty(&mut *out, &report)?;
            writeln!(out)
        })?;
    } else {
        print::out(|out| write!(out, "{report}"))?;
    }
    let unserved = report.unserved();
    if unserved > 0 {
        print::to_stderr(format_args!(
            "error: {} not served now. Another node should take over within 3 seconds; if not, see the logs of the nodes",
            print::count(unserved, "log") + if unserved == 1 { " is" } else { " are" }
        ));
    }
    Ok(ExitCode::from(u8::from(unserved > 0)))
}

/// What the nodes say, and how many logs the brokers have ever had.
async fn ask(options: &NatsOptions) -> Result<(Vec<NodeStatus>, Option<u64>), NatsError> {
    let nats = Nats::connect(options, "nuggets cluster status").await?;
    let stored = nats.message_count(OWNERSHIP_STREAM).await;
    Ok((ask_status(&nats, WAIT).await?, stored))
}
