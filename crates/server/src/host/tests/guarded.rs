//! A room with a guard.

use nuggets_game::{Game, Map, Point};

use super::*;

fn guarded(limits: Limits) -> Talk {
    let options = RoomOptions { keys_per_s: Some(100), ..RoomOptions::default() };
    let room = Room::new(&setup()).unwrap().with_options(options);
    let transport = MemoryTransport::guarded(guard(limits), source);
    Talk::new(Host::new(room, MemoryStorage::default()), transport)
}

#[test]
fn one_address_takes_four_seats_and_no_more() {
    let mut talk = guarded(strict());
    for who in ['a', 'b', 'c', 'd'] {
        talk.wait(1_000);
        assert_eq!(talk.hear(who, b"PLAY Eve")[0].split(' ').nth(1), Some("OK"));
    }
    talk.wait(1_000);
    check(&mut talk, 'e', "PLAY Eve", &["e> QUIT No more players may join from your address."]);
    assert_eq!(talk.host.room().game().players().len(), 4);
}

#[test]
fn one_address_joins_twice_in_a_second_and_no_faster() {
    let mut talk = guarded(strict());
    for who in ['a', 'b'] {
        talk.hear(who, b"PLAY Eve");
    }
    let refused = "c> QUIT Too many are joining: try again in a few seconds.";
    check(&mut talk, 'c', "PLAY Eve", &[refused]);
    talk.wait(2_000);
    assert!(talk.hear('c', b"PLAY Eve").len() > 3);
}

#[test]
fn private_networks_are_trusted_by_default() {
    let mut talk = guarded(Limits::default());
    for who in 'a'..='z' {
        assert!(talk.hear(who, b"PLAY Eve").len() > 3);
    }
}

