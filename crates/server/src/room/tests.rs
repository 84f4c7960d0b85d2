//! The room as (message in, exact messages out). Newlines are written as `/`.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use nuggets_game::{Map, Point, Rules, Seed, Sight, shipped};
use proptest::prelude::*;

use super::*;
use crate::sight_rule;

/// A room to talk to. Peers are called by one letter, which is also their port.
struct Talk {
    room: Room,
}

fn peer(who: char) -> Peer {
    SocketAddr::from((Ipv4Addr::LOCALHOST, who as u16)).into()
}

fn who(peer: Peer) -> char {
    char::from_u32(SocketAddr::from(peer).port().into()).unwrap()
}

impl Talk {
    /// One room with `*` for 10 nuggets; the players land on `1`, `2` and so on.
    fn in_room(dialect: Dialect, rules: Rules, drawn: &str) -> Self {
        let wall = format!("+{}+\n", "-".repeat(drawn.len()));
        let map: String = drawn.chars().map(|mark| if mark == '#' { '#' } else { '.' }).collect();
        let map = Map::parse(format!("{wall}|{map}|\n{wall}").as_bytes()).unwrap().map;
        let place = |index: usize| Point::new(1, u16::try_from(index).unwrap() + 1);
        let piles = drawn.match_indices('*').map(|(index, _)| (place(index), 10)).collect();
        let starts = "123456789".chars().map_while(|digit| drawn.find(digit)).map(place).collect();
        let sight = Arc::new(Sight::new(map, sight_rule(dialect)));
        let game = Game::arranged(sight, rules, Seed::new(1), piles, starts);
        Self { room: Room::new(game, dialect) }
    }

    fn new(dialect: Dialect, drawn: &str) -> Self {
        Self::in_room(dialect, Rules::default(), drawn)
    }

    /// What is sent to whom after `from` says something.
    fn hear(&mut self, from: char, bytes: &[u8]) -> Vec<String> {
        self.room.handle_message(peer(from), bytes);
        self.drain()
    }

    fn drain(&mut self) -> Vec<String> {
        let mut sent = Vec::new();
        while let Some(transmit) = self.room.poll_transmit() {
            let text = std::str::from_utf8(transmit.payload).unwrap().replace('\n', "/");
            sent.push(format!("{}> {text}", who(transmit.to)));
        }
        sent
    }

    fn notices(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.room.poll_notice()).map(|n| n.to_string()).collect()
    }
}

/// `from` says something and exactly these messages go out.
fn check(talk: &mut Talk, from: char, says: &str, hears: &[&str]) {
    assert_eq!(talk.hear(from, says.as_bytes()), hears, "{from} says {says:?}");
}

/// The picture of a room one row high, as a message.
fn display(to: char, row: &str) -> String {
    let wall = format!("+{}+", "-".repeat(row.len()));
    format!("{to}> DISPLAY/{wall}/|{row}|/{wall}/")
}

fn joined(dialect: Dialect, drawn: &str, who: &[(char, &str)]) -> Talk {
    let mut talk = Talk::new(dialect, drawn);
    for (from, says) in who {
        talk.hear(*from, says.as_bytes());
    }
    talk.notices();
    talk
}

const BOTH: [Dialect; 2] = Dialect::ALL;

#[test]
fn a_player_who_joins_is_told_everything_and_the_others_see_it_come() {
    for dialect in BOTH {
        let mut talk = Talk::new(dialect, "1.*.2");
        check(
            &mut talk,
            'a',
            "PLAY Ann",
            &["a> OK A", "a> GRID 3 7", "a> GOLD 0 0 10", &display('a', "@.*..")],
        );
        check(
            &mut talk,
            'b',
            "PLAY Bob",
            &[
                "b> OK B",
                "b> GRID 3 7",
                "b> GOLD 0 0 10",
                &display('b', "A.*.@"),
                &display('a', "@.*.B"),
            ],
        );
    }
}

#[test]
fn a_spectator_sees_all_and_the_players_notice_nothing() {
    for dialect in BOTH {
        let mut talk = joined(dialect, "1.*.2", &[('a', "PLAY Ann")]);
        check(
            &mut talk,
            's',
            "SPECTATE",
            &["s> GRID 3 7", "s> GOLD 0 0 10", &display('s', "A.*..")],
        );
    }
}

