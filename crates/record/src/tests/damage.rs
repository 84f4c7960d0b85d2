//! Reading a damaged file returns a true beginning of the recording or an error.

use nuggets_game::{Letter, Rng, Seed, Stroke};
use proptest::prelude::*;

use super::{Played, join, longest_join, press, small_header, usual_header};
use crate::record_prefix::{Kind, Prefix};
use crate::{Damage, ReadError, Recording, RecordingEnd, Repair, StreamError, Tail, verify};

/// A small journal with this many entries.
fn journal(entries: usize) -> Played {
    journal_by(11, entries)
}

fn journal_by(seed: i64, entries: usize) -> Played {
    let mut played = Played::new(small_header());
    played.play(entries, &mut Rng::new(Seed::new(seed)));
    assert_eq!(played.entries.len(), entries, "the game was over too early");
    played
}

/// The offsets of all records, checkpoints included, and of the checkpoints alone.
fn offsets(played: &Played) -> (Vec<usize>, Vec<usize>) {
    let recording = Recording::read(&played.bytes).unwrap().recording;
    let checkpoints: Vec<usize> = recording.checkpoints.iter().map(|c| c.offset).collect();
    let mut all: Vec<usize> = recording.records.iter().map(|record| record.offset).collect();
    all.extend(&checkpoints);
    all.sort_unstable();
    all.dedup();
    (all, checkpoints)
}

fn assert_beginning(played: &Played, recording: &Recording, what: &str) {
    assert_eq!(recording.header, played.header, "{what}");
    let count = recording.records.len();
    assert!(recording.entries().eq(&played.entries[..count]), "{what}");
}

fn assert_same_game(played: &Played, recording: &Recording, what: &str) {
    let verified = verify(recording).unwrap();
    let game = &played.games[recording.records.len()];
    assert_eq!(verified.game.state_hash(), game.state_hash(), "{what}");
}

fn check_truncations(played: &Played) {
    let (records, _) = offsets(played);
    for length in 0..played.bytes.len() {
        let read = Recording::read(&played.bytes[..length]);
        if length < records[0] {
            let errors = [ReadError::Empty, ReadError::NotARecording, ReadError::Header];
            assert!(errors.contains(&read.unwrap_err()), "{length}");
            continue;
        }
        let reading = read.unwrap();
        let good = *records.iter().rfind(|offset| **offset <= length).unwrap();
        let bytes = length - good;
        match reading.tail {
            Tail::Whole => assert_eq!(bytes, 0, "{length}"),
            Tail::Cut { offset, bytes: cut, why, .. } => {
                assert_eq!((offset, cut, why), (good, bytes, Damage::Torn), "{length}");
            }
        }
        assert_eq!((reading.good_bytes, reading.repairs.len()), (good, 0), "{length}");
        let whole = Recording::read(&played.bytes).unwrap().recording.records;
        let kept = whole.iter().filter(|record| record.offset < good).count();
        assert_eq!(reading.recording.records.len(), kept, "{length}");
        let what = format!("the first {length} bytes");
        assert_beginning(played, &reading.recording, &what);
        assert_same_game(played, &reading.recording, &what);
    }
}

/// Checks that a flipped bit is repaired and the whole game is read, or that the file is cut there if too little
/// follows to prove a repair.
fn check_flips(played: &Played, bits: impl IntoIterator<Item = usize>) {
    let (records, checkpoints) = offsets(played);
    let mut bytes = played.bytes.clone();
    for flipped in bits {
        let byte = flipped / 8;
        let what = format!("bit {} of byte {byte}", flipped % 8);
        bytes[byte] ^= 1 << (flipped % 8);
        let reading = Recording::read(&bytes).unwrap_or_else(|why| panic!("{what}: {why}"));
        bytes[byte] ^= 1 << (flipped % 8);
        assert_beginning(played, &reading.recording, &what);
        let [repair] = &reading.repairs[..] else {
            let Tail::Cut { offset, .. } = reading.tail else { panic!("{what} was not detected") };
            let hit = records.iter().rposition(|offset| *offset <= byte).unwrap();
            assert_eq!(offset, records[hit], "{what}");
            assert!(checkpoints.iter().all(|checkpoint| *checkpoint < offset), "{what}");
            assert!(
                records.len() - hit <= 3,
                "{what}: more than two records follow the damaged one"
            );
            continue;
        };
        assert_eq!(reading.tail, Tail::Whole, "{what}");
        assert_eq!(reading.recording.records.len(), played.entries.len(), "{what}");
        let Repair { offset, bytes: right } = repair;
        let range = *offset..offset + right.len();
        assert!(range.contains(&byte), "{what}: {range:?}");
        assert!(played.bytes[range] == right[..], "{what}");
    }
}

