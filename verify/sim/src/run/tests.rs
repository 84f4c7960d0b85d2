//! Many runs without a fault, and tests that injected faults are found.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::net::NetworkConditions;

fn play(seeds: Range<u64>, draw: impl Fn(u64) -> RunPlan + Sync) -> RunTotal {
    play_many(seeds, 2, &AtomicBool::new(false), draw, |_| {})
}

fn assert_no_failures(total: &RunTotal) {
    if let Some(first) = total.failures.first() {
        panic!("{} failures, the first is\n{first}", total.failures.len());
    }
}

#[test]
fn two_thousand_games_over_bad_networks_have_no_fault() {
    let total = play(1..2_001, RunPlan::draw);
    assert_no_failures(&total);
    assert_eq!(total.games, 2_000);
    assert!((500..1_900).contains(&total.over), "some games end and some don't: {total:?}");
    assert!(total.compared > 50_000, "{total:?}");
    assert!(total.tally.lost > 50_000 && total.tally.damaged > 500, "{total:?}");
    assert!(total.crashes > 1_500, "{total:?}");
}

/// In the first two the server crashed several times while it sent the end, and a bot stopped asking for the table just
/// before it came. In the third a client was cut off when the game ended, and had left when the server was restarted.
#[test]
fn seeds_that_once_failed_pass() {
    for seed in
        [2_466_510, 2_928_471, 3_003_748, 27_070, 89_904, 100_077, 400_214, 440_839, 8_337_128]
    {
        if let Err(failure) = Run::new(seed).play() {
            panic!("{failure}");
        }
    }
}

/// 30 % loss each way, in every game.
#[test]
fn every_bot_game_through_heavy_losses_ends_and_every_bot_knows_the_result() {
    let lossy = |seed| {
        let plan = RunPlan::draw_bot_game(seed);
        RunPlan { network: NetworkConditions { loss: 30, ..plan.network.clone() }, ..plan }
    };
    let total = play(1..501, lossy);
    assert_no_failures(&total);
    assert_eq!((total.games, total.over), (500, 500));
    assert_eq!((total.informed, total.seated), (total.clients, total.clients));
    assert!(total.clients > 1_000 && total.crashes > 300, "{total:?}");
}

#[test]
fn a_seed_is_the_same_run_every_time_and_another_seed_another() {
    for seed in 1..40 {
        let once = Run::new(seed).with_full_trace().play().unwrap();
        assert_eq!(once, Run::new(seed).with_full_trace().play().unwrap());
        assert_ne!(once.digest, Run::new(seed + 1).play().unwrap().digest);
        assert!(once.trace.len() > 10 && Run::new(seed).play().unwrap().trace.is_empty());
    }
}

#[test]
fn the_total_is_the_same_for_any_number_of_threads() {
    let total = |jobs| play_many(1..60, jobs, &AtomicBool::new(false), RunPlan::draw, |_| {});
    assert_eq!(total(1), total(3));
}

#[test]
fn a_room_that_keeps_other_times_than_the_model_is_noticed() {
    for sabotage in [Sabotage::Resends, Sabotage::Idle, Sabotage::Linger] {
        let total = play(1..100, |seed| RunPlan::draw(seed).sabotaged(sabotage));
        let is_noticed = |failure: &RunFailure| matches!(failure.fault, RunFault::Room(_));
        assert!(total.failures.iter().any(is_noticed), "{sabotage:?}: {total:?}");
        assert!(total.failures.iter().all(|failure| failure.trace.len() <= 30));
    }
}

/// Without the model the clients would notice it, too.
#[test]
fn clients_of_a_room_without_resends_are_left_with_wrong_pictures() {
    let total = play(1..100, |seed| {
        let mut plan = RunPlan::draw(seed).sabotaged(Sabotage::Resends);
        plan.reliability = plan.room_reliability;
        plan
    });
    let is_noticed = |failure: &RunFailure| matches!(failure.fault, RunFault::WrongPicture { .. });
    assert!(total.failures.iter().any(is_noticed), "{total:?}");
}

#[test]
fn clients_of_a_room_that_closes_at_once_do_not_know_the_result() {
    let hasty = |seed| {
        let mut plan = RunPlan::draw_bot_game(seed);
        plan.reliability.linger_ms = 0;
        plan.room_reliability.linger_ms = 0;
        plan
    };
    let total = play(1..100, hasty);
    let is_noticed = |failure: &RunFailure| matches!(failure.fault, RunFault::ResultUnknown { .. });
    assert!(total.failures.iter().any(is_noticed), "{total:?}");
}

#[test]
fn a_run_that_gets_nowhere_fails_with_its_seed() {
    let total = play(1..4, |seed| RunPlan { max_steps: 20, ..RunPlan::draw(seed) });
    let stuck = |failure: &RunFailure| (failure.seed, failure.fault.clone());
    let failures: Vec<_> = total.failures.iter().map(stuck).collect();
    assert_eq!(failures, [1, 2, 3].map(|seed| (seed, RunFault::Stuck)));
}

/// No interval of 0 ms can be drawn.
#[test]
fn a_panic_fails_its_own_run_only() {
    let total = play(1..20, |seed| {
        let mut plan = RunPlan::draw(seed);
        if seed == 7 {
            plan.clients[0] =
                ClientPlan { kind: ClientKind::Script, key_interval_ms: 0, ..plan.clients[0] };
        }
        plan
    });
    let [failure] = &total.failures[..] else { panic!("{total:?}") };
    assert_eq!((total.games, failure.seed), (19, 7));
    assert_eq!(failure.fault.to_string(), "panic: there is no number below 0");
    let report = failure.to_string();
    assert!(report.starts_with("seed 7 failed at 0."), "{report}");
    assert!(report.contains(&format!("\n  {}\n", failure.setting)), "{report}");
}

#[test]
fn a_room_with_other_rules_than_the_model_is_noticed() {
    let changes: [fn(&mut RunPlan); 5] = [
        |plan| plan.room_rules.sprint_stops = !plan.room_rules.sprint_stops,
        |plan| plan.room_rules.end_when_empty = !plan.room_rules.end_when_empty,
        |plan| plan.room_rules.steal = !plan.room_rules.steal,
        |plan| plan.room_rules.drop_on_quit = !plan.room_rules.drop_on_quit,
        |plan| plan.room_rules.vision = Some(3),
    ];
    for (number, change) in changes.iter().enumerate() {
        let total = play(1..100, |seed| {
            let mut plan = RunPlan::draw(seed);
            change(&mut plan);
            plan
        });
        assert!(!total.failures.is_empty(), "change {number} goes unnoticed");
    }
}
