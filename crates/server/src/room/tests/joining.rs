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
            &["a> OK A", "a> GRID 3 7", "a> GOLD 0 0 10", "a> [@.*..]"],
        );
        check(
            &mut talk,
            'b',
            "PLAY Bob",
            &["b> OK B", "b> GRID 3 7", "b> GOLD 0 0 10", "b> [A.*.@]", "a> [@.*.B]"],
        );
    }
}

#[test]
fn a_spectator_sees_everything_and_players_are_sent_nothing() {
    for dialect in BOTH {
        let mut talk = joined(dialect, "1.*.2", "a");
        check(&mut talk, 's', "SPECTATE", &["s> GRID 3 7", "s> GOLD 0 0 10", "s> [A.*..]"]);
    }
}

#[test]
fn a_new_spectator_replaces_the_old_one() {
    let replaced = ["s> QUIT You have been replaced by a new spectator.", "s> QUIT"];
    for (dialect, replaced) in BOTH.into_iter().zip(replaced) {
        let mut talk = joined(dialect, "1.*", "s");
        let welcome = ["t> GRID 3 5", "t> GOLD 0 0 10", "t> [..*]"];
        check(&mut talk, 't', "SPECTATE", &[&[replaced], &welcome[..]].concat());
        let unknown = complaint(dialect, 's', "You have not joined this game.");
        check(&mut talk, 's', "KEY Q", &[&unknown]);
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
fn the_same_request_again_is_answered_again_and_changes_nothing() {
    for dialect in BOTH {
        let mut talk = joined(dialect, "1*2*", "ab");
        talk.hear('a', b"KEY l");
        let again = ["a> OK A", "a> GRID 3 6", "a> GOLD 0 10 10", "a> [.@B*]"];
        check(&mut talk, 'a', "PLAY Ann", &again);
        check(&mut talk, 'a', "PLAY Ann", &again);
        assert_eq!(talk.room.game().players().len(), 2);

        let mut talk = joined(dialect, "1.*", "s");
        let again = ["s> GRID 3 5", "s> GOLD 0 0 10", "s> [..*]"];
        check(&mut talk, 's', "SPECTATE", &again);
    }
}

#[test]
fn one_peer_has_one_seat() {
    for dialect in BOTH {
        let mut talk = joined(dialect, "1.*", "as");
        for (from, says, why) in [
            ('a', "PLAY Anna", "You are already playing under another name."),
            ('a', "PLAY ", "You are already playing under another name."),
            ('a', "SPECTATE", "You are playing: quit (Q) before you watch."),
            ('s', "PLAY Sue", "You are watching: quit (Q) before you play."),
        ] {
            check(&mut talk, from, says, &[&complaint(dialect, from, why)]);
        }
        assert_eq!(talk.room.game().players().len(), 1);
    }
}
