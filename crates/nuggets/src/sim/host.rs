//! `nuggets sim --host`: simulates whole web hosts.

use std::process::ExitCode;

use super::SimArgs;

#[cfg(not(feature = "host"))]
pub(super) fn run(_: &SimArgs) -> anyhow::Result<ExitCode> {
    Err(crate::args::BadArgument(
        "this program was built without the web host. Get it with\n    \
         cargo run --release --features host -- sim --host --seeds 0..2000"
            .into(),
    )
    .into())
}

#[cfg(feature = "host")]
pub(super) fn run(args: &SimArgs) -> anyhow::Result<ExitCode> {
    with_host::run(args)
}

#[cfg(feature = "host")]
mod with_host {
    use std::fmt::Write as _;
    use std::io::Write;
    use std::process::ExitCode;
    use std::sync::atomic::Ordering;

    use nuggets_host::sim::{HostRun, HostTotal};
    use nuggets_sim::parallel::Parallel;
    use serde_json::{Value, json};

    use super::super::{MAX_FAILURES_SHOWN, SimArgs, count};
    use crate::arena::{processors, progress_bar};
    use crate::print;
    use crate::signals::stop_on_signals;

    fn seconds(ms: u64) -> String {
        format!("{}.{} s of game time", ms / 1_000, ms % 1_000 / 100)
    }

    pub(super) fn run(args: &SimArgs) -> anyhow::Result<ExitCode> {
        let seeds = match (args.seed, &args.seeds) {
            (Some(seed), _) => seed..seed.saturating_add(1),
            (None, seeds) => seeds.clone().unwrap_or_default(),
        };
        let stop = stop_on_signals()?;
        let jobs = args.jobs.map_or_else(processors, usize::from);
        let bar = progress_bar(seeds.end - seeds.start);
        let mut total = HostTotal::default();
        Parallel { jobs, stop: &stop }.run(
            seeds,
            |seed| Some(HostRun::new(seed).play()),
            |done| bar.set_position(done),
            |_, played| total.add(played),
        );
        bar.finish_and_clear();
        let report = if args.json { to_json(&total) } else { report(&total) };
        print::out(|out| out.write_all(report.as_bytes()))?;
        let passed = total.failures.is_empty() && !stop.load(Ordering::Relaxed);
        Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn report(total: &HostTotal) -> String {
        let (shown, rest) = total.failures.split_at(total.failures.len().min(MAX_FAILURES_SHOWN));
        let mut lines = String::new();
        for failure in shown {
            let seed = failure.seed;
            let _ = write!(lines, "{failure}reproduce it: nuggets sim --host --seed {seed}\n\n");
        }
        if !rest.is_empty() {
            let seeds: Vec<String> = rest.iter().map(|failure| failure.seed.to_string()).collect();
            let _ = writeln!(lines, "also failed: {}", seeds.join(" "));
        }
        let verdict = match total.failures.len() {
            0 => "no fault found".to_owned(),
            failed => format!("{failed} failed"),
        };
        let sums = &total.sums;
        lines
            + &format!("{}: {verdict}\n", count(total.runs, "host"))
            + &format!(
                "  {}, {} of them ended; {}\n",
                count(sums.games, "game"),
                sums.over,
                seconds(sums.virtual_ms)
            )
            + &format!(
                "  {} broke, the server was killed {}, clients joined or came back {}\n",
                count(sums.drops, "connection"),
                count(sums.crashes, "time"),
                count(sums.joined, "time")
            )
            + &format!(
                "  over UDP {} arrived and {} were lost\n",
                count(sums.datagrams, "datagram"),
                sums.lost
            )
            + &format!(
                "  {}, {} compared with the model; digest {:016x}\n",
                count(sums.messages, "message"),
                count(sums.pictures, "picture"),
                sums.digest
            )
    }

    fn to_json(total: &HostTotal) -> String {
        let failures = total.failures.iter().map(|failure| {
            json!({
                "seed": failure.seed,
                "setting": failure.setting,
                "at_ms": failure.at_ms,
                "what": failure.what,
                "trace": failure.trace,
            })
        });
        let sums = &total.sums;
        let report = json!({
            "hosts": total.runs,
            "games": sums.games,
            "over": sums.over,
            "joined": sums.joined,
            "drops": sums.drops,
            "crashes": sums.crashes,
            "messages": sums.messages,
            "datagrams": sums.datagrams,
            "datagrams_lost": sums.lost,
            "pictures": sums.pictures,
            "settled": sums.settled,
            "virtual_ms": sums.virtual_ms,
            "failures": failures.collect::<Vec<Value>>(),
        });
        format!("{report:#}\n")
    }
}
