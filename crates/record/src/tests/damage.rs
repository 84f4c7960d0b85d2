//! Whatever is torn off or flipped, what is read is a true beginning of what was written, or it is
//! refused.

use nuggets_game::{Chance, Letter, Seed, Stroke};
use proptest::prelude::*;

use super::{Played, small_header, usual_header};
use crate::head::{Head, Kind};
use crate::{Damage, Ending, ReadError, Recording, Tail, verify};

/// A small journal of so many entries.
fn journal(entries: usize) -> Played {
    journal_by(11, entries)
}

fn journal_by(seed: i64, entries: usize) -> Played {
    let mut played = Played::new(small_header());
    played.play(entries, &mut Chance::new(Seed::new(seed)));
    assert_eq!(played.entries.len(), entries, "the game was over too soon");
    played
}

/// Where each record begins, checkpoints included, and where each checkpoint begins.
fn offsets(played: &Played) -> (Vec<usize>, Vec<usize>) {
    let recording = Recording::read(&played.bytes).unwrap().recording;
    let seals: Vec<usize> = recording.checkpoints.iter().map(|c| c.offset).collect();
    let mut all: Vec<usize> = recording.records.iter().map(|record| record.offset).collect();
    all.extend(&seals);
    all.sort_unstable();
    all.dedup();
    (all, seals)
}

fn assert_beginning(played: &Played, recording: &Recording, what: &str) {
    assert_eq!(recording.header, played.header, "{what}");
    let count = recording.records.len();
    assert!(recording.entries().eq(&played.entries[..count]), "{what}");
    let verified = verify(recording).unwrap();
    assert_eq!(verified.game.state_hash(), played.games[count].state_hash(), "{what}");
}

fn check_truncations(played: &Played) {
    let (records, _) = offsets(played);
    for length in 0..played.bytes.len() {
        let read = Recording::read(&played.bytes[..length]);
        if length < records[0] {
            let refusals = [ReadError::Empty, ReadError::NotARecording, ReadError::Header];
            assert!(refusals.contains(&read.unwrap_err()), "{length}");
            continue;
        }
        let reading = read.unwrap();
        let good = *records.iter().rfind(|offset| **offset <= length).unwrap();
        let (bytes, why) = (length - good, Damage::Torn);
        let is_whole = good == length;
        let tail = if is_whole { Tail::Whole } else { Tail::Cut { offset: good, bytes, why } };
        assert_eq!((reading.tail, reading.good_bytes), (tail, good), "{length}");
        let whole = Recording::read(&played.bytes).unwrap().recording.records;
        let kept = whole.iter().filter(|record| record.offset < good).count();
        assert_eq!(reading.recording.records.len(), kept, "{length}");
        assert_beginning(played, &reading.recording, &format!("the first {length} bytes"));
    }
}

fn check_flips(played: &Played, bits: impl IntoIterator<Item = usize>) {
    let (records, seals) = offsets(played);
    let mut bytes = played.bytes.clone();
    for flipped in bits {
        let what = format!("bit {} of byte {}", flipped % 8, flipped / 8);
        bytes[flipped / 8] ^= 1 << (flipped % 8);
        let read = Recording::read(&bytes);
        bytes[flipped / 8] ^= 1 << (flipped % 8);
        let Some(hit) = records.iter().rfind(|offset| **offset <= flipped / 8) else {
            let refused = matches!(read, Err(ReadError::NotARecording | ReadError::Header));
            assert!(refused, "{what}: {read:?}");
            continue;
        };
        match read {
            Ok(reading) => {
                let Tail::Cut { offset, .. } = reading.tail else { panic!("{what} was not seen") };
                assert_eq!(offset, *hit, "{what}");
                assert!(seals.iter().all(|seal| seal <= hit), "{what} is no damage of the tail");
                assert_beginning(played, &reading.recording, &what);
            }
            Err(ReadError::DamagedMiddle { offset, again, since, .. }) => {
                assert_eq!(offset, *hit, "{what}");
                assert_eq!(seals.iter().find(|seal| *seal > hit), Some(&again), "{what}");
                assert!(since <= *hit, "{what}");
            }
            Err(other) => panic!("{what}: {other}"),
        }
    }
}

fn check_every_flip(played: &Played) {
    check_flips(played, 0..played.bytes.len() * 8);
}

#[test]
fn every_truncation_of_a_small_journal_is_a_true_beginning_or_refused() {
    check_truncations(&journal(40));
}

#[test]
fn every_truncation_of_a_journal_with_checkpoints_is_a_true_beginning_or_refused() {
    let mut played = journal(220);
    played.end();
    check_truncations(&played);
}

#[test]
fn every_flipped_bit_of_a_small_journal_is_found_where_it_is() {
    check_every_flip(&journal(40));
}

#[test]
fn every_flipped_bit_of_a_journal_with_checkpoints_is_found_where_it_is() {
    let played = journal(220);
    assert!(offsets(&played).1.len() >= 4, "the start and three more");
    check_every_flip(&played);
}

#[test]
fn every_flipped_bit_of_a_closed_journal_is_found_where_it_is() {
    let mut played = journal(90);
    played.end();
    check_every_flip(&played);
}

/// The heads guard themselves; the rest of a press is guarded by one byte of a sum of four. No bit of
/// it may leave just that byte as it is.
#[test]
fn one_byte_of_the_sum_shows_every_flipped_bit_of_the_longest_press() {
    let press = [0u8; 9];
    let sum = |bytes: &[u8]| crc32fast::hash(bytes).to_le_bytes()[0];
    for bit in 0..press.len() * 8 {
        let mut flipped = press;
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert_ne!(sum(&flipped), sum(&press), "bit {bit}");
    }
}

