//! Many runs without a fault, and tests that injected faults are found.

use nuggets_protocol::Dialect;

use super::*;
use crate::kit::testing::{check_sabotages, play_all, play_seeds};
use crate::kit::{Failure, play};
use crate::net::NetworkConditions;

#[test]
fn two_thousand_games_over_bad_networks_have_no_fault() {
    let total = play_all::<RoomRun>(1..2_001, RoomPlan::draw);
    assert_eq!(total.runs, 2_000);
    let over = total.figures.get("over");
    assert!((500..1_900).contains(&over), "some games end and some don't: {total:?}");
    for (name, least) in
        [("compared", 50_000), ("lost", 50_000), ("damaged", 500), ("crashes", 1_500)]
    {
        assert!(total.figures.get(name) > least, "{name}: {total:?}");
    }
}

/// In the first two the server crashed several times while it sent the end, and a bot stopped asking for the table just
/// before it came. In the third a client was cut off when the game ended, and had left when the server was restarted.
#[test]
fn seeds_that_once_failed_pass() {
    for seed in
        [2_466_510, 2_928_471, 3_003_748, 27_070, 89_904, 100_077, 400_214, 440_839, 8_337_128]
    {
        play(RoomRun::new(RoomPlan::draw(seed))).unwrap();
    }
}

/// 30 % loss each way, in every game.
#[test]
fn every_bot_game_through_heavy_losses_ends_and_every_bot_knows_the_result() {
    let lossy = |seed| {
        let plan = RoomPlan::draw_bot_game(seed);
        RoomPlan { network: NetworkConditions { loss: 30, ..plan.network.clone() }, ..plan }
    };
    let total = play_all::<RoomRun>(1..501, lossy);
    let figures = ["over", "clients", "informed", "seated", "crashes"];
    let [over, clients, informed, seated, crashes] = figures.map(|name| total.figures.get(name));
    assert_eq!((total.runs, over), (500, 500));
    assert_eq!((informed, seated), (clients, clients));
    assert!(clients > 1_000 && crashes > 300, "{total:?}");
}

#[test]
fn every_broken_rule_is_noticed_for_its_own_reason() {
    check_sabotages::<RoomRun>(&(1..100));
}

/// Without the model the clients would notice it, too.
#[test]
fn clients_of_a_room_without_resends_are_left_with_wrong_pictures() {
    let total = play_seeds::<RoomRun>(1..100, |seed| {
        let mut plan = RoomPlan::draw(seed);
        plan.room_reliability.resends = false;
        plan.reliability = plan.room_reliability;
        plan
    });
    let is_noticed = |failure: &Failure| failure.fault.contains("a wrong picture");
    assert!(total.failures.iter().any(is_noticed), "{total:?}");
}

#[test]
fn clients_of_a_room_that_closes_at_once_do_not_know_the_result() {
    let hasty = |seed| {
        let mut plan = RoomPlan::draw_bot_game(seed);
        plan.reliability.linger_ms = 0;
        plan.room_reliability.linger_ms = 0;
        plan
    };
    let total = play_seeds::<RoomRun>(1..100, hasty);
    let is_noticed = |failure: &Failure| failure.fault.contains("does not know the result");
    assert!(total.failures.iter().any(is_noticed), "{total:?}");
}

#[test]
fn a_run_that_gets_nowhere_fails_with_its_seed() {
    let total =
        play_seeds::<RoomRun>(1..4, |seed| RoomPlan { max_steps: 20, ..RoomPlan::draw(seed) });
    let stuck = total.failures.iter().filter(|it| it.fault.contains("gets nowhere"));
    assert_eq!(stuck.map(|failure| failure.seed).collect::<Vec<_>>(), [1, 2, 3]);
}

/// No interval of 0 ms can be drawn.
#[test]
fn a_panic_fails_its_own_run_only() {
    let total = play_seeds::<RoomRun>(1..20, |seed| {
        let mut plan = RoomPlan::draw(seed);
        if seed == 7 {
            plan.clients[0] =
                ClientPlan { kind: ClientKind::Script, key_interval_ms: 0, ..plan.clients[0] };
        }
        plan
    });
    let [failure] = &total.failures[..] else { panic!("{total:?}") };
    assert_eq!((total.runs, failure.seed), (19, 7));
    assert_eq!(failure.fault, "panic: there is no number below 0");
    let report = failure.to_string();
    assert!(report.starts_with("seed 7 failed at 0."), "{report}");
    assert!(report.contains(&format!("\n  {}\n", failure.setting)), "{report}");
}

/// A comparison that does not notice other rules would be worth nothing.
#[test]
fn a_room_with_other_rules_than_the_model_is_noticed() {
    let is_noticed = |change: fn(&mut RoomPlan)| {
        (1..100).any(|seed| {
            let mut plan = RoomPlan::draw(seed);
            change(&mut plan);
            play(RoomRun::new(plan)).is_err()
        })
    };
    let changes: [fn(&mut RoomPlan); 8] = [
        |plan| plan.sight_dialect = Dialect::V2021,
        |plan| plan.sight_dialect = Dialect::V2019,
        |plan| plan.room_rules.sprint_stops = !plan.room_rules.sprint_stops,
        |plan| plan.room_rules.end_when_empty = !plan.room_rules.end_when_empty,
        |plan| plan.room_rules.steal = !plan.room_rules.steal,
        |plan| plan.room_rules.drop_on_quit = !plan.room_rules.drop_on_quit,
        |plan| plan.room_rules.vision = Some(plan.room_rules.vision.map_or(3, |reach| reach + 1)),
        |plan| plan.room_rules.max_players = 2,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        assert!(is_noticed(change), "change {number} goes unnoticed");
    }
}

/// The simulation plays on few of the built-in maps, and rarely.
#[test]
fn games_on_every_built_in_map_have_no_fault() {
    for shipped in nuggets_game::shipped::ALL {
        for seed in 1..4 {
            let plan = RoomPlan::draw(seed);
            let rules = nuggets_game::Rules { max_players: 26, ..plan.rules };
            let map = shipped.text.to_owned();
            play(RoomRun::new(RoomPlan { map, rules, room_rules: rules, ..plan })).unwrap();
        }
    }
}
