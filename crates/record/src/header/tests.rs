//! A header is read as it was written, or refused with a reason.

use super::*;
use crate::Recording;
use crate::tests::{small_header, usual_header, varied_header};

#[test]
fn every_header_is_read_as_it_was_written() {
    for header in [usual_header(), small_header(), varied_header()] {
        let (bytes, crc) = header.write();
        let read = Header::read(&bytes);
        assert_eq!(read, Ok((header, bytes.len(), crc)));
    }
}

/// A header with other versions in it, as another program would write it.
fn written_by(format: u16, rules: u16, by: &[u8]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(format.to_le_bytes());
    bytes.extend(rules.to_le_bytes());
    push_text(by, &mut bytes);
    let crc = crc32fast::hash(&bytes);
    bytes.extend(crc.to_le_bytes());
    bytes.extend(b"whatever comes here in that version");
    bytes
}

#[test]
fn a_recording_by_other_rules_is_refused_and_says_which_version_plays_it() {
    let bytes = written_by(FORMAT_VERSION, RULES_VERSION + 1, b"9.8.7");
    let refusal = Recording::read(&bytes).unwrap_err().to_string();
    let ours = env!("CARGO_PKG_VERSION");
    assert_eq!(
        refusal,
        format!(
            "this recording was written by Nuggets 9.8.7 under rules {}; this is Nuggets {ours} with \
             rules {RULES_VERSION}, by which the same keys give another game: play it with Nuggets \
             9.8.7",
            RULES_VERSION + 1
        )
    );
}

#[test]
fn a_recording_in_another_format_is_refused_and_says_which_version_reads_it() {
    let bytes = written_by(77, 1, b"2.0.0");
    let refusal = Recording::read(&bytes).unwrap_err().to_string();
    assert!(refusal.starts_with("this recording was written by Nuggets 2.0.0 in format 77;"));
    assert!(refusal.ends_with("play it with Nuggets 2.0.0"), "{refusal}");
}

#[test]
fn what_a_header_says_of_its_writer_is_fit_to_be_shown() {
    let refusal = Recording::read(&written_by(77, 1, b"\x1b[31m")).unwrap_err().to_string();
    assert!(refusal.contains("Nuggets _[31m in format 77"), "{refusal}");
    let refusal = Recording::read(&written_by(77, 1, b"1\t2")).unwrap_err().to_string();
    assert!(refusal.contains("Nuggets 1 2 in format 77"), "{refusal}");
    let refusal = Recording::read(&written_by(77, 1, b"")).unwrap_err().to_string();
    assert!(refusal.contains("Nuggets an unknown version"), "{refusal}");
}

#[test]
fn other_files_are_no_recordings() {
    for (bytes, refusal) in [
        (&b""[..], ReadError::Empty),
        (b"nugg", ReadError::NotARecording),
        (b"+--+\n|..|\n+--+\n", ReadError::NotARecording),
        (b"nuggets\n", ReadError::Header),
    ] {
        assert_eq!(Recording::read(bytes).unwrap_err(), refusal);
    }
}

#[test]
fn a_header_that_makes_no_game_is_refused_though_its_checksum_is_right() {
    let mut header = small_header();
    header.rules.nuggets = 0;
    let refusal = Recording::read(&header.write().0).unwrap_err();
    assert_eq!(refusal, ReadError::Unplayable(BadRules::NoGold.into()));

    let mut header = small_header();
    header.rules.max_players = 26;
    let refusal = Recording::read(&header.write().0).unwrap_err();
    assert!(matches!(refusal, ReadError::Unplayable(Unplayable::Map(_))), "{refusal}");
    assert!(header.game().is_err());
}
