//! Seeking gives the same game as stepping.

use nuggets_game::{Rng, Seed};

use super::*;
use crate::tests::{Played, usual_header, varied_header};

fn recorded(entries: usize) -> (Played, Recording) {
    let mut played = Played::new(varied_header());
    played.play(entries, &mut Rng::new(Seed::new(8)));
    let recording = Recording::read(&played.bytes).unwrap().recording;
    (played, recording)
}

#[test]
fn seeking_is_the_same_as_stepping_with_any_memory_limit() {
    let (played, recording) = recorded(700);
    let last = recording.records.len();
    for max_bytes in [0, 20_000, MAX_SNAPSHOT_BYTES] {
        let mut replay = Replay::within(recording.clone(), max_bytes).unwrap();
        let mut rng = Rng::new(Seed::new(2));
        for round in 0..60 {
            let to = [last, 0, rng.index(last + 1)][round.min(2)];
            replay.seek(to).unwrap();
            assert_eq!(replay.position(), to);
            let expected = &played.games[to];
            assert_eq!(
                replay.game().state_hash(),
                expected.state_hash(),
                "{to} within {max_bytes} bytes"
            );
            if to < last {
                let entry = replay.step().unwrap().unwrap().entry;
                assert_eq!(*entry, played.entries[to]);
            }
        }
    }
}

#[test]
fn seeking_past_the_end_stops_at_the_end() {
    let (_, recording) = recorded(20);
    let mut replay = Replay::new(recording).unwrap();
    replay.seek(usize::MAX).unwrap();
    assert_eq!(replay.position(), 20);
    assert!(replay.step().unwrap().is_none());
}

#[test]
fn snapshots_stay_within_their_memory_and_evenly_spaced() {
    let mut played = Played::new(usual_header());
    played.play(1200, &mut Rng::new(Seed::new(8)));
    let recording = Recording::read(&played.bytes).unwrap().recording;
    let max_bytes = 9 * bytes(played.game());
    let mut replay = Replay::within(recording, max_bytes).unwrap();
    replay.seek(usize::MAX).unwrap();
    let snapshots = &replay.snapshots;
    assert!(snapshots.bytes <= max_bytes && snapshots.kept.len() > 3, "{}", snapshots.kept.len());
    assert!(snapshots.spacing > FIRST_SPACING);
    let places = snapshots.kept.iter().map(|kept| kept.position);
    assert!(places.eq((0..snapshots.kept.len()).map(|n| n * snapshots.spacing)));
}

#[test]
fn going_back_starts_from_the_nearest_snapshot() {
    let (_, recording) = recorded(700);
    let mut replay = Replay::new(recording).unwrap();
    replay.seek(700).unwrap();
    assert_eq!(replay.snapshots.before(699).position, 640);
    assert_eq!(replay.snapshots.before(640).position, 640);
    assert_eq!(replay.snapshots.before(63).position, 0);
}
