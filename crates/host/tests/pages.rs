//! Tests of every page with untrusted data: it is escaped, labelled, without inline script or style, and small enough.

#[path = "pages/colors.rs"]
mod colors;
#[path = "pages/fixtures.rs"]
mod fixtures;
#[path = "pages/markup.rs"]
mod markup;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fixtures::{HOSTILE, hostile_pages, row, usual_pages};
use markup::Tag;
use nuggets_host::LobbyRow;
use nuggets_host::pages::{PageFrame, play, watch};

/// Maximum size of a page with its styles and scripts, in bytes.
const MAX_PAGE_BYTES: usize = 150_000;

fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web")
}

fn stylesheet() -> String {
    fs::read_to_string(web().join("style.css")).expect("the stylesheet can be read")
}

fn all_pages() -> Vec<(String, String)> {
    let hostile = hostile_pages().into_iter().map(|(name, page)| (format!("hostile {name}"), page));
    let usual = usual_pages().into_iter().map(|(name, page)| (name.to_owned(), page));
    usual.chain(hostile).collect()
}

#[test]
fn names_and_map_texts_can_neither_add_markup_nor_change_the_direction() {
    for (name, page) in hostile_pages() {
        assert!(!page.contains("<script>alert"), "{name}");
        assert!(!page.contains("<img src=x"), "{name}");
        assert!(!page.contains(HOSTILE), "{name} shows the text as it is");
        let hidden = page.chars().find(|c| "\u{202e}\u{7}\u{1b}\u{0}\u{200b}".contains(*c));
        assert_eq!(hidden, None, "{name}");
        let handlers = markup::tags(&page).into_iter().filter(|tag| tag.has("onmouseover")).count();
        assert_eq!(handlers, 0, "{name}: a quote ended an attribute");
    }
}

#[test]
fn hostile_texts_do_appear_on_the_pages_that_show_them() {
    let shown =
        hostile_pages().into_iter().filter(|(_, page)| page.contains("&lt;script&gt;alert"));
    let names: BTreeSet<_> = shown.map(|(name, _)| name).collect();
    for name in
        ["lobby", "show", "play", "watch", "account", "players", "player", "admin", "error 404"]
    {
        assert!(names.contains(name), "{name} shows no hostile text, so it proves nothing");
    }
}

