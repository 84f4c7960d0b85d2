//! Many games, and proof that what is wrong is found.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::net::Weather;

fn play(seeds: Range<u64>, draw: impl Fn(u64) -> Plan + Sync) -> Total {
    play_many(seeds, 2, &AtomicBool::new(false), draw, |_| {})
}

fn assert_no_failures(total: &Total) {
    if let Some(first) = total.failures.first() {
        panic!("{} failures, the first is\n{first}", total.failures.len());
    }
}

#[test]
fn two_thousand_games_in_any_weather_go_well() {
    let total = play(1..2_001, Plan::draw);
    assert_no_failures(&total);
    assert_eq!(total.games, 2_000);
    assert!((500..1_900).contains(&total.over), "some end and some don't: {total:?}");
    assert!(total.compared > 50_000, "{total:?}");
    assert!(total.tally.lost > 50_000 && total.tally.damaged > 500, "{total:?}");
}

/// 30 % loss each way, in every game.
#[test]
fn every_bot_game_through_heavy_losses_ends_and_everybody_knows_the_result() {
    let lossy = |seed| {
        let plan = Plan::draw_bot_game(seed);
        Plan { weather: Weather { loss: 30, ..plan.weather.clone() }, ..plan }
    };
    let total = play(1..501, lossy);
    assert_no_failures(&total);
    assert_eq!((total.games, total.over), (500, 500));
    assert_eq!((total.informed, total.seated), (total.clients, total.clients));
    assert!(total.clients > 1_000, "{total:?}");
}

#[test]
fn a_seed_is_the_same_run_every_time_and_another_seed_another() {
    for seed in 1..40 {
        let once = Run::new(seed).traced().play().unwrap();
        assert_eq!(once, Run::new(seed).traced().play().unwrap());
        assert_ne!(once.digest, Run::new(seed + 1).play().unwrap().digest);
        assert!(once.trace.len() > 10 && Run::new(seed).play().unwrap().trace.is_empty());
    }
}

#[test]
fn the_total_is_the_same_for_any_number_of_threads() {
    let total = |jobs| play_many(1..60, jobs, &AtomicBool::new(false), Plan::draw, |_| {});
    assert_eq!(total(1), total(3));
}

#[test]
fn a_room_that_says_everything_once_is_noticed() {
    let total = play(1..100, |seed| Plan::draw(seed).sabotaged(Sabotage::Repeats));
    let left = |words: &str| total.failures.iter().any(|failure| failure.what.contains(words));
    assert!(left("is left with a wrong picture"), "{total:?}");
    assert!(total.failures.iter().all(|failure| failure.trace.len() <= 30));
}

#[test]
fn a_room_that_does_not_linger_is_noticed() {
    let hasty = |seed| {
        let mut plan = Plan::draw_bot_game(seed);
        plan.care.linger_ms = 0;
        plan
    };
    let total = play(1..100, hasty);
    let words = "does not know the result";
    assert!(total.failures.iter().any(|failure| failure.what.contains(words)), "{total:?}");
}

/// Nobody can speak in no time at all.
#[test]
fn a_panic_is_a_failure_with_its_seed_and_the_others_go_on() {
    let total = play(1..20, |seed| {
        let mut plan = Plan::draw(seed);
        if seed == 7 {
            plan.parts[0] = Part { cast: Cast::Script, pace_ms: 0, ..plan.parts[0] };
        }
        plan
    });
    let [failure] = &total.failures[..] else { panic!("{total:?}") };
    assert_eq!((total.games, failure.seed), (19, 7));
    assert_eq!(failure.what, "somebody panicked: there is no number below 0");
    let told = failure.to_string();
    assert!(told.starts_with("seed 7 failed at 0."), "{told}");
    assert!(told.contains(&format!("\n  {}\n", failure.setting)), "{told}");
}

#[test]
fn a_room_with_other_rules_than_the_model_is_noticed() {
    let changes: [fn(&mut Plan); 5] = [
        |plan| plan.room_rules.sprint_stops = !plan.room_rules.sprint_stops,
        |plan| plan.room_rules.end_when_empty = !plan.room_rules.end_when_empty,
        |plan| plan.room_rules.steal = !plan.room_rules.steal,
        |plan| plan.room_rules.drop_on_quit = !plan.room_rules.drop_on_quit,
        |plan| plan.room_rules.vision = Some(3),
    ];
    for (number, change) in changes.iter().enumerate() {
        let total = play(1..100, |seed| {
            let mut plan = Plan::draw(seed);
            change(&mut plan);
            plan
        });
        assert!(!total.failures.is_empty(), "change {number} goes unnoticed");
    }
}