fn check_every_flip(played: &Played) {
    check_flips(played, 0..played.bytes.len() * 8);
}

#[test]
fn every_truncation_of_a_small_journal_gives_a_true_beginning_or_an_error() {
    check_truncations(&journal(40));
}

#[test]
fn every_truncation_of_a_journal_with_checkpoints_gives_a_true_beginning_or_an_error() {
    let mut played = journal(220);
    played.end();
    check_truncations(&played);
}

#[test]
fn every_flipped_bit_of_a_small_journal_is_repaired_or_cut_off() {
    check_every_flip(&journal(40));
}

#[test]
fn every_flipped_bit_of_a_journal_with_checkpoints_is_repaired_or_cut_off() {
    let played = journal(220);
    assert!(offsets(&played).1.len() >= 4, "the start and three more");
    check_every_flip(&played);
}

#[test]
fn every_flipped_bit_of_a_closed_journal_is_repaired() {
    let mut played = journal(90);
    played.end();
    check_every_flip(&played);
}

#[test]
fn flipped_bits_of_several_records_are_all_repaired() {
    let played = journal(220);
    let (records, _) = offsets(&played);
    let mut bytes = played.bytes.clone();
    let hit: Vec<usize> = (10..records.len() - 10).step_by(10).map(|n| records[n] + 1).collect();
    for offset in &hit {
        bytes[*offset] ^= 0x10;
    }
    let reading = Recording::read(&bytes).unwrap();
    assert_eq!(reading.repairs.iter().map(|repair| repair.offset).collect::<Vec<_>>(), hit);
    assert!(reading.recording.entries().eq(&played.entries));
    verify(&reading.recording).unwrap();
}

/// Keys have 8 bits of checksum each, and the longest record may be among those that prove a repair.
#[test]
fn a_flipped_bit_is_repaired_by_keys_and_the_longest_record_after_it() {
    let mut played = Played::new(small_header());
    played.add(1, join("Ann"));
    let far = 1 << 50;
    while played.entries.len() < 4 {
        for key in *b"hjklyubn" {
            played.try_add(far, press(0, key));
        }
    }
    played.add(far, longest_join());
    let (records, _) = offsets(&played);
    let first = records[records.len() - 4];
    for bit in 0..8 {
        let mut bytes = played.bytes.clone();
        bytes[first + 1] ^= 1 << bit;
        let reading = Recording::read(&bytes).unwrap();
        assert_eq!((reading.repairs.len(), reading.tail), (1, Tail::Whole), "bit {bit}");
    }
}

/// The checksums of what follows decide. Where they leave a choice, nothing is repaired.
#[test]
fn two_flipped_bits_of_one_record_are_not_taken_for_one() {
    let played = journal(100);
    let (records, _) = offsets(&played);
    let mut cut = 0;
    for first in 0..24 {
        for second in first + 1..24 {
            let mut bytes = played.bytes.clone();
            for bit in [first, second] {
                bytes[records[90] + bit / 8] ^= 1 << (bit % 8);
            }
            match Recording::read(&bytes) {
                Ok(reading) => {
                    assert_beginning(&played, &reading.recording, "two bits");
                    assert_same_game(&played, &reading.recording, "two bits");
                }
                Err(why) => assert!(matches!(why, ReadError::DamagedMiddle { .. })),
            }
            cut += 1;
        }
    }
    assert_eq!(cut, 276);
}

#[test]
fn an_endless_input_is_rejected_at_its_beginning_and_a_long_tail_of_zeros_costs_no_memory() {
    let read = Recording::read_from(std::io::repeat(0));
    assert!(matches!(read, Err(StreamError::Read(ReadError::NotARecording))), "{read:?}");
    let played = journal(100);
    let zeros = 1 << 26;
    let input =
        std::io::Read::chain(&played.bytes[..], std::io::Read::take(std::io::repeat(0), zeros));
    let reading = Recording::read_from(input).unwrap();
    assert!(reading.recording.entries().eq(&played.entries));
    let Tail::Cut { bytes, content, .. } = reading.tail else { panic!("{:?}", reading.tail) };
    assert_eq!((bytes as u64, content), (zeros, 0));
}

