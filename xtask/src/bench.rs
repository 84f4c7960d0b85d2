//! `cargo xtask bench`: measures instruction counts and processor time, and writes a report.
//!
//! Wall-clock time on a shared machine means little. So instructions are counted, and the server's
//! time is compared with a loop that only sends, batch by batch in the same run.

mod cluster;
mod counts;
mod field;
mod figures;
mod host;
mod host_report;
mod load;
mod plot;
mod process;
mod report;
mod subjects;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use nuggets_testkit::{ServerProcess, now};

use crate::tools::{cargo, install, print_line};
use crate::top;
use counts::Counts;
use field::Field;
use figures::{BenchGoal, Figures, median};
use host::HostFigures;
use load::Load;
use report::Report;

pub(crate) use cluster::ClusterTable;
pub(crate) use load::bare_loop;
pub(crate) use subjects::run as run_subject;

/// Players in the loads that are compared.
const PLAYERS: usize = 26;

/// Measures everything, writes the report, and prints the changes of the counts.
pub(crate) fn run(bless: bool) -> anyhow::Result<()> {
    let release = build()?;
    let me = release.join("xtask");
    let counts = counts::count(&me, true)?;
    if bless {
        counts::write_baseline(&counts)?;
        print_line("xtask: wrote these instruction counts as the new baseline");
    }
    let report = measure(&release.join("server"), &me, counts)?;
    report.write()?;
    print_line(&report.to_markdown());
    show_differences(&counts::count(&me, false)?)?;
    ensure_reached(&report.goals())
}

/// Measures only the web host, and prints it.
pub(crate) fn run_host() -> anyhow::Result<()> {
    let host = measure_host()?;
    print_line(&host_report::to_markdown(&host));
    ensure_reached(&host_report::goals(&host))
}

/// Measures hosts that share a database beside a single host, and prints it.
pub(crate) fn run_cluster(only: Option<ClusterTable>) -> anyhow::Result<()> {
    crate::test::ensure_postgres()?;
    ensure_reached(&cluster::measure(&build_host()?.join("nuggets"), only)?)
}

/// Measures only this many games of the web host, to see what a change of it brings.
pub(crate) fn run_games(games: usize) -> anyhow::Result<()> {
    let release = build_host()?;
    host::measure_games(&release.join("nuggets"), &release.join("bare_web_loop"), &[games])
        .map(drop)
}

/// Fails if a figure is beyond its limit.
fn ensure_reached(goals: &[BenchGoal]) -> anyhow::Result<()> {
    let missed: Vec<String> =
        goals.iter().filter(|goal| !goal.is_reached).map(ToString::to_string).collect();
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
    let found = show_differences(&counts::count(&build()?.join("xtask"), false)?)?;
    if found > 0 && counts::is_comparable()? {
        bail!(
            "{found} instruction counts have changed by more than 3 %. If that is on purpose, run \
             `cargo xtask bench --bless` and say why in the commit"
        );
    }
    Ok(())
}

fn show_differences(counts: &Counts) -> anyhow::Result<usize> {
    let found = counts::differences(&counts::baseline()?, counts);
    for line in &found {
        print_line(&format!("xtask: {line}"));
    }
    if !found.is_empty() && !counts::is_comparable()? {
        print_line("xtask: the committed counts come from another compiler or machine");
    }
    Ok(found.len())
}

fn measure_host() -> anyhow::Result<HostFigures> {
    let release = build_host()?;
    host::measure(&release.join("nuggets"), &release.join("bare_web_loop"))
}

fn measure(server: &Path, me: &Path, counts: Counts) -> anyhow::Result<Report> {
    let cost = |field, players, changed_only, keys| -> anyhow::Result<(Load, Figures)> {
        let load = Load { field, players, changed_only, keys };
        print_line(&format!("xtask: measuring {load}"));
        Ok((load, load::measure(load, server, me)?))
    };
    let small = Field::Rooms { down: 2, across: 5 };
    // The first, because it fails early where the system allows too few open files.
    let host = measure_host()?;
    let middle = [Field::Rooms { down: 5, across: 9 }, Field::Rooms { down: 12, across: 12 }];
    Ok(Report {
        host,
        counts,
        engine: subjects::engine(),
        start_ms: measure_start(server),
        strict: vec![
            cost(Field::CLASSIC, PLAYERS, false, 40_000)?,
            cost(Field::LARGE, PLAYERS, false, 20_000)?,
            cost(Field::LARGEST, PLAYERS, false, 6_000)?,
            cost(Field::OPEN, PLAYERS, false, 3_000)?,
        ],
        changed_only: vec![
            cost(Field::CLASSIC, PLAYERS, true, 20_000)?,
            cost(Field::LARGE, PLAYERS, true, 8_000)?,
            cost(Field::LARGEST, PLAYERS, true, 2_000)?,
        ],
        by_players: [1, 5, 13, PLAYERS]
            .into_iter()
            .map(|players| cost(Field::CLASSIC, players, false, 10_000))
            .collect::<anyhow::Result<_>>()?,
        by_size: [(small, 10_000), (middle[0], 8_000), (middle[1], 6_000), (Field::LARGEST, 4_000)]
            .into_iter()
            .map(|(field, keys)| cost(field, PLAYERS, false, keys))
            .collect::<anyhow::Result<_>>()?,
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
