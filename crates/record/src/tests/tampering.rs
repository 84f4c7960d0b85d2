//! A recording that was changed and has valid checksums is detected by replaying it.

use nuggets_game::{Rejection, Rng, Seed, Stroke};

use super::{Played, join, press, small_header, usual_header};
use crate::{
    Entry, Header, RecordedEvent, Recording, RecordingEnd, ReplayMismatch, Writer, verify,
};

/// Writes these entries with the states of the game as it really was.
fn forge(played: &Played, header: &Header, entries: &[Entry]) -> Recording {
    let (mut writer, mut bytes) = Writer::new(header, &played.games[0]);
    for (entry, game) in entries.iter().zip(&played.games[1..]) {
        writer.append(entry, game, &mut bytes);
    }
    Recording::read(&bytes).unwrap().recording
}

#[test]
fn a_changed_key_is_detected_if_it_changes_the_game() {
    let mut played = Played::new(usual_header());
    played.play(200, &mut Rng::new(Seed::new(9)));
    played.end();
    let mut found = [0, 0];
    for index in 0..played.entries.len() {
        let RecordedEvent::Press(letter, stroke) = played.entries[index].what else { continue };
        let mut entries = played.entries.clone();
        let key = if stroke.key().eq_ignore_ascii_case(&b'l') { b'h' } else { b'l' };
        entries[index].what = RecordedEvent::Press(letter, Stroke::from_key(key).unwrap());
        match verify(&forge(&played, &played.header, &entries)) {
            Ok(verified) => {
                assert_eq!(verified.game.state_hash(), played.game().state_hash(), "entry {index}");
            }
            Err(bad) => {
                assert!(bad.index >= index, "entry {index}: {bad}");
                match bad.why {
                    ReplayMismatch::State { since } => {
                        assert!(since <= index && index <= bad.index);
                    }
                    ReplayMismatch::Rejected(_) => {}
                    other => panic!("entry {index}: {other}"),
                }
                found[usize::from(matches!(bad.why, ReplayMismatch::State { .. }))] += 1;
            }
        }
    }
    assert!(found.iter().all(|found| *found > 5), "{found:?}");
}

#[test]
fn a_changed_seed_map_or_rule_is_detected_at_the_start() {
    let mut played = Played::new(usual_header());
    played.add(0, join("Ann"));
    let changes: [fn(&mut Header); 3] = [
        |header| header.setup.seed = Seed::new(8),
        |header| header.setup.rules.steal = true,
        |header| header.setup.map = nuggets_game::shipped::ALL[1].map(),
    ];
    for change in changes {
        let mut header = played.header.clone();
        change(&mut header);
        let bad = verify(&forge(&played, &header, &played.entries)).unwrap_err();
        assert_eq!((bad.index, bad.why), (0, ReplayMismatch::Start));
    }
}

#[test]
fn an_input_that_the_game_rejects_is_bad() {
    let mut played = Played::new(usual_header());
    played.add(0, join("Ann"));
    played.add(0, RecordedEvent::Unwatch);
    let mut entries = played.entries.clone();
    entries[1].what = press(1, b'h');
    let recording = forge(&played, &played.header, &entries);
    let bad = verify(&recording).unwrap_err();
    assert_eq!((bad.index, bad.why), (1, ReplayMismatch::Rejected(Rejection::NotPlaying)));
    assert_eq!(bad.offset, recording.records[1].offset);
    let message = format!(
        "record 2 (at byte {}) is bad: the game rejects it: that player isn't on the map",
        bad.offset
    );
    assert_eq!(bad.to_string(), message);
}

#[test]
fn a_recorded_end_of_a_game_that_is_not_over_is_bad() {
    let mut played = Played::new(small_header());
    played.add(0, join("Ann"));
    played.add(0, RecordedEvent::End(RecordingEnd::Over));
    let bad = verify(&Recording::read(&played.bytes).unwrap().recording).unwrap_err();
    assert_eq!((bad.index, bad.why), (1, ReplayMismatch::NotOver));
}
