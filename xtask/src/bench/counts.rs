//! Instruction counts under callgrind, and their comparison with the committed baseline.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use super::subjects::{self, BenchSubject};
use crate::tools::print_line;
use crate::top;

/// Instructions for one operation, by subject.
pub(crate) type Counts = BTreeMap<String, u64>;

/// A change of at most this, in percent, passes.
const TOLERANCE_PERCENT: u64 = 3;

/// Counts all subjects, or only the quick ones.
pub(crate) fn count(me: &Path, with_slow: bool) -> anyhow::Result<Counts> {
    let wanted = subjects::ALL.iter().filter(|subject| with_slow || !subject.slow);
    wanted.map(|subject| Ok((subject.name.to_string(), count_one(me, subject)?))).collect()
}

fn count_one(me: &Path, subject: &BenchSubject) -> anyhow::Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no"])
        .arg("--toggle-collect=*measured*")
        .arg(me)
        .args(["subject", subject.name])
        .output()
        .context("can't run valgrind")?;
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("the subject {} failed:\n{log}", subject.name);
    }
    let collected = log.lines().find_map(|line| line.split("Collected : ").nth(1));
    let collected: u64 = collected
        .and_then(|count| count.trim().parse().ok())
        .with_context(|| format!("callgrind did not print what it collected:\n{log}"))?;
    Ok(collected / subject.times as u64)
}

/// The environment and the counts that were committed.
fn baseline() -> anyhow::Result<(String, Counts)> {
    let text = std::fs::read_to_string(file());
    let text = text.with_context(|| format!("can't read {}", file().display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is damaged", file().display()))
}

/// Writes the quick ones of these counts as the new baseline.
pub(crate) fn write_baseline(counts: &Counts) -> anyhow::Result<()> {
    let mut quick = counts.clone();
    quick.retain(|name, _| subjects::ALL.iter().any(|known| known.name == name && !known.slow));
    Ok(std::fs::write(file(), serde_json::to_string_pretty(&(environment()?, quick))? + "\n")?)
}

/// What can change a count although the code is the same.
fn environment() -> anyhow::Result<String> {
    let version = |program: &str| -> anyhow::Result<String> {
        let output = Command::new(program).arg("--version").output();
        let output = output.with_context(|| format!("can't run {program}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(text.lines().next().unwrap_or_default().to_string())
    };
    let flags = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let has = |flag: &str| flags.split_whitespace().any(|word| word == flag);
    let wide = ["avx2", "avx512f"].into_iter().filter(|flag| has(flag)).collect::<Vec<_>>();
    let parts = [version("rustc")?, version("valgrind")?, version("ldd")?, wide.join(" ")];
    Ok(parts.join(", "))
}

fn file() -> PathBuf {
    top().join("xtask/instruction_counts.json")
}

/// Prints the differences from the baseline. Returns their number if the baseline was counted with the same compiler,
/// valgrind and kind of processor, else 0.
pub(crate) fn show_differences(counts: &Counts) -> anyhow::Result<usize> {
    let (baseline_environment, baseline) = baseline()?;
    let found = differences(&baseline, counts);
    for line in &found {
        print_line(&format!("xtask: {line}"));
    }
    if found.is_empty() || baseline_environment == environment()? {
        return Ok(found.len());
    }
    print_line("xtask: the committed counts come from another compiler or machine");
    Ok(0)
}

/// The counts that have changed by more than the tolerance.
fn differences(before: &Counts, now: &Counts) -> Vec<String> {
    let mut found: Vec<String> = now
        .iter()
        .filter_map(|(name, count)| match before.get(name) {
            None => Some(format!("{name}: {count} instructions, not counted before")),
            Some(before) => difference(name, *before, *count),
        })
        .collect();
    let gone = before.keys().filter(|name| !now.contains_key(*name));
    found.extend(gone.map(|name| format!("{name}: is no longer counted")));
    found
}

#[expect(clippy::cast_precision_loss, reason = "a percentage")]
fn difference(name: &str, before: u64, now: u64) -> Option<String> {
    let percent = 100.0 * (now as f64 / before as f64 - 1.0);
    (100 * now.abs_diff(before) > TOLERANCE_PERCENT * before)
        .then(|| format!("{name}: {now} instructions, {percent:+.1} % from {before}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(&str, u64)]) -> Counts {
        pairs.iter().map(|(name, count)| ((*name).to_string(), *count)).collect()
    }

    #[test]
    fn a_change_of_more_than_three_percent_either_way_is_found() {
        let before = counts(&[("a", 1000), ("b", 1000), ("c", 1000), ("d", 1000), ("e", 1000)]);
        let now = counts(&[("a", 1030), ("b", 1031), ("c", 970), ("d", 960), ("f", 5)]);
        assert_eq!(
            differences(&before, &now),
            [
                "b: 1031 instructions, +3.1 % from 1000",
                "d: 960 instructions, -4.0 % from 1000",
                "f: 5 instructions, not counted before",
                "e: is no longer counted",
            ]
        );
        assert_eq!(differences(&before, &before), [""; 0]);
    }
}
