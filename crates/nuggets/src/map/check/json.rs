//! The report as JSON.

use std::io::{self, Write};

use nuggets_game::map::check::{CheckReport, Finding, Flaw, RuleOutcome};
use serde::Serialize;

use super::CheckedFile;

#[derive(Serialize)]
struct File<'a> {
    name: &'a str,
    valid: bool,
    rows: usize,
    cols: usize,
    rules: Vec<Rule<'a>>,
    remarks: Vec<String>,
}

/// A file that could not be read.
#[derive(Serialize)]
struct Unread<'a> {
    name: &'a str,
    valid: bool,
    error: String,
}

#[derive(Serialize)]
#[serde(untagged)]
enum FileReport<'a> {
    File(File<'a>),
    Unread(Unread<'a>),
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

fn entry(checked: &CheckedFile) -> FileReport<'_> {
    let name = checked.name.as_str();
    match &checked.report {
        Ok(report) => FileReport::File(file(name, report)),
        Err(why) => FileReport::Unread(Unread { name, valid: false, error: format!("{why:#}") }),
    }
}

fn file<'a>(name: &'a str, report: &'a CheckReport) -> File<'a> {
    File {
        name,
        valid: report.is_valid(),
        rows: report.rows(),
        cols: report.cols,
        rules: report.findings.iter().map(rule).collect(),
        remarks: report.remarks.iter().map(ToString::to_string).collect(),
    }
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
