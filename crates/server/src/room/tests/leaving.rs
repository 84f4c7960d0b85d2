//! Quitting, and the end of the game.

use super::*;

#[test]
fn when_the_last_nugget_is_taken_everybody_who_has_not_left_is_sent_the_table() {
    const TABLE: &str = "A         10 Ann/B          0 Bob/C          0 Cy";
    for dialect in BOTH {
        let mut talk = joined(dialect, "1*.2.3", "abcs");
        talk.hear('b', b"KEY Q");
        let heard = talk.hear('a', b"KEY l");
        assert_eq!(heard[..3], ["a> GOLD 10 10 0", "c> GOLD 0 0 0", "s> GOLD 0 0 0"]);
        assert_eq!(heard[3..6], ["a> [.@...C]", "c> [.A...@]", "s> [.A...C]"]);
        assert_eq!(heard[6..], ['a', 'c', 's'].map(|to| over(dialect, to, TABLE)).concat());
        assert!(talk.room.is_closed());
        assert_eq!(talk.room.summary().replace('\n', "/"), format!("GAME OVER:/{TABLE}"));
        check(&mut talk, 'a', "KEY h", &[]);
        check(&mut talk, 'x', "PLAY late", &[]);
    }
}

#[test]
fn a_player_who_quits_is_sent_a_quit_and_can_not_return() {
    for (dialect, thanks) in BOTH.into_iter().zip(["a> QUIT Thanks for playing!", "a> QUIT"]) {
        let mut talk = joined(dialect, "1.*.2", "abs");
        check(&mut talk, 'a', "KEY Q", &[thanks, "b> [..*.@]", "s> [..*.B]"]);
        assert_eq!(talk.room.game().table().to_string().lines().count(), 2);
        // The client asks again because the first QUIT was lost.
        check(&mut talk, 'a', "KEY Q", &[thanks]);
        let gone = "You have left this game and can't come back.";
        for says in ["PLAY Ann", "PLAY Other", "SPECTATE", "KEY l"] {
            assert_eq!(talk.hear('a', says.as_bytes()), dismissed(dialect, 'a', gone));
        }
        assert_eq!(talk.room.game().players().len(), 2);
    }
}

#[test]
fn a_spectator_who_quits_is_sent_a_quit_and_forgotten() {
    for (dialect, thanks) in BOTH.into_iter().zip(["s> QUIT Thanks for watching!", "s> QUIT"]) {
        let mut talk = joined(dialect, "1.*", "as");
        check(&mut talk, 's', "KEY Q", &[thanks]);
        check(&mut talk, 'a', "KEY l", &["a> [.@*]"]);
        assert_eq!(talk.hear('s', b"PLAY Sue")[0], "s> OK B");
    }
}

#[test]
fn the_game_ends_when_all_possible_players_have_quit() {
    let rules = Rules { max_players: 2, ..Rules::default() };
    for dialect in BOTH {
        let mut talk = Talk::in_room(dialect, rules, "1.*.2").joined("sab");
        talk.hear('a', b"KEY Q");
        assert!(!talk.room.is_closed());
        let heard = talk.hear('b', b"KEY Q");
        assert_eq!(heard[1], "s> [..*..]");
        assert_eq!(heard[2..], over(dialect, 's', "A          0 Ann/B          0 Bob"));
        assert!(talk.room.is_closed());
    }
}

#[test]
fn an_empty_game_waits_for_players_unless_it_ends_when_empty() {
    let mut talk = joined(Dialect::V2021, "1.*", "a");
    talk.hear('a', b"KEY Q");
    assert!(!talk.room.is_closed());

    let rules = Rules { end_when_empty: true, ..Rules::default() };
    let mut talk = Talk::in_room(Dialect::V2021, rules, "1.*").joined("a");
    talk.hear('a', b"KEY Q");
    assert!(talk.room.is_closed());
    assert_eq!(talk.room.summary(), "GAME OVER:\nA          0 Ann");
}

#[test]
fn a_server_that_shuts_down_tells_everybody_why() {
    for dialect in BOTH {
        let mut talk = joined(dialect, "1.*.2", "abs");
        talk.hear('b', b"KEY Q");
        talk.room.handle_watch(talk.now, peer('w'), Viewer::Spectator).unwrap();
        talk.drain();
        talk.room.shut_down();
        let why = "The server is shutting down.";
        let [a, s, w] = ['a', 's', 'w'].map(|to| dismissed(dialect, to, why));
        assert_eq!(talk.drain(), [a, s, w].concat());
        assert!(talk.room.is_closed());
        assert_eq!(talk.room.summary(), "GAME OVER:\nA          0 Ann\nB          0 Bob");
        talk.room.shut_down();
        assert_eq!(talk.drain(), [""; 0]);
    }
    assert_eq!(Talk::new(Dialect::V2021, "1.*").room.summary(), "GAME OVER:");
}

#[test]
fn no_control_byte_of_a_name_is_printed_at_the_end() {
    let mut talk = Talk::new(Dialect::V2021, "1.*");
    talk.hear('a', b"PLAY A\tn\x1b[2Jn");
    talk.room.shut_down();
    assert_eq!(talk.room.summary(), "GAME OVER:\nA          0 A n_[2Jn");
}

#[test]
fn an_aborted_room_sends_nothing_of_the_last_key() {
    for linger_ms in [0, 5_000] {
        let mut talk = joined(Dialect::V2021, "1*", "a")
            .with(Reliability { linger_ms, ..Reliability::none() });
        talk.room.handle_message(talk.now, peer('a'), b"KEY l");
        assert!(talk.room.is_over());
        talk.room.abort();
        assert_eq!(talk.drain(), ["a> QUIT The server is shutting down."], "{linger_ms}");
        assert!(talk.room.is_closed());
    }
}

#[test]
fn a_player_whom_the_shell_removes_is_sent_the_reason_however_fast_it_presses_keys() {
    let mut talk = joined(Dialect::V2021, "1.*.2", "ab");
    talk.room.options.keys_per_s = Some(1);
    for _ in 0..10 {
        talk.hear('a', b"KEY x");
    }
    let ann = Letter::nth(0).unwrap();
    talk.room.handle_removal(talk.now, ann, QuitReason::Kicked);
    assert_eq!(talk.drain(), ["a> QUIT The host has removed you from the game.", "b> [..*.@]"]);
    assert!(talk.notices().contains(&"A is removed from the game".to_owned()));
    talk.room.handle_removal(talk.now, ann, QuitReason::Kicked);
    assert_eq!(talk.drain(), [""; 0]);
}

#[test]
fn a_game_that_is_ended_early_is_over_with_its_table() {
    let mut talk = joined(Dialect::V2021, "1.*.2", "as").with(Reliability::default());
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
