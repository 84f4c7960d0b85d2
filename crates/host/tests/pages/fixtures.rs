//! The pages with usual data, and with hostile text in every place that shows untrusted data.

use nuggets_host::pages::{
    AdminPage, ConnectedPerson, PageFrame, account_page, admin, admin_login, error_page, lobby,
    new_game, play, player, players, show, wall, watch,
};
use nuggets_host::wire::{PlayerLine, Stage};
use nuggets_host::{
    Account, Ban, EndReason, FinishedGame, GameId, LobbyRow, NodeLoad, NodeStatus, PlayerHistory,
    PlayerId, Rated, RatingRow, ResultRow, Source, Start, Visibility,
};

/// Markup, quotes, an escape sequence, a bell, a NUL, a right-to-left override and a zero-width space.
pub(crate) const HOSTILE: &str = "<script>alert(1)</script>\"' onmouseover=\"x\" <img src=x>&amp;\u{1b}[31m\u{7}\u{0}\u{202e}evil\u{200b}";

const NOW_UNIX_MS: u64 = 1_800_000_000_000;

fn id(number: u8) -> GameId {
    GameId::from_random([number; 12])
}

fn line(letter: char, name: &str, bot: bool) -> PlayerLine {
    PlayerLine { letter, name: name.to_owned(), bot, left: letter == 'C' }
}

pub(crate) fn row(number: u8, map: &str, players: Vec<PlayerLine>) -> LobbyRow {
    LobbyRow {
        id: id(number),
        map: map.to_owned(),
        rows: 21,
        cols: 79,
        players,
        max_players: 26,
        gold_left: 250 - 37 * u32::from(number % 6),
        gold: 250,
        watchers: usize::from(number % 3) * 4,
        stage: Stage::Playing,
        start: Start::AtOnce,
        delay_s: 0,
        rated: number == 2,
        rules: None,
        creator: "Ann".to_owned(),
        mine: false,
        seated: false,
        visibility: Visibility::Public,
        udp_port: None,
        age_s: 61,
    }
}

fn running() -> Vec<LobbyRow> {
    let bots = [line('B', "scout", true), line('C', "scout", true), line('D', "scout", true)];
    let first = [vec![line('A', "Quiet Otter", false)], bots.to_vec()].concat();
    let second = "Ada Bob Cem Dina Eva Finn Gus Hana Ivo Jun Kim".split(' ').zip('A'..);
    let second = second.map(|(name, letter)| line(letter, name, false)).collect();
    let third = vec![line('A', "Ms Marple", false), line('B', "Brave Badger", false)];
    vec![
        row(1, "main", first),
        LobbyRow {
            rules: Some("vision 8, steal".to_owned()),
            delay_s: 30,
            ..row(2, "random map", second)
        },
        LobbyRow {
            stage: Stage::Waiting { missing: Some(2) },
            seated: true,
            ..row(3, "hall", third.clone())
        },
        LobbyRow { max_players: 2, ..row(4, "pretty", third.clone()) },
        LobbyRow {
            visibility: Visibility::Link,
            mine: true,
            stage: Stage::Waiting { missing: None },
            start: Start::ByCreator,
            ..row(5, "maze", third)
        },
    ]
}

fn result(place: u32, letter: char, name: &str, who: Option<Rated>) -> ResultRow {
    let rating = Some((25.0 - f64::from(place), 1.5 - f64::from(place)));
    ResultRow { letter, name: name.to_owned(), who, purse: 140 - 40 * place, place, rating }
}

fn ended(number: u8, map: &str, winner: &str) -> FinishedGame {
    let finished_unix_ms = NOW_UNIX_MS - 1000 * u64::from(number).pow(3) * 120;
    let results = vec![
        result(1, 'B', winner, Some(Rated::Player(PlayerId(7)))),
        result(2, 'A', "scout", Some(Rated::Bot("scout".to_owned()))),
        result(3, 'C', "a client over UDP", None),
    ];
    FinishedGame {
        id: id(number),
        map: map.to_owned(),
        rows: 21,
        cols: 79,
        gold: 250,
        created_unix_ms: finished_unix_ms - 200_000,
        finished_unix_ms,
        duration_ms: 200_000,
        reason: EndReason::Over,
        visibility: Visibility::Public,
        rated: number == 2,
        results,
    }
}

fn rating(place: u32, name: &str, who: Rated) -> RatingRow {
    let rating = 33.2 - 2.7 * f64::from(place);
    let deviation = 0.9 + 0.4 * f64::from(place);
    RatingRow {
        place,
        who,
        name: name.to_owned(),
        claimed: place == 1,
        rating,
        deviation,
        certain: rating - 3.0 * deviation,
        games: 40 / place,
        wins: if place == 2 { 3.5 } else { f64::from(20 / place) },
    }
}

fn history(name: &str) -> PlayerHistory {
    PlayerHistory {
        rating: Some(rating(1, name, Rated::Player(PlayerId(7)))),
        name: name.to_owned(),
        points: vec![25.0, 26.1, 25.4, 26.8, 27.9, 27.1, 28.3, 29.4, 28.8, 30.5],
        games: vec![ended(1, "main", name), ended(2, "random map", name), ended(6, "hall", name)],
    }
}

fn person(name: &str) -> ConnectedPerson {
    ConnectedPerson {
        id: PlayerId(7),
        name: name.to_owned(),
        source: Source::of([192, 0, 2, 7].into()),
        connections: 2,
        games: vec![(id(1), "main".to_owned())],
    }
}

