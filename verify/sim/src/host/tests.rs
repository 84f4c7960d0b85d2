//! Runs without a fault, and injected faults that must be found.

use super::*;
use crate::kit::Plan;
use crate::kit::testing::{check_sabotages, play_all};

#[test]
fn two_thousand_hosts_lose_nothing() {
    let total = play_all::<HostRun>(0..2_000, HostPlan::draw);
    for (name, least) in [
        ("over", 500),
        ("drops", 10_000),
        ("crashes", 2_000),
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
