//! `cargo xtask bench`: measures instruction counts and processor time, and writes a report.
//!
//! Wall-clock time on a shared machine means little. So instructions are counted, and the server's
//! time is compared with a loop that only sends, batch by batch in the same run.

mod cluster;
mod counts;
mod field;
mod figures;
mod host;
mod load;
mod process;
mod report;
mod subjects;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use clap::Args;
use nuggets_testkit::{ServerProcess, now};

use crate::tools::{cargo, install, print_line};
use crate::top;
use cluster::ClusterTable;
use counts::Counts;
use field::Field;
use figures::{BenchGoal, FigureRows, median};
use load::Load;
use report::{Report, host_goals, host_section};

pub(crate) use load::bare_loop;
pub(crate) use subjects::run as run_subject;

/// What to measure.
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
    let release = build()?;
    let me = release.join("xtask");
    let counts = counts::count(&me, true)?;
    if args.bless {
        counts::write_baseline(&counts)?;
        print_line("xtask: wrote these instruction counts as the new baseline");
    }
    let report = measure(&release.join("server"), &me, counts)?;
    let text = report.to_markdown();
    std::fs::write(top().join("docs/bench/report.md"), &text)?;
    print_line(&text);
    counts::show_differences(&counts::count(&me, false)?)?;
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
    let found = counts::show_differences(&counts::count(&build()?.join("xtask"), false)?)?;
    if found > 0 {
        bail!(
            "{found} instruction counts have changed by more than 3 %. If that is on purpose, run \
             `cargo xtask bench --bless` and say why in the commit"
        );
    }
    Ok(())
}

fn measure(server: &Path, me: &Path, counts: Counts) -> anyhow::Result<Report> {
    // The first, because it fails early where the system allows too few open files.
    let release = build_host()?;
    let host = host::measure(&release.join("nuggets"), &release.join("bare_web_loop"))?;
    let cost = |(field, players, changed_only, keys): (Field, usize, bool, usize)| {
        let load = Load { field, players, changed_only, keys };
        Ok((field.name(), load::measure(load, server, me)?))
    };
    let costs =
        |loads: &[_]| loads.iter().copied().map(cost).collect::<anyhow::Result<FigureRows>>();
    let rooms = |down, across| Field::Rooms { down, across };
    Ok(Report {
        host,
        counts,
        start_ms: measure_start(server),
        strict: costs(&[
            (Field::CLASSIC, PLAYERS, false, 40_000),
            (Field::LARGE, PLAYERS, false, 20_000),
            (Field::LARGEST, PLAYERS, false, 6_000),
            (Field::OPEN, PLAYERS, false, 3_000),
        ])?,
        changed_only: costs(&[
            (Field::CLASSIC, PLAYERS, true, 20_000),
            (Field::LARGE, PLAYERS, true, 8_000),
            (Field::LARGEST, PLAYERS, true, 2_000),
        ])?,
        by_players: costs(
            &[1, 5, 13, PLAYERS].map(|players| (Field::CLASSIC, players, false, 10_000)),
        )?,
        by_size: costs(&[
            (rooms(2, 5), PLAYERS, false, 10_000),
            (rooms(5, 9), PLAYERS, false, 8_000),
            (rooms(12, 12), PLAYERS, false, 6_000),
            (Field::LARGEST, PLAYERS, false, 4_000),
        ])?,
    })
}

/// The time from the start of a server to its announcement, in milliseconds: the median of several starts.
fn measure_start(server: &Path) -> f64 {
    let start_once = |_| {
        let began = now();
        let args = ["main", "1", "--bind", "127.0.0.1", "--log", "off"];
        let server = ServerProcess::start(Command::new(server).args(args));
        let took = began.elapsed();
        assert!(server.port() > 0);
        took.as_secs_f64() * 1000.0
    };
    median((0..20).map(start_once).collect())
}

/// Builds the server and this program for release, and returns the folder of both.
fn build() -> anyhow::Result<PathBuf> {
    if cfg!(not(target_os = "linux")) {
        bail!("benches need Linux: they read /proc and count under valgrind");
    }
    install(&["valgrind"])?;
    build_release(&["--package", "nuggets", "--package", "xtask"])
}

/// Builds the host and the bare loop that it is compared with, and returns the folder of both.
fn build_host() -> anyhow::Result<PathBuf> {
    let nuggets = ["--package", "nuggets", "--bin", "nuggets", "--features", "nuggets/host"];
    let bare =
        ["--package", "xtask", "--bin", "bare_web_loop", "--features", "xtask/bare-web-loop"];
    build_release(&[nuggets, bare].concat())
}

fn build_release(what: &[&str]) -> anyhow::Result<PathBuf> {
    cargo(&[&["build", "--release", "--quiet"], what].concat()).run()?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(top().join("target"), PathBuf::from);
    target.join("release").canonicalize().context("there is no release build")
}
