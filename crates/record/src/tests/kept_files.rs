//! Recordings that are kept as files: every later version must still read them and replay them as
//! they were, or reject them by their version.

use nuggets_game::{Letter, Rng, Seed, Viewer};

use super::damage::forge;
use super::{Played, longest_join, small_header, varied_header};
use crate::record_frame::{MAX_RECORD_BYTES, MAX_SELF_CHECKED_BYTES};
use crate::record_prefix::Kind;
use crate::{
    Damage, Entry, PeerToken, ReadError, Reading, RecordedEvent, Recording, RecordingEnd,
    Statistics, Tail, Timestamp, Writer, verify,
};

/// Written in version 1. All variants are in it, which the seed catalogue does not have. Nothing
/// rewrites it: the program no longer begins files in version 1.
const VERSION_1: &[u8] = include_bytes!("../../tests/kept.nuggets");
/// The journal of a version-1 server that was killed in a game of two players and a spectator.
const VERSION_1_JOURNAL: &[u8] = include_bytes!("../../tests/kept_v1_journal.nuggets");
/// A journal in version 2. Nothing rewrites it either.
const VERSION_2_JOURNAL: &[u8] = include_bytes!("../../tests/kept_v2_journal.nuggets");
/// A journal in version 3. `cargo xtask bless` rewrites it.
const VERSION_3_JOURNAL: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kept_v3_journal.nuggets");

const HELP: &str = "either the format or the rules have changed. Add a format version or raise \
                    RULES_VERSION (see their comments), and keep a file of the new version";

fn read(bytes: &[u8]) -> Reading {
    let reading = Recording::read(bytes).expect(HELP);
    assert_eq!(reading.tail, Tail::Whole, "{HELP}");
    reading
}

/// Returns the header of `bytes`, followed by these entries written in the version of that header.
fn rewritten_after_header(bytes: &[u8], entries: &[Entry]) -> Vec<u8> {
    let header = &bytes[..read(bytes).recording.checkpoints[0].offset];
    let reading = read(header);
    let mut game = reading.recording.header.game().unwrap();
    let (mut writer, records) = Writer::continuing(&reading, &game);
    let mut out = [header, &records].concat();
    for entry in entries {
        if let Some(input) = entry.what.input() {
            game.apply(input, &mut vec![]);
        }
        writer.append(entry, &game, &mut out);
    }
    out
}

#[test]
fn a_version_1_recording_is_read_and_replayed_as_it_was() {
    let mut played = Played::new(varied_header());
    played.play(600, &mut Rng::new(Seed::new(5)));
    played.end();
    let recording = read(VERSION_1).recording;
    let verified = verify(&recording).expect(HELP);
    assert!(recording.entries().eq(&played.entries), "{HELP}");
    assert_eq!(verified.game.state_hash(), played.game().state_hash(), "{HELP}");

    let statistics = Statistics::of(&recording).unwrap();
    let gone = statistics.players.iter().filter(|player| player.gone.is_some()).count();
    let keys: u32 = statistics.players.iter().map(|player| player.keys).sum();
    let is_rich = statistics.players.len() > 5 && gone > 2 && keys > 400;
    assert!(is_rich, "the file is worth keeping: {gone} gone, {keys} keys");
}

#[test]
fn a_version_1_file_is_continued_in_the_bytes_of_version_1() {
    for bytes in [VERSION_1, VERSION_1_JOURNAL] {
        let entries: Vec<Entry> = read(bytes).recording.entries().cloned().collect();
        assert!(rewritten_after_header(bytes, &entries) == bytes);
    }
}

#[test]
fn an_address_in_a_version_1_journal_is_the_token_of_a_udp_client() {
    let recording = read(VERSION_1_JOURNAL).recording;
    let peers: Vec<&[u8]> = recording
        .entries()
        .filter_map(|entry| match &entry.what {
            RecordedEvent::Join { peer, .. } | RecordedEvent::Watch { peer } => peer.as_ref(),
            _ => None,
        })
        .map(PeerToken::as_bytes)
        .collect();
    let ann = &[4, 127, 0, 0, 1, 0xe1, 0x83];
    let mut bob = [0; 27];
    bob[0] = 6;
    bob[16..19].copy_from_slice(&[1, 0x64, 0xb0]);
    let watcher = &[4, 127, 0, 0, 1, 0x88, 0x9c];
    assert_eq!(peers, [&ann[..], &bob, watcher]);
}

#[test]
fn a_version_1_journal_that_was_cut_anywhere_is_resumed_also_with_a_peer_that_is_no_address() {
    let start = read(VERSION_1_JOURNAL).recording.checkpoints[0].offset;
    for length in start..=VERSION_1_JOURNAL.len() {
        let reading = Recording::read(&VERSION_1_JOURNAL[..length]).unwrap();
        let before = &reading.recording;
        let game = verify(before).unwrap().game;
        let (mut writer, more) = Writer::resume(&reading, before.duration(), &game).unwrap();
        let mut bytes = [&VERSION_1_JOURNAL[..reading.good_bytes], &more].concat();
        let watch = RecordedEvent::Watch { peer: PeerToken::new(b"web session") };
        writer.append(&Entry::new(before.duration(), watch.clone()), &game, &mut bytes);

        let resumed = read(&bytes).recording;
        assert!(before.entries().eq(resumed.entries().take(before.records.len())));
        let added: Vec<&RecordedEvent> =
            resumed.entries().rev().take(2).map(|entry| &entry.what).collect();
        assert_eq!(added, [&watch, &RecordedEvent::Resumed], "cut at {length}");
        assert_eq!(verify(&resumed).unwrap().game.state_hash(), game.state_hash());
    }
}

