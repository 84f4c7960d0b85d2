//! Going there by seeking is going there step by step.

use nuggets_game::{Chance, Seed};

use super::*;
use crate::tests::{Played, usual_header, varied_header};

fn recorded(entries: usize) -> (Played, Recording) {
    let mut played = Played::new(varied_header());
    played.play(entries, &mut Chance::new(Seed::new(8)));
    let recording = Recording::read(&played.bytes).unwrap().recording;
    (played, recording)
}

#[test]
fn seeking_is_the_same_as_stepping_within_any_memory() {
    let (played, recording) = recorded(700);
    let last = recording.records.len();
    for budget in [0, 20_000, KEEP_AT_MOST_BYTES] {
        let mut replay = Replay::within(recording.clone(), budget).unwrap();
        let mut chance = Chance::new(Seed::new(2));
        for round in 0..60 {
            let to = [last, 0, chance.index(last + 1)][round.min(2)];
            replay.seek(to).unwrap();
            assert_eq!(replay.position(), to);
            let expected = &played.games[to];
            assert_eq!(replay.game().state_hash(), expected.state_hash(), "{to} within {budget}");
            if to < last {
                let entry = replay.step().unwrap().unwrap().entry;
                assert_eq!(*entry, played.entries[to]);
            }
        }
    }
}

#[test]
fn past_the_end_is_the_end() {
    let (_, recording) = recorded(20);
    let mut replay = Replay::new(recording).unwrap();
    replay.seek(usize::MAX).unwrap();
    assert_eq!(replay.position(), 20);
    assert!(replay.step().unwrap().is_none());
}

#[test]
fn what_is_kept_stays_within_its_memory_and_evenly_spaced() {
    let mut played = Played::new(usual_header());
    played.play(1200, &mut Chance::new(Seed::new(8)));
    let recording = Recording::read(&played.bytes).unwrap().recording;
    let budget = 9 * bytes(played.game());
    let mut replay = Replay::within(recording, budget).unwrap();
    replay.seek(usize::MAX).unwrap();
    let snapshots = &replay.snapshots;
    assert!(snapshots.bytes <= budget && snapshots.kept.len() > 3, "{}", snapshots.kept.len());
    assert!(snapshots.spacing > FIRST_SPACING);
    let places = snapshots.kept.iter().map(|run| run.done);
    assert!(places.eq((0..snapshots.kept.len()).map(|n| n * snapshots.spacing)));
}

#[test]
fn going_back_is_from_the_nearest_game_that_was_kept() {
    let (_, recording) = recorded(700);
    let mut replay = Replay::new(recording).unwrap();
    replay.seek(700).unwrap();
    assert_eq!(replay.snapshots.before(699).done, 640);
    assert_eq!(replay.snapshots.before(640).done, 640);
    assert_eq!(replay.snapshots.before(63).done, 0);
}