/// Returns every page, by name, with usual data.
pub(crate) fn usual_pages() -> Vec<(&'static str, String)> {
    let frame = PageFrame { person: Some("Quiet Otter"), ..PageFrame::default() };
    let guest = Account { id: PlayerId(7), name: "Quiet Otter".to_owned(), claimed: false };
    let member = Account { claimed: true, ..guest.clone() };
    let (games, finished) = (
        running(),
        [ended(1, "main", "Ada"), ended(2, "random map", "Bob"), ended(9, "hall", "Cem")],
    );
    let load = [("Games", "12"), ("People", "48"), ("Watchers", "103"), ("Up for", "3 days")];
    let load = load.map(|(label, value)| (label.to_owned(), value.to_owned()));
    let people = [person("Quiet Otter"), person("Brave Badger")];
    let bans = [
        (Ban::Person(PlayerId(9)), "Rude Rook".to_owned()),
        (Ban::Source(Source::of([192, 0, 2, 66].into())), "192.0.2.66".to_owned()),
    ];
    let (nodes, is_draining) = (Some(&[node("one")][..]), false);
    let (people, bans) = (&people, &bans);
    let host = AdminPage { load: &load, games: &games, people, bans, is_draining, nodes };
    let table = [
        rating(1, "Ada", Rated::Player(PlayerId(3))),
        rating(2, "miner", Rated::Bot("miner".to_owned())),
        rating(3, "Quiet Otter", Rated::Player(PlayerId(7))),
        rating(4, "wanderer", Rated::Bot("wanderer".to_owned())),
    ];
    let (who, past) = (Rated::Player(PlayerId(7)), history("Quiet Otter"));
    let link = format!("https://nuggets.example.org/g/{}", games[4].id);
    let classic = Some("player nuggets.example.org 9001 NAME");
    let pages = [
        ("lobby", lobby(&frame, &games, &finished, NOW_UNIX_MS)),
        ("empty lobby", lobby(&frame, &[], &[], NOW_UNIX_MS)),
        ("new game", new_game(&frame, None)),
        ("show", show(&frame, &games[4], &link, classic)),
        ("play", play(&frame, &games[0], classic)),
        ("full game", play(&frame, &games[3], None)),
        ("watch", watch(&frame, &games[0])),
        ("wall", wall(&frame)),
        ("guest account", account_page(&frame, &guest)),
        ("account", account_page(&frame, &member)),
        ("players", players(&frame, &table, Some(PlayerId(7)))),
        ("no players", players(&frame, &[], None)),
        ("player", player(&frame, &who, &past, NOW_UNIX_MS)),
        ("admin", admin(&frame, &host)),
        ("admin login", admin_login(&frame)),
        ("error 404", error_page(&frame, 404, None)),
        ("error 500", error_page(&frame, 500, None)),
    ];
    pages.map(|(name, page)| (name, page.into_string())).to_vec()
}

/// Returns every page that shows untrusted text, with [`HOSTILE`] for each text.
pub(crate) fn hostile_pages() -> Vec<(&'static str, String)> {
    let frame = PageFrame { person: Some(HOSTILE), notice: Some(HOSTILE) };
    let rules = Some(HOSTILE.to_owned());
    let roster = vec![line('A', HOSTILE, false), line('\u{7}', HOSTILE, true)];
    let games =
        [LobbyRow { creator: HOSTILE.to_owned(), rules, mine: true, ..row(1, HOSTILE, roster) }];
    let finished = [ended(2, HOSTILE, HOSTILE)];
    let account = Account { id: PlayerId(7), name: HOSTILE.to_owned(), claimed: false };
    let table = [rating(1, HOSTILE, Rated::Player(PlayerId(7)))];
    let mut past = history(HOSTILE);
    past.games = vec![ended(1, HOSTILE, HOSTILE)];
    let who = Rated::Player(PlayerId(7));
    let load = [(HOSTILE.to_owned(), HOSTILE.to_owned())];
    let mut people = [person(HOSTILE)];
    people[0].games = vec![(id(1), HOSTILE.to_owned())];
    let bans = [(Ban::Person(PlayerId(7)), HOSTILE.to_owned())];
    let nodes = [node(HOSTILE)];
    let host = AdminPage {
        load: &load,
        games: &games,
        people: &people,
        bans: &bans,
        is_draining: false,
        nodes: Some(&nodes),
    };
    let pages = [
        ("lobby", lobby(&frame, &games, &finished, NOW_UNIX_MS)),
        ("new game", new_game(&frame, Some(HOSTILE))),
        ("show", show(&frame, &games[0], HOSTILE, Some(HOSTILE))),
        ("play", play(&frame, &games[0], Some(HOSTILE))),
        ("watch", watch(&frame, &games[0])),
        ("account", account_page(&frame, &account)),
        ("players", players(&frame, &table, None)),
        ("player", player(&frame, &who, &past, NOW_UNIX_MS)),
        ("admin", admin(&frame, &host)),
        ("error 404", error_page(&frame, 404, Some(HOSTILE))),
    ];
    pages.map(|(name, page)| (name, page.into_string())).to_vec()
}

/// Returns the status of a node of a cluster.
fn node(name: &str) -> NodeStatus {
    let load = NodeLoad { games: 1, connections: 2, commits_per_s: 31.0, ..NodeLoad::default() };
    NodeStatus {
        name: name.to_owned(),
        address: name.to_owned(),
        url: "http://127.0.0.1:8082".to_owned(),
        version: "1".to_owned(),
        is_draining: false,
        lease_age_ms: Some(0),
        load,
        run: 1,
    }
}
