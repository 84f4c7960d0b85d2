//! The validity and safety of pages.

use quick_xml::events::Event;

use super::*;
use crate::report::batch::{index, team_page};
use crate::report::rubric::Rubric;
use crate::report::samples::{mixed, teams};

#[test]
fn output_of_the_subject_is_never_markup() {
    let mut report = mixed();
    report.program = "./a<script>b</script>\"' onload=x \x07".into();
    let page = render(&report);
    assert_eq!(page.matches("<script").count(), 1, "only our own");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;\\u{1b}[2J"));
    assert!(page.contains("./a&lt;script&gt;b&lt;/script&gt;&quot;' onload=x \\u{7}"));
    assert!(page.contains("&lt;b&gt;") && page.contains("lost &lt;/pre&gt;"));
    assert!(page.chars().all(|c| c == '\n' || !c.is_control()));
}

#[test]
fn the_page_is_self_contained() {
    let page = render(&mixed());
    for word in ["http:", "https:", "//", "src=", "@import", "url("] {
        let own = page.lines().filter(|line| !line.trim_start().starts_with("// "));
        assert_eq!(own.filter(|line| line.contains(word)).count(), 0, "{word}");
    }
}

/// Fails unless every element is closed where it should be and every attribute can be read. Void elements are closed
/// first, as XML requires.
fn assert_well_formed(page: &str) {
    let mut reader = quick_xml::Reader::from_str(page);
    reader.config_mut().check_end_names = false;
    let mut open: Vec<String> = vec![];
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                let name = start.name().as_ref().to_owned();
                let attributes: Vec<_> = start.html_attributes().map(Result::unwrap).collect();
                assert!(attributes.len() < 10, "{name}");
                if !["meta", "input"].contains(&name.as_str()) {
                    open.push(name);
                }
            }
            Event::End(end) => assert_eq!(open.pop().as_deref(), Some(end.name().as_ref())),
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(open, Vec::<String>::new());
}

#[test]
fn every_page_is_well_formed_whatever_programs_and_teams_are_called() {
    let mut report = mixed();
    report.program = "./a</h1><p title=\"'>&amp;<!-- ".into();
    assert_well_formed(&without_code(&render(&report)));
    let title = "</title><b>&\"'";
    assert_well_formed(&without_code(&index(title, &teams(), Some(&Rubric::default()))));
    for team in teams() {
        assert_well_formed(&without_code(&team_page(&team)));
    }
}
