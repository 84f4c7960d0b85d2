//! `cargo xtask test`: all checks and tests.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use anyhow::{Context, bail};

use nuggets_testkit::programs_folder;

use crate::tools::{cargo, install, print_line, run as run_tool};
use crate::{bench, service_unit, tidy};

/// The whole project: also what packages have only with a feature.
const FEATURES: [&str; 2] = ["--features", "nuggets/host,xtask/bare-web-loop"];

pub(crate) fn run() -> anyhow::Result<()> {
    install(&["rustfmt", "clippy", "python3", "cargo-deny"])?;
    // For the check of the service unit and the tests in a browser or with a database, which run on Linux only.
    if cfg!(target_os = "linux") {
        install(&["systemd-analyze", "chromium", "axe-core"])?;
        ensure_postgres()?;
    }
    step("tidy", tidy::run())?;
    // The advisories are left out: they need a database from the network.
    let deny = ["deny", "check", "bans", "licenses", "sources"];
    step("dependencies", run_tool(&mut cargo(&deny)))?;
    step("format", run_tool(&mut cargo(&["fmt", "--all", "--check"])))?;
    if cfg!(target_os = "linux") {
        step("service unit", service_unit::check())?;
    }
    lint()?;
    let docs = ["doc", "--workspace", "--no-deps", "--document-private-items"];
    let mut docs = cargo(&[&docs, &FEATURES[..]].concat());
    step("documentation", run_tool(docs.env("RUSTDOCFLAGS", "--deny warnings")))?;
    step("instruction counts", bench::guard())?;
    let [passed, failed, skipped] = run_tests()?;
    print_line(&format!("{passed} passed, {failed} failed, {skipped} skipped"));
    if failed > 0 {
        bail!("{failed} tests failed");
    }
    Ok(())
}

/// Installs PostgreSQL if it is missing, and prints that.
pub(crate) fn ensure_postgres() -> anyhow::Result<()> {
    if programs_folder().is_none() {
        install(&["postgresql"])?;
    }
    programs_folder().context("PostgreSQL is still missing; please install it by hand").map(drop)
}

/// Checks the whole project, and `nuggets` as people build it who need no feature.
fn lint() -> anyhow::Result<()> {
    let warnings = ["--", "--deny", "warnings"];
    let all = ["clippy", "--workspace", "--all-targets"];
    step("lints", run_tool(&mut cargo(&[&all, &FEATURES[..], &warnings].concat())))?;
    let default = ["clippy", "--package", "nuggets", "--all-targets"];
    step("lints without features", run_tool(&mut cargo(&[&default, &warnings[..]].concat())))
}

fn step(name: &str, done: anyhow::Result<()>) -> anyhow::Result<()> {
    done.with_context(|| format!("the {name} check failed"))?;
    print_line(&format!("xtask: {name}: ok"));
    Ok(())
}

/// The numbers in a line of the test harness: passed, failed and skipped; zeros if it is not a result.
fn results(line: &str) -> [u32; 3] {
    let counts = line.strip_prefix("test result: ").unwrap_or_default();
    let mut numbers = counts.split(' ').filter_map(|word| word.parse().ok());
    [(); 3].map(|()| numbers.next().unwrap_or(0))
}

/// Runs every test, prints their output and counts the results.
fn run_tests() -> anyhow::Result<[u32; 3]> {
    let mut tests = cargo(&[&["test", "--workspace", "--no-fail-fast"], &FEATURES[..]].concat());
    let running = tests.stdout(Stdio::piped()).spawn();
    let mut running = running.with_context(|| format!("can't run {tests:?}"))?;
    let output = running.stdout.take().context("the tests have no output")?;
    let mut sum = [0; 3];
    for line in BufReader::new(output).lines() {
        let line = line.context("the output of the tests can't be read")?;
        print_line(&line);
        sum.iter_mut().zip(results(&line)).for_each(|(sum, count)| *sum += count);
    }
    let status = running.wait().context("the tests can't be waited for")?;
    if !status.success() && sum[1] == 0 {
        bail!("{tests:?} failed: {status}");
    }
    if sum[0] == 0 {
        bail!("{tests:?} ran no test");
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_the_test_harness_are_read() {
        let failed = "test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s";
        assert_eq!(results(failed), [3, 2, 1]);
        assert_eq!(results("running 3 tests"), [0; 3]);
    }
}
