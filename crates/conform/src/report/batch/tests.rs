//! Tables of a few teams, one of them hostile by name.

use serde_json::Value;

use super::*;
use crate::Level;
use crate::report::made_up::{judged, mixed, passed, report};

fn teams() -> Vec<Team> {
    let good = report(vec![judged("join.first", Level::Must, passed())]);
    let team = |name: &str, page: &str, result| Team {
        name: name.into(),
        page: page.into(),
        tried: vec![Tried { kind: Kind::Server, result }],
    };
    vec![
        team("alpha", "alpha.html", Ok(mixed())),
        team("<b>&\"'\x1b", "a b#?%\"<.html", Ok(good)),
        team("gamma", "gamma.html", Err("no server found: <build> it".into())),
    ]
}

#[test]
fn the_summary_has_a_line_for_each_program() {
    assert_eq!(
        text::render(&teams()),
        "team          program     must   should      may\n\
         alpha         server       1/2      0/1      1/1\n\
         <b>&\"'\\u{1b}  server       1/1        -        -\n\
         gamma         server   could not be run: no server found: <build> it\n"
    );
}

#[test]
fn the_table_has_a_row_for_each_team_and_a_cell_for_each_clause() {
    let page = html::index("Teams", &teams());
    assert!(page.contains("<th scope=\"colgroup\" class=\"first\" colspan=\"2\">Joining</th>"));
    assert!(page.contains("<th scope=\"colgroup\" class=\"first\" colspan=\"3\">Keys</th>"));
    for cell in [
        "<td class=\"mark held first\"><a href=\"alpha.html#server.join.first\"",
        "<td class=\"mark crashed\"><a href=\"alpha.html#server.join.order\"",
        "<td class=\"mark lapse first\"><a href=\"alpha.html#server.keys.sight\"",
        "<td class=\"mark skipped\"><a href=\"alpha.html#server.keys.late\"",
        "colspan=\"8\">could not be run: no server found: &lt;build&gt; it</td>",
        "kept by, of 2 judged</th><td class=\"first\">2</td><td>0</td>",
    ] {
        assert!(page.contains(cell), "{cell}\n{page}");
    }
    assert!(!page.contains("<h2>Clients</h2>"), "nobody has one");
}

#[test]
fn names_of_teams_are_text_and_their_links_are_addresses() {
    let page = html::index("Teams", &teams());
    assert!(
        page.contains("<a href=\"a%20b%23%3F%25%22%3C.html\">&lt;b&gt;&amp;&quot;&#39;\\u{1b}</a>")
    );
    assert!(!page.contains("<b>"));
    let own = html::team(&teams()[1]);
    assert!(own.contains("<h1>Conformance: &lt;b&gt;") && !own.contains("<b>"));
}

#[test]
fn a_team_that_could_not_be_judged_has_a_page_that_says_why() {
    let page = html::team(&teams()[2]);
    assert!(page.contains("It could not be run: no server found: &lt;build&gt; it"));
}

#[test]
fn programs_read_reports_and_errors() {
    let read: Value = serde_json::from_str(&json::render(&teams())).unwrap();
    assert_eq!(read["format"], 1);
    assert_eq!(read["teams"][0]["programs"][0]["report"]["checks"][0]["id"], "join.first");
    assert_eq!(read["teams"][2]["programs"][0]["error"], "no server found: <build> it");
    assert_eq!(read["teams"][2]["programs"][0]["kind"], "server");
}