#[test]
fn a_new_spectator_replaces_the_old_one() {
    let replaced = ["s> QUIT You have been replaced by a new spectator.", "s> QUIT"];
    for (dialect, replaced) in BOTH.into_iter().zip(replaced) {
        let mut talk = joined(dialect, "1.*", &[('s', "SPECTATE")]);
        let picture = display('t', "..*");
        check(&mut talk, 't', "SPECTATE", &[replaced, "t> GRID 3 5", "t> GOLD 0 0 10", &picture]);
        check(
            &mut talk,
            's',
            "KEY Q",
            &[complaint(dialect, 's', "You have not joined this game.").as_str()],
        );
        // Once forgotten, it may come back like anybody.
        assert_eq!(talk.hear('s', b"SPECTATE").len(), 4);
    }
}

fn complaint(dialect: Dialect, to: char, why: &str) -> String {
    let word = if dialect == Dialect::V2021 { "ERROR" } else { "NO" };
    format!("{to}> {word} {why}")
}

#[test]
fn the_27th_player_is_turned_away() {
    for (dialect, full) in
        BOTH.into_iter().zip(["x> QUIT Game is full: no more players can join.", "x> NO"])
    {
        let map = shipped::find("main").unwrap().map();
        let sight = Arc::new(Sight::new(map, sight_rule(dialect)));
        let game = Game::new(sight, Rules::default(), Seed::new(3)).unwrap();
        let mut talk = Talk { room: Room::new(game, dialect) };
        for (count, from) in ('A'..='Z').enumerate() {
            let heard = talk.hear(from, b"PLAY somebody");
            assert_eq!(heard[0], format!("{from}> OK {from}"));
            assert_eq!(heard.len(), 4 + count, "one DISPLAY to everybody else");
        }
        check(&mut talk, 'x', "PLAY late", &[full]);
        check(&mut talk, 'x', "PLAY  ", &[full]);
        // A quitter frees no place.
        talk.hear('C', b"KEY Q");
        check(&mut talk, 'x', "PLAY late", &[full]);
    }
}

#[test]
fn a_blank_name_is_refused() {
    let sorry = [
        "a> QUIT Sorry - you must provide player's name.",
        "a> NO Sorry - you must provide player's name.",
    ];
    for (dialect, sorry) in BOTH.into_iter().zip(sorry) {
        let mut talk = Talk::new(dialect, "1.*");
        for says in ["PLAY ", "PLAY    ", "PLAY \t "] {
            check(&mut talk, 'a', says, &[sorry]);
        }
        assert!(talk.room.game().players().is_empty());
    }
}

#[test]
fn names_are_cut_and_cleaned() {
    let mut talk = Talk::new(Dialect::V2021, "1.2*");
    talk.hear('a', &[b"PLAY ".as_slice(), &[b'x'; 60]].concat());
    talk.hear('b', b"PLAY tab\there \x1b[2J\xff");
    let names: Vec<String> =
        talk.room.game().players().iter().map(|player| player.name().to_string()).collect();
    assert_eq!(names, ["x".repeat(50), "tab\there _[2J_".to_string()]);
}

#[test]
fn the_two_rooms_agree_on_how_long_a_name_is() {
    assert_eq!(nuggets_game::MAX_NAME_BYTES, nuggets_protocol::MAX_NAME_BYTES);
}

#[test]
fn a_step_shows_to_everybody_and_a_step_into_a_wall_to_nobody() {
    for dialect in BOTH {
        let who = [('a', "PLAY Ann"), ('b', "PLAY Bob"), ('s', "SPECTATE")];
        let mut talk = joined(dialect, "1...2*", &who);
        check(
            &mut talk,
            'a',
            "KEY l",
            &[&display('a', ".@..B*"), &display('b', ".A..@*"), &display('s', ".A..B*")],
        );
        for key in ["k", "j", "y", "u", "b", "n", "K", "J", "Y", "U", "B", "N"] {
            check(&mut talk, 'a', &format!("KEY {key}"), &[]);
        }
    }
}

