//! `nuggets cluster reopen`: a person has decided which copy of a failed log is right.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use nuggets_cluster::LogName;
use nuggets_cluster::nats::Nats;

use crate::args::BadArgument;
use crate::args::cluster::ClusterReopenArgs;
use crate::print;

pub(crate) fn run(args: &ClusterReopenArgs) -> anyhow::Result<ExitCode> {
    let log = LogName::new(&args.log).map_err(|why| BadArgument(why.to_string()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("can't start a thread")?.block_on(async {
        let nats = Nats::connect(&args.brokers.options(), "nuggets cluster reopen").await?;
        nats.reopen(&log).await?;
        anyhow::Ok(())
    })?;
    print::out(|out| {
        writeln!(
            out,
            "the log {log} may be opened again. Its owner, or the node that takes over, tries it now: see"
        )?;
        writeln!(out, "`nuggets cluster status`")
    })?;
    Ok(ExitCode::SUCCESS)
}
