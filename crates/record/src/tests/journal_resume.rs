//! Journal resume: a game continues after its last written record, in the same file.

use nuggets_game::{Rng, Seed};

use super::{Played, join, short_header, small_header, usual_header};
use crate::{Entry, RecordedEvent, Recording, RecordingEnd, Tail, Timestamp, Writer, verify};

/// Cuts a recording, resumes it, continues the game, and reads the whole.
fn resume(played: &Played, length: usize) -> Recording {
    let mut bytes = played.bytes[..length].to_vec();
    let reading = Recording::read(&bytes).unwrap();
    bytes.truncate(reading.good_bytes);
    let mut game = verify(&reading.recording).unwrap().game;
    let now = reading.recording.duration();
    let (mut writer, more) = Writer::resume(&reading, now, &game).unwrap();
    bytes.extend(more);
    for entry in &played.entries[reading.recording.records.len()..] {
        if let Some(input) = entry.what.input() {
            game.apply(input, &mut vec![]);
        }
        writer.append(entry, &game, &mut bytes);
    }
    let whole = Recording::read(&bytes).unwrap();
    assert_eq!(whole.tail, Tail::Whole);
    whole.recording
}

#[test]
fn a_journal_that_was_cut_anywhere_is_resumed_as_if_it_never_was() {
    let mut played = Played::new(usual_header());
    played.play(140, &mut Rng::new(Seed::new(4)));
    let start = Recording::read(&played.bytes).unwrap().recording.checkpoints[0].offset;
    for length in start..=played.bytes.len() {
        let resumed = resume(&played, length);
        let entries = resumed.entries().filter(|entry| entry.what != RecordedEvent::Resumed);
        assert!(entries.eq(&played.entries), "cut at {length}");
        assert_eq!(resumed.records.len(), played.entries.len() + 1);
        let verified = verify(&resumed).unwrap();
        assert_eq!(verified.game.state_hash(), played.game().state_hash());
    }
}

#[test]
fn a_closed_journal_can_be_resumed_and_one_whose_result_was_delivered_cannot() {
    let mut played = Played::new(small_header());
    played.add(0, join("Ann"));
    played.add(1, RecordedEvent::End(RecordingEnd::Closed));
    let reading = Recording::read(&played.bytes).unwrap();
    assert!(Writer::resume(&reading, Timestamp(10), played.game()).is_some());

    let mut rng = Rng::new(Seed::new(1));
    let mut finished = Played::new(short_header());
    finished.play(usize::MAX, &mut rng);
    finished.end();
    let reading = Recording::read(&finished.bytes).unwrap();
    assert_eq!(reading.recording.end(), Some(RecordingEnd::Over));
    let (_, more) = Writer::resume(&reading, Timestamp(10), finished.game()).unwrap();
    assert_eq!(more, b"", "only the result may be delivered");

    finished.add(5_000, RecordedEvent::EndDelivered);
    let delivered = Recording::read(&finished.bytes).unwrap();
    assert_eq!(delivered.tail, Tail::Whole);
    assert!(delivered.recording.is_end_delivered() && !reading.recording.is_end_delivered());
    assert_eq!(delivered.recording.end(), Some(RecordingEnd::Over));
    assert_eq!(delivered.recording.duration(), reading.recording.duration());
    assert!(Writer::resume(&delivered, Timestamp(10), finished.game()).is_none());
}

#[test]
#[should_panic(expected = "can't follow")]
fn the_result_is_delivered_once() {
    let mut finished = Played::new(short_header());
    finished.play(usize::MAX, &mut Rng::new(Seed::new(1)));
    finished.end();
    finished.add(5, RecordedEvent::EndDelivered);
    finished.add(5, RecordedEvent::EndDelivered);
}

#[test]
fn only_a_resumption_is_read_after_a_shutdown() {
    let mut played = Played::new(small_header());
    played.add(5, RecordedEvent::End(RecordingEnd::Closed));
    let closed = Recording::read(&played.bytes).unwrap();
    let (_, resumed) = Writer::resume(&closed, Timestamp(10), played.game()).unwrap();
    let bytes = [played.bytes.clone(), resumed].concat();
    let reading = Recording::read(&bytes).unwrap();
    assert_eq!(reading.tail, Tail::Whole);
    let last = Entry::new(Timestamp(10), RecordedEvent::Resumed);
    assert_eq!(reading.recording.entries().last(), Some(&last));
    assert_eq!(reading.recording.end(), None);

    let twice = [&bytes[..], &bytes[..]].concat();
    assert!(Recording::read(&twice).is_err(), "a whole recording after another");
}

#[test]
#[should_panic(expected = "can't follow")]
fn only_a_resumption_is_written_after_a_shutdown() {
    let mut played = Played::new(small_header());
    played.add(5, RecordedEvent::End(RecordingEnd::Closed));
    played.add(5, RecordedEvent::Unwatch);
}