/// A journal of peers of several transports.
fn version_2_journal() -> Played {
    let mut played = Played::new(small_header());
    played.play(80, &mut Rng::new(Seed::new(3)));
    played.add(7, RecordedEvent::Watch { peer: PeerToken::new(b"web session 7f3a") });
    played.add(7, RecordedEvent::Watch { peer: PeerToken::new(&[0xff; PeerToken::MAX_BYTES]) });
    played.add(7, RecordedEvent::End(RecordingEnd::Closed));
    played.add(7, RecordedEvent::Resumed);
    played
}

#[test]
fn a_version_2_journal_is_read_replayed_and_continued_as_it_was() {
    let played = version_2_journal();
    let reading = read(VERSION_2_JOURNAL);
    let recording = &reading.recording;
    assert!(recording.entries().eq(&played.entries), "{HELP}");
    let game = verify(recording).expect(HELP).game;
    assert_eq!(game.state_hash(), played.game().state_hash(), "{HELP}");
    assert!(rewritten_after_header(VERSION_2_JOURNAL, &played.entries) == VERSION_2_JOURNAL);

    // A record that version 2 doesn't have is left out.
    let (mut writer, mut more) = Writer::resume(&reading, recording.duration(), &game).unwrap();
    let before = more.len();
    for what in [RecordedEvent::Heard(Viewer::Spectator), RecordedEvent::Begun] {
        writer.append(&Entry::new(recording.duration(), what), &game, &mut more);
    }
    assert_eq!(more.len(), before);
    writer.append(&Entry::new(recording.duration(), RecordedEvent::Unwatch), &game, &mut more);
    let longer = read(&[VERSION_2_JOURNAL, &more].concat());
    assert_eq!(longer.recording.records.len(), recording.records.len() + 2);
}

/// Version 1 has the longest: two bytes before a token.
#[test]
fn the_longest_records_are_as_long_as_the_reader_allows() {
    let start = rewritten_after_header(VERSION_1_JOURNAL, &[]).len();
    let length = |what: RecordedEvent| {
        let entry = Entry::new(Timestamp(u64::MAX), what);
        rewritten_after_header(VERSION_1_JOURNAL, &[entry]).len() - start
    };
    assert_eq!(length(longest_join()), MAX_RECORD_BYTES);
    assert_eq!(length(RecordedEvent::End(RecordingEnd::Closed)), MAX_SELF_CHECKED_BYTES);
}

/// No program has written one there.
#[test]
fn a_record_of_version_3_in_an_older_file_is_damage() {
    let heard = Kind::Heard(Viewer::Spectator);
    for bytes in [VERSION_1_JOURNAL, VERSION_2_JOURNAL] {
        let Tail::Cut { offset, why, .. } =
            Recording::read(&forge(bytes, heard, &[])).unwrap().tail
        else {
            panic!("it was read")
        };
        assert_eq!((offset, why), (bytes.len(), Damage::Unknown));
    }
}

/// The same with the additional records of version 3.
fn version_3_journal() -> Played {
    let mut played = version_2_journal();
    played.add(7, RecordedEvent::Heard(Viewer::Spectator));
    played.add(7, RecordedEvent::Heard(Viewer::Player(Letter::nth(0).unwrap())));
    played.add(7, RecordedEvent::Heard(Viewer::Player(Letter::nth(25).unwrap())));
    played.add(300, RecordedEvent::End(RecordingEnd::Closed));
    played.add(7, RecordedEvent::Resumed);
    played.add(7, RecordedEvent::Begun);
    played.add(7, RecordedEvent::End(RecordingEnd::Stalemate));
    played.add(7, RecordedEvent::EndDelivered);
    played
}

#[test]
fn a_version_3_journal_is_read_and_replayed_as_it_was() {
    let played = version_3_journal();
    if std::env::var_os("NUGGETS_BLESS").is_some() {
        std::fs::write(VERSION_3_JOURNAL, &played.bytes).unwrap();
    }
    let kept = std::fs::read(VERSION_3_JOURNAL).expect(HELP);
    let recording = read(&kept).recording;
    assert!(recording.entries().eq(&played.entries), "{HELP}");
    let verified = verify(&recording).expect(HELP);
    assert_eq!(verified.game.state_hash(), played.game().state_hash(), "{HELP}");
    assert!(rewritten_after_header(&kept, &played.entries) == kept, "{HELP}");
}

/// A bit of an old header can't be repaired: there is no copy of it.
#[test]
fn a_damaged_header_of_version_1_or_2_is_rejected() {
    for bytes in [VERSION_1, VERSION_2_JOURNAL] {
        let mut bytes = bytes.to_vec();
        bytes[100] ^= 1;
        assert_eq!(Recording::read(&bytes).unwrap_err(), ReadError::Header);
    }
}
