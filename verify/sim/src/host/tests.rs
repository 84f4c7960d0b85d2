//! Runs without a fault, and faults that must be noticed.

use super::*;

#[test]
fn two_thousand_hosts_lose_nothing() {
    let played = std::thread::scope(|scope| {
        let halves = [0..1_000, 1_000..2_000].map(|seeds: std::ops::Range<u64>| {
            scope.spawn(|| seeds.map(|seed| HostRun::new(seed).play()).collect::<Vec<_>>())
        });
        halves.map(|half| half.join().unwrap())
    });
    let mut total = HostTotal::default();
    played.into_iter().flatten().for_each(|played| total.add(played));
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    let HostOutcome { over, drops, crashes, pictures, settled, .. } = total.sums;
    assert!(over > 500 && drops > 10_000 && crashes > 2_000, "{:?}", total.sums);
    assert!(pictures > 40_000 && settled > 4_000, "{:?}", total.sums);
    assert!(total.sums.datagrams > 100_000 && total.sums.lost > 10_000, "{:?}", total.sums);
}

#[test]
fn a_journal_that_loses_entries_is_noticed() {
    let noticed = (0..20).filter(|seed| {
        let plan = HostPlan { loses_journals: true, crashes: 100, ..HostPlan::draw(*seed) };
        HostRun::from_plan(plan).play().is_err()
    });
    assert!(noticed.count() > 10);
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
