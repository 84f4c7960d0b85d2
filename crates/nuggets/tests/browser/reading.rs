//! The page of a game for people who do not look at it: its accessibility tree and its live region.

use nuggets_testkit::{Browser, WebHost};
use serde_json::json;

use crate::NUGGETS;
use crate::player::Player;

/// A room with a pile in sight, wherever one stands.
const ROOM: &str = "\
+---------+
|.........|
|.........|
|.........|
+---------+
";

/// What must be told of the page, in this order.
const TREE: [(&str, &str); 11] = [
    ("heading", "Game on"),
    ("region", "Your game"),
    ("progressbar", "Gold left"),
    ("button", "In sight"),
    ("button", "Help"),
    ("button", "Leave"),
    ("image", "Map"),
    ("complementary", "Players and log"),
    ("heading", "Players"),
    ("heading", "What happened"),
    ("status", ""),
];

#[test]
fn the_page_tells_what_it_shows() {
    let host = WebHost::start(NUGGETS, &[]);
    let browser = Browser::start();
    let page = browser.profile().page("ann");
    page.open(&host.url("/"));
    let rules = json!({"gold": 9, "min_piles": 3, "max_piles": 3, "players": 3});
    let id = page.create_game(&json!({"map": {"own": ROOM}, "rules": rules}));
    page.set_media(&[("prefers-reduced-motion", "reduce")]);
    let mut ann = Player::join(page, &host.url(&format!("/g/{id}")));
    ann.wait_for_picture("the first picture", |picture| picture.concat().contains('@'));
    let tree = ann.page.accessibility_tree();
    let mut rest = tree.iter();
    for (role, name) in TREE {
        let found = rest.find(|one| one.role == role && one.name.contains(name));
        assert!(found.is_some(), "no {role} {name:?} in its place: {tree:#?}");
        let is_live = found.is_some_and(|one| one.properties["live"] == "polite");
        assert_eq!(is_live, role == "status", "what changes is told, and nothing else");
    }

    ann.page.press("v");
    ann.page.find("dialog", "In sight");
    let listed = ann.page.wait_until("document.getElementById('sight-list').innerText");
    let listed = listed.as_str().unwrap().to_lowercase();
    assert_eq!(listed.matches("gold").count(), 3, "{listed}");
    ann.page.press("Escape");
    ann.page.press("g");
    let told = ann.page.wait_until(
        "document.getElementById('purse').textContent !== '0' && document.getElementById('live').textContent",
    );
    let told = told.as_str().unwrap().to_lowercase();
    assert!(told.contains("nugget") || told.contains("gold"), "{told}");
    let moving = ann
        .page
        .eval("document.getAnimations().filter((one) => one.playState === 'running').length");
    assert_eq!(moving, 0, "motion that was not wanted");
    let purse = ann.purse();
    assert!(ann.gold_left() + purse == 9 && purse > 0);
    let log = ann.page.text("document.getElementById('log').innerText");
    assert!(log.contains(&purse.to_string()), "{log}");
}