#[test]
fn with_changed_only_a_step_out_of_sight_is_not_shown() {
    let who = [('a', "PLAY Ann"), ('b', "PLAY Bob"), ('s', "SPECTATE")];
    let mut talk = joined(Dialect::V2021, "1..###..2*", &who);
    talk.room.changed_only = true;
    let alone = [
        "a> DISPLAY/+----       /|.@.#       /+----       /".to_string(),
        "s> DISPLAY/+----------+/|.A.###..B*|/+----------+/".to_string(),
    ];
    assert_eq!(talk.hear('a', b"KEY l"), alone);
    let gold = talk.hear('b', b"KEY l");
    let of_kind = |kind: &str| gold.iter().filter(|message| message[3..].starts_with(kind)).count();
    assert_eq!((of_kind("GOLD"), of_kind("DISPLAY")), (3, 2), "gold is told to everybody");
}

#[test]
fn a_swap_shows_to_everybody() {
    let mut talk = joined(Dialect::V2021, "12*", &[('a', "PLAY Ann"), ('b', "PLAY Bob")]);
    check(&mut talk, 'a', "KEY l", &[&display('a', "B@*"), &display('b', "@A*")]);
}

#[test]
fn gold_is_told_to_everybody_with_their_own_purse() {
    for dialect in BOTH {
        let who = [('a', "PLAY Ann"), ('b', "PLAY Bob"), ('s', "SPECTATE")];
        let mut talk = joined(dialect, "1*.*2.*", &who);
        talk.hear('b', b"KEY h");
        check(
            &mut talk,
            'a',
            "KEY l",
            &[
                "a> GOLD 10 10 10",
                "b> GOLD 0 10 10",
                "s> GOLD 0 0 10",
                &display('a', ".@.B..*"),
                &display('b', ".A.@..*"),
                &display('s', ".A.B..*"),
            ],
        );
    }
}

#[test]
fn a_sprint_makes_one_gold_round_and_one_display_round() {
    let mut talk = joined(Dialect::V2021, "1*.*.2.*", &[('a', "PLAY Ann"), ('b', "PLAY Bob")]);
    talk.hear('b', b"KEY h");
    check(
        &mut talk,
        'a',
        "KEY L",
        &[
            "a> GOLD 30 30 0",
            "b> GOLD 0 0 0",
            &display('a', "...B...@"),
            &display('b', "...@...A"),
            "a> QUIT GAME OVER:/A         30 Ann/B          0 Bob",
            "b> QUIT GAME OVER:/A         30 Ann/B          0 Bob",
        ],
    );
}

#[test]
fn with_sprint_stops_each_sprint_ends_on_gold() {
    let rules = Rules { sprint_stops: true, ..Rules::default() };
    let mut talk = Talk::in_room(Dialect::V2021, rules, "1.*.*");
    talk.hear('a', b"PLAY Ann");
    check(&mut talk, 'a', "KEY L", &["a> GOLD 10 10 10", &display('a', "..@.*")]);
}

#[test]
fn when_the_last_nugget_is_taken_everybody_still_here_gets_the_table() {
    const TABLE: &str = "A         10 Ann/B          0 Bob/C          0 Cy";
    let who = [('a', "PLAY Ann"), ('b', "PLAY Bob"), ('c', "PLAY Cy"), ('s', "SPECTATE")];
    let ends = |dialect, to: char| match dialect {
        Dialect::V2021 => vec![format!("{to}> QUIT GAME OVER:/{TABLE}")],
        Dialect::V2019 => vec![format!("{to}> GAMEOVER/{TABLE}"), format!("{to}> QUIT")],
    };
    for dialect in BOTH {
        let mut talk = joined(dialect, "1*.2.3", &who);
        talk.hear('b', b"KEY Q");
        let heard = talk.hear('a', b"KEY l");
        let rounds = [
            "a> GOLD 10 10 0".to_string(),
            "c> GOLD 0 0 0".to_string(),
            "s> GOLD 0 0 0".to_string(),
            display('a', ".@...C"),
            display('c', ".A...@"),
            display('s', ".A...C"),
        ];
        let table = ['a', 'c', 's'].into_iter().flat_map(|to| ends(dialect, to));
        assert_eq!(heard, rounds.into_iter().chain(table).collect::<Vec<_>>());
        assert!(talk.room.is_closed());
        assert_eq!(talk.room.summary().replace('\n', "/"), format!("GAME OVER:/{TABLE}"));
        check(&mut talk, 'a', "KEY h", &[]);
        check(&mut talk, 'x', "PLAY late", &[]);
    }
}

