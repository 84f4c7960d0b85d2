//! The page is whole, and strangers can put nothing into it.

use super::*;
use crate::report::made_up::mixed;

#[test]
fn every_check_has_a_place_with_its_evidence() {
    let page = render(&mixed());
    for id in ["join.first", "keys.sight", "join.order", "keys.wall", "keys.late"] {
        assert_eq!(page.matches(&format!("id=\"server.{id}\"")).count(), 1, "{id}");
    }
    for words in [
        "It breaks 1 of 2 musts.",
        "<summary>DISPLAY (3x4)</summary><pre>+--+\n|@.|\n+--+</pre>",
        "<pre>+--+\n|.?|\n+--+</pre>",
        "messages (3; 4 messages before them not shown)",
        "--only join.order -- ./their-server",
        "<span>1/2</span>",
        "Broken, must: <a href=\"#server.join.order\">join.order</a></p>",
        "style=\"width:50%\"",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
    assert_eq!(page.matches("<details><summary class=\"row\">").count(), 2);
}

#[test]
fn what_strangers_say_is_text() {
    let mut report = mixed();
    report.program = "./a<script>b</script>\"' onload=x \x07".into();
    let page = render(&report);
    assert_eq!(page.matches("<script").count(), 1, "only our own");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;\\u{1b}[2J"));
    assert!(page.contains("./a&lt;script&gt;b&lt;/script&gt;&quot;&#39; onload=x \\u{7}"));
    assert!(page.contains("&lt;b&gt;") && page.contains("lost &lt;/pre&gt;"));
    assert!(page.chars().all(|c| c == '\n' || !c.is_control()));
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let page = render(&mixed());
    for word in ["http:", "https:", "//", "src=", "@import", "url("] {
        let own = page.lines().filter(|line| !line.trim_start().starts_with("// "));
        assert_eq!(own.filter(|line| line.contains(word)).count(), 0, "{word}");
    }
}
