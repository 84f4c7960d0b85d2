//! The content of pages, and their validity.

use quick_xml::events::Event;

use super::*;
use crate::report::batch::tests::teams;
use crate::report::batch::{index, team_page};
use crate::report::rubric::Rubric;
use crate::report::samples::mixed;

#[test]
fn every_check_is_listed_with_its_evidence() {
    let page = render(&mixed());
    for id in ["join.first", "keys.sight", "join.order", "keys.wall", "keys.late", "keys.blind"] {
        assert_eq!(page.matches(&format!("id=\"server.{id}\"")).count(), 1, "{id}");
    }
    for part in [
        "It fails 1 of 2 judged musts",
        "Not judged, must: <a href=\"#server.keys.blind\"><code>keys.blind</code></a></p>",
        "<h2>Fix first</h2><ol><li><a href=\"#server.join.order\"><code>join.order</code></a>",
        "<summary>1 check depends on it: 1 not judged</summary><p><a href=\"#server.keys.blind\">",
        "<dt>follows from</dt><dd><a href=\"#server.join.order\"><code>join.order</code></a></dd>",
        "<dt>needed</dt><dd><pre class=\"text\">a map</pre></dd>",
        "<summary>DISPLAY (3x4)</summary><pre>+--+\n|@.|\n+--+</pre>",
        "<pre>+--+\n|.?|\n+--+</pre>",
        "messages (3; 4 messages before them not shown)",
        "--only join.order -- ./their-server",
        "<span>1/2</span>",
        "Failed, must: <a href=\"#server.join.order\"><code>join.order</code></a></p>",
        "style=\"width:50%\"",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert_eq!(page.matches("<details><summary class=\"row\">").count(), 3);
}

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

/// Returns the page without our own style and script, which are not XML.
fn without_code(page: &str) -> String {
    page.replace(STYLE, "").replace(SCRIPT, "")
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