#[test]
fn a_checkpoint_far_behind_the_damage_is_found() {
    let mut played = journal(100);
    played.end();
    let (records, _) = offsets(&played);
    let end = *records.last().unwrap();
    for distance in [0, 1, 65_500, 65_507, 65_536, 200_000] {
        let mut bytes = played.bytes[..end].to_vec();
        bytes.resize(bytes.len() + 3 + distance, 0xff);
        let again = bytes.len();
        bytes.extend(&played.bytes[end..]);
        let error = Recording::read(&bytes).unwrap_err();
        assert!(
            matches!(error, ReadError::DamagedMiddle { offset, again: found, .. } if (offset, found) == (end, again)),
            "{error:?}"
        );
    }
}

/// A prefix has check bits of its own; the rest of a press is covered by one byte of the checksum. No
/// flipped bit may leave that byte unchanged.
#[test]
fn one_byte_of_the_checksum_detects_every_flipped_bit_of_the_longest_press() {
    let press = [0u8; 9];
    let crc = |bytes: &[u8]| crc32fast::hash(bytes).to_le_bytes()[0];
    for bit in 0..press.len() * 8 {
        let mut flipped = press;
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert_ne!(crc(&flipped), crc(&press), "bit {bit}");
    }
}

#[test]
fn zeros_and_ones_that_a_crash_leaves_are_cut_off() {
    let played = journal(100);
    for filling in [0u8, 0xff] {
        for count in [1, 2, 3, 100, 4096, 200_000] {
            let mut bytes = played.bytes.clone();
            bytes.resize(bytes.len() + count, filling);
            let reading = Recording::read(&bytes).unwrap();
            assert_eq!(reading.good_bytes, played.bytes.len(), "{count} times {filling}");
            let Tail::Cut { bytes, content, .. } = reading.tail else { panic!("{count}") };
            assert_eq!((bytes, content), (count, if filling == 0 { 0 } else { count }));
            assert!(reading.recording.entries().eq(&played.entries));
        }
    }
}

#[test]
fn a_record_that_is_missing_doubled_or_from_another_game_is_damage() {
    let played = journal(150);
    let (records, _) = offsets(&played);
    let from = records[80];
    let to = records[81];
    let bytes = &played.bytes;
    let missing = [&bytes[..from], &bytes[to..]].concat();
    let doubled = [&bytes[..to], &bytes[from..]].concat();
    let mut other = small_header();
    other.setup.seed = Seed::new(8);
    let pasted = [&Played::new(other).bytes, &bytes[records[1]..]].concat();
    for changed in [missing, doubled, pasted] {
        let read = Recording::read(&changed);
        assert!(matches!(read, Err(ReadError::DamagedMiddle { .. })), "{read:?}");
    }
}

/// A record with valid checksums for its place, whether it may be there or not.
pub(super) fn forge(before: &[u8], kind: Kind, body: &[u8]) -> Vec<u8> {
    let mut progress = Recording::read(before).unwrap().progress;
    let mut bytes = Prefix { kind, time_bytes: 0 }.to_bytes().to_vec();
    bytes.extend(body);
    let crc = progress.advance(kind, progress.last, &bytes).to_le_bytes();
    bytes.extend(if matches!(kind, Kind::Press(..)) { &crc[..1] } else { &crc });
    if kind.is_self_checked() {
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    }
    [before, &bytes].concat()
}