#[test]
fn a_player_who_quits_is_thanked_and_gone_for_the_rest() {
    for (dialect, thanks) in BOTH.into_iter().zip(["a> QUIT Thanks for playing!", "a> QUIT"]) {
        let who = [('a', "PLAY Ann"), ('b', "PLAY Bob"), ('s', "SPECTATE")];
        let mut talk = joined(dialect, "1.*.2", &who);
        check(&mut talk, 'a', "KEY Q", &[thanks, &display('b', "..*.@"), &display('s', "..*.B")]);
        assert_eq!(talk.room.game().table().to_string().lines().count(), 2);
        // Said again because the thanks were lost.
        check(&mut talk, 'a', "KEY Q", &[thanks]);
        let gone = "You have left this game and can't come back.";
        check(&mut talk, 'a', "KEY l", &[&complaint(dialect, 'a', gone)]);
        for says in ["PLAY Ann", "PLAY Other", "SPECTATE"] {
            let heard = talk.hear('a', says.as_bytes());
            match dialect {
                Dialect::V2021 => assert_eq!(heard, [format!("a> QUIT {gone}")]),
                Dialect::V2019 => assert_eq!(heard, [format!("a> NO {gone}"), "a> QUIT".into()]),
            }
        }
        assert_eq!(talk.room.game().players().len(), 2);
    }
}

#[test]
fn a_spectator_who_quits_is_thanked_and_forgotten() {
    for (dialect, thanks) in BOTH.into_iter().zip(["s> QUIT Thanks for watching!", "s> QUIT"]) {
        let mut talk = joined(dialect, "1.*", &[('a', "PLAY Ann"), ('s', "SPECTATE")]);
        check(&mut talk, 's', "KEY Q", &[thanks]);
        check(&mut talk, 'a', "KEY l", &[&display('a', ".@*")]);
        assert_eq!(talk.hear('s', b"PLAY Sue")[0], "s> OK B");
    }
}

#[test]
fn a_spectator_can_only_press_q() {
    for dialect in BOTH {
        let mut talk = joined(dialect, "1.*", &[('a', "PLAY Ann"), ('s', "SPECTATE")]);
        for key in ["h", "L", "q", "x"] {
            let why = complaint(dialect, 's', "A spectator can only press Q.");
            check(&mut talk, 's', &format!("KEY {key}"), &[&why]);
        }
    }
}

#[test]
fn the_same_play_again_is_answered_again_and_changes_nothing() {
    for dialect in BOTH {
        let mut talk = joined(dialect, "1*2*", &[('a', "PLAY Ann"), ('b', "PLAY Bob")]);
        talk.hear('a', b"KEY l");
        let again = ["a> OK A", "a> GRID 3 6", "a> GOLD 0 10 10", &display('a', ".@B*")];
        check(&mut talk, 'a', "PLAY Ann", &again);
        check(&mut talk, 'a', "PLAY Ann", &again);
        assert_eq!(talk.room.game().players().len(), 2);
    }
}

#[test]
fn the_same_spectate_again_is_answered_again_without_a_quit() {
    let mut talk = joined(Dialect::V2021, "1.*", &[('s', "SPECTATE")]);
    let again = ["s> GRID 3 5", "s> GOLD 0 0 10", &display('s', "..*")];
    check(&mut talk, 's', "SPECTATE", &again);
}

#[test]
fn one_address_has_one_seat() {
    for dialect in BOTH {
        let mut talk = joined(dialect, "1.*", &[('a', "PLAY Ann"), ('s', "SPECTATE")]);
        let already = complaint(dialect, 'a', "You are already playing under another name.");
        check(&mut talk, 'a', "PLAY Anna", &[&already]);
        check(&mut talk, 'a', "PLAY ", &[&already]);
        let playing = complaint(dialect, 'a', "You are playing: quit (Q) before you watch.");
        check(&mut talk, 'a', "SPECTATE", &[&playing]);
        let watching = complaint(dialect, 's', "You are watching: quit (Q) before you play.");
        check(&mut talk, 's', "PLAY Sue", &[&watching]);
        assert_eq!(talk.room.game().players().len(), 1);
    }
}

