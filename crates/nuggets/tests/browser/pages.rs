//! Every page: no violation found by axe-core, nothing from other hosts, small at the first visit, and names that are
//! data whatever they contain.

use nuggets_testkit::{Browser, BrowserPage, PHONE, WebHost};
use serde_json::{Value, json};

use crate::NUGGETS;

/// The most bytes of a first visit.
const MAX_FIRST_LOAD: u64 = 150 * 1024;

/// Bots find its only pile at once.
const TINY: &str = "+----+\n|....|\n|....|\n+----+\n";

/// Games in all stages: one that runs, one that waits, one that is over.
struct Games {
    running: String,
    waiting: String,
    over: String,
}

impl Games {
    fn create(page: &BrowserPage<'_>) -> Self {
        let bots = json!({"count": 2, "brain": "miner", "pace_ms": 50});
        let rules = json!({"gold": 1, "min_piles": 1, "max_piles": 1, "players": 4});
        let over = page.create_game(&json!({"map": {"own": TINY}, "rules": rules, "bots": bots}));
        let bots = json!({"count": 3, "brain": "scout", "pace_ms": 5000});
        let running = page.create_game(&json!({"map": {"built_in": "main"}, "bots": bots}));
        let waiting = page.create_game(&json!({"map": {"random": 7}, "start": "by_creator"}));
        // Bots wait until somebody is there.
        page.open(&format!("{}/g/{over}/watch", page.text("location.origin")));
        page.wait_until(
            "location.pathname.endsWith('/replay') || document.getElementById('over')?.hidden === false",
        );
        Self { running, waiting, over }
    }

    fn paths(&self) -> Vec<String> {
        let Self { running, waiting, over } = self;
        vec![
            "/".to_owned(),
            "/new".to_owned(),
            format!("/g/{running}"),
            format!("/g/{waiting}"),
            format!("/g/{over}"),
            format!("/g/{running}/watch"),
            format!("/g/{running}/watch?view=B"),
            format!("/g/{waiting}/show"),
            format!("/g/{over}/replay"),
            "/wall".to_owned(),
            "/players".to_owned(),
            "/account".to_owned(),
            "/admin".to_owned(),
        ]
    }
}

/// The bytes and addresses of everything that a page has loaded.
const LOADED: &str =
    "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .map((entry) => [entry.name, entry.transferSize])";

#[test]
fn every_page_is_accessible_and_a_first_visit_is_small_and_asks_no_other_host() {
    let host = WebHost::start(NUGGETS, &[]);
    let browser = Browser::start();
    let page = browser.profile().page("creator");
    page.open(&host.url("/"));
    let games = Games::create(&page);
    for path in games.paths() {
        let page = browser.profile().page("visitor");
        page.open(&host.url(&path));
        let loaded = page.eval(LOADED);
        let loaded: Vec<(&str, u64)> = loaded
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|entry| Some((entry[0].as_str()?, entry[1].as_u64()?)))
            .collect();
        assert!(loaded.len() > 2, "{loaded:?}");
        assert!(loaded.iter().all(|(name, _)| name.starts_with(&host.url("/"))), "{loaded:?}");
        let bytes: u64 = loaded.iter().map(|(_, bytes)| bytes).sum();
        assert!(bytes <= MAX_FIRST_LOAD, "{path}: {bytes} bytes, {loaded:#?}");
        page.check_accessibility();
        page.set_device(PHONE);
        page.open(&host.url(&path));
        page.check_accessibility();
        let fits = page.eval("document.documentElement.scrollWidth <= innerWidth");
        assert_eq!(fits, true, "{path} is wider than a phone");
    }
}

#[test]
fn a_name_is_data_on_every_page() {
    let host = WebHost::start(NUGGETS, &[]);
    let browser = Browser::start();
    let page = browser.profile().page("mallory");
    page.open(&host.url("/"));
    let name = "<img src=x onerror=pwn()>\u{202e}&amp;";
    let rename = json!({"name": name});
    page.eval(&format!(
        "fetch('/api/me/name', {{method: 'POST', headers: {{'content-type': 'application/json'}},
            body: JSON.stringify({rename})}}).then((answer) => answer.status)"
    ));
    let games = Games::create(&page);
    page.open(&host.url(&format!("/g/{}", games.running)));
    page.click("button", "Play");
    page.wait_until("document.querySelectorAll('#roster li').length === 4");
    for path in games.paths() {
        page.open(&host.url(&path));
        page.settle();
        let images = page.eval("[...document.images].map((image) => image.getAttribute('src'))");
        let images = images.as_array().unwrap();
        assert!(!images.contains(&Value::from("x")), "{path}: a name became an element");
    }
}
