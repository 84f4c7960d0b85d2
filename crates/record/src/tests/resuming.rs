//! A game is taken up again from what was written, and goes on in the same bytes.

use nuggets_game::{Chance, Seed};

use super::{Played, join, short_header, small_header, usual_header};
use crate::{Ending, Entry, Millis, Recording, Tail, What, Writer, verify};

/// Cuts a recording, resumes it, plays on, and reads the whole.
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
fn a_game_that_was_cut_anywhere_goes_on_as_if_it_never_was() {
    let mut played = Played::new(usual_header());
    played.play(140, &mut Chance::new(Seed::new(4)));
    let start = Recording::read(&played.bytes).unwrap().recording.checkpoints[0].offset;
    for length in start..=played.bytes.len() {
        let resumed = resume(&played, length);
        let entries = resumed.entries().filter(|entry| entry.what != What::Resumed);
        assert!(entries.eq(&played.entries), "cut at {length}");
        assert_eq!(resumed.records.len(), played.entries.len() + 1);
        let verified = verify(&resumed).unwrap();
        assert_eq!(verified.game.state_hash(), played.game().state_hash());
    }
}

#[test]
fn a_closed_recording_can_be_resumed_and_one_whose_end_was_told_can_not() {
    let mut played = Played::new(small_header());
    played.add(0, join("Ann"));
    played.add(1, What::End(Ending::Closed));
    let reading = Recording::read(&played.bytes).unwrap();
    assert!(Writer::resume(&reading, Millis(10), played.game()).is_some());

    let mut chance = Chance::new(Seed::new(1));
    let mut finished = Played::new(short_header());
    finished.play(usize::MAX, &mut chance);
    finished.end();
    let reading = Recording::read(&finished.bytes).unwrap();
    assert_eq!(reading.recording.ending(), Some(Ending::Over));
    let (_, more) = Writer::resume(&reading, Millis(10), finished.game()).unwrap();
    assert_eq!(more, b"", "its end may be told again, that is all");

    finished.add(5_000, What::Told);
    let told = Recording::read(&finished.bytes).unwrap();
    assert_eq!(told.tail, Tail::Whole);
    assert!(told.recording.is_told() && !reading.recording.is_told());
    assert_eq!(told.recording.ending(), Some(Ending::Over));
    assert_eq!(told.recording.duration(), reading.recording.duration());
    assert!(Writer::resume(&told, Millis(10), finished.game()).is_none());
}

#[test]
#[should_panic(expected = "can't come behind")]
fn an_end_is_told_once() {
    let mut finished = Played::new(short_header());
    finished.play(usize::MAX, &mut Chance::new(Seed::new(1)));
    finished.end();
    finished.add(5, What::Told);
    finished.add(5, What::Told);
}

#[test]
fn nothing_but_a_resumption_is_read_behind_an_end() {
    let mut played = Played::new(small_header());
    played.add(5, What::End(Ending::Closed));
    let closed = Recording::read(&played.bytes).unwrap();
    let (_, resumed) = Writer::resume(&closed, Millis(10), played.game()).unwrap();
    let bytes = [played.bytes.clone(), resumed].concat();
    let reading = Recording::read(&bytes).unwrap();
    assert_eq!(reading.tail, Tail::Whole);
    let last = Entry::new(Millis(10), What::Resumed);
    assert_eq!(reading.recording.entries().last(), Some(&last));
    assert_eq!(reading.recording.ending(), None);

    let twice = [&bytes[..], &bytes[..]].concat();
    assert!(Recording::read(&twice).is_err(), "a whole recording behind another");
}

#[test]
#[should_panic(expected = "can't come behind")]
fn nothing_is_written_behind_an_end() {
    let mut played = Played::new(small_header());
    played.add(5, What::End(Ending::Closed));
    played.add(5, What::Unwatch);
}