#[test]
fn a_key_from_a_stranger_is_a_complaint_and_nothing_else() {
    for dialect in BOTH {
        let mut talk = joined(dialect, "1.*", &[('a', "PLAY Ann")]);
        for key in ["h", "Q", "?"] {
            let why = complaint(dialect, 'x', "You have not joined this game.");
            check(&mut talk, 'x', &format!("KEY {key}"), &[&why]);
        }
    }
}

#[test]
fn an_unknown_key_is_a_complaint() {
    for dialect in BOTH {
        let mut talk = joined(dialect, "1.*", &[('a', "PLAY Ann")]);
        for key in ["x", "q", "?", " ", "5", "\t"] {
            let why = complaint(dialect, 'a', "unknown keystroke");
            check(&mut talk, 'a', &format!("KEY {key}"), &[&why]);
        }
    }
}

#[test]
fn what_is_malformed_is_logged_answered_with_a_complaint_and_has_no_effect() {
    let endless = vec![b'x'; 65_507];
    let cases: &[&[u8]] = &[
        b"",
        b"HELLO",
        b"play Ann",
        b"KEY",
        b"KEY ll",
        b"KEY l\n",
        b"KEY \0",
        b"PLAY Ann\n",
        b"PLAY A\0n",
        b"SPECTATE now",
        b"KEY \xe9",
        &endless,
    ];
    for dialect in BOTH {
        let mut talk = joined(dialect, "1.*", &[('a', "PLAY Ann")]);
        let before = talk.room.game().view(Viewer::Spectator).to_string();
        for from in ['a', 'x'] {
            for bytes in cases {
                let heard = talk.hear(from, bytes);
                assert_eq!(heard.len(), 1, "{}", bytes.escape_ascii());
                assert!(heard[0].starts_with(&complaint(dialect, from, "malformed message: ")));
                assert_eq!(talk.notices().len(), 1);
            }
        }
        assert_eq!(talk.room.game().view(Viewer::Spectator).to_string(), before);
        assert_eq!(talk.room.game().players().len(), 1);
    }
}

#[test]
fn a_complaint_is_logged_but_not_answered_with_another() {
    for dialect in BOTH {
        let mut talk = Talk::new(dialect, "1.*");
        for complaint in ["ERROR unknown keystroke", "ERROR", "NO", "NO explanation"] {
            check(&mut talk, 'x', complaint, &[]);
            assert_eq!(talk.notices().len(), 1);
        }
    }
}

#[test]
fn nothing_of_a_strangers_bytes_reaches_the_log_raw() {
    let mut talk = Talk::new(Dialect::V2021, "1.*");
    talk.hear('x', b"\x1b]0;pwned\x07\r\n\xff");
    assert_eq!(
        talk.notices(),
        ["malformed message: it holds bytes outside ASCII (from 127.0.0.1:120, 13 bytes: \
          \"\\x1b]0;pwned\\x07\\r\\n\\xff\")"]
    );
    talk.hear('a', b"PLAY \"A\x1b[2J");
    assert_eq!(talk.notices(), ["A joins from 127.0.0.1:97: \"\\\"A_[2J\""]);
}

#[test]
fn the_game_ends_when_all_possible_players_have_quit() {
    let rules = Rules { max_players: 2, ..Rules::default() };
    for dialect in BOTH {
        let mut talk = Talk::in_room(dialect, rules, "1.*.2");
        for (from, says) in [('s', "SPECTATE"), ('a', "PLAY Ann"), ('b', "PLAY Bob")] {
            talk.hear(from, says.as_bytes());
        }
        talk.hear('a', b"KEY Q");
        assert!(!talk.room.is_closed());
        let heard = talk.hear('b', b"KEY Q");
        assert_eq!(heard[1], display('s', "..*.."));
        let table = "A          0 Ann/B          0 Bob";
        match dialect {
            Dialect::V2021 => assert_eq!(heard[2..], [format!("s> QUIT GAME OVER:/{table}")]),
            Dialect::V2019 => {
                assert_eq!(heard[2..], [format!("s> GAMEOVER/{table}"), "s> QUIT".into()]);
            }
        }
        assert!(talk.room.is_closed());
    }
}

#[test]
fn an_empty_game_waits_for_others_unless_told_otherwise() {
    let mut talk = joined(Dialect::V2021, "1.*", &[('a', "PLAY Ann")]);
    talk.hear('a', b"KEY Q");
    assert!(!talk.room.is_closed());

    let rules = Rules { end_when_empty: true, ..Rules::default() };
    let mut talk = Talk::in_room(Dialect::V2021, rules, "1.*");
    talk.hear('a', b"PLAY Ann");
    talk.hear('a', b"KEY Q");
    assert!(talk.room.is_closed());
    assert_eq!(talk.room.summary(), "GAME OVER:\nA          0 Ann");
}

