//! Quitting, and the end of the game.

use super::*;

#[test]
fn when_the_last_nugget_is_taken_everybody_who_has_not_left_is_sent_the_table() {
    const TABLE: &str = "A         10 Ann/B          0 Bob/C          0 Cy";
    let who = [('a', "PLAY Ann"), ('b', "PLAY Bob"), ('c', "PLAY Cy"), ('s', "SPECTATE")];
    let ends = |dialect, to: char| match dialect {
        Dialect::V2021 => vec![format!("{to}> QUIT GAME OVER:/{TABLE}")],
        Dialect::V2019 => vec![format!("{to}> GAMEOVER/{TABLE}/"), format!("{to}> QUIT")],
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
fn a_player_who_quits_is_sent_a_quit_and_can_not_return() {
    for (dialect, thanks) in BOTH.into_iter().zip(["a> QUIT Thanks for playing!", "a> QUIT"]) {
        let who = [('a', "PLAY Ann"), ('b', "PLAY Bob"), ('s', "SPECTATE")];
        let mut talk = joined(dialect, "1.*.2", &who);
        check(&mut talk, 'a', "KEY Q", &[thanks, &display('b', "..*.@"), &display('s', "..*.B")]);
        assert_eq!(talk.room.game().table().to_string().lines().count(), 2);
        // The client asks again because the first QUIT was lost.
        check(&mut talk, 'a', "KEY Q", &[thanks]);
        let gone = "You have left this game and can't come back.";
        for says in ["PLAY Ann", "PLAY Other", "SPECTATE", "KEY l"] {
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
fn a_spectator_who_quits_is_sent_a_quit_and_forgotten() {
    for (dialect, thanks) in BOTH.into_iter().zip(["s> QUIT Thanks for watching!", "s> QUIT"]) {
        let mut talk = joined(dialect, "1.*", &[('a', "PLAY Ann"), ('s', "SPECTATE")]);
        check(&mut talk, 's', "KEY Q", &[thanks]);
        check(&mut talk, 'a', "KEY l", &[&display('a', ".@*")]);
        assert_eq!(talk.hear('s', b"PLAY Sue")[0], "s> OK B");
    }
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
                assert_eq!(heard[2..], [format!("s> GAMEOVER/{table}/"), "s> QUIT".into()]);
            }
        }
        assert!(talk.room.is_closed());
    }
}

#[test]
fn an_empty_game_waits_for_players_unless_it_ends_when_empty() {
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
fn a_server_that_shuts_down_tells_everybody_why() {
    let who = [('a', "PLAY Ann"), ('b', "PLAY Bob"), ('s', "SPECTATE")];
    let why = "The server is shutting down.";
    for dialect in BOTH {
        let mut talk = joined(dialect, "1.*.2", &who);
        talk.hear('b', b"KEY Q");
        talk.room.shut_down();
        let sent: Vec<String> = match dialect {
            Dialect::V2021 => ["a", "s"].map(|to| format!("{to}> QUIT {why}")).to_vec(),
            Dialect::V2019 => ["a", "s"]
                .into_iter()
                .flat_map(|to| [format!("{to}> NO {why}"), format!("{to}> QUIT")])
                .collect(),
        };
        assert_eq!(talk.drain(), sent);
        assert!(talk.room.is_closed());
        assert_eq!(talk.room.summary(), "GAME OVER:\nA          0 Ann\nB          0 Bob");
        talk.room.shut_down();
        assert_eq!(talk.drain(), [""; 0]);
    }
    assert_eq!(Talk::new(Dialect::V2021, "1.*").room.summary(), "GAME OVER:");
}

#[test]
fn no_control_byte_of_a_name_is_printed_at_the_end() {
    let mut talk = joined(Dialect::V2021, "1.*", &[('a', "PLAY A\tn\x1b[2Jn")]);
    talk.room.shut_down();
    assert_eq!(talk.room.summary(), "GAME OVER:\nA          0 A n_[2Jn");
}

#[test]
fn an_aborted_room_sends_nothing_of_the_last_key() {
    for linger_ms in [0, 5_000] {
        let mut talk = joined(Dialect::V2021, "1*", &[('a', "PLAY Ann")]);
        talk.set_reliability(Reliability { linger_ms, ..Reliability::none() });
        talk.room.handle_message(talk.now, peer('a'), b"KEY l");
        assert!(talk.room.is_over());
        talk.room.abort();
        assert_eq!(talk.drain(), ["a> QUIT The server is shutting down."], "{linger_ms}");
        assert!(talk.room.is_closed());
    }
}

#[test]
fn a_player_whom_the_shell_removes_is_sent_the_reason_however_fast_it_presses_keys() {
    let who = [('a', "PLAY Ann"), ('b', "PLAY Bob")];
    let mut talk = joined(Dialect::V2021, "1.*.2", &who);
    talk.room.options.keys_per_s = Some(1);
    for _ in 0..10 {
        talk.hear('a', b"KEY x");
    }
    let ann = Letter::nth(0).unwrap();
    talk.room.handle_removal(talk.now, ann, QuitReason::Kicked);
    assert_eq!(
        talk.drain(),
        ["a> QUIT The host has removed you from the game.".to_owned(), display('b', "..*.@")]
    );
    assert!(talk.notices().contains(&"A is removed from the game".to_owned()));
    talk.room.handle_removal(talk.now, ann, QuitReason::Kicked);
    assert_eq!(talk.drain(), [""; 0]);
}

#[test]
fn a_game_that_is_ended_early_is_over_with_its_table() {
    let mut talk = joined(Dialect::V2021, "1.*.2", &[('a', "PLAY Ann"), ('s', "SPECTATE")]);
    talk.set_reliability(Reliability::default());
    talk.room.end_early(talk.now);
    let table = ["a> QUIT GAME OVER:/A          0 Ann", "s> QUIT GAME OVER:/A          0 Ann"];
    assert_eq!(talk.drain(), table);
    assert!(talk.room.is_over() && !talk.room.is_closed(), "the end may be lost");
    assert_eq!(talk.hear('a', b"KEY l"), table[..1]);
    talk.wait(6000);
    assert!(talk.room.is_closed());
    talk.room.end_early(talk.now);
    assert_eq!(talk.drain(), [""; 0]);
}
