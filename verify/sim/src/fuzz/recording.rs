//! Recordings: any bytes, and recordings with valid checksums and any entries.
//!
//! A fuzzer can't guess a checksum. So the same bytes are used twice: as they are, and as a header, which is given
//! valid checksums, followed by a script of the entries to write.

mod forged;

use crc32fast::Hasher;
use nuggets_protocol::ServerMessage;
use nuggets_record::{
    CatchUp, Entry, Header, PeerToken, Reading, Recording, RecordingEnd, Repair, Replay,
    Statistics, Tail, Verified, Writer, verify,
};
use nuggets_server::{Host, MemoryStorage, MemoryTransport, Peer, Room};

use crate::fuzz::assert_printable;
use crate::fuzz::script::FuzzBytes;
use forged::Forged;

/// Bytes before the name of the version that wrote the header: eight bytes of magic, the format and the rules.
const BEFORE_VERSION: usize = 12;
/// The offset of the format version.
const FORMAT: usize = 8;
/// Bytes between the first checksum and the length of the map.
const BEFORE_MAP: usize = 36;

/// Reads and replays one recording: neither panics or uses more memory than the bytes justify; an accepted
/// recording replays the same every time; a forged entry is rejected at its index.
pub fn recording(data: &[u8]) {
    played(data);
}

/// Does the same and returns the number of entries that were replayed.
pub(crate) fn played(data: &[u8]) -> usize {
    let as_it_is = read(data).map_or(0, |reading| examine(&reading, data));
    as_it_is + forged(data).unwrap_or(0)
}

fn read(bytes: &[u8]) -> Option<Reading> {
    let read = Recording::read(bytes);
    read.inspect_err(|why| assert_printable(&why.to_string())).ok()
}

/// Writes a recording by the script, reads it, damages it and reads it again.
fn forged(data: &[u8]) -> Option<usize> {
    let (head, script) = with_valid_checksums(data)?;
    let header = read(&head)?.recording.header;
    let mut script = FuzzBytes::new(script);
    let damage = [script.byte(), script.byte(), script.byte()];
    let forged = Forged::write(&header, &mut script);

    let reading = Recording::read(&forged.bytes).expect("a written recording can be read");
    assert_eq!((reading.tail, reading.good_bytes), (Tail::Whole, forged.bytes.len()));
    assert_eq!(reading.recording.header, header);
    assert!(reading.recording.entries().eq(&forged.entries), "read differently than written");
    forged.check(verify(&reading.recording));
    check_damaged(&forged, damage);
    check_caught_up(&reading.recording, damage);
    Some(examine(&reading, &forged.bytes))
}

/// Flips one bit or truncates the bytes.
fn damaged(bytes: &[u8], [high, low, how]: [u8; 3]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let place = usize::from(u16::from_be_bytes([high, low])) % bytes.len();
    if how < 128 {
        bytes[place] ^= 1 << (how % 8);
    } else {
        bytes.truncate(place);
    }
    bytes
}

/// Checks that a damaged recording reads as a prefix of the original, or is rejected.
fn check_damaged(forged: &Forged, damage: [u8; 3]) {
    let bytes = damaged(&forged.bytes, damage);
    let Some(reading) = read(&bytes) else { return };
    let entries = reading.recording.entries();
    assert!(entries.len() <= forged.entries.len(), "more entries than were written");
    let is_beginning = entries.zip(&forged.entries).all(|(read, written)| read == written);
    assert!(is_beginning, "damage made another game");
    examine(&reading, &bytes);
}

/// Checks that a shared recording of the same game is completed from its journal, or rejected.
fn check_caught_up(journal: &Recording, damage: [u8; 3]) {
    let Ok(CatchUp { bytes: whole, .. }) = CatchUp::of(b"", journal) else {
        return assert!(verify(journal).is_err(), "a true journal can be shared");
    };
    let mut bytes = damaged(&whole, damage);
    match CatchUp::of(&bytes, journal) {
        Ok(CatchUp { keep, repairs, bytes: more, .. }) => {
            for Repair { offset, bytes: right } in repairs {
                bytes[offset..offset + right.len()].copy_from_slice(&right);
            }
            assert!([&bytes[..keep], &more].concat() == whole, "it caught up with another game");
        }
        Err(why) => assert_printable(&why.to_string()),
    }
}

/// Verifies, replays, rewrites and resumes the recording that was read. All must agree.
fn examine(reading: &Reading, bytes: &[u8]) -> usize {
    let recording = &reading.recording;
    assert!(reading.good_bytes <= bytes.len());
    assert!(recording.records.len() + recording.checkpoints.len() <= bytes.len());
    assert!(recording.records.iter().all(|record| record.offset < reading.good_bytes));
    match verify(recording) {
        Ok(verified) => {
            check_replay(recording, &verified);
            check_written_again(recording);
            check_resumed(reading, &verified, bytes);
            assert!(Statistics::of(recording).is_ok());
            verified.entries
        }
        Err(bad) => {
            assert_printable(&bad.to_string());
            assert_eq!(verify(recording).err(), Some(bad));
            assert_eq!(Statistics::of(recording).err(), Some(bad));
            let end = usize::MAX;
            let played = Replay::new(recording.clone()).and_then(|mut replay| replay.seek(end));
            assert_eq!(played.err(), Some(bad));
            assert!(resumed_room(reading).is_none());
            0
        }
    }
}

