//! The result of one run or of many, as text or JSON.

use std::fmt::Write as _;

use nuggets_sim::kit::{Failure, Figures, Outcome, Simulation, Total};
use serde_json::{Map, Value, json};

/// The number of failures that are printed in full.
const MAX_FAILURES_SHOWN: usize = 3;
/// The number of figures in a line.
const FIGURES_PER_LINE: usize = 6;

/// Describes one run.
pub(crate) fn one<S: Simulation>(
    played: &Result<Outcome, Box<Failure>>,
    sabotage: Option<&str>,
) -> String {
    match played {
        Err(failure) => describe::<S>(failure, sabotage),
        Ok(Outcome { seed, setting, figures, digest, trace }) => {
            let verdict = format!("seed {seed}: no fault found\n  {setting}\n");
            let lines = trace.iter().flat_map(|line| [line, "\n"]);
            lines.chain([verdict.as_str()]).collect::<String>() + &list(figures, *digest)
        }
    }
}

/// Describes many runs: the first failures in full, the seeds of the others, and the figures.
pub(crate) fn many<S: Simulation>(total: &Total, wanted: u64, sabotage: Option<&str>) -> String {
    let failures = &total.failures;
    let (shown, rest) = failures.split_at(failures.len().min(MAX_FAILURES_SHOWN));
    let mut text: String = shown.iter().map(|failure| describe::<S>(failure, sabotage)).collect();
    if !rest.is_empty() {
        let seeds: Vec<String> = rest.iter().map(|it| it.seed.to_string()).collect();
        let _ = writeln!(text, "also failed: {}", seeds.join(" "));
    }
    let plural = if total.runs == 1 { "" } else { "s" };
    let _ = write!(text, "{} {}{plural}", total.runs, S::NOUN);
    if total.runs < wanted {
        let _ = write!(text, " of {wanted}, then stopped");
    }
    let _ = match failures.len() {
        0 => writeln!(text, ": no fault found"),
        failed => writeln!(text, ": {failed} failed"),
    };
    text + &list(&total.figures, total.digest)
}

/// Describes a failure, with the command that reproduces it.
fn describe<S: Simulation>(failure: &Failure, sabotage: Option<&str>) -> String {
    let option = S::OPTION.map_or(String::new(), |option| format!("{option} "));
    let sabotage = sabotage.map_or(String::new(), |it| format!(" --sabotage {it}"));
    let words = format!("{option}--seed {}{sabotage}", failure.seed);
    format!("{failure}reproduce it: cargo run --release --package nuggets-sim -- {words}\n\n")
}

/// Describes many runs for programs.
pub(crate) fn json<S: Simulation>(total: &Total) -> String {
    let mut report = Map::new();
    report.insert(format!("{}s", S::NOUN), total.runs.into());
    report.extend(total.figures.iter().map(|(name, number)| (name.to_owned(), number.into())));
    let failures: Vec<Value> = total.failures.iter().map(failure_json).collect();
    report.insert("failures".to_owned(), failures.into());
    format!("{:#}\n", Value::from(report))
}

fn failure_json(it: &Failure) -> Value {
    let Failure { seed, setting, at_ms, fault, trace } = it;
    json!({"seed": seed, "setting": setting, "at_ms": at_ms, "what": fault, "trace": trace})
}

fn list(figures: &Figures, digest: u64) -> String {
    let named = |(name, number): (&str, u64)| format!("{}: {number}", name.replace('_', " "));
    let figures = figures.iter().map(named).chain([format!("digest: {digest:016x}")]);
    let figures: Vec<String> = figures.collect();
    let lines = figures.chunks(FIGURES_PER_LINE).map(|line| line.join(", "));
    lines.flat_map(|line| ["  ".to_owned(), line, "\n".to_owned()]).collect()
}
