//! The game of the simulation: the list of all keys that were applied. So everything that is shown can be compared.

use crate::{Attempt, ClientId, LogRecord, RecordBody};

/// A key of a player. No player presses the same one twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) player: u8,
    pub(super) serial: u32,
}

/// Keys from here on are forged.
pub(super) const FORGED: u32 = 1_000_000;

impl Key {
    /// Some keys do nothing, like steps into a wall.
    pub(super) fn has_effect(self) -> bool {
        !self.serial.is_multiple_of(7)
    }

    pub(super) fn encode(self) -> Vec<u8> {
        let mut bytes = vec![self.player];
        bytes.extend(self.serial.to_le_bytes());
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (player, serial) = bytes.split_first()?;
        Some(Self { player: *player, serial: u32::from_le_bytes(serial.try_into().ok()?) })
    }

    pub(super) fn encode_all(keys: &[Self]) -> Vec<u8> {
        keys.iter().flat_map(|key| key.encode()).collect()
    }

    pub(super) fn decode_all(bytes: &[u8]) -> Vec<Self> {
        bytes.chunks(5).filter_map(Self::decode).collect()
    }

    /// The keys in a record of a log.
    pub(super) fn of_record(record: &LogRecord) -> Vec<Self> {
        match &record.body {
            RecordBody::Opened { .. } | RecordBody::Fence { .. } => vec![],
            RecordBody::Batch { bytes, .. } => Self::decode_all(bytes),
        }
    }
}

/// What a client shows to prove that it is this player, and which of its connections this is.
pub(super) fn hello(player: u8, number: u64) -> Vec<u8> {
    [&[player][..], &token(player), &number.to_le_bytes()].concat()
}

/// The same with a token that somebody has guessed.
pub(super) fn forged_hello(player: u8) -> Vec<u8> {
    let mut forged = hello(player, 1);
    forged[1] ^= 1;
    forged
}

/// Who shows this, and whether the token is right.
pub(super) fn read_hello(hello: &[u8]) -> Option<(Attempt, bool)> {
    let (player, rest) = hello.split_first()?;
    let (shown, number) = rest.split_first_chunk::<8>()?;
    let client = ClientId { player: u64::from(*player), id: 1 };
    let attempt = Attempt { client, number: u64::from_le_bytes(number.try_into().ok()?) };
    Some((attempt, *shown == token(*player)))
}

fn token(player: u8) -> [u8; 8] {
    super::rng::mix(u64::from(player) + 1_000).to_le_bytes()
}
