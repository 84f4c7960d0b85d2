//! Runs without a fault, and broken rules that must be noticed.

use super::*;
use crate::host::HostFailure;

fn play(seeds: std::ops::Range<u64>) -> ClusterTotal {
    let mut total = ClusterTotal::default();
    seeds.for_each(|seed| total.add(ClusterRun::new(seed).play()));
    total
}

#[test]
fn two_thousand_clusters_are_safe_and_served_again() {
    let total = std::thread::scope(|scope| {
        let other = scope.spawn(|| play(1_000..2_000));
        let mut total = play(0..1_000);
        let other = other.join().unwrap();
        total.failures.extend(other.failures);
        let sums =
            [&total.sums, &other.sums].map(|sums| [sums.claims, sums.handed_over, sums.over]);
        assert!(sums.iter().flatten().all(|count| *count > 100), "{sums:?}");
        total
    });
    let first: Vec<&HostFailure> = total.failures.iter().take(3).collect();
    assert!(total.failures.is_empty(), "{} failed: {first:#?}", total.failures.len());
    let sums = &total.sums;
    assert!(sums.pictures > 20_000 && sums.acted > 10_000 && sums.unanswered > 1_000, "{sums:?}");
}

#[test]
fn every_broken_rule_is_noticed() {
    let unnoticed = ClusterSabotage::ALL.into_iter().filter(|sabotage| {
        let is_noticed = |seed| {
            let plan = ClusterPlan::draw(seed).sabotaged(*sabotage);
            ClusterRun::from_plan(plan).play().is_err()
        };
        !(0..600).any(is_noticed)
    });
    assert_eq!(unnoticed.collect::<Vec<_>>(), []);
}
