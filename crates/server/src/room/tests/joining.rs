//! Joining: players, spectators, and rejections.

use super::*;

#[test]
fn a_player_who_joins_is_welcomed_and_shown_to_the_others() {
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
fn a_spectator_sees_everything_and_players_are_sent_nothing() {
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
        // The room has forgotten it, so it may join again.
        assert_eq!(talk.hear('s', b"SPECTATE").len(), 4);
    }
}

#[test]
fn the_27th_player_is_rejected() {
    for (dialect, full) in
        BOTH.into_iter().zip(["x> QUIT Game is full: no more players can join.", "x> NO"])
    {
        let map = shipped::find("main").unwrap().map();
        let game = Game::new(&Setup::new(map, Rules::default(), Seed::new(3), dialect)).unwrap();
        let mut talk = Talk { room: Room::with_game(game, dialect), now: Timestamp(0) };
        for (count, from) in ('A'..='Z').enumerate() {
            let heard = talk.hear(from, b"PLAY Eve");
            assert_eq!(heard[0], format!("{from}> OK {from}"));
            assert_eq!(heard.len(), 4 + count, "one DISPLAY to everybody else");
        }
        check(&mut talk, 'x', "PLAY late", &[full]);
        check(&mut talk, 'x', "PLAY  ", &[full]);
        // A player who quits does not free a seat.
        talk.hear('C', b"KEY Q");
        check(&mut talk, 'x', "PLAY late", &[full]);
    }
}

#[test]
fn a_blank_name_is_rejected() {
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
fn one_peer_has_one_seat() {
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
