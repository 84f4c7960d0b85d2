//! Runs without a fault, and injected faults that must be found.

use super::*;
use crate::kit::testing::{check_sabotages, play_all};

#[test]
fn two_thousand_hosts_lose_nothing() {
    let total = play_all::<HostRun>(0..2_000, HostRun::draw);
    for (name, least) in [
        ("over", 500),
        ("drops", 10_000),
        ("faults", 2_000),
        ("pictures", 40_000),
        ("settled", 4_000),
        ("datagrams", 100_000),
        ("datagrams_lost", 10_000),
    ] {
        assert!(total.figures.get(name) > least, "{name}: {total:?}");
    }
}

#[test]
fn every_broken_rule_is_noticed_for_its_own_reason() {
    check_sabotages::<HostRun>(&(0..20));
}

#[test]
fn a_screen_notices_a_gap_and_foreign_purses() {
    let hello = r#"{"hello":{"game":"g","letter":"A","view":"A","name":"Ann","rows":1,"cols":3,"stream":"s"}}"#;
    let mut screen = Screen::default();
    screen.handle_text(hello).unwrap();
    assert!(screen.clone().handle_text(r#"{"seq":1,"set":[[0,"@"]]}"#).is_err(), "no picture yet");
    screen.handle_text(r#"{"seq":1,"whole":["@. "]}"#).unwrap();
    screen.handle_text("{\"seq\":2,\"set\":[[0,\".@\"]]}\n{\"seq\":3,\"gold\":[1,1,9]}").unwrap();
    assert_eq!((screen.picture().rows, screen.shown.pictures.len()), (".@ ".into(), 2));
    assert!(screen.clone().handle_text(r#"{"seq":3}"#).is_err(), "the same again");
    assert!(screen.clone().handle_text(r#"{"seq":5}"#).is_err(), "a gap");
    assert!(screen.clone().handle_text(r#"{"seq":4,"purses":[1]}"#).is_err(), "foreign purses");
    let other = hello.replace(r#""letter":"A""#, r#""letter":"B""#);
    assert!(screen.handle_text(&other).is_err(), "another seat");
}

#[test]
fn a_key_that_was_applied_twice_or_late_is_noticed() {
    let applied = |keys: &[u8]| {
        let mut seat = Seat::default();
        seat.keys = keys.to_vec();
        seat.find_keys(|at| b"hjklyubn".get(at).copied())
    };
    assert_eq!(applied(b"hkln"), Ok(()));
    assert!(applied(b"hhk").is_err() && applied(b"jh").is_err());
}

#[test]
fn a_hole_and_an_old_epoch_are_noticed() {
    let check = |rows: &[(u64, u64)]| {
        let mut journal = WatchedJournal::default();
        rows.iter().try_for_each(|(number, epoch)| journal.add(*number, *epoch, &[7]))
    };
    assert_eq!(check(&[(0, 1), (1, 1), (2, 3)]), Ok(()));
    for wrong in [&[(0, 1), (2, 1)][..], &[(0, 2), (1, 1)], &[(1, 1)]] {
        assert!(check(wrong).is_err(), "{wrong:?}");
    }
}
