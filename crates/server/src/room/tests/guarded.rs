//! A room with a guard at its door.

use super::*;
use crate::{Guard, Limits};

fn guarded(limits: Limits) -> Talk {
    let map = shipped::find("main").unwrap().map();
    let sight = Arc::new(Sight::new(map, sight_rule(Dialect::V2021)));
    let game = Game::new(sight, Rules::default(), Seed::new(3)).unwrap();
    let room = Room::new(game, Dialect::V2021).guarded(Guard::new(limits, [9; 16]));
    Talk { room, now: Millis(0) }
}

/// Loopback counts as anybody's address here.
fn strict() -> Limits {
    Limits { trust_private: false, ..Limits::default() }
}

#[test]
fn one_address_takes_four_seats_and_no_more() {
    let mut talk = guarded(strict());
    for who in ['a', 'b', 'c', 'd'] {
        talk.wait(1_000);
        assert_eq!(talk.hear(who, b"PLAY somebody")[0].split(' ').nth(1), Some("OK"));
    }
    talk.wait(1_000);
    check(
        &mut talk,
        'e',
        "PLAY somebody",
        &["e> QUIT No more players may join from your address."],
    );
    assert_eq!(talk.room.game().players().len(), 4);
}

#[test]
fn one_address_joins_twice_in_a_second_and_no_faster() {
    let mut talk = guarded(strict());
    for who in ['a', 'b'] {
        talk.hear(who, b"PLAY somebody");
    }
    let refused = "c> QUIT Too many are joining: try again in a few seconds.";
    check(&mut talk, 'c', "PLAY somebody", &[refused]);
    talk.wait(2_000);
    assert!(talk.hear('c', b"PLAY somebody").len() > 3);
}

#[test]
fn private_networks_are_trusted_unless_told_otherwise() {
    let mut talk = guarded(Limits::default());
    for who in 'a'..='z' {
        assert!(talk.hear(who, b"PLAY somebody").len() > 3);
    }
}

#[test]
fn too_many_keys_are_left_out_with_a_complaint_now_and_then() {
    let mut talk = guarded(strict());
    talk.hear('a', b"PLAY Ann");
    let answers: Vec<String> = (0..400).flat_map(|_| talk.hear('a', b"KEY x")).collect();
    let told = |words: &str| answers.iter().filter(|answer| answer.contains(words)).count();
    assert_eq!(told("unknown keystroke"), 200, "two seconds' worth");
    assert_eq!(told("You press keys too fast"), 1);
    talk.wait(1_000);
    check(&mut talk, 'a', "KEY x", &["a> ERROR unknown keystroke"]);
}

#[test]
fn an_address_that_shows_no_sign_of_listening_is_sent_32_kilobytes_and_then_nothing() {
    let mut talk = guarded(strict());
    talk.hear('a', b"PLAY Ann");
    let mut bytes = 0;
    for round in 0..200 {
        // Bob walks; Ann's address is shown every step of his.
        let sent = if round == 0 {
            talk.hear('b', b"PLAY Bob")
        } else {
            talk.hear('b', if round % 2 == 0 { b"KEY l" } else { b"KEY h" })
        };
        bytes += sent.iter().filter(|m| m.starts_with('a')).map(|m| m.len() - 3).sum::<usize>();
        talk.now = talk.now.after(600);
    }
    assert!((16_000..=32 * 1024).contains(&bytes), "{bytes}");
    for _ in 0..6 {
        talk.now = talk.now.after(500);
        talk.hear('a', b"KEY x");
    }
    let heard = [talk.hear('b', b"KEY l"), talk.hear('b', b"KEY h")].concat();
    assert!(heard.iter().any(|told| told.starts_with("a> DISPLAY")), "now she listens");
}

/// The table is as large as a picture, and any datagram brings it once more.
#[test]
fn the_end_is_told_to_whoever_still_speaks_but_no_faster_than_keys_are_read() {
    let mut talk = Talk::new(Dialect::V2021, "1*");
    talk.room = talk.room.careful(Care::default()).guarded(Guard::new(strict(), [9; 16]));
    talk.hear('a', b"PLAY Ann");
    for _ in 0..5 {
        talk.now = talk.now.after(500);
        talk.hear('a', b"KEY x");
    }
    talk.hear('a', b"KEY l");
    assert!(talk.room.is_over() && !talk.room.is_closed());
    talk.now = talk.now.after(1);
    let answers: Vec<String> = (0..1_000).flat_map(|_| talk.hear('a', b"KEY h")).collect();
    let told = answers.iter().filter(|answer| answer.contains("GAME OVER")).count();
    assert!((100..=200).contains(&told), "{told}");
}

#[test]
fn who_has_watched_gets_no_seat_beyond_the_limit_either() {
    let mut talk = guarded(strict());
    for who in ['a', 'b', 'c', 'd', 'e', 'f'] {
        talk.wait(3_000);
        talk.hear(who, b"SPECTATE");
        talk.hear(who, b"KEY Q");
        talk.hear(who, b"PLAY somebody");
    }
    assert_eq!(talk.room.game().players().len(), 4);
}

#[test]
fn a_spectator_who_left_and_plays_is_held_to_the_joins_of_its_address() {
    let mut talk = guarded(strict());
    for who in ['a', 'b'] {
        talk.hear(who, b"SPECTATE");
    }
    talk.hear('b', b"KEY Q");
    let refused = "b> QUIT Too many are joining: try again in a few seconds.";
    check(&mut talk, 'b', "PLAY somebody", &[refused]);
}
