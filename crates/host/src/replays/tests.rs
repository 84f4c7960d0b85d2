//! Replays of journals. What their frames show is tested in `nuggets_replay`.

use nuggets_game::Seed;
use nuggets_record::{Entry, RecordedEvent, RecordingEnd, Timestamp, Writer};
use serde_json::Value;

use super::*;
use crate::PlayerId;
use crate::store::tests::TestGame;
use crate::test_games::id;

/// The journal of a whole game of two people and two bots.
fn played(number: u8) -> Vec<u8> {
    TestGame::new(number, &[PlayerId(1), PlayerId(2)], 2).journal()
}

#[test]
fn the_shared_recording_is_the_same_game_without_tokens() {
    let journal = played(12);
    let replay = FinishedReplay::new(&journal).unwrap();
    let has_token = |bytes: &[u8]| bytes.windows(4).any(|window| window == b"web:");
    assert!(has_token(&journal) && !has_token(&replay.recording));
    assert!(!replay.json.contains("web:"));
    let shared = Recording::read(&replay.recording).unwrap().recording;
    let verified = nuggets_record::verify(&shared).unwrap();
    assert_eq!(replay.summary.proof.state, format!("{:016x}", verified.game.state_hash()));
    assert_eq!(replay.summary.results.iter().map(|row| row.purse).sum::<u32>(), 60);
}

#[test]
fn a_running_game_has_no_replay() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let replay = runtime.block_on(Replays::default().get(id(3), async { Ok(None) }));
    assert!(matches!(replay, Err(ReplayError::Running)));
}

#[test]
fn only_the_whole_replay_has_frames() {
    let replay = FinishedReplay::new(&played(13)).unwrap();
    let whole: Value = serde_json::from_str(&replay.json).unwrap();
    let summary: Value = serde_json::from_str(&replay.summary_json()).unwrap();
    assert!(whole["frames"].as_array().unwrap().len() > 10 && replay.summary.frames.is_empty());
    assert_eq!((&summary["frames"], &summary["gold"]), (&Value::Array(vec![]), &60.into()));
}

#[test]
fn a_journal_that_was_changed_has_no_replay() {
    let mut header = Recording::read(&played(14)).unwrap().recording.header;
    let game = header.game().unwrap();
    let (mut writer, mut journal) = Writer::new(&header, &game);
    header.setup.seed = Seed::new(15);
    let end = Entry::new(Timestamp(99), RecordedEvent::End(RecordingEnd::Over));
    writer.append(&end, &header.game().unwrap(), &mut journal);
    assert!(matches!(
        FinishedReplay::new(&journal),
        Err(ReplayError::Unshared(_) | ReplayError::Bad(_))
    ));
    assert!(matches!(FinishedReplay::new(b"no journal"), Err(ReplayError::Unreadable(_))));
}

#[test]
fn only_the_latest_replays_are_kept() {
    let data = ReplayData::of(Recording::read(&played(1)).unwrap().recording).unwrap();
    let replay = |bytes: usize| {
        let (json, recording) = (" ".repeat(bytes), vec![]);
        Arc::new(FinishedReplay { summary: data.clone(), json, recording })
    };
    let mut kept = CachedReplays::default();
    for number in 0..3 {
        kept.add(id(number), &replay(40), 100);
    }
    assert!(kept.take(id(0)).is_none() && kept.take(id(1)).is_some());
    // The second was used last, so the third is removed.
    kept.add(id(3), &replay(40), 100);
    assert!(kept.take(id(2)).is_none() && kept.take(id(1)).is_some());
    kept.add(id(4), &replay(101), 100);
    assert_eq!((kept.replays.len(), kept.bytes), (0, 0));
}

#[test]
fn a_replay_is_computed_once() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let replays = Replays::default();
    let first = runtime.block_on(replays.get(id(3), async { Ok(Some(played(16))) })).unwrap();
    let second = runtime.block_on(replays.get(id(3), async { panic!("it is kept") })).unwrap();
    assert!(Arc::ptr_eq(&first, &second));
}
