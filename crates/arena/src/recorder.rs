//! The recording of one game of a tournament, as bytes for a file.

use nuggets_game::Setup;
use nuggets_record::{Header, Writer};
use nuggets_server::{Room, RoomRecord, Timestamp};

/// The duration of a round in a recording: four keys a second for each bot, slow enough to watch.
const ROUND_MS: u64 = 250;

/// Records a room.
pub(super) struct Recorder {
    writer: Writer,
    bytes: Vec<u8>,
}

impl Recorder {
    /// Starts a recording of a room that no player has joined.
    pub(super) fn new(setup: Setup, room: &Room) -> Self {
        let (writer, bytes) = Writer::new(&Header { setup, port: 0 }, room.game());
        Self { writer, bytes }
    }

    /// Appends the last record of the room.
    pub(super) fn append(&mut self, record: RoomRecord, room: &Room) {
        // A recording holds no peers.
        if let Some(entry) = record.map_peer(|_| None).shared() {
            self.writer.append(&entry, room.game(), &mut self.bytes);
        }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Returns the time of a turn in a recording. The turns of a round are spread evenly over it.
pub(super) fn time_of_turn(round: u32, seat: usize, seats: usize) -> Timestamp {
    let part = ROUND_MS * seat as u64 / seats.max(1) as u64;
    Timestamp(u64::from(round) * ROUND_MS + part)
}
