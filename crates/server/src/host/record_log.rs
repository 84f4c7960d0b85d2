//! Encodes the room's records for the journal and the recording.

use std::io;

use nuggets_game::Setup;
use nuggets_record::{Header, Writer};

use super::Host;
use crate::{Commit, Room, RoomRecord, Storage, Stored, Transport};

/// Encodes records for one journal or recording.
#[derive(Debug)]
pub(super) struct RecordLog {
    pub(super) writer: Writer,
    /// Bytes that have not been stored yet.
    pub(super) bytes: Vec<u8>,
}

impl RecordLog {
    pub(super) fn start(room: &Room, setup: &Setup, port: u16) -> Self {
        assert!(room.game().players().is_empty(), "a recording begins with the game");
        let header = Header { setup: setup.clone(), port };
        let (writer, bytes) = Writer::new(&header, room.game());
        Self { writer, bytes }
    }
}

impl<S: Storage> Host<S> {
    /// Encodes records immediately: a checkpoint hashes the game as the last record left it.
    pub(super) fn take_records(&mut self, transport: &impl Transport) {
        while let Some(record) = self.room.poll_record() {
            if self.journal.is_some() || self.recording.is_some() {
                self.write_record(record, transport);
            }
        }
    }

    fn write_record(&mut self, record: RoomRecord, transport: &impl Transport) {
        let entry = record.map_peer(|peer| Some(transport.token(peer)));
        let game = self.room.game();
        if let Some(RecordLog { writer, bytes }) = &mut self.journal {
            writer.append(&entry, game, bytes);
        }
        if let Some(RecordLog { writer, bytes }) = &mut self.recording
            && let Some(entry) = entry.shared()
        {
            writer.append(&entry, game, bytes);
        }
    }
}

/// Drops a log that can't be stored any more. Returns the commit to wait for.
pub(super) fn keep_or_drop(
    log: &mut Option<RecordLog>,
    stored: io::Result<Stored>,
) -> io::Result<Option<Commit>> {
    match stored {
        Ok(Stored::Yes) => Ok(None),
        Ok(Stored::With(commit)) => Ok(Some(commit)),
        Ok(Stored::GivenUp) => {
            *log = None;
            Ok(None)
        }
        Err(why) => {
            *log = None;
            Err(why)
        }
    }
}