#[test]
fn what_a_disk_leaves_behind_a_crash_is_cut_off() {
    let played = journal(100);
    for filling in [0u8, 0xff] {
        for count in [1, 2, 3, 100, 4096] {
            let mut bytes = played.bytes.clone();
            bytes.resize(bytes.len() + count, filling);
            let reading = Recording::read(&bytes).unwrap();
            assert_eq!(reading.good_bytes, played.bytes.len(), "{count} times {filling}");
            assert!(matches!(reading.tail, Tail::Cut { bytes, .. } if bytes == count));
            assert!(reading.recording.entries().eq(&played.entries));
        }
    }
}

#[test]
fn a_record_that_is_missing_doubled_or_from_another_game_is_damage() {
    let played = journal(150);
    let (records, _) = offsets(&played);
    let (from, to) = (records[80], records[81]);
    let bytes = &played.bytes;
    let missing = [&bytes[..from], &bytes[to..]].concat();
    let doubled = [&bytes[..to], &bytes[from..]].concat();
    let mut other = small_header();
    other.seed = Seed::new(8);
    let pasted = [&Played::new(other).bytes, &bytes[records[1]..]].concat();
    for changed in [missing, doubled, pasted] {
        let read = Recording::read(&changed);
        assert!(matches!(read, Err(ReadError::DamagedMiddle { .. })), "{read:?}");
    }
}

/// A record with the right checksums for where it stands, whether it may stand there or not.
fn forge(behind: &[u8], kind: Kind, body: &[u8]) -> Vec<u8> {
    let mut progress = Recording::read(behind).unwrap().progress;
    let mut bytes = Head { kind, time_bytes: 0 }.to_bytes().to_vec();
    bytes.extend(body);
    let sum = progress.pass(kind, progress.last, &bytes).to_le_bytes();
    bytes.extend(if matches!(kind, Kind::Press(..)) { &sum[..1] } else { &sum });
    if kind.is_seal() {
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    }
    [behind, &bytes].concat()
}

#[test]
fn a_record_is_refused_where_it_can_t_come_though_its_checksums_are_right() {
    let started = Played::new(small_header()).bytes;
    let (records, _) = offsets(&Played::new(small_header()));
    let bare = &started[..records[0]];
    let stand = |inputs: u8| [inputs, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    let closed = forge(&started, Kind::End(Ending::Closed), &stand(0));
    assert_eq!(Recording::read(&closed).unwrap().tail, Tail::Whole);
    for (what, behind, kind, body) in [
        ("no checkpoint behind the header", bare, Kind::Unwatch, &[][..]),
        ("a checkpoint too early", &started, Kind::Checkpoint, &stand(0)),
        ("an end that miscounts", &started, Kind::End(Ending::Over), &stand(9)),
        ("a spectator behind the end", &closed, Kind::Unwatch, &[]),
        ("an end told before it has come", &started, Kind::Told, &[]),
        ("an end told that is none of the game", &closed, Kind::Told, &[]),
    ] {
        let offset = behind.len();
        match Recording::read(&forge(behind, kind, body)) {
            Ok(reading) => {
                let bytes = 6;
                assert_eq!(
                    reading.tail,
                    Tail::Cut { offset, bytes, why: Damage::OutOfPlace },
                    "{what}"
                );
            }
            Err(refusal) => {
                assert!(kind.is_seal(), "{what}: {refusal}");
                let why = Damage::OutOfPlace;
                let since = offset - 22;
                let expected =
                    ReadError::DamagedMiddle { index: 0, offset, why, since, again: offset };
                assert_eq!(refusal, expected, "{what}");
            }
        }
    }
}

/// One byte of a sum may be right by chance. Then all four at the next checkpoint are not.
#[test]
fn a_key_that_was_changed_with_its_own_checksum_is_found_at_the_next_checkpoint() {
    let played = journal(100);
    let (records, seals) = offsets(&played);
    let last = *records.iter().rfind(|offset| **offset < seals[1]).unwrap();
    let kind = Kind::Press(Letter::nth(3).unwrap(), Stroke::from_key(b'n').unwrap());
    let forged = forge(&played.bytes[..last], kind, &[]);
    let offset = forged.len();
    let refusal = Recording::read(&[&forged, &played.bytes[seals[1]..]].concat()).unwrap_err();
    let (why, since) = (Damage::Checksum, seals[0]);
    let index = Recording::read(&forged).unwrap().recording.records.len();
    assert_eq!(refusal, ReadError::DamagedMiddle { index, offset, why, since, again: offset });
}

#[test]
fn damage_in_the_middle_says_where_and_what_to_do() {
    let played = journal(150);
    let (records, seals) = offsets(&played);
    let mut bytes = played.bytes.clone();
    let good = Recording::read(&bytes[..records[100]]).unwrap().recording;
    bytes[records[100]] ^= 1;
    let refusal = Recording::read(&bytes).unwrap_err().to_string();
    for said in [
        format!("damaged at byte {} (record {})", records[100], good.records.len() + 1),
        format!("at byte {} stands a good checkpoint", seals[2]),
        format!("before byte {} is beyond doubt", seals[1]),
        "Take another copy".to_owned(),
    ] {
        assert!(refusal.contains(&said), "{said:?} is not in {refusal:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_bytes_make_reading_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        behind_a_header: bool,
    ) {
        let start = if behind_a_header { Played::new(small_header()).bytes } else { vec![] };
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
        played.play(100, &mut Chance::new(Seed::new(3)));
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
    fn any_flipped_bit_of_any_journal_is_found_where_it_is(
        seed in 0..1_000_000i64,
        bits in prop::collection::vec(any::<prop::sample::Index>(), 40),
    ) {
        let played = journal_by(seed, 70);
        check_flips(&played, bits.iter().map(|bit| bit.index(played.bytes.len() * 8)));
    }
}
