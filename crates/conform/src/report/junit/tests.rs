//! What was written is read back.

use quick_xml::events::BytesStart;
use quick_xml::{Reader, XmlVersion};

use super::*;
use crate::report::made_up::mixed;

/// An element's name, its attributes as `name=value`, and the text right in it.
#[derive(Debug)]
struct Element {
    name: String,
    attributes: Vec<String>,
    text: String,
}

impl Element {
    fn of(start: &BytesStart<'_>) -> Self {
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
            Event::Start(start) | Event::Empty(start) => elements.push(Element::of(&start)),
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
fn build_servers_find_suites_cases_failures_and_what_was_skipped() {
    let elements = read(&render(&mixed()));
    let names: Vec<&str> = elements.iter().map(|element| element.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "testsuites",
            "testsuite",
            "testcase",
            "testcase",
            "failure",
            "testsuite",
            "testcase",
            "failure",
            "testcase",
            "testcase",
            "skipped",
        ]
    );
    let [all, joining, first, order, failure, ..] = &elements[..] else { panic!("{elements:?}") };
    assert!(all.has("tests=5") && all.has("failures=2") && all.has("skipped=1"), "{all:?}");
    assert!(all.has("time=12.345") && all.has("name=nuggets conform server: ./their-server"));
    assert!(joining.has("name=Joining") && joining.has("tests=2"), "{joining:?}");
    assert!(first.has("name=join.first") && first.has("classname=server.Joining"), "{first:?}");
    assert!(order.has("name=join.order") && order.has("time=0.120"), "{order:?}");
    assert!(failure.has("type=must") && failure.has("message=must: The server answers."));
    assert!(elements[10].has("message=stopped"));
}

#[test]
fn what_strangers_say_stays_text_that_xml_allows() {
    let xml = render(&mixed());
    assert!(xml.chars().all(|c| c == '\n' || !c.is_control()), "{xml}");
    let failure = &read(&xml)[4];
    assert!(
        failure.text.contains("came      &lt;script&gt;alert(1)&lt;/script&gt;\\u{1b}[2J\n"),
        "{failure:?}"
    );
}
