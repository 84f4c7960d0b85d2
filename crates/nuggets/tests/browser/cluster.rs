//! The page of a game whose node dies: it goes on by itself through the node that it is connected to.

use nuggets_testkit::{Browser, Postgres, WebHost};

use crate::NUGGETS;
use crate::player::Player;
use crate::playing::{check_step, one_room_spec, walk_to_middle};

#[test]
fn a_page_goes_on_by_itself_when_the_node_that_runs_its_game_dies() {
    let database = Postgres::shared().fresh_database();
    let node = |name| WebHost::start(NUGGETS, &["--database", &database, "--node", name]);
    let (mut one, two) = (node("one"), node("two"));
    let browser = Browser::start();
    let page = browser.profile().page("ann");
    page.open(&one.url("/"));
    let id = page.create_game(&one_room_spec());
    let mut ann = Player::join(page, &two.url(&format!("/g/{id}")));
    walk_to_middle(&mut ann);
    let before = ann.picture();
    browser.expect_error("WebSocket connection");
    one.kill();
    ann.page.wait_until("document.getElementById('game').dataset.connection !== 'open'");
    ann.wait_until_connected();
    // The page is not reloaded, and goes on from the last picture.
    assert_eq!(ann.picture(), before);
    check_step(&mut ann, |page| page.press("l"), (0, 1));
    check_step(&mut ann, |page| page.press("h"), (0, -1));
    assert_eq!(ann.picture(), before);
}