#[test]
fn when_the_host_stops_everybody_is_told() {
    let who = [('a', "PLAY Ann"), ('b', "PLAY Bob"), ('s', "SPECTATE")];
    let why = "The server is shutting down.";
    for dialect in BOTH {
        let mut talk = joined(dialect, "1.*.2", &who);
        talk.hear('b', b"KEY Q");
        talk.room.shut_down();
        let told: Vec<String> = match dialect {
            Dialect::V2021 => ["a", "s"].map(|to| format!("{to}> QUIT {why}")).to_vec(),
            Dialect::V2019 => ["a", "s"]
                .into_iter()
                .flat_map(|to| [format!("{to}> NO {why}"), format!("{to}> QUIT")])
                .collect(),
        };
        assert_eq!(talk.drain(), told);
        assert!(talk.room.is_closed());
        assert_eq!(talk.room.summary(), "GAME OVER:\nA          0 Ann\nB          0 Bob");
        talk.room.shut_down();
        assert_eq!(talk.drain(), [""; 0]);
    }
    assert_eq!(Talk::new(Dialect::V2021, "1.*").room.summary(), "GAME OVER:");
}

#[test]
fn passages_are_dark_in_2021_and_seen_along_in_2019() {
    let shown = |dialect| {
        let mut talk = Talk::new(dialect, "1.###*");
        let heard = talk.hear('a', b"PLAY Ann");
        heard.last().unwrap().clone()
    };
    assert_eq!(shown(Dialect::V2021), "a> DISPLAY/+---    /|@.#    /+---    /");
    assert_eq!(shown(Dialect::V2019), "a> DISPLAY/+---    /|@.###*|/+---    /");
}

#[test]
fn the_log_tells_the_course_of_the_game() {
    let mut talk = Talk::new(Dialect::V2021, "1*.2.*");
    let said =
        [('a', "PLAY Ann"), ('b', "PLAY Bob"), ('a', "KEY l"), ('a', "KEY Q"), ('b', "KEY L")];
    for (from, says) in said {
        talk.hear(from, says.as_bytes());
    }
    assert_eq!(
        talk.notices(),
        [
            "A joins from 127.0.0.1:97: \"Ann\"",
            "B joins from 127.0.0.1:98: \"Bob\"",
            "A takes 10 nuggets, 10 are left",
            "A quits",
            "B takes 10 nuggets, 0 are left",
            "game over: all gold is collected",
        ]
    );
}

fn nuggets(room: &Room) -> u32 {
    let purses: u32 = room.game().players().iter().map(nuggets_game::Player::purse).sum();
    purses + room.game().remaining()
}

fn any_message() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..80),
        Just(b"SPECTATE".to_vec()),
        "PLAY [a-c]{0,2}".prop_map(String::into_bytes),
        "KEY [hjklyubnHJKLYUBNQx]".prop_map(String::into_bytes),
        "KEY [hjklyubnHJKLYUBN]".prop_map(String::into_bytes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_anybody_says_breaks_a_room(
        said in prop::collection::vec((0..12u8, any_message()), 0..150),
        dialect in prop::sample::select(BOTH.to_vec()),
    ) {
        let run = || {
            let map = shipped::find("narrow").unwrap().map();
            let sight = Arc::new(Sight::new(map, sight_rule(dialect)));
            let game = Game::new(sight, Rules::default(), Seed::new(9)).unwrap();
            let mut talk = Talk { room: Room::new(game, dialect) };
            let heard: Vec<_> =
                said.iter().map(|(from, bytes)| talk.hear((b'a' + from).into(), bytes)).collect();
            (heard, nuggets(&talk.room))
        };
        let (heard, nuggets) = run();
        prop_assert_eq!(nuggets, 250);
        prop_assert_eq!(&heard, &run().0, "two runs are equal");
        for message in heard.iter().flatten() {
            let text = message[3..].replace('/', "\n");
            prop_assert!(ServerMessage::parse(text.as_bytes()).is_ok(), "{}", message);
        }
    }
}
