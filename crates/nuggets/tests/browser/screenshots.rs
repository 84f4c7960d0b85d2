//! Pictures of every page at the sizes of a phone, a laptop and a projector, dark and light, for somebody to look at:
//! `cargo xtask screenshots`.

use std::path::PathBuf;

use nuggets_testkit::{Browser, BrowserPage, Device, LAPTOP, PHONE, PROJECTOR, Postgres, WebHost};
use serde_json::json;

use crate::NUGGETS;
use crate::player::Player;

const DEVICES: [(&str, Device); 3] =
    [("phone", PHONE), ("laptop", LAPTOP), ("projector", PROJECTOR)];

const ADMIN_TOKEN: &str = "for pictures of the admin page";

const README: Device = Device { width: 1200, height: 720, pixel_ratio: 1.0, is_touch: false };

/// The folder to write to, from the top of the project.
fn folder() -> PathBuf {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/screenshots");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes what a page shows at every size, dark and light.
fn shoot(page: &BrowserPage<'_>, name: &str) {
    for (device_name, device) in DEVICES {
        page.set_device(device);
        for scheme in ["dark", "light"] {
            page.set_media(&[("prefers-color-scheme", scheme)]);
            page.settle();
            let file = folder().join(format!("{name}-{device_name}-{scheme}.png"));
            std::fs::write(file, page.screenshot()).unwrap();
        }
    }
    page.set_device(LAPTOP);
}

/// Writes what a page shows at a size that is small enough for the README.
fn shoot_for_readme(page: &BrowserPage<'_>, name: &str) {
    page.set_device(README);
    page.set_media(&[("prefers-color-scheme", "dark")]);
    page.settle();
    std::fs::write(folder().join(format!("readme-{name}.png")), page.screenshot()).unwrap();
    page.set_device(LAPTOP);
}

#[test]
#[ignore = "a chore: cargo xtask screenshots"]
fn write_screenshots() {
    let token = folder().join("admin-token");
    std::fs::write(&token, ADMIN_TOKEN).unwrap();
    let token = token.to_str().unwrap();
    let host = WebHost::start(NUGGETS, &["--udp", "9850-9869", "--admin-token-file", token]);
    let browser = Browser::start();
    let profile = browser.profile();
    let page = profile.page("screenshots");
    page.open(&host.url("/"));
    shoot(&page, "lobby-empty");
    let bots = |count: u8, brain: &str| json!({"count": count, "brain": brain, "pace_ms": 1500});
    let finished = page.create_game(
        &json!({"map": {"built_in": "main"}, "bots": {"count": 6, "brain": "scout", "pace_ms": 100}}),
    );
    let busy = page.create_game(&json!({"map": {"built_in": "main"}, "bots": bots(5, "scout")}));
    for (map, count) in [("cross", 3), ("maze", 8), ("hole", 2)] {
        page.create_game(&json!({"map": {"built_in": map}, "bots": bots(count, "miner")}));
    }
    let waiting = json!({"map": {"random": 7}, "start": "by_creator", "watch_delay_s": 30});
    let waiting = page.create_game(&waiting);
    let watcher = browser.profile().page("watcher");
    watcher.open(&host.url(&format!("/g/{finished}/watch")));
    watcher.wait_until("!document.getElementById('over').hidden");
    shoot(&watcher, "over");
    let player = Player::join(page, &host.url(&format!("/g/{busy}")));
    let page = &player.page;
    for _ in 0..30 {
        page.press("o");
        page.settle();
    }
    shoot(page, "play");
    shoot_for_readme(page, "play");
    let pages = [
        ("watch", format!("/g/{busy}/watch")),
        ("watch-eyes", format!("/g/{busy}/watch?view=B")),
        ("watch-delayed", format!("/g/{waiting}/watch")),
        ("wall", "/wall".to_owned()),
    ];
    for (name, path) in pages {
        watcher.open(&host.url(&path));
        shoot(&watcher, name);
    }
    shoot_pages_beside_games(page, &host, &finished, &waiting);
    shoot_cluster(&browser, token);
    browser.expect_error("404");
}

/// The pages around a game, as a person who has just played sees them.
fn shoot_pages_beside_games(page: &BrowserPage<'_>, host: &WebHost, finished: &str, waiting: &str) {
    page.press("?");
    shoot(page, "play-help");
    page.press("Escape");
    let pages = [
        ("lobby", "/".to_owned()),
        ("new", "/new".to_owned()),
        ("join", format!("/g/{waiting}")),
        ("show", format!("/g/{waiting}/show")),
        ("players", "/players".to_owned()),
        ("account", "/account".to_owned()),
        ("admin", "/admin".to_owned()),
        ("missing", "/g/aaaaaaaaaaaa".to_owned()),
        ("replay", format!("/g/{finished}/replay#t=5")),
    ];
    for (name, path) in pages {
        page.open(&host.url(&path));
        shoot(page, name);
        if ["lobby", "replay"].contains(&name) {
            shoot_for_readme(page, name);
        }
    }
    page.open(&host.url("/new"));
    page.eval(
        "document.querySelectorAll('details').forEach((it) => (it.open = true)); scrollTo(0, 1e6)",
    );
    shoot(page, "new-details");
    shoot_admin(page, host, "admin-in");
}

fn shoot_admin(page: &BrowserPage<'_>, host: &WebHost, name: &str) {
    page.open(&host.url("/admin"));
    page.eval(&format!("document.querySelector('input').value = '{ADMIN_TOKEN}'"));
    page.click("button", "Log in");
    page.find("heading", "People");
    shoot(page, name);
}

/// Two nodes, one of which has just been killed.
fn shoot_cluster(browser: &Browser, token: &str) {
    let database = Postgres::shared().fresh_database();
    let node = |name| {
        let shared = ["--database", &database, "--admin-token-file", token];
        WebHost::start(NUGGETS, &[&shared[..], &["--node", name]].concat())
    };
    let (one, mut two) = (node("one"), node("two"));
    let page = browser.profile().page("cluster");
    for host in [&one, &two] {
        page.open(&host.url("/"));
        let bots = json!({"count": 2, "brain": "scout", "pace_ms": 1500});
        page.create_game(&json!({"map": {"built_in": "main"}, "bots": bots}));
    }
    two.kill();
    page.open(&one.url("/"));
    page.wait_until("document.querySelectorAll('#games .card').length === 2");
    shoot_admin(&page, &one, "admin-cluster");
}
