//! A report in the XML that build servers read: a suite for each section, a case for each check.
//!
//! A clause that doesn't hold is a failure whatever its level; the level is the failure's type.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::paint::Paint;
use super::visible::{in_one_line, visible};
use super::{Judged, Outcome, Report, evidence};

type Xml = Writer<Vec<u8>>;

/// The whole report.
pub fn render(report: &Report) -> String {
    let mut xml = Writer::new_with_indent(vec![], b' ', 2);
    write(&mut xml, report).expect("memory takes everything");
    let mut text = String::from_utf8(xml.into_inner()).expect("only text was written");
    text.push('\n');
    text
}

fn write(xml: &mut Xml, report: &Report) -> io::Result<()> {
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let all: Vec<&Judged> = report.results.iter().collect();
    let name = in_one_line(&format!("nuggets conform {}: {}", report.kind, report.program));
    let suites = xml.create_element("testsuites").with_attribute(("name", name.as_str()));
    let suites = suites.with_attribute(("time", seconds(report.millis).as_str()));
    suites.with_attributes(pairs(&counts(&all))).write_inner_content(|xml| {
        report.sections().into_iter().try_for_each(|section| write_section(xml, report, section))
    })?;
    Ok(())
}

fn write_section(xml: &mut Xml, report: &Report, section: &str) -> io::Result<()> {
    let own: Vec<&Judged> =
        report.results.iter().filter(|judged| judged.section == section).collect();
    let time = seconds(own.iter().map(|judged| judged.millis).sum());
    let suite = xml.create_element("testsuite").with_attribute(("name", section));
    let suite = suite.with_attribute(("time", time.as_str()));
    suite.with_attributes(pairs(&counts(&own))).write_inner_content(|xml| {
        let class = format!("{}.{section}", report.kind);
        own.into_iter().try_for_each(|judged| write_case(xml, judged, &class))
    })?;
    Ok(())
}

fn write_case(xml: &mut Xml, judged: &Judged, class: &str) -> io::Result<()> {
    let time = seconds(judged.millis);
    let case = xml.create_element("testcase").with_attributes([
        ("name", judged.id),
        ("classname", class),
        ("time", time.as_str()),
    ]);
    match &judged.outcome {
        Outcome::Passed => case.write_empty()?,
        Outcome::Skipped { why } => case.write_inner_content(|xml| {
            let why = in_one_line(why);
            xml.create_element("skipped")
                .with_attribute(("message", why.as_str()))
                .write_empty()?;
            Ok(())
        })?,
        Outcome::Failed(failure) => case.write_inner_content(|xml| {
            let message = in_one_line(&format!("{}: {}", judged.level, judged.demand));
            let lines = evidence::lines(judged, failure, Paint { colored: false });
            let text = visible(&format!("\n{}\n", lines.join("\n")));
            let level = judged.level.to_string();
            xml.create_element("failure")
                .with_attributes([("type", level.as_str()), ("message", message.as_str())])
                .write_text_content(BytesText::new(&text))?;
            Ok(())
        })?,
    };
    Ok(())
}

fn counts(results: &[&Judged]) -> [(&'static str, String); 4] {
    let count = |is: fn(&Outcome) -> bool| {
        results.iter().filter(|judged| is(&judged.outcome)).count().to_string()
    };
    [
        ("tests", results.len().to_string()),
        ("failures", count(|outcome| matches!(outcome, Outcome::Failed(_)))),
        ("errors", "0".to_owned()),
        ("skipped", count(|outcome| matches!(outcome, Outcome::Skipped { .. }))),
    ]
}

fn pairs<'a>(counts: &'a [(&'static str, String)]) -> impl Iterator<Item = (&'a str, &'a str)> {
    counts.iter().map(|(name, value)| (*name, value.as_str()))
}

fn seconds(millis: u64) -> String {
    format!("{}.{:03}", millis / 1000, millis % 1000)
}

#[cfg(test)]
mod tests;