#[test]
fn a_game_offers_a_seat_to_whom_can_take_one() {
    let frame = PageFrame::default();
    let game = row(1, "main", vec![]);
    let [seated, full] =
        [LobbyRow { seated: true, ..game.clone() }, LobbyRow { max_players: 0, ..game.clone() }];
    let play = |game: &LobbyRow| play(&frame, game, None).into_string();
    let hidden = r#"aria-labelledby="choice-title" hidden"#;
    assert!(play(&seated).contains(hidden) && !play(&game).contains(hidden));
    assert!(!play(&full).contains(r#"id="join""#) && play(&full).contains("/watch"));
    assert!(play(&game).contains(r#"id="join""#));

    let watch = |game: &LobbyRow| watch(&frame, game).into_string();
    let delayed = LobbyRow { delay_s: 30, ..full };
    assert!(watch(&delayed).contains("30 s") && !watch(&delayed).contains("#play"));
    assert!(!watch(&game).contains("Behind by") && watch(&game).contains("#play"));
}

#[test]
fn no_page_has_inline_script_style_or_handlers() {
    for (name, page) in all_pages() {
        for tag in markup::tags(&page) {
            let inline =
                tag.attributes.iter().any(|(key, _)| key == "style" || key.starts_with("on"));
            assert!(!inline, "{name}: {tag:?}");
            assert_ne!(tag.name, "style", "{name}");
            assert!(tag.name != "script" || tag.has("src"), "{name}: {tag:?}");
            let outside = ["src", "href"].iter().filter_map(|key| tag.get(key));
            let is_own = |link: &&str| link.starts_with('/') || link.starts_with('#');
            let is_link = tag.name == "a";
            assert!(is_link || outside.clone().all(|link| is_own(&link)), "{name}: {tag:?}");
            assert!(
                outside.clone().all(|link| !link.starts_with("javascript:")),
                "{name}: {tag:?}"
            );
        }
    }
}

#[test]
fn every_control_has_a_label() {
    for (name, page) in all_pages() {
        let tags = markup::tags(&page);
        let labels: BTreeSet<_> = tags
            .iter()
            .filter(|tag| tag.name == "label")
            .filter_map(|tag| tag.get("for"))
            .collect();
        let inside = markup::controls_inside_labels(&page);
        let controls =
            tags.iter().filter(|tag| ["input", "select", "textarea"].contains(&&*tag.name));
        for control in controls.filter(|control| !control.has("hidden")) {
            let by_id = control.get("id").is_some_and(|id| labels.contains(id));
            assert!(by_id || inside.contains(&control.at), "{name}: {control:?}");
        }
    }
}

#[test]
fn buttons_and_links_have_a_text_and_images_an_alternative() {
    for (name, page) in usual_pages() {
        for (tag, text) in markup::texts(&page, &["button", "a", "h1", "h2", "h3", "th"]) {
            let is_filled_later = tag.get("data-slot").is_some();
            assert!(is_filled_later || !text.trim().is_empty(), "{name}: {tag:?}");
        }
        for image in markup::tags(&page).iter().filter(|tag| tag.name == "img") {
            assert!(image.has("alt"), "{name}: {image:?}");
        }
    }
}

#[test]
fn ids_are_unique_and_references_to_them_hold() {
    for (name, page) in all_pages() {
        let tags = markup::tags(&page);
        let ids: Vec<_> = tags.iter().filter_map(|tag| tag.get("id")).collect();
        let known: BTreeSet<_> = ids.iter().copied().collect();
        assert_eq!(ids.len(), known.len(), "{name}");
        let references = tags.iter().flat_map(|tag| {
            let keys = ["for", "aria-labelledby", "aria-describedby"];
            keys.into_iter().filter_map(|key| tag.get(key)).flat_map(str::split_whitespace)
        });
        for reference in references {
            assert!(known.contains(reference), "{name}: nothing has the id {reference}");
        }
    }
}

#[test]
fn every_page_has_one_heading_a_title_a_skip_link_and_landmarks() {
    for (name, page) in usual_pages() {
        let tags = markup::tags(&page);
        let count = |what: &str| tags.iter().filter(|tag| tag.name == what).count();
        assert_eq!(
            (count("h1"), count("main"), count("title"), count("nav")),
            (1, 1, 1, 1),
            "{name}"
        );
        let first_link = tags.iter().find(|tag| tag.name == "a").and_then(|tag| tag.get("href"));
        assert_eq!(first_link, Some("#main"), "{name}");
        assert!(page.starts_with("<!DOCTYPE html><html lang=\"en\">"), "{name}");
    }
}

#[test]
fn a_page_with_its_styles_and_scripts_is_small() {
    for (name, page) in usual_pages() {
        let files = files_of(&page);
        let bytes: usize = files.iter().map(|file| size(file)).sum::<usize>() + page.len();
        assert!(bytes < MAX_PAGE_BYTES, "{name} has {bytes} bytes: {files:?}");
    }
}

fn size(file: &str) -> usize {
    let path = web().join(file);
    let content = fs::metadata(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    usize::try_from(content.len()).expect("a small file")
}

/// Returns all files that a page loads, including modules that its modules import.
fn files_of(page: &str) -> BTreeSet<String> {
    let tags = markup::tags(page);
    let link = |tag: &Tag| {
        tag.get("src").or(tag.get("href").filter(|_| tag.name == "link")).map(str::to_owned)
    };
    let mut waiting: Vec<String> = tags
        .iter()
        .filter_map(link)
        .filter_map(|path| path.strip_prefix("/static/").map(str::to_owned))
        .collect();
    let mut files = BTreeSet::new();
    while let Some(file) = waiting.pop() {
        let text =
            fs::read_to_string(web().join(&file)).unwrap_or_else(|why| panic!("{file}: {why}"));
        let imports =
            text.lines().filter_map(|line| line.split_once("from \"./")?.1.split_once('"'));
        waiting
            .extend(imports.map(|(name, _)| name.to_owned()).filter(|name| !files.contains(name)));
        files.insert(file);
    }
    files
}

/// Writes the pages to `target/pages`, to view them in a browser.
#[test]
#[ignore = "writes files for people to look at"]
fn write_the_pages_to_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/pages");
    fs::create_dir_all(&folder).unwrap();
    for (name, page) in all_pages() {
        fs::write(folder.join(format!("{}.html", name.replace(' ', "_"))), page).unwrap();
    }
}
