//! The report as JSON.

use std::io::{self, Write};

use nuggets_game::map::check::{Finding, Flaw, RuleOutcome};
use serde::Serialize;

use super::CheckedFile;

#[derive(Serialize)]
struct FileReport<'a> {
    name: &'a str,
    valid: bool,
    /// Only of a file that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(flatten)]
    checked: Option<Checked<'a>>,
}

#[derive(Serialize)]
struct Checked<'a> {
    rows: usize,
    cols: usize,
    rules: Vec<Rule<'a>>,
    remarks: Vec<String>,
}

#[derive(Serialize)]
struct Rule<'a> {
    id: &'static str,
    #[serde(rename = "rule")]
    text: &'static str,
    /// Null if it could not be checked.
    holds: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_checked: Option<&'static str>,
    faults: Vec<MapFault<'a>>,
}

#[derive(Serialize)]
struct MapFault<'a> {
    line: usize,
    column: usize,
    length: usize,
    what: &'a str,
    mend: &'a str,
}

/// An array with an object for each file.
pub(super) fn write(out: &mut impl Write, checked: &[CheckedFile]) -> io::Result<()> {
    let entries: Vec<FileReport<'_>> = checked.iter().map(entry).collect();
    serde_json::to_writer_pretty(&mut *out, &entries)?;
    writeln!(out)
}

fn entry(file: &CheckedFile) -> FileReport<'_> {
    let checked = file.report.as_ref().ok().map(|report| Checked {
        rows: report.rows(),
        cols: report.cols,
        rules: report.findings.iter().map(rule).collect(),
        remarks: report.remarks.iter().map(ToString::to_string).collect(),
    });
    let error = file.report.as_ref().err().map(|why| format!("{why:#}"));
    FileReport { name: &file.name, valid: file.is_valid(), error, checked }
}

fn rule(finding: &Finding) -> Rule<'_> {
    let id = finding.rule.id();
    let text = finding.rule.text();
    let (holds, not_checked, flaws): (_, _, &[Flaw]) = match &finding.outcome {
        RuleOutcome::Holds => (Some(true), None, &[]),
        RuleOutcome::Broken(flaws) => (Some(false), None, flaws),
        RuleOutcome::NotChecked(why) => (None, Some(*why), &[]),
    };
    Rule { id, text, holds, not_checked, faults: flaws.iter().map(fault).collect() }
}

fn fault(flaw: &Flaw) -> MapFault<'_> {
    MapFault {
        line: flaw.at.line,
        column: flaw.at.column,
        length: flaw.length,
        what: &flaw.what,
        mend: &flaw.advice,
    }
}
