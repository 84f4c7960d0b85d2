//! A report as JUnit XML for build servers: a suite for each section, a case for each check.
//!
//! A failed check is a failure whatever its level; the level is the failure's type. A check that could not
//! judge counts as skipped.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::escape::{escape_invisible, escape_line};
use super::text::{Coloring, evidence};
use super::{CheckOutcome, CheckResult, ConformanceReport};
use crate::transcript::seconds;

type Xml = Writer<Vec<u8>>;

/// The whole report.
pub fn render(report: &ConformanceReport) -> String {
    let mut xml = Writer::new_with_indent(vec![], b' ', 2);
    write(&mut xml, report).expect("writing to memory can't fail");
    let mut text = String::from_utf8(xml.into_inner()).expect("only text was written");
    text.push('\n');
    text
}

fn write(xml: &mut Xml, report: &ConformanceReport) -> io::Result<()> {
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let all: Vec<&CheckResult> = report.results.iter().collect();
    let name = escape_line(&format!("nuggets conform {}: {}", report.kind, report.program));
    let attributes = attributes(&name, report.millis, &all);
    let suites = xml.create_element("testsuites").with_attributes(pairs(&attributes));
    suites.write_inner_content(|xml| {
        report.sections().into_iter().try_for_each(|section| write_section(xml, report, section))
    })?;
    Ok(())
}

fn write_section(xml: &mut Xml, report: &ConformanceReport, section: &str) -> io::Result<()> {
    let results: Vec<&CheckResult> = report.in_section(section).collect();
    let millis = results.iter().map(|result| result.millis).sum();
    let attributes = attributes(section, millis, &results);
    let suite = xml.create_element("testsuite").with_attributes(pairs(&attributes));
    suite.write_inner_content(|xml| {
        let class = format!("{}.{section}", report.kind);
        results.into_iter().try_for_each(|result| write_case(xml, result, &class))
    })?;
    Ok(())
}

fn write_case(xml: &mut Xml, result: &CheckResult, class: &str) -> io::Result<()> {
    let time = seconds(result.millis);
    let case = xml.create_element("testcase").with_attributes([
        ("name", result.requirement.id),
        ("classname", class),
        ("time", time.as_str()),
    ]);
    match &result.outcome {
        CheckOutcome::Passed => case.write_empty()?,
        CheckOutcome::Skipped { why } => {
            case.write_inner_content(|xml| write_skipped(xml, why, ""))?
        }
        CheckOutcome::NotJudged(failure) => {
            let because = result.cause.map(|id| format!(" because of {id}")).unwrap_or_default();
            let why =
                format!("not judged{because}: needed {}; {}", failure.expected, failure.actual);
            let lines = evidence(result, failure, Coloring::Plain);
            case.write_inner_content(|xml| write_skipped(xml, &why, &lines.join("\n")))?
        }
        CheckOutcome::Failed(failure) => case.write_inner_content(|xml| {
            let level = result.requirement.level.to_string();
            let follows = result.cause.map(|id| format!(" (follows from {id})"));
            let text = result.requirement.text;
            let message = format!("{level}: {text}{}", follows.unwrap_or_default());
            let message = escape_line(&message);
            let lines = evidence(result, failure, Coloring::Plain);
            let text = escape_invisible(&format!("\n{}\n", lines.join("\n")));
            xml.create_element("failure")
                .with_attributes([("type", level.as_str()), ("message", message.as_str())])
                .write_text_content(BytesText::new(&text))?;
            Ok(())
        })?,
    };
    Ok(())
}

fn write_skipped(xml: &mut Xml, why: &str, details: &str) -> io::Result<()> {
    let why = escape_line(why);
    let skipped = xml.create_element("skipped").with_attribute(("message", why.as_str()));
    if details.is_empty() {
        skipped.write_empty()?;
    } else {
        let text = escape_invisible(&format!("\n{details}\n"));
        skipped.write_text_content(BytesText::new(&text))?;
    }
    Ok(())
}

/// The attributes of a suite.
fn attributes(name: &str, millis: u64, results: &[&CheckResult]) -> [(&'static str, String); 6] {
    let count = |is: fn(&CheckOutcome) -> bool| {
        results.iter().filter(|result| is(&result.outcome)).count().to_string()
    };
    [
        ("name", name.to_owned()),
        ("time", seconds(millis)),
        ("tests", results.len().to_string()),
        ("failures", count(|outcome| matches!(outcome, CheckOutcome::Failed(_)))),
        ("errors", "0".to_owned()),
        (
            "skipped",
            count(|outcome| {
                matches!(outcome, CheckOutcome::Skipped { .. } | CheckOutcome::NotJudged(_))
            }),
        ),
    ]
}

fn pairs<'a>(attributes: &'a [(&'static str, String)]) -> impl Iterator<Item = (&'a str, &'a str)> {
    attributes.iter().map(|(name, value)| (*name, value.as_str()))
}
