//! Instruction counts under callgrind, and their comparison with the committed baseline.

use std::collections::BTreeMap;

use anyhow::{Context, bail};

use crate::tools::{cargo, install, output, print_line, tool};
use crate::top;

/// Instructions for one operation, by subject.
type Counts = BTreeMap<String, u64>;

/// An operation and its instructions.
pub(crate) struct CountedSubject {
    pub(crate) name: String,
    /// The operation that is counted.
    pub(crate) what: String,
    pub(crate) instructions: u64,
}

const BASELINE: &str = "xtask/instruction_counts.json";
/// A change of at most this, in percent, passes.
const TOLERANCE_PERCENT: u64 = 3;
/// Callgrind counts what happens in functions of this name, and reports on stdout.
const RUNNER: &str = r#"target.'cfg(all())'.runner = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
    "--log-fd=1", "--collect-atstart=no", "--toggle-collect=*measured*"]"#;
const BENCH: [&str; 8] = [
    "bench",
    "--quiet",
    "--package",
    "nuggets-game",
    "--features",
    "oracle",
    "--bench",
    "instructions",
];

/// The subjects that are too slow to be counted in `cargo xtask test`.
fn is_slow(name: &str) -> bool {
    name.contains("literal")
}

/// Counts all subjects of the engine, or only the quick ones.
pub(crate) fn count(with_slow: bool) -> anyhow::Result<Vec<CountedSubject>> {
    install(&["valgrind"])?;
    let list = output(&mut cargo(&BENCH))?;
    let wanted = list.lines().filter(|line| with_slow || !is_slow(line));
    wanted.map(count_one).collect()
}

/// Counts a subject of the list: its name, how often it repeats the operation, and what that is.
fn count_one(subject: &str) -> anyhow::Result<CountedSubject> {
    let parts: Vec<&str> = subject.splitn(3, ' ').collect();
    let &[name, times, what] = &parts[..] else { bail!("a subject without a number: {subject}") };
    let log = output(&mut cargo(&[&BENCH[..], &["--config", RUNNER, "--", name]].concat()))?;
    let collected = log.lines().find_map(|line| line.split("Collected : ").nth(1));
    let collected: u64 = collected
        .and_then(|count| count.trim().parse().ok())
        .with_context(|| format!("callgrind did not print what it collected:\n{log}"))?;
    let instructions = collected / times.parse::<u64>()?;
    Ok(CountedSubject { name: name.to_owned(), what: what.to_owned(), instructions })
}

fn quick(counted: &[CountedSubject]) -> Counts {
    let quick = counted.iter().filter(|subject| !is_slow(&subject.name));
    quick.map(|subject| (subject.name.clone(), subject.instructions)).collect()
}

/// The environment and the counts that were committed.
fn baseline() -> anyhow::Result<(String, Counts)> {
    let text = std::fs::read_to_string(top().join(BASELINE));
    let text = text.with_context(|| format!("can't read {BASELINE}"))?;
    serde_json::from_str(&text).with_context(|| format!("{BASELINE} is damaged"))
}

/// Writes the quick ones of these counts as the new baseline.
pub(crate) fn write_baseline(counted: &[CountedSubject]) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(&(environment()?, quick(counted)))?;
    Ok(std::fs::write(top().join(BASELINE), text + "\n")?)
}

/// Returns the versions of everything that can change a count although the code is the same.
fn environment() -> anyhow::Result<String> {
    let version = |program: &str| -> anyhow::Result<String> {
        let text = output(&mut tool(program, &["--version"]))?;
        Ok(text.lines().next().unwrap_or_default().to_owned())
    };
    let flags = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let has = |flag: &str| flags.split_whitespace().any(|word| word == flag);
    let wide = ["avx2", "avx512f"].into_iter().filter(|flag| has(flag)).collect::<Vec<_>>();
    let parts = [version("rustc")?, version("valgrind")?, version("ldd")?, wide.join(" ")];
    Ok(parts.join(", "))
}

/// Prints the differences from the baseline. Returns their number if the baseline was counted with the same compiler,
/// valgrind and kind of processor, else 0.
pub(crate) fn show_differences(counted: &[CountedSubject]) -> anyhow::Result<usize> {
    let (baseline_environment, baseline) = baseline()?;
    let found = differences(&baseline, &quick(counted));
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
#[expect(clippy::cast_precision_loss, reason = "a percentage")]
fn differences(before: &Counts, now: &Counts) -> Vec<String> {
    let difference = |(name, now): (&String, &u64)| {
        let Some(before) = before.get(name) else {
            return Some(format!("{name}: {now} instructions, not counted before"));
        };
        let percent = 100.0 * (*now as f64 / *before as f64 - 1.0);
        (100 * now.abs_diff(*before) > TOLERANCE_PERCENT * before)
            .then(|| format!("{name}: {now} instructions, {percent:+.1} % from {before}"))
    };
    let gone = before.keys().filter(|name| !now.contains_key(*name));
    let gone = gone.map(|name| format!("{name}: is no longer counted"));
    now.iter().filter_map(difference).chain(gone).collect()
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