/// Checks that stepping and seeking give the same states.
fn check_replay(recording: &Recording, verified: &Verified) {
    let mut replay = Replay::new(recording.clone()).expect("it was verified");
    let middle = verified.entries / 2;
    let mut states = vec![replay.game().state_hash()];
    while replay.step().expect("it was verified").is_some() {
        states.push(replay.game().state_hash());
    }
    assert_eq!(states.last(), Some(&verified.game.state_hash()));
    for position in [middle, 0, verified.entries, middle] {
        replay.seek(position).expect("it was verified");
        assert_eq!(replay.position(), position);
        assert_eq!(replay.game().state_hash(), states[position]);
    }
}

/// Checks that the same entries, written again, are read as the same recording.
fn check_written_again(recording: &Recording) {
    let bytes = written(&recording.header, recording.entries());
    let again = Recording::read(&bytes).expect("a written recording can be read").recording;
    assert_eq!(again.header, recording.header);
    assert!(again.entries().eq(recording.entries()));
}

/// Returns the bytes of a recording with these entries.
fn written<'a>(header: &Header, entries: impl Iterator<Item = &'a Entry>) -> Vec<u8> {
    let mut game = header.game().expect("it was verified");
    let (mut writer, mut bytes) = Writer::new(header, &game);
    for entry in entries {
        if let Some(input) = entry.what.input() {
            game.apply(input, &mut vec![]);
        }
        writer.append(entry, &game, &mut bytes);
    }
    bytes
}

/// Checks that a server resumes the same game, or reports why it can't.
fn check_resumed(reading: &Reading, verified: &Verified, bytes: &[u8]) {
    let Some(room) = resumed_room(reading) else { return };
    assert_eq!(room.game().state_hash(), verified.game.state_hash());
    assert_eq!(room.is_over(), verified.game.end().is_some(), "the end was lost");
    let storage =
        MemoryStorage { journal: bytes[..reading.good_bytes].to_vec(), ..MemoryStorage::default() };
    let mut host = Host::new(room, storage).with_manual_clock().with_resumed_journal(reading);
    let mut transport = MemoryTransport::default();
    host.flush(&mut transport).expect("memory does not fail");
    let has_grown = host.storage().journal.len() > reading.good_bytes;
    let ended = reading.recording.end() == Some(RecordingEnd::Over);
    assert_ne!(has_grown, ended, "the resume is not in the journal");
    host.handle_timeouts(&mut transport);
    host.flush(&mut transport).expect("memory does not fail");
    assert_eq!(host.room().is_closed(), host.room().is_over(), "the end was not sent");
    host.close(&mut transport).expect("memory does not fail");
    assert!(transport.sent.iter().all(|(_, payload)| ServerMessage::parse(payload).is_ok()));
    let again = Recording::read(&host.storage().journal).expect("a resumed journal can be read");
    assert_eq!(again.tail, Tail::Whole);
    assert_eq!(again.recording.is_end_delivered(), verified.game.end().is_some());
    let state = verify(&again.recording).expect("it was verified").game.state_hash();
    assert_eq!(state, verified.game.state_hash());
}

/// Resumes the room of a journal. Any token identifies a peer.
fn resumed_room(reading: &Reading) -> Option<Room> {
    let mut tokens = vec![];
    let peer_of = |token: &PeerToken| {
        let place = tokens.iter().position(|known| known == token).unwrap_or_else(|| {
            tokens.push(token.clone());
            tokens.len() - 1
        });
        Some(Peer(place as u64))
    };
    Room::resume(reading, peer_of).ok()
}

/// Returns the header with valid checksums, and the bytes after it. The layout is that of `docs/recording.md`.
fn with_valid_checksums(data: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let version = usize::from(*data.get(BEFORE_VERSION)?);
    let origin = BEFORE_VERSION + 1 + version;
    let game = origin + 4;
    let length = data.get(game + BEFORE_MAP..)?.first_chunk()?;
    let map = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let end = (game + BEFORE_MAP + 4).checked_add(map)?;
    let rest = data.get(end.checked_add(4)?..)?;

    let mut hasher = Hasher::new();
    hasher.update(&data[..origin]);
    let first = hasher.clone().finalize();
    hasher = Hasher::new_with_initial(first);
    hasher.update(&data[game..end]);
    let second = hasher.finalize();
    let parts = [&data[..origin], &first.to_le_bytes(), &data[game..end], &second.to_le_bytes()];
    let header = parts.concat();
    // Since version 3 the header is stored twice.
    let copies = if data[FORMAT] >= 3 { 2 } else { 1 };
    Some((header.repeat(copies), rest))
}
