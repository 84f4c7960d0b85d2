//! The report as text: every rule in a line, every flaw with the lines around it, a verdict.

use std::io::{self, Write};

use nuggets_game::map::check::{CheckReport, Finding, RuleOutcome};

use super::CheckedFile;
use super::snippet::Snippets;
use crate::print::count;

/// The maximum number of flaws shown for a rule; the rest are only counted.
const MAX_FLAWS_SHOWN: usize = 10;

/// All files that could be read, with a blank line between them.
pub(super) fn write(out: &mut impl Write, checked: &[CheckedFile], color: bool) -> io::Result<()> {
    for CheckedFile { name, report } in checked {
        if let Ok(report) = report {
            write_file(out, name, report, color)?;
            if checked.len() > 1 {
                writeln!(out)?;
            }
        }
    }
    if checked.len() > 1 {
        let valid = checked.iter().filter(|checked| checked.is_valid()).count();
        writeln!(out, "{valid} of {} maps are valid", checked.len())?;
    }
    Ok(())
}

fn write_file(
    out: &mut impl Write,
    name: &str,
    report: &CheckReport,
    color: bool,
) -> io::Result<()> {
    let lines = count(report.rows(), "line");
    let columns = count(report.cols, "column");
    writeln!(out, "{name}: {lines}, {columns}")?;
    for finding in &report.findings {
        write_rule(out, finding)?;
    }
    for remark in &report.remarks {
        writeln!(out, "  note         {remark}")?;
    }
    if !report.is_valid() {
        writeln!(out)?;
    }
    let snippets = Snippets::new(name, report, color);
    for finding in &report.findings {
        write_flaws(out, finding, &snippets)?;
    }
    writeln!(out, "{name}: {}", verdict(report))
}

fn write_rule(out: &mut impl Write, finding: &Finding) -> io::Result<()> {
    let (word, more) = match &finding.outcome {
        RuleOutcome::Holds => ("ok", String::new()),
        RuleOutcome::Broken(flaws) => ("FAULT", format!(" ({})", count(flaws.len(), "place"))),
        RuleOutcome::NotChecked(why) => ("not checked", format!(" ({why})")),
    };
    let id = finding.rule.id();
    let rule = finding.rule.text();
    writeln!(out, "  {word:<11}  {id:<16}  {rule}{more}")
}

fn write_flaws(out: &mut impl Write, finding: &Finding, snippets: &Snippets<'_>) -> io::Result<()> {
    let RuleOutcome::Broken(flaws) = &finding.outcome else { return Ok(()) };
    for flaw in flaws.iter().take(MAX_FLAWS_SHOWN) {
        writeln!(out, "{}", snippets.draw(finding.rule, flaw))?;
    }
    if let more @ 1.. = flaws.len().saturating_sub(MAX_FLAWS_SHOWN) {
        writeln!(out, "{}: {} not shown\n", finding.rule.id(), count(more, "more place"))?;
    }
    Ok(())
}

fn verdict(report: &CheckReport) -> String {
    if report.is_valid() {
        return "valid".to_string();
    }
    let broken: Vec<usize> = report.findings.iter().filter_map(places).collect();
    let rules = count(broken.len(), "rule");
    let places = count(broken.iter().sum::<usize>(), "place");
    format!("INVALID: {rules} broken, in {places}")
}

fn places(finding: &Finding) -> Option<usize> {
    match &finding.outcome {
        RuleOutcome::Broken(flaws) => Some(flaws.len()),
        RuleOutcome::Holds | RuleOutcome::NotChecked(_) => None,
    }
}
