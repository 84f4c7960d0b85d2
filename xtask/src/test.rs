//! `cargo xtask test`: all checks and tests.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use anyhow::{Context, bail};

use nuggets_testkit::programs_folder;

use crate::tools::{
    Component, NpmPackage, Tool, apt_install, as_root, cargo, ensure, ensure_font,
    ensure_npm_package, ensure_program, ensure_subcommand, print_line,
};
use crate::{bench, service_unit, tidy};

const COMPONENTS: [Component; 2] = [
    Component { subcommand: "fmt", rustup: "rustfmt", debian: "rustfmt" },
    Component { subcommand: "clippy", rustup: "clippy", debian: "rust-clippy" },
];

/// Compiles with the toolchain that the project is pinned to.
const DENY_VERSION: &str = "0.20.2";

/// Checks the accessibility of the pages in the browser tests, which look for it in `target/npm`.
const AXE: NpmPackage = NpmPackage { name: "axe-core", version: "4.14.0" };

/// The settings of Debian for the cluster that its package creates.
const CREATE_CLUSTER: &str = "/etc/postgresql-common/createcluster.conf";
const NO_CLUSTER: &str = "create_main_cluster = false";

/// The whole project: also what packages have only with a feature.
const FEATURES: [&str; 2] = ["--features", "nuggets/host,xtask/bare-web-loop"];

pub(crate) fn run() -> anyhow::Result<()> {
    install()?;
    step("tidy", tidy::run())?;
    // The advisories are left out: they need a database from the network.
    let deny = ["deny", "check", "bans", "licenses", "sources"];
    step("dependencies", cargo(&deny).run())?;
    step("format", cargo(&["fmt", "--all", "--check"]).run())?;
    if cfg!(target_os = "linux") {
        step("service unit", service_unit::check())?;
    }
    lint()?;
    let docs = ["doc", "--workspace", "--no-deps", "--document-private-items"];
    let docs = cargo(&[&docs, &FEATURES[..]].concat());
    step("documentation", docs.env("RUSTDOCFLAGS", "--deny warnings").run())?;
    step("instruction counts", bench::guard())?;
    let count = run_tests()?;
    print_line(&format!("{count}"));
    if count.failed > 0 {
        bail!("{} tests failed", count.failed);
    }
    Ok(())
}

/// Installs what is missing, and prints that.
fn install() -> anyhow::Result<()> {
    for component in &COMPONENTS {
        ensure(component)?;
    }
    // For the tests of the bots in Python.
    ensure_program("python3", "python3")?;
    // For the check of the service unit and the tests in a browser or with a database, which run on Linux only.
    if cfg!(target_os = "linux") {
        ensure_program("systemd-analyze", "systemd")?;
        ensure_browser()?;
        ensure_npm_package(&AXE)?;
        ensure_postgres()?;
    }
    ensure_subcommand("deny", DENY_VERSION)
}

/// Installs the browser and the fonts of its pages if they are missing, and prints that.
pub(crate) fn ensure_browser() -> anyhow::Result<()> {
    ensure_program("chromium", "chromium")?;
    ensure_program("fc-list", "fontconfig")?;
    ensure_font("DejaVu Sans", "fonts-dejavu-core")
}

/// Installs PostgreSQL if it is missing, and prints that. The package must not create a cluster of the system: the tests
/// run servers of their own, in scratch folders.
pub(crate) fn ensure_postgres() -> anyhow::Result<()> {
    if programs_folder().is_some() {
        return Ok(());
    }
    print_line("xtask: PostgreSQL is missing; installing the package postgresql");
    apt_install("postgresql-common")?;
    print_line(&format!("xtask: setting {NO_CLUSTER} in {CREATE_CLUSTER}"));
    let script = format!(
        "sed -i '/create_main_cluster/d' {CREATE_CLUSTER} && echo '{NO_CLUSTER}' >> {CREATE_CLUSTER}"
    );
    as_root(&["sh", "-c", &script])?;
    apt_install("postgresql")?;
    programs_folder().context("PostgreSQL is still missing; please install it by hand").map(drop)
}

/// Checks the whole project, and `nuggets` as people build it who need no feature.
fn lint() -> anyhow::Result<()> {
    let warnings = ["--", "--deny", "warnings"];
    let all = ["clippy", "--workspace", "--all-targets"];
    step("lints", cargo(&[&all, &FEATURES[..], &warnings].concat()).run())?;
    let default = ["clippy", "--package", "nuggets", "--all-targets"];
    step("lints without features", cargo(&[&default, &warnings[..]].concat()).run())
}

fn step(name: &str, done: anyhow::Result<()>) -> anyhow::Result<()> {
    done.with_context(|| format!("the {name} check failed"))?;
    print_line(&format!("xtask: {name}: ok"));
    Ok(())
}

/// The numbers of tests by result.
#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    passed: u32,
    failed: u32,
    ignored: u32,
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { passed, failed, ignored } = self;
        write!(f, "{passed} passed, {failed} failed, {ignored} skipped")
    }
}

impl Count {
    /// Adds the numbers in a line of the test harness, if it is a result.
    fn add_line(&mut self, line: &str) {
        let Some((_, counts)) = line.strip_prefix("test result: ").and_then(|l| l.split_once(". "))
        else {
            return;
        };
        for part in counts.split("; ") {
            match part.split_once(' ') {
                Some((count, "passed")) => self.passed += count.parse().unwrap_or(0),
                Some((count, "failed")) => self.failed += count.parse().unwrap_or(0),
                Some((count, "ignored")) => self.ignored += count.parse().unwrap_or(0),
                _ => {}
            }
        }
    }
}

/// Runs every test, prints their output and counts the results.
fn run_tests() -> anyhow::Result<Count> {
    let tests: Tool = cargo(&[&["test", "--workspace", "--no-fail-fast"], &FEATURES[..]].concat());
    let (mut command, line) = tests.into_command();
    let running = command.stdout(Stdio::piped()).spawn();
    let mut running = running.with_context(|| format!("can't run `{line}`"))?;
    let output = running.stdout.take().context("the tests have no output")?;
    let mut count = Count::default();
    for line in BufReader::new(output).lines() {
        let line = line.context("the output of the tests can't be read")?;
        print_line(&line);
        count.add_line(&line);
    }
    let status = running.wait().context("the tests can't be waited for")?;
    if !status.success() && count.failed == 0 {
        bail!("`{line}` failed: {status}");
    }
    if count.passed == 0 {
        bail!("`{line}` ran no test");
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_the_test_harness_are_added_up() {
        let mut count = Count::default();
        for line in [
            "running 3 tests",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s",
            "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s",
        ] {
            count.add_line(line);
        }
        assert_eq!(count, Count { passed: 4, failed: 2, ignored: 1 });
        assert_eq!(count.to_string(), "4 passed, 2 failed, 1 skipped");
    }
}
