//! One game as people would play it: created in the form, played by two browsers and a terminal, watched by a third,
//! with a reload and a killed server in the middle, and replayed.

use nuggets_sim::host::Truth;
use nuggets_testkit::{Browser, BrowserPage, ORDINARY, PseudoTerminal, WebHost, wait_for};
use nuggets_time::Timestamp;

use crate::NUGGETS;
use crate::player::Player;

/// Three rooms: everybody meets soon, and nobody sees everything at once.
const MAP: &str = "\
+----------+     +-------------+
|..........|     |.............|
|..........#######.............|
|..........|     |.............|
+----#-----+     +------#------+
     #                  #       
     #    +---------+   #       
     ######.........#####       
          |.........|           
          +---------+           
";

const GOLD: u32 = 60;

/// Fills the form *New game*; returns the path of the game.
fn create_in_form(page: &BrowserPage<'_>, host: &WebHost) -> String {
    page.open(&host.url("/"));
    page.click("link", "New game");
    page.wait_until("location.pathname === '/new'");
    page.click("radio", "Your own");
    page.fill("textbox", "Your map", MAP);
    page.fill("spinbutton", "How many", "0");
    page.click("radio", "When I say so");
    page.click("DisclosureTriangle", "House rules");
    for (field, number) in
        [("Nuggets", GOLD), ("At least this many piles", 12), ("At most this many piles", 12)]
    {
        page.fill("spinbutton", field, &number.to_string());
    }
    page.click("button", "Create");
    page.wait_until("location.pathname.startsWith('/g/')");
    page.path().trim_end_matches("/show").to_owned()
}

/// Everybody explores, one step at a time, until the condition holds.
fn explore<'b>(
    players: &mut [Player<'b>],
    terminal: &mut PseudoTerminal,
    until: impl Fn(&Player<'b>) -> bool,
) {
    wait_for("the game to go on", || {
        for player in &*players {
            player.page.press("o");
        }
        terminal.type_keys("o");
        until(&players[0]).then_some(())
    });
}

#[test]
fn two_browsers_and_a_terminal_play_a_whole_game_over_a_killed_server() {
    let mut host = WebHost::start(NUGGETS, &[]);
    let browser = Browser::start();
    let ann = browser.profile().page("ann");
    let path = create_in_form(&ann, &host);
    let ann = Player::join(ann, &host.url(&path));
    let ben = Player::join(browser.profile().page("ben"), &host.url(&path));
    let mut terminal =
        PseudoTerminal::start(ORDINARY, env!("CARGO_BIN_EXE_player"), &[&host.url(&path), "Tim"]);
    terminal.wait_for(|screen| screen.contents().contains("Player C has 0 nuggets"));
    let watcher = browser.profile().page("watcher");
    watcher.open(&host.url(&format!("{path}/watch")));
    let mut watcher = Player::at(watcher);
    assert_eq!(ann.gold_left(), GOLD);
    ann.page.click("button", "Start the game");
    let mut players = [ann, ben];
    explore(&mut players, &mut terminal, |ann| ann.gold_left() < GOLD);

    players[1].page.reload();
    players[1].wait_until_connected();
    assert_eq!(players[1].screen().hello.as_ref().unwrap().letter, Some('B'));
    explore(&mut players, &mut terminal, |ann| ann.gold_left() < GOLD - 10);

    browser.expect_error("ERR_CONNECTION_REFUSED");
    browser.expect_error("WebSocket connection");
    host.kill();
    for player in &players {
        player.page.wait_until("document.getElementById('game').dataset.connection !== 'open'");
    }
    let truth = compare_with_journal(&host, &path, &mut players);
    let before = ['A', 'B'].map(|view| truth.current(Some(view)).unwrap());
    host.start_again();
    for (player, before) in players.iter_mut().zip(before) {
        player.wait_until_connected();
        player.expect_next_picture(before);
    }
    watcher.wait_until_connected();
    explore(&mut players, &mut terminal, Player::is_over);

    terminal.wait_for(|screen| screen.contents().contains("GAME OVER"));
    watcher.page.wait_until("!document.getElementById('over').hidden");
    players[1].page.wait_until("!document.getElementById('over').hidden");
    let table = players[0].table();
    assert_eq!(table.len(), 3, "{table:?}");
    assert_eq!((players[1].table(), watcher.table()), (table.clone(), table));
    assert!(watcher.screen().is_over);
    watcher.page.wait_until("!document.getElementById('watch-play')");
    let [ann, mut ben] = players;
    check_replay(&ann.page, [('B', &before[1].rows), ('A', &before[0].rows)], &ben.picture());
}

/// Everything that the pages were shown is in the journal, in the same order.
fn compare_with_journal(host: &WebHost, path: &str, players: &mut [Player<'_>]) -> Truth {
    let id = path.trim_start_matches("/g/");
    let journal = std::fs::read(host.folder().join(format!("games/{id}.journal"))).unwrap();
    let at = Timestamp(0);
    let mut truth = Truth::default();
    truth.extend(at, &journal).unwrap();
    for player in players {
        truth.find(&mut player.screen().shown, at).unwrap();
    }
    assert!(truth.found >= 5, "only {} pictures were shown", truth.found);
    truth
}

/// The replay shows what the players saw, at the end and at a moment in the middle.
fn check_replay(page: &BrowserPage<'_>, seen: [(char, &str); 2], end: &[String]) {
    page.click("link", "Watch the replay");
    page.wait_until("location.pathname.endsWith('/replay')");
    page.wait_until("document.getElementById('replay')?.dataset.frame !== undefined");
    page.eval("document.getElementById('replay-text-details').open = true");
    let data = page.eval(
        "fetch(location.pathname.replace('/g/', '/api/games/')).then((answer) => answer.json())",
    );
    let frames = data["frames"].as_array().unwrap();
    let mut ms = 0;
    let times: Vec<u64> = frames
        .iter()
        .map(|frame| {
            ms += frame[0].as_u64().unwrap();
            ms
        })
        .collect();
    assert_eq!(replayed(page, 'B', ms), end.join("\n"));
    for (letter, picture) in seen {
        // Later moments first: the quiet one was in the middle.
        let found = times.iter().rev().any(|ms| replayed(page, letter, *ms) == picture);
        assert!(found, "{letter} saw this, but the replay never shows it: \n{picture}");
    }
}

/// What the replay page shows of a view at a time: that of a link to this moment.
fn replayed(page: &BrowserPage<'_>, view: char, ms: u64) -> String {
    let seconds = format!("{}.{:03}", ms / 1000, ms % 1000);
    // The page follows its address in an event, which a busy browser may deliver after the next frame.
    page.eval(&format!(
        "new Promise((done) => {{
            const moment = '#t={seconds}&v={view}';
            if (location.hash === moment) return done(1);
            addEventListener('hashchange', () => done(1), {{ once: true }});
            location.hash = moment;
        }})"
    ));
    page.wait_until(&format!("document.getElementById('replay').dataset.view === '{view}'"));
    page.settle();
    page.text("document.getElementById('replay-text').textContent")
}
