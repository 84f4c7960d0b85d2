//! Runs without a fault, and broken rules that must be noticed.

use super::*;

#[test]
fn two_thousand_clusters_lose_nothing() {
    let played = std::thread::scope(|scope| {
        let halves = [0..1_000, 1_000..2_000].map(|seeds: std::ops::Range<u64>| {
            scope.spawn(|| seeds.map(|seed| ClusterRun::new(seed).play()).collect::<Vec<_>>())
        });
        halves.map(|half| half.join().unwrap())
    });
    let mut total = ClusterTotal::default();
    played.into_iter().flatten().for_each(|played| total.add(played));
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    let ClusterOutcome { faults, lost, doubled, records, answered, openings, .. } = total.sums;
    assert!(faults > 10_000 && lost > 50_000 && doubled > 3_000, "{:?}", total.sums);
    assert!(records > 400_000 && answered > 600_000 && openings > 8_000, "{:?}", total.sums);
    let ClusterOutcome { pauses, contradictions, hand_overs, .. } = total.sums;
    assert!(total.sums.longest_broker_loss_ms < 2_000, "{:?}", total.sums);
    assert!(pauses > 2_000 && contradictions > 100 && hand_overs > 1_500, "{:?}", total.sums);
}

/// The rule is broken in up to 100 runs: what is noticed first must be what the rule prevents.
fn assert_noticed(sabotage: ClusterSabotage, expected: &str) {
    let plans = (0..100).map(|seed| ClusterPlan::draw(seed).sabotaged(sabotage));
    let noticed = plans.filter_map(|plan| ClusterRun::from_plan(plan).play().err());
    let failure = noticed.take(8).find(|failure| failure.what.contains(expected));
    assert!(failure.is_some(), "without the rule '{sabotage}' it is not noticed that: {expected}");
}

#[test]
fn without_the_expected_sequence_two_owners_write() {
    assert_noticed(ClusterSabotage::Sequence, "was stored behind");
}

#[test]
fn without_the_epoch_record_an_earlier_owner_still_writes() {
    assert_noticed(ClusterSabotage::Fence, "was written in epoch");
}

#[test]
fn without_a_fence_in_every_stream_an_earlier_owner_writes_in_the_other() {
    assert_noticed(ClusterSabotage::Streams, "was written in epoch");
}

#[test]
fn what_is_shown_before_the_acknowledgement_may_not_be_stored() {
    assert_noticed(ClusterSabotage::Ack, "are shown that are not the first");
}

#[test]
fn what_was_not_answered_may_not_be_stored() {
    assert_noticed(ClusterSabotage::Silence, "are shown that are not the first");
}

#[test]
fn an_owner_that_does_not_read_the_end_of_the_log_forgets_it() {
    assert_noticed(ClusterSabotage::Tail, "was stored behind");
}

#[test]
fn a_log_that_is_completed_without_proof_may_be_another_one() {
    assert_noticed(ClusterSabotage::Proof, "contradicts its own file");
}

#[test]
fn a_contradiction_that_is_guessed_away_is_noticed() {
    assert_noticed(ClusterSabotage::Contradiction, "contradicts its own file");
}

#[test]
fn a_frame_that_is_sent_again_without_a_number_is_applied_twice() {
    assert_noticed(ClusterSabotage::Numbers, "was applied twice");
}

#[test]
fn a_new_owner_without_the_marks_applies_a_frame_again() {
    assert_noticed(ClusterSabotage::Marks, "was applied twice");
}

#[test]
fn a_key_that_hung_in_an_earlier_connection_is_applied_late() {
    assert_noticed(ClusterSabotage::Order, "after a later key");
}

#[test]
fn without_tokens_anybody_presses_keys_for_a_player() {
    assert_noticed(ClusterSabotage::Tokens, "a forged key was applied");
}

#[test]
fn a_node_that_may_speak_for_others_presses_their_keys() {
    assert_noticed(ClusterSabotage::Senders, "a forged key was applied");
}

#[test]
fn a_client_that_is_shown_every_picture_sees_the_game_go_back() {
    assert_noticed(ClusterSabotage::Pictures, "keys, then");
}

#[test]
fn a_hand_over_to_a_node_that_has_not_read_the_log_takes_too_long() {
    assert_noticed(ClusterSabotage::Prepare, "the hand-over of");
}

#[test]
fn without_a_take_over_games_are_not_served() {
    assert_noticed(ClusterSabotage::Takeover, "is not served");
}

#[test]
fn a_seed_gives_the_same_run_every_time() {
    for seed in 0..10 {
        assert_eq!(ClusterRun::new(seed).play(), ClusterRun::new(seed).play());
    }
}
