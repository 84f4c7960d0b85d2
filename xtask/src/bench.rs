//! `cargo xtask bench`: measures instruction counts and processor time, and writes a report.
//!
//! Wall-clock time on a shared machine means little. So instructions are counted, and the server's
//! time is compared with a loop that only sends, batch by batch in the same run.

mod cluster;
mod counts;
mod figures;
mod host;
mod load;
mod process;
mod report;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use clap::Args;
use nuggets_testkit::{ServerProcess, now};

use crate::tools::{self, cargo, print_line};
use crate::top;
use cluster::ClusterTable;
use counts::CountedSubject;
use figures::{BenchGoal, median};
use load::{Field, Load};
use report::{Report, host_goals, host_section};

pub(crate) use load::bare_loop;

/// The choice of benchmarks.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Write the instruction counts as the new baseline
    #[arg(long)]
    bless: bool,
    /// Measure only the web host and print it; write no report
    #[arg(long, conflicts_with = "bless")]
    host: bool,
    /// Measure only hosts that share a database, beside a single host, and print it
    #[arg(long, conflicts_with_all = ["bless", "host"])]
    cluster: bool,
    /// Of the cluster, measure only this table
    #[arg(long, value_name = "TABLE", requires = "cluster")]
    only: Option<ClusterTable>,
    /// Of the web host, measure only this many games without watchers
    #[arg(long, value_name = "COUNT", requires = "host")]
    games: Option<usize>,
}

/// Players in the loads that are compared.
const PLAYERS: usize = 26;

/// Measures, and prints the results. Measuring everything also writes the report, and prints the changes of the counts.
pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<()> {
    ensure!(
        cfg!(target_os = "linux"),
        "benches need Linux: they read /proc and count under valgrind"
    );
    if args.cluster {
        crate::test::ensure_postgres()?;
        return ensure_reached(&cluster::measure(&build_host()?.join("nuggets"), args.only)?);
    }
    if args.host {
        let release = build_host()?;
        let (nuggets, bare) = (release.join("nuggets"), release.join("bare_web_loop"));
        if let Some(games) = args.games {
            return host::measure_games(&nuggets, &bare, &[games]).map(drop);
        }
        let host = host::measure(&nuggets, &bare)?;
        print_line(&host_section(&host));
        return ensure_reached(&host_goals(&host));
    }
    let release = build_release(&["--package", "nuggets", "--package", "xtask"])?;
    let me = release.join("xtask");
    let counts = counts::count(true)?;
    if args.bless {
        counts::write_baseline(&counts)?;
        print_line("xtask: wrote these instruction counts as the new baseline");
    }
    let report = measure(&release.join("server"), &me, counts)?;
    let text = report.to_markdown();
    std::fs::write(top().join("docs/bench/report.md"), &text)?;
    print_line(&text);
    counts::show_differences(&report.counts)?;
    ensure_reached(&report.goals())
}

/// Fails if a figure is beyond its limit.
fn ensure_reached(goals: &[BenchGoal]) -> anyhow::Result<()> {
    let missed = goals.iter().filter(|goal| !goal.is_reached);
    let missed: Vec<String> = missed
        .map(|goal| format!("{}: wanted {}, found {}", goal.what, goal.wanted, goal.found))
        .collect();
    if !missed.is_empty() {
        bail!(
            "{} of {} goals are missed:\n  {}\nIf other programs were running, stop them and measure again",
            missed.len(),
            goals.len(),
            missed.join("\n  ")
        );
    }
    Ok(())
}

/// Fails if an instruction count has changed; with another compiler or machine it only prints it.
pub(crate) fn guard() -> anyhow::Result<()> {
    if cfg!(not(target_os = "linux")) {
        print_line("xtask: instructions are counted only on Linux");
        return Ok(());
    }
    let found = counts::show_differences(&counts::count(false)?)?;
    if found > 0 {
        bail!(
            "{found} instruction counts have changed by more than 3 %. If that is on purpose, run \
             `cargo xtask bench --bless` and say why in the commit"
        );
    }
    Ok(())
}

fn measure(server: &Path, me: &Path, counts: Vec<CountedSubject>) -> anyhow::Result<Report> {
    // The first, because it fails early where the system allows too few open files.
    let release = build_host()?;
    let host = host::measure(&release.join("nuggets"), &release.join("bare_web_loop"))?;
    let cost = |field: Field, players, changed_only, keys| {
        let name = field.name.to_owned();
        let load = Load { field, players, changed_only, keys };
        Ok((name, load::measure(&load, server, me)?))
    };
    let with_players = |players| cost(Field::shipped("main"), players, false, 10_000);
    Ok(Report {
        host,
        counts,
        start_ms: measure_start(server),
        strict: vec![
            cost(Field::shipped("main"), PLAYERS, false, 40_000)?,
            cost(Field::shipped("grand"), PLAYERS, false, 20_000)?,
            cost(Field::largest(), PLAYERS, false, 6_000)?,
            cost(Field::open(), PLAYERS, false, 3_000)?,
        ],
        changed_only: vec![
            cost(Field::shipped("main"), PLAYERS, true, 20_000)?,
            cost(Field::shipped("grand"), PLAYERS, true, 8_000)?,
            cost(Field::largest(), PLAYERS, true, 2_000)?,
        ],
        by_players: [1, 5, 13, PLAYERS]
            .into_iter()
            .map(with_players)
            .collect::<anyhow::Result<_>>()?,
    })
}

/// The time from the start of a server to its announcement, in milliseconds: the median of several starts.
fn measure_start(server: &Path) -> f64 {
    let start_once = |_| {
        let began = now();
        let args = ["main", "1", "--bind", "127.0.0.1", "--log", "off"];
        let _server = ServerProcess::start(Command::new(server).args(args));
        began.elapsed().as_secs_f64() * 1000.0
    };
    median((0..20).map(start_once).collect())
}

/// Builds the host and the bare loop that it is compared with, and returns the folder of both.
fn build_host() -> anyhow::Result<PathBuf> {
    let nuggets = ["--package", "nuggets", "--bin", "nuggets", "--features", "nuggets/host"];
    let bare =
        ["--package", "xtask", "--bin", "bare_web_loop", "--features", "xtask/bare-web-loop"];
    build_release(&[nuggets, bare].concat())
}

fn build_release(what: &[&str]) -> anyhow::Result<PathBuf> {
    tools::run(&mut cargo(&[&["build", "--release", "--quiet"], what].concat()))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(top().join("target"), PathBuf::from);
    target.join("release").canonicalize().context("there is no release build")
}
