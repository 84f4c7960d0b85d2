//! The page of a game: by keyboard only, on a phone by touch, and as assistive technology knows it.

use nuggets_testkit::{Browser, BrowserPage, PHONE, Proxy, WebHost, wait_for};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::NUGGETS;
use crate::player::Player;

/// One room, in which every step is possible, and a dark passage.
const ROOM: &str = "\
+---------------------+
|.....................|
|.....................|
|.....................|
|.....................#
|.....................|
|.....................|
|.....................|
+---------------------+
";

/// A game in one room for one player, with gold that nobody must take.
fn one_room(page: &BrowserPage<'_>, host: &WebHost) -> String {
    page.open(&host.url("/"));
    let id = page.create_game(&one_room_spec());
    host.url(&format!("/g/{id}"))
}

pub(crate) fn one_room_spec() -> Value {
    let rules = json!({"gold": 3, "min_piles": 3, "max_piles": 3});
    json!({"map": {"own": ROOM}, "rules": rules, "visibility": "link"})
}

/// Presses a key, or does the same in another way, which must lead to this offset.
pub(crate) fn check_step(
    player: &mut Player<'_>,
    step: impl FnOnce(&BrowserPage<'_>),
    (down, right): (isize, isize),
) {
    let (row, col) = player.place().unwrap();
    step(&player.page);
    let expected = (row.checked_add_signed(down).unwrap(), col.checked_add_signed(right).unwrap());
    player.wait_for_picture(&format!("a step to {expected:?}"), |picture| {
        picture.get(expected.0).is_some_and(|line| line[expected.1..].starts_with('@'))
    });
}

/// Walks to the middle of the room, so that every step is possible.
pub(crate) fn walk_to_middle(player: &mut Player<'_>) {
    player.wait_for_picture("the first picture", |picture| picture.concat().contains('@'));
    let (row, col) = player.place().unwrap();
    let (down, right) = (if row < 4 { 'j' } else { 'k' }, if col < 11 { 'l' } else { 'h' });
    for (key, count) in [(down, row.abs_diff(4)), (right, col.abs_diff(11))] {
        for _ in 0..count {
            player.page.press(&key.to_string());
        }
    }
    player.wait_for_picture("the middle", |picture| picture[4][11..].starts_with('@'));
}

#[test]
fn a_game_is_created_and_played_by_keyboard_alone() {
    let host = WebHost::start(NUGGETS, &[]);
    let browser = Browser::start();
    let page = browser.profile().page("ann");
    page.open(&host.url("/"));
    page.tab_to("link", "New game");
    page.press("Enter");
    page.wait_until("location.pathname === '/new' && document.readyState === 'complete'");
    page.tab_to("button", "Create");
    page.press("Enter");
    page.wait_until("location.pathname.startsWith('/g/') && document.readyState === 'complete'");
    page.tab_to("button", "Play");
    page.press("Enter");
    let mut ann = Player::at(page);
    ann.wait_for_picture("the first picture", |picture| picture.concat().contains('@'));
    let before = ann.place();
    ann.page.press("o");
    ann.wait_for_picture("an exploring step", |_| true);
    wait_for("a step", || (ann.place() != before).then_some(()));
    ann.page.press("?");
    ann.page.find("dialog", "How to play");
    ann.page.press("Escape");
    ann.page.press("v");
    ann.page.find("dialog", "In sight");
    ann.page.press("Escape");
    ann.page.press("Q");
    ann.page.find("dialog", "Leave the game");
    ann.page.tab_to("button", "Leave");
    ann.page.press("Enter");
    ann.page.find("heading", "You have left the game");
}

#[test]
fn a_phone_taps_swipes_and_has_buttons() {
    let host = WebHost::start(NUGGETS, &[]);
    let browser = Browser::start();
    let page = browser.profile().page("phone");
    page.set_device(PHONE);
    let url = one_room(&page, &host);
    page.open(&url);
    page.tap("button", "Play");
    let mut ann = Player::at(page);
    walk_to_middle(&mut ann);
    assert_eq!(
        ann.page.eval("document.documentElement.scrollWidth <= innerWidth"),
        true,
        "nothing sticks out"
    );
    check_step(&mut ann, |page| page.tap("button", "Step left"), (0, -1));
    check_step(&mut ann, |page| page.tap("button", "Step down right"), (1, 1));
    let middle = ann.page.middle(&ann.page.find("image", "Map")).unwrap();
    let swipe = |across: f64, down: f64| {
        move |page: &BrowserPage<'_>| page.swipe(middle, (middle.0 + across, middle.1 + down))
    };
    check_step(&mut ann, swipe(40.0, 0.0), (0, 1));
    check_step(&mut ann, swipe(0.0, -40.0), (-1, 0));
    check_step(&mut ann, swipe(-170.0, 0.0), (0, -11));
    // A tap walks: to the middle of the map, wherever that is, it is not where the player stands.
    let before = ann.place();
    ann.page.tap_at(middle.0, middle.1);
    wait_for("a walk", || (ann.place() != before).then_some(()));
}

#[test]
fn a_page_comes_back_by_itself_after_a_cut_network_and_a_host_that_stopped() {
    let mut host = WebHost::start(NUGGETS, &[]);
    let network = Proxy::start(host.address().port());
    let url = |path: &str| format!("http://127.0.0.1:{}{path}", network.port());
    let browser = Browser::start();
    let page = browser.profile().page("ann");
    page.open(&url("/"));
    let id = page.create_game(&one_room_spec());
    let mut ann = Player::join(page, &url(&format!("/g/{id}")));
    walk_to_middle(&mut ann);
    let before = ann.picture();
    let come_back = |ann: &mut Player<'_>| {
        ann.wait_until_connected();
        assert_eq!(ann.picture(), before);
        check_step(ann, |page| page.press("l"), (0, 1));
        check_step(ann, |page| page.press("h"), (0, -1));
    };
    browser.expect_error("WebSocket connection");
    browser.expect_error("ERR_");
    network.close();
    ann.page.wait_until("document.getElementById('game').dataset.connection !== 'open'");
    network.set_target(host.address().port());
    come_back(&mut ann);

    host.signal(Signal::TERM);
    assert!(host.end().status.success());
    ann.page
        .wait_until("document.getElementById('log').textContent.includes('you come back to it')");
    host.start_again();
    come_back(&mut ann);
}

