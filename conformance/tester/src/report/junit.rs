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

fn seconds(millis: u64) -> String {
    format!("{}.{:03}", millis / 1000, millis % 1000)
}

#[cfg(test)]
mod tests {
    use quick_xml::events::BytesStart;
    use quick_xml::{Reader, XmlVersion};

    use super::*;
    use crate::report::samples::mixed;

    /// An element's name, its attributes as `name=value`, and its own text.
    #[derive(Debug)]
    struct Element {
        name: String,
        attributes: Vec<String>,
        text: String,
    }

    impl Element {
        fn new(start: &BytesStart<'_>) -> Self {
            let name = start.name().as_ref().to_owned();
            let attributes = start.attributes().map(|attribute| {
                let attribute = attribute.unwrap();
                let name = attribute.key.as_ref();
                format!("{name}={}", attribute.normalized_value(XmlVersion::Implicit1_0).unwrap())
            });
            let attributes = attributes.collect();
            Self { name, attributes, text: String::new() }
        }

        fn has(&self, attribute: &str) -> bool {
            self.attributes.iter().any(|own| own == attribute)
        }
    }

    fn read(xml: &str) -> Vec<Element> {
        let mut reader = Reader::from_str(xml);
        reader.config_mut().check_end_names = true;
        let mut elements: Vec<Element> = vec![];
        loop {
            match reader.read_event().unwrap() {
                Event::Start(start) | Event::Empty(start) => elements.push(Element::new(&start)),
                Event::Text(text) => {
                    if let Some(element) = elements.last_mut() {
                        element.text += &text;
                    }
                }
                Event::GeneralRef(name) => {
                    elements.last_mut().unwrap().text.extend(["&", &*name, ";"]);
                }
                Event::Eof => return elements,
                _ => {}
            }
        }
    }

    #[test]
    fn sections_are_suites_and_checks_are_cases() {
        let elements = read(&render(&mixed()));
        let names: Vec<&str> = elements.iter().map(|element| element.name.as_str()).collect();
        let expected = "testsuites testsuite testcase testcase failure testsuite testcase failure \
                        testcase testcase skipped testcase skipped";
        assert_eq!(names.join(" "), expected);
        let [all, joining, first, order, failure, ..] = &elements[..] else {
            panic!("{elements:?}")
        };
        assert!(all.has("tests=6") && all.has("failures=2") && all.has("skipped=2"), "{all:?}");
        assert!(all.has("time=12.345") && all.has("name=nuggets conform server: ./their-server"));
        assert!(joining.has("name=Joining") && joining.has("tests=2"), "{joining:?}");
        assert!(first.has("name=join.first") && first.has("classname=server.Joining"), "{first:?}");
        assert!(order.has("name=join.order") && order.has("time=0.120"), "{order:?}");
        assert!(failure.has("type=must") && failure.has("message=must: The server answers."));
        assert!(elements[10].has("message=stopped"));
        assert!(
            elements[12].has("message=not judged because of join.order: needed a map; nothing"),
            "{:?}",
            elements[12]
        );
    }

    #[test]
    fn output_of_the_subject_is_valid_xml_text() {
        let xml = render(&mixed());
        assert!(xml.chars().all(|c| c == '\n' || !c.is_control()), "{xml}");
        let failure = &read(&xml)[4];
        assert!(
            failure.text.contains("actual    &lt;script&gt;alert(1)&lt;/script&gt;\\u{1b}[2J\n"),
            "{failure:?}"
        );
    }
}
