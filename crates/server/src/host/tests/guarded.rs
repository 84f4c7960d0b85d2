//! A room with a guard.

use nuggets_game::{Game, Map, Point};

use super::*;

fn guarded(limits: Limits) -> Talk {
    let options = RoomOptions { keys_per_s: Some(100), ..RoomOptions::default() };
    let room = Room::new(&setup()).unwrap().with_options(options);
    let transport = MemoryTransport::guarded(guard(limits), source);
    Talk::new(Host::new(room, MemoryStorage::default()), transport)
}

/// Sends this often enough to prove that a client listens.
fn prove(talk: &mut Talk, who: char, says: &[u8]) {
    for _ in 0..5 {
        talk.now = talk.now.after(500);
        talk.hear(who, says);
    }
}

fn has_proven(talk: &mut Talk, who: char) -> bool {
    talk.transport.guard().unwrap().has_proven(source(peer(who)))
}

/// A full room with limits that allow it.
fn full() -> Talk {
    let mut talk = guarded(Limits { joins_per_s: None, seats_per_source: None, ..strict() });
    for who in 'A'..='Z' {
        talk.hear(who, b"PLAY Eve");
    }
    talk
}

#[test]
fn keys_beyond_the_rate_are_left_out_with_an_occasional_complaint_unless_the_player_is_trusted() {
    for (limits, handled, complaints) in [(strict(), 200, 1), (Limits::default(), 400, 0)] {
        let mut talk = guarded(limits);
        talk.hear('a', b"PLAY Ann");
        let answers: Vec<String> = (0..400).flat_map(|_| talk.hear('a', b"KEY x")).collect();
        let told = |words: &str| answers.iter().filter(|answer| answer.contains(words)).count();
        assert_eq!(told("unknown keystroke"), handled, "two seconds' worth");
        assert_eq!(told("You press keys too fast"), complaints);
        talk.wait(1_000);
        check(&mut talk, 'a', "KEY x", &["a> ERROR unknown keystroke"]);
    }
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
    prove(&mut talk, 'a', b"KEY x");
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
fn rooms_share_one_guard_and_its_limits_and_one_that_closes_frees_its_seats() {
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
    talk.hear('s', b"SPECTATE");
    talk.host.close(&mut talk.transport).unwrap();
    other.handle_message(&mut talk.transport, peer('e'), b"PLAY Eve");
    assert_eq!(other.room().game().players().len(), 1, "the source has its four seats again");
}

/// With all seats taken there is still memory for the next spectator.
#[test]
fn a_new_spectator_of_a_full_room_can_prove_that_it_listens() {
    let mut talk = full();
    for who in ['s', 't'] {
        talk.hear(who, b"SPECTATE");
        prove(&mut talk, who, b"KEY x");
        assert!(has_proven(&mut talk, who));
    }
    assert!(!has_proven(&mut talk, 's'), "it was replaced");
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
    let mut talk = full();
    talk.hear('s', b"SPECTATE");
    for (who, bytes) in [('s', &b"KEY Q"[..]), ('t', b"SPECTATE"), ('t', b"KEY Q")] {
        talk.host.handle_message(&mut talk.transport, peer(who), bytes);
    }
    talk.hear('u', b"SPECTATE");
    prove(&mut talk, 'u', b"KEY x");
    assert_eq!(['s', 't', 'u'].map(|who| has_proven(&mut talk, who)), [false, false, true]);
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
    prove(&mut talk, '1', b"KEY x");
    assert!(has_proven(&mut talk, '1'));
}

/// A spoofed source may have requested the repeated welcome; a spectator has nothing else to send.
#[test]
fn asking_again_proves_that_a_spectator_listens_but_not_a_player() {
    let mut talk = guarded(Limits { joins_per_s: None, ..strict() });
    for (who, ask) in [('s', &b"SPECTATE"[..]), ('a', b"PLAY Ann")] {
        talk.hear(who, ask);
        prove(&mut talk, who, ask);
    }
    assert_eq!(['s', 'a'].map(|who| has_proven(&mut talk, who)), [true, false]);
}

#[test]
fn a_spectator_whom_the_host_removes_has_no_seat_of_the_guard_any_more() {
    let mut talk = guarded(strict());
    talk.hear('s', b"SPECTATE");
    prove(&mut talk, 's', b"SPECTATE");
    assert!(has_proven(&mut talk, 's'));
    talk.host.remove_spectator(&mut talk.transport, QuitReason::Banned);
    assert_eq!(
        talk.flush(),
        ["s> QUIT The host has removed you from the game and banned your address."]
    );
    assert!(!has_proven(&mut talk, 's'));
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
