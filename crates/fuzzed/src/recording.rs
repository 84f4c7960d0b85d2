//! Recordings: any bytes at all, and recordings with right checksums that tell of anything.
//!
//! No fuzzer guesses a checksum. So the same bytes are taken twice: as they are, and as a header that
//! is given the right checksums, with a script behind it of what is written into the recording.

mod forged;
mod mend;

use nuggets_protocol::ServerMessage;
use nuggets_record::{
    CatchUp, Ending, Entry, Header, Reading, Recording, Replay, Statistics, Tail, Verified, Writer,
    verify,
};
use nuggets_server::Room;

use crate::harmless::assert_harmless;
use crate::script::Script;
use forged::Forged;

/// One recording. Reading and playing never panic and take no more than the bytes have to tell; what
/// is accepted is played the same every time; a forged one is found out where it lies.
pub fn recording(data: &[u8]) {
    played(data);
}

/// The same, and how many entries of it were played in the end.
pub(crate) fn played(data: &[u8]) -> usize {
    let as_it_is = read(data).map_or(0, |reading| examine(&reading, data));
    as_it_is + forged(data).unwrap_or(0)
}

fn read(bytes: &[u8]) -> Option<Reading> {
    let read = Recording::read(bytes);
    read.inspect_err(|why| assert_harmless(&why.to_string())).ok()
}

/// Takes the header, writes a recording by the script, reads it, damages it and reads it again.
fn forged(data: &[u8]) -> Option<usize> {
    let (head, script) = mend::header(data)?;
    let header = read(&head)?.recording.header;
    let mut script = Script::new(script);
    let damage = [script.byte(), script.byte(), script.byte()];
    let forged = Forged::write(&header, &mut script);

    let reading = Recording::read(&forged.bytes).expect("a written recording can be read");
    assert_eq!((reading.tail, reading.good_bytes), (Tail::Whole, forged.bytes.len()));
    assert_eq!(reading.recording.header, header);
    assert!(reading.recording.entries().eq(&forged.entries), "read otherwise than written");
    forged.check(verify(&reading.recording));
    check_damaged(&forged, damage);
    check_caught_up(&reading.recording, damage);
    Some(examine(&reading, &forged.bytes))
}

/// One bit flipped, or the end torn off.
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

/// A true beginning is left, or it is refused.
fn check_damaged(forged: &Forged, damage: [u8; 3]) {
    let bytes = damaged(&forged.bytes, damage);
    let Some(reading) = read(&bytes) else { return };
    let entries = reading.recording.entries();
    assert!(entries.len() <= forged.entries.len(), "there is more than was written");
    let is_beginning = entries.zip(&forged.entries).all(|(read, written)| read == written);
    assert!(is_beginning, "damage made another game");
    examine(&reading, &bytes);
}

/// A shared recording of the same game becomes whole again from its journal, or is refused.
fn check_caught_up(journal: &Recording, damage: [u8; 3]) {
    let Ok(CatchUp { bytes: whole, .. }) = CatchUp::of(b"", journal) else {
        return assert!(verify(journal).is_err(), "a true journal can be shared");
    };
    let bytes = damaged(&whole, damage);
    match CatchUp::of(&bytes, journal) {
        Ok(CatchUp { keep, bytes: more, .. }) => {
            assert!([&bytes[..keep], &more].concat() == whole, "it caught up with another game");
        }
        Err(why) => assert_harmless(&why.to_string()),
    }
}

/// Plays what was read in every way there is. All must agree.
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
            assert_harmless(&bad.to_string());
            assert_eq!(verify(recording).err(), Some(bad));
            assert_eq!(Statistics::of(recording).err(), Some(bad));
            let end = usize::MAX;
            let played = Replay::new(recording.clone()).and_then(|mut replay| replay.seek(end));
            assert_eq!(played.err(), Some(bad));
            assert!(Room::resume(reading).is_err());
            0
        }
    }
}

/// Step by step, back and forth: the same game.
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

/// Whoever writes the same down gets a recording of the same.
fn check_written_again(recording: &Recording) {
    let bytes = written(&recording.header, recording.entries());
    let again = Recording::read(&bytes).expect("a written recording can be read").recording;
    assert_eq!(again.header, recording.header);
    assert!(again.entries().eq(recording.entries()));
}

/// The bytes of a recording that tells of this.
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

/// A server that takes it up has the same game, or says why it can't.
fn check_resumed(reading: &Reading, verified: &Verified, bytes: &[u8]) {
    let Ok(mut room) = Room::resume(reading) else { return };
    assert_eq!(room.game().state_hash(), verified.game.state_hash());
    assert_eq!(room.is_over(), verified.game.end().is_some(), "the end was forgotten");
    let mut journal = bytes[..reading.good_bytes].to_vec();
    drain(&mut room, &mut journal);
    let has_grown = journal.len() > reading.good_bytes;
    let ended = reading.recording.ending() == Some(Ending::Over);
    assert_ne!(has_grown, ended, "nobody will know that it was resumed");
    room.handle_timeout(room.now());
    drain(&mut room, &mut journal);
    assert_eq!(room.is_closed(), room.is_over(), "the end was not told");
    room.shut_down();
    drain(&mut room, &mut journal);
    let again = Recording::read(&journal).expect("a journal that went on can be read");
    assert_eq!(again.tail, Tail::Whole);
    assert_eq!(again.recording.is_told(), verified.game.end().is_some());
    let state = verify(&again.recording).expect("it was verified").game.state_hash();
    assert_eq!(state, verified.game.state_hash());
}

fn drain(room: &mut Room, journal: &mut Vec<u8>) {
    while let Some((_, bytes)) = room.poll_record() {
        journal.extend(bytes);
    }
    while let Some(transmit) = room.poll_transmit() {
        assert!(ServerMessage::parse(transmit.payload).is_ok());
    }
}