#[test]
fn keys_beyond_the_rate_are_left_out_with_an_occasional_complaint() {
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
fn an_unproven_address_is_sent_32_kilobytes_and_then_nothing() {
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

/// The table is as large as a picture, and any datagram triggers another one.
#[test]
fn the_end_is_sent_to_clients_that_still_send_but_no_faster_than_keys_are_read() {
    let map = Map::parse(b"+--+\n|..|\n+--+\n").unwrap().map;
    let setup = Setup::new(map, Rules::default(), Seed::new(1), Dialect::V2021);
    let game = Game::arranged(&setup, vec![(Point::new(1, 2), 10)], vec![Point::new(1, 1)]);
    let mut talk = guarded(strict());
    let reliability = Reliability::default();
    let options = RoomOptions { reliability, keys_per_s: Some(100), ..RoomOptions::default() };
    talk.host.room = Room::with_game(game, Dialect::V2021).with_options(options);
    talk.hear('a', b"PLAY Ann");
    for _ in 0..5 {
        talk.now = talk.now.after(500);
        talk.hear('a', b"KEY x");
    }
    talk.hear('a', b"KEY l");
    assert!(talk.host.room().is_over() && !talk.host.room().is_closed());
    talk.now = talk.now.after(1);
    let answers: Vec<String> = (0..1_000).flat_map(|_| talk.hear('a', b"KEY h")).collect();
    let told = answers.iter().filter(|answer| answer.contains("GAME OVER")).count();
    assert!((100..=200).contains(&told), "{told}");
}

#[test]
fn a_former_spectator_gets_no_seat_beyond_the_limit() {
    let mut talk = guarded(strict());
    for who in ['a', 'b', 'c', 'd', 'e', 'f'] {
        talk.wait(3_000);
        talk.hear(who, b"SPECTATE");
        talk.hear(who, b"KEY Q");
        talk.hear(who, b"PLAY Eve");
    }
    assert_eq!(talk.host.room().game().players().len(), 4);
}

#[test]
fn the_join_limit_applies_to_a_spectator_who_left_and_plays() {
    let mut talk = guarded(strict());
    for who in ['a', 'b'] {
        talk.hear(who, b"SPECTATE");
    }
    talk.hear('b', b"KEY Q");
    let refused = "b> QUIT Too many are joining: try again in a few seconds.";
    check(&mut talk, 'b', "PLAY Eve", &[refused]);
}

#[test]
fn rooms_share_one_guard_and_its_limits() {
    let mut talk = guarded(strict());
    let mut other =
        Host::new(Room::new(&setup()).unwrap(), MemoryStorage::default()).with_manual_clock();
    for who in ['a', 'b', 'c', 'd'] {
        talk.wait(1_000);
        talk.hear(who, b"PLAY Eve");
    }
    talk.wait(1_000);
    other.set_time(talk.now);
    other.handle_message(&mut talk.transport, peer('e'), b"PLAY Eve");
    other.flush(&mut talk.transport).unwrap();
    let (to, payload) = talk.transport.sent.pop().unwrap();
    assert_eq!(
        (to, &payload[..]),
        (peer('e'), &b"QUIT No more players may join from your address."[..])
    );
    assert_eq!(other.room().game().players().len(), 0);
}

/// With all seats taken there is still memory for the next spectator.
#[test]
fn a_new_spectator_of_a_full_room_can_prove_that_it_listens() {
    let lenient = Limits { joins_per_s: None, seats_per_source: None, ..strict() };
    let mut talk = guarded(lenient);
    for who in 'A'..='Z' {
        talk.hear(who, b"PLAY Eve");
    }
    for who in ['s', 't'] {
        talk.hear(who, b"SPECTATE");
        for _ in 0..5 {
            talk.now = talk.now.after(500);
            talk.hear(who, b"KEY x");
        }
        assert!(talk.transport.guard().unwrap().has_proven(source(peer(who))));
    }
    assert!(!talk.transport.guard().unwrap().has_proven(source(peer('s'))), "it was replaced");
}

/// The room's own rejections come before those of the guard.
#[test]
fn a_full_game_and_a_blank_name_are_rejected_before_the_guard_is_asked() {
    let mut talk = guarded(Limits { seats_per_source: Some(1), joins_per_s: None, ..strict() });
    talk.hear('a', b"PLAY Eve");
    check(&mut talk, 'b', "PLAY ", &["b> QUIT Sorry - you must provide player's name."]);
    let refused = "b> QUIT No more players may join from your address.";
    check(&mut talk, 'b', "PLAY Eve", &[refused]);

    let only_seats = Limits { seats_per_source: Some(26), trust_private: false, ..Limits::none() };
    let mut talk = guarded(only_seats);
    for who in 'A'..='Z' {
        talk.hear(who, b"PLAY Eve");
    }
    let full = "b> QUIT Game is full: no more players can join.";
    check(&mut talk, 'b', "PLAY Eve", &[full]);
    check(&mut talk, 'b', "PLAY ", &[full]);
}

/// Messages of one batch are handled before anything is sent, so the goodbye is still to come.
#[test]
fn a_spectator_who_follows_one_that_quit_in_the_same_batch_can_prove_that_it_listens() {
    let lenient = Limits { joins_per_s: None, seats_per_source: None, ..strict() };
    let mut talk = guarded(lenient);
    for who in 'A'..='Z' {
        talk.hear(who, b"PLAY Eve");
    }
    talk.hear('s', b"SPECTATE");
    for (who, bytes) in [('s', &b"KEY Q"[..]), ('t', b"SPECTATE"), ('t', b"KEY Q")] {
        talk.host.handle_message(&mut talk.transport, peer(who), bytes);
    }
    talk.hear('u', b"SPECTATE");
    for _ in 0..5 {
        talk.now = talk.now.after(500);
        talk.hear('u', b"KEY x");
    }
    let guard = talk.transport.guard().unwrap();
    assert!(guard.has_proven(source(peer('u'))));
    assert!(!guard.has_proven(source(peer('s'))) && !guard.has_proven(source(peer('t'))));
}

#[test]
fn spectators_that_come_and_go_use_up_no_seats_of_the_guard() {
    let lenient = Limits { joins_per_s: None, spectators_per_s: None, ..strict() };
    let mut talk = guarded(lenient);
    for who in ('a'..='z').chain('A'..='Z') {
        talk.hear(who, b"SPECTATE");
        talk.hear(who, b"KEY Q");
    }
    talk.hear('1', b"SPECTATE");
    for _ in 0..5 {
        talk.now = talk.now.after(500);
        talk.hear('1', b"KEY x");
    }
    assert!(talk.transport.guard().unwrap().has_proven(source(peer('1'))));
}

#[test]
fn a_room_that_closes_frees_its_seats_in_the_guard() {
    let mut talk = guarded(Limits { joins_per_s: None, ..strict() });
    let mut other =
        Host::new(Room::new(&setup()).unwrap(), MemoryStorage::default()).with_manual_clock();
    for who in ['a', 'b', 'c', 'd'] {
        talk.hear(who, b"PLAY Eve");
    }
    talk.hear('s', b"SPECTATE");
    talk.host.close(&mut talk.transport).unwrap();
    other.handle_message(&mut talk.transport, peer('e'), b"PLAY Eve");
    assert_eq!(other.room().game().players().len(), 1, "the source has its four seats again");
}

/// A spoofed source may have requested the repeated welcome; a spectator has nothing else to send.
#[test]
fn asking_again_proves_that_a_spectator_listens_but_not_a_player() {
    let mut talk = guarded(Limits { joins_per_s: None, ..strict() });
    for (who, ask) in [('s', &b"SPECTATE"[..]), ('a', b"PLAY Ann")] {
        talk.hear(who, ask);
        for _ in 0..6 {
            talk.now = talk.now.after(500);
            talk.hear(who, ask);
        }
    }
    let guard = talk.transport.guard().unwrap();
    assert!(guard.has_proven(source(peer('s'))));
    assert!(!guard.has_proven(source(peer('a'))));
}

#[test]
fn a_spectator_whom_the_host_removes_has_no_seat_of_the_guard_any_more() {
    let mut talk = guarded(strict());
    talk.hear('s', b"SPECTATE");
    for _ in 0..5 {
        talk.now = talk.now.after(500);
        talk.hear('s', b"SPECTATE");
    }
    assert!(talk.transport.guard().unwrap().has_proven(source(peer('s'))));
    talk.host.remove_spectator(&mut talk.transport, QuitReason::Banned);
    assert_eq!(
        talk.flush(),
        ["s> QUIT The host has removed you from the game and banned your address."]
    );
    assert!(!talk.transport.guard().unwrap().has_proven(source(peer('s'))));
}

#[test]
fn a_player_who_asks_again_is_welcomed_twice_in_a_second() {
    let mut talk = guarded(strict());
    talk.hear('a', b"PLAY Ann");
    let welcomed = (0..5).filter(|_| !talk.hear('a', b"PLAY Ann").is_empty()).count();
    assert_eq!(welcomed, 2);
    let other = "a> ERROR You are already playing under another name.";
    check(&mut talk, 'a', "PLAY Bob", &[other]);
    // None of this has used up any of the four seats of its source.
    for who in ['b', 'c', 'd'] {
        talk.wait(1_000);
        assert!(talk.hear(who, b"PLAY Eve").len() > 3, "{who}");
    }
}

#[test]
fn a_trusted_player_may_press_keys_as_fast_as_it_can() {
    let mut talk = guarded(Limits::default());
    talk.hear('a', b"PLAY Ann");
    let answers: Vec<String> = (0..400).flat_map(|_| talk.hear('a', b"KEY x")).collect();
    assert_eq!(answers, ["a> ERROR unknown keystroke"; 400]);
}
