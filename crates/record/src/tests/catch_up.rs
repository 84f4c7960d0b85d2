//! Crash recovery of a recording from its journal.

use nuggets_game::{Rng, Seed, Viewer};

use super::{Played, short_header, small_header, usual_header};
use crate::{CatchUp, CatchUpError, RecordedEvent, Recording, Repair, Tail, Timestamp, verify};

/// A journal, and the recording that was written beside it.
fn both(entries: usize) -> (Recording, Vec<u8>) {
    let mut journal = Played::new(usual_header());
    let mut rng = Rng::new(Seed::new(4));
    for count in (10..entries).step_by(10) {
        journal.play(count, &mut rng);
        journal.add(3, RecordedEvent::Heard(Viewer::Spectator));
    }
    journal.play(entries, &mut rng);
    let mut recording = Played::new(usual_header());
    for entry in journal.entries.iter().filter_map(|entry| entry.clone().shared()) {
        let last = recording.entries.last().map_or(0, |entry| entry.at.0);
        recording.add(entry.at.0 - last, entry.what);
    }
    (Recording::read(&journal.bytes).unwrap().recording, recording.bytes)
}

fn caught_up(bytes: &[u8], journal: &Recording) -> Vec<u8> {
    let CatchUp { keep, bytes: more, .. } = CatchUp::of(bytes, journal).unwrap();
    [&bytes[..keep], &more].concat()
}

#[test]
fn a_recording_that_was_cut_anywhere_is_completed_from_its_journal() {
    let (journal, whole) = both(140);
    let start = Recording::read(&whole).unwrap().recording.checkpoints[0].offset;
    for length in (start..=whole.len()).step_by(7).chain([0, whole.len()]) {
        assert!(caught_up(&whole[..length], &journal) == whole, "cut at {length}");
    }
}

#[test]
fn a_flipped_bit_of_a_recording_is_repaired_when_it_catches_up() {
    let (journal, whole) = both(100);
    let last = whole.len() - 30;
    for place in [60, last] {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x40;
        let CatchUp { keep, repairs, bytes: more, .. } = CatchUp::of(&bytes, &journal).unwrap();
        for Repair { offset, bytes: right } in repairs {
            bytes[offset..offset + right.len()].copy_from_slice(&right);
        }
        assert!([&bytes[..keep], &more].concat() == whole, "byte {place}");
    }
}

#[test]
fn a_recording_that_is_longer_than_its_journal_is_cut() {
    let (_, whole) = both(140);
    for entries in [0, 1, 63, 64, 65, 66, 139] {
        let (journal, shorter) = both(entries);
        assert!(caught_up(&whole, &journal) == shorter, "{entries} entries");
    }
}

#[test]
fn a_recording_that_caught_up_is_continued_like_the_journal() {
    let (journal, whole) = both(70);
    let CatchUp { keep, mut bytes, mut writer, .. } = CatchUp::of(&whole, &journal).unwrap();
    let game = verify(&journal).unwrap().game;
    writer.append_resumed(Timestamp(1 << 30), &game, &mut bytes);
    let reading = Recording::read(&[&whole[..keep], &bytes].concat()).unwrap();
    assert_eq!(reading.tail, Tail::Whole);
    assert_eq!(reading.recording.records.last().unwrap().entry.what, RecordedEvent::Resumed);
}

#[test]
fn a_recording_does_not_hold_that_the_result_was_delivered() {
    let mut finished = Played::new(short_header());
    finished.play(usize::MAX, &mut Rng::new(Seed::new(1)));
    finished.end();
    finished.add(5, RecordedEvent::EndDelivered);
    let journal = Recording::read(&finished.bytes).unwrap().recording;
    let recording = Recording::read(&caught_up(b"", &journal)).unwrap().recording;
    assert_eq!(recording.entries().len() + 1, journal.entries().len());
    assert_eq!(recording.end(), journal.end());
}

#[test]
fn a_recording_of_another_game_is_rejected() {
    let (journal, whole) = both(100);
    let mut other = Played::new(usual_header());
    other.play(50, &mut Rng::new(Seed::new(5)));
    for bytes in [other.bytes, Played::new(small_header()).bytes] {
        assert_eq!(CatchUp::of(&bytes, &journal).unwrap_err(), CatchUpError::OtherGame);
    }
    let why = CatchUp::of(b"dear diary", &journal).unwrap_err();
    assert!(matches!(why, CatchUpError::Read(_)), "{why}");
    let torn = CatchUp::of(&whole[..40], &journal).unwrap_err();
    assert!(matches!(torn, CatchUpError::Read(_)), "{torn}");
}
