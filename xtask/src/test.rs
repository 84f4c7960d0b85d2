//! `cargo xtask test`: everything that is checked before a change lands.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use anyhow::{Context, bail};

use crate::bench;
use crate::tools::{Component, Tool, cargo, ensure, ensure_program, say};

const COMPONENTS: [Component; 2] = [
    Component { subcommand: "fmt", rustup: "rustfmt", debian: "rustfmt" },
    Component { subcommand: "clippy", rustup: "clippy", debian: "rust-clippy" },
];

pub(crate) fn run() -> anyhow::Result<()> {
    for component in &COMPONENTS {
        ensure(component)?;
    }
    // The documentation has a bot in Python, which is tested.
    ensure_program("python3", "python3")?;
    step("format", cargo(&["fmt", "--all", "--check"]).run())?;
    let lints = ["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"];
    step("lints", cargo(&lints).run())?;
    let docs = cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
    step("documentation", docs.env("RUSTDOCFLAGS", "--deny warnings").run())?;
    step("instruction counts", bench::guard())?;
    let count = run_tests()?;
    say(&format!("{count}"));
    if count.failed > 0 {
        bail!("{} tests failed", count.failed);
    }
    Ok(())
}

fn step(name: &str, done: anyhow::Result<()>) -> anyhow::Result<()> {
    done.with_context(|| format!("the check of {name} failed"))?;
    say(&format!("xtask: {name}: fine"));
    Ok(())
}

/// How many tests ran.
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
    /// Adds what a line of the test harness says, if it says anything.
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

/// Runs every test and passes their output on, counting.
fn run_tests() -> anyhow::Result<Count> {
    let tests: Tool = cargo(&["test", "--workspace", "--no-fail-fast"]);
    let (mut command, line) = tests.into_command();
    let running = command.stdout(Stdio::piped()).spawn();
    let mut running = running.with_context(|| format!("can't run `{line}`"))?;
    let output = running.stdout.take().context("the tests have no output")?;
    let mut count = Count::default();
    for line in BufReader::new(output).lines() {
        let line = line.context("the output of the tests can't be read")?;
        say(&line);
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
    fn the_lines_of_the_harness_are_added_up() {
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
