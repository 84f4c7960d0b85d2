//! Runs without a fault, and broken rules that must be noticed.

use super::*;
use crate::kit::testing::{check_sabotages, play_all, play_seeds};

#[test]
fn two_thousand_clusters_are_safe_and_served_again() {
    let total = play_all::<ClusterRun>(0..2_000, ClusterPlan::draw);
    for (name, least) in [
        ("claims", 200),
        ("handed_over", 200),
        ("over", 200),
        ("pictures", 20_000),
        ("acted", 10_000),
        ("unanswered", 1_000),
    ] {
        assert!(total.figures.get(name) > least, "{name}: {total:?}");
    }
}

/// The database lost a claim, and the owner that it was lost for appended behind a record of another node.
#[test]
fn seeds_that_once_failed_pass() {
    play_all::<ClusterRun>(142_500..142_501, ClusterPlan::draw);
}

#[test]
fn every_broken_rule_is_noticed_for_its_own_reason() {
    check_sabotages::<ClusterRun>(&(0..2_000));
}

/// Leases decide who tries to claim a game, never who may write.
#[test]
fn claims_at_any_time_cost_only_time() {
    let any_time = |seed| ClusterPlan { ignores_leases: true, ..ClusterPlan::draw(seed) };
    let total = play_seeds::<ClusterRun>(0..300, any_time);
    let unsafe_run = total.failures.iter().find(|it| !it.fault.contains("not served"));
    assert!(unsafe_run.is_none(), "{}", unsafe_run.unwrap());
}