#[test]
fn a_record_out_of_place_is_rejected_though_its_checksums_are_valid() {
    let started = Played::new(small_header()).bytes;
    let (records, _) = offsets(&Played::new(small_header()));
    let bare = &started[..records[0]];
    let state = |inputs: u8| [inputs, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    let closed = forge(&started, Kind::End(RecordingEnd::Closed), &state(0));
    assert_eq!(Recording::read(&closed).unwrap().tail, Tail::Whole);
    let over = forge(&started, Kind::End(RecordingEnd::Over), &state(0));
    let delivered = forge(&over, Kind::EndDelivered, &[]);
    assert_eq!(Recording::read(&delivered).unwrap().tail, Tail::Whole);
    for (what, before, kind, body) in [
        ("no checkpoint after the header", bare, Kind::Unwatch, &[][..]),
        ("a checkpoint too early", &started, Kind::Checkpoint, &state(0)),
        ("an end that miscounts", &started, Kind::End(RecordingEnd::Over), &state(9)),
        ("a spectator after the end", &closed, Kind::Unwatch, &[]),
        ("a result delivered before the end", &started, Kind::EndDelivered, &[]),
        ("a result delivered after a shutdown", &closed, Kind::EndDelivered, &[]),
        ("a spectator after the result", &over, Kind::Unwatch, &[]),
        ("a result delivered twice", &delivered, Kind::EndDelivered, &[]),
        ("a spectator after the delivery", &delivered, Kind::Unwatch, &[]),
    ] {
        let offset = before.len();
        match Recording::read(&forge(before, kind, body)) {
            Ok(reading) => {
                let Tail::Cut { offset: cut, why, .. } = reading.tail else { panic!("{what}") };
                assert_eq!((cut, why), (offset, Damage::OutOfPlace), "{what}");
            }
            Err(error) => {
                assert!(kind.is_self_checked(), "{what}: {error}");
                let why = Damage::OutOfPlace;
                let since = offset - 22;
                let expected =
                    ReadError::DamagedMiddle { index: 0, offset, why, since, again: offset };
                assert_eq!(error, expected, "{what}");
            }
        }
    }
}

/// One byte of a checksum may match by accident. Then the four bytes at the next checkpoint do not.
#[test]
fn a_key_that_was_changed_with_its_checksum_is_detected_at_the_next_checkpoint() {
    let played = journal(100);
    let (records, checkpoints) = offsets(&played);
    let last = *records.iter().rfind(|offset| **offset < checkpoints[1]).unwrap();
    let kind = Kind::Press(Letter::nth(3).unwrap(), Stroke::from_key(b'n').unwrap());
    let forged = forge(&played.bytes[..last], kind, &[]);
    let offset = forged.len();
    let error = Recording::read(&[&forged, &played.bytes[checkpoints[1]..]].concat()).unwrap_err();
    let why = Damage::Checksum;
    let since = checkpoints[0];
    let index = Recording::read(&forged).unwrap().recording.records.len();
    assert_eq!(error, ReadError::DamagedMiddle { index, offset, why, since, again: offset });
}

#[test]
fn damage_in_the_middle_is_reported_with_its_place_and_advice() {
    let played = journal(150);
    let (records, checkpoints) = offsets(&played);
    let mut bytes = played.bytes.clone();
    let good = Recording::read(&bytes[..records[100]]).unwrap().recording;
    bytes[records[100]] ^= 1;
    bytes[records[100] + 2] ^= 1;
    let error = Recording::read(&bytes).unwrap_err().to_string();
    for part in [
        format!("damaged at byte {} (record {})", records[100], good.records.len() + 1),
        format!("a valid checkpoint after it (at byte {})", checkpoints[2]),
        format!("before byte {} is certainly valid", checkpoints[1]),
        "Use another copy".to_owned(),
    ] {
        assert!(error.contains(&part), "{part:?} is not in {error:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_bytes_make_reading_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        after_a_header: bool,
    ) {
        let start = if after_a_header { Played::new(small_header()).bytes } else { vec![] };
        if let Ok(reading) = Recording::read(&[start, bytes].concat()) {
            let _ = verify(&reading.recording);
        }
    }

    #[test]
    fn no_changed_recording_makes_reading_or_playing_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut: prop::sample::Index,
    ) {
        let mut played = Played::new(usual_header());
        played.play(100, &mut Rng::new(Seed::new(3)));
        let mut bytes = played.bytes;
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        if let Ok(reading) = Recording::read(&bytes) {
            let _ = verify(&reading.recording);
        }
    }
    #[test]
    fn any_flipped_bit_of_any_journal_is_repaired_or_cut_off(
        seed in 0..1_000_000i64,
        bits in prop::collection::vec(any::<prop::sample::Index>(), 40),
    ) {
        let played = journal_by(seed, 70);
        check_flips(&played, bits.iter().map(|bit| bit.index(played.bytes.len() * 8)));
    }
}
