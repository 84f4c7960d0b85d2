//! A header is read as it was written, or rejected with a reason.

use nuggets_game::HouseRule;

use super::*;
use crate::Recording;
use crate::tests::{small_header, usual_header, varied_header};

#[test]
fn every_header_is_read_as_it_was_written() {
    for header in [usual_header(), small_header(), varied_header()] {
        for format in [Format::V1, Format::V2, Format::V3] {
            let (bytes, crc) = header.write(format);
            let header = header.clone();
            let length = bytes.len();
            assert_eq!(
                Header::read(&bytes),
                Ok(HeaderRead { header, length, format, crc, repair: None })
            );
        }
    }
}

#[test]
fn the_longest_header_is_as_long_as_the_reader_allows() {
    let header = small_header();
    let (bytes, _) = header.write_once(Format::LATEST);
    let fixed = bytes.len() - THIS_PROGRAM.len() - header.setup.map.to_string().len();
    let longest = fixed + usize::from(u8::MAX) + MAX_MAP_BYTES;
    assert_eq!((MAX_BYTES, MAX_HEADER_BYTES), (longest, 2 * longest));
}

/// A header with these versions, as another program would write it.
fn written_by(format: u16, rules: u16, by: &[u8]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(format.to_le_bytes());
    bytes.extend(rules.to_le_bytes());
    push_prefixed(by, &mut bytes);
    let crc = crc32fast::hash(&bytes);
    bytes.extend(crc.to_le_bytes());
    bytes.extend(b"whatever comes here in that version");
    bytes
}

#[test]
fn a_recording_under_other_rules_is_rejected_with_the_version_that_replays_it() {
    let bytes = written_by(Format::LATEST.number(), RULES_VERSION + 1, b"9.8.7");
    let error = Recording::read(&bytes).unwrap_err().to_string();
    let ours = env!("CARGO_PKG_VERSION");
    assert_eq!(
        error,
        format!(
            "this recording was written by Nuggets 9.8.7 under rules {}; this is Nuggets {ours} with \
             rules {RULES_VERSION}, under which the same keys give another game: replay it with Nuggets \
             9.8.7",
            RULES_VERSION + 1
        )
    );
}

#[test]
fn a_recording_in_another_format_is_rejected_with_the_version_that_reads_it() {
    let bytes = written_by(77, 1, b"2.0.0");
    let error = Recording::read(&bytes).unwrap_err().to_string();
    assert!(error.starts_with("this recording was written by Nuggets 2.0.0 in format 77;"));
    assert!(error.ends_with("replay it with Nuggets 2.0.0"), "{error}");
}

#[test]
fn the_program_version_in_a_header_is_made_safe_to_print() {
    let error = Recording::read(&written_by(77, 1, b"\x1b[31m")).unwrap_err().to_string();
    assert!(error.contains("Nuggets _[31m in format 77"), "{error}");
    let error = Recording::read(&written_by(77, 1, b"1\t2")).unwrap_err().to_string();
    assert!(error.contains("Nuggets 1 2 in format 77"), "{error}");
    let error = Recording::read(&written_by(77, 1, b"")).unwrap_err().to_string();
    assert!(error.contains("Nuggets an unknown version"), "{error}");
}

#[test]
fn other_files_are_rejected() {
    for (bytes, error) in [
        (&b""[..], ReadError::Empty),
        (b"nugg", ReadError::NotARecording),
        (b"+--+\n|..|\n+--+\n", ReadError::NotARecording),
        (b"nuggets\n", ReadError::Header),
    ] {
        assert_eq!(Recording::read(bytes).unwrap_err(), error);
    }
}

#[test]
fn a_header_that_gives_no_game_is_rejected_though_its_checksum_is_valid() {
    let mut header = small_header();
    header.setup.rules.nuggets = 0;
    let error = Recording::read(&header.write(Format::LATEST).0).unwrap_err();
    assert_eq!(
        error,
        ReadError::Unplayable(BadRules::OutOfRange { rule: HouseRule::Gold, value: 0 }.into())
    );

    let mut header = small_header();
    header.setup.rules.max_players = 26;
    let error = Recording::read(&header.write(Format::LATEST).0).unwrap_err();
    assert!(matches!(error, ReadError::Unplayable(Unplayable::Map(_))), "{error}");
    assert!(header.game().is_err());
}

#[test]
fn rules_that_this_version_does_not_know_are_rejected_though_the_checksum_is_valid() {
    let (written, _) = small_header().write(Format::V1);
    let start = MAGIC.len() + 2 + 2 + 1 + THIS_PROGRAM.len() + 4;
    let end = written.len() - 4;
    let read = |bits: u8| {
        let mut bytes = written.clone();
        bytes[start + 13] = bits;
        let crc = continued(crc32fast::hash(&bytes[..start - 4]), &bytes[start..end]);
        bytes[end..].copy_from_slice(&crc.to_le_bytes());
        Header::read(&bytes).map(|read| read.header)
    };
    assert_eq!(read(written[start + 13]), Ok(small_header()));
    assert_eq!(read(1 << 7), Err(ReadError::Header));
}

#[test]
fn a_copy_of_a_header_counts_only_where_the_damaged_one_ends_and_in_formats_that_have_it() {
    let whole = small_header().write(Format::LATEST).0;
    assert_eq!(Header::read(&[b"junk", &whole[..]].concat()), Err(ReadError::NotARecording));
    let once = small_header().write(Format::V2).0;
    let doubled = [&vec![0; once.len()], &once[..]].concat();
    assert_eq!(Header::read(&doubled), Err(ReadError::NotARecording));
}