/// Two fingers, apart by so much.
fn fingers(apart: f64, (x, y): (f64, f64)) -> Value {
    json!([{"x": x - apart / 2.0, "y": y, "id": 0}, {"x": x + apart / 2.0, "y": y, "id": 1}])
}

#[test]
fn two_fingers_zoom_the_map_and_press_no_key() {
    let host = WebHost::start(NUGGETS, &[]);
    let browser = Browser::start();
    let page = browser.profile().page("phone");
    page.set_device(PHONE);
    let url = one_room(&page, &host);
    let mut ann = Player::join(page, &url);
    walk_to_middle(&mut ann);
    let before = ann.place();
    let middle = ann.page.middle(&ann.page.find("image", "Map")).unwrap();
    let touch = |kind: &str, points: Value| {
        ann.page.call("Input.dispatchTouchEvent", &json!({"type": kind, "touchPoints": points}));
    };
    let width = "document.getElementById('map').dataset.gridpoint";
    let narrow: f64 = ann.page.text(width).parse().unwrap();
    touch("touchStart", fingers(60.0, middle));
    touch("touchMove", fingers(90.0, middle));
    touch("touchMove", fingers(120.0, middle));
    touch("touchEnd", json!([]));
    ann.page.settle();
    let wide: f64 = ann.page.text(width).parse().unwrap();
    assert!(wide >= narrow * 1.8, "{narrow} became {wide}");
    assert_eq!(ann.place(), before, "no step");
}
