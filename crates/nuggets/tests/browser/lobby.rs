//! The lobby, left open: its cards follow the games without a reload, and the focus stays where it is.

use nuggets_testkit::{Browser, WebHost};
use serde_json::json;

use crate::NUGGETS;

#[test]
fn an_open_lobby_follows_the_games_and_keeps_the_focus() {
    let host = WebHost::start(NUGGETS, &[]);
    let browser = Browser::start();
    let lobby = browser.profile().page("lobby");
    lobby.open(&host.url("/"));
    lobby.eval("globalThis.sameDocument = true");
    let creator = browser.profile().page("creator");
    creator.open(&host.url("/"));
    let game = json!({"map": {"built_in": "main"}, "start": "by_creator"});
    let first = creator.create_game(&game);
    let card = format!("document.querySelector('#games [data-game=\"{first}\"]')");
    lobby.wait_until(&format!("{card} !== null && document.getElementById('no-games').hidden"));

    lobby.eval(&format!("(globalThis.card = {card}).querySelector('a').focus()"));
    let text = "card.innerText";
    let waiting = lobby.text(text);
    creator.open(&host.url(&format!("/g/{first}")));
    creator.click("button", "Play");
    lobby.wait_until(&format!("{text} !== {}", json!(waiting)));
    let second = creator.create_game(&json!({"map": {"built_in": "maze"}}));
    lobby
        .wait_until(&format!("document.querySelector('#games [data-game=\"{second}\"]') !== null"));
    assert_eq!(
        lobby.eval(&format!("{card} === card && card.contains(document.activeElement)")),
        true
    );

    creator.eval(&format!(
        "fetch('/api/games/{first}/end', {{method: 'POST'}}).then((it) => it.status)"
    ));
    lobby.wait_until(&format!("{card} === null"));
    assert_eq!(lobby.eval("sameDocument"), true, "the page was not loaded again");
}
