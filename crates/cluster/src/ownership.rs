//! Who owns a log: the record in its ownership subject. It says who should write; who *can* write is decided by the
//! sequence of the log itself.

use crate::codec::{Decoder, Encoder};
use crate::{DecodeError, Epoch, Instance};

/// The largest `details`, in bytes.
pub const MAX_DETAILS_BYTES: usize = 512 * 1024;

/// Who owns a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ownership {
    /// Greater than that of the record before it.
    pub epoch: Epoch,
    /// The owner.
    pub owner: Instance,
    /// Whether somebody should write it.
    pub state: LogState,
    /// What every node should know of it without reading the log, for example a game's row in the lobby.
    pub details: Vec<u8>,
}

/// Whether a log should have a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogState {
    /// It should; if the owner is gone, another node takes over.
    Running,
    /// Nothing will be appended any more.
    Finished,
    /// The log contradicts the copy of its owner. Nobody takes it over until a person has decided.
    Failed,
}

const OWNERSHIP: u8 = 1;
const STATES: [LogState; 3] = [LogState::Running, LogState::Finished, LogState::Failed];

impl Ownership {
    /// The record as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let out = Encoder::with_tag(OWNERSHIP).epoch(self.epoch).instance(&self.owner);
        out.number(self.state as u64).bytes(&self.details).finish()
    }

    /// Reads a record.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut from = Decoder::new(bytes);
        if from.byte()? != OWNERSHIP {
            return Err(DecodeError);
        }
        let (epoch, owner) = (from.epoch()?, from.instance()?);
        let state = usize::try_from(from.number()?).ok();
        let read = Self {
            epoch,
            owner,
            state: *state.and_then(|index| STATES.get(index)).ok_or(DecodeError)?,
            details: from.bytes()?.to_vec(),
        };
        from.finish()?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeId;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let owner = Instance { node: NodeId::new("one").unwrap(), incarnation: 7 };
        for state in STATES {
            let (epoch, details) = (Epoch(9), b"row".to_vec());
            let record = Ownership { epoch, owner: owner.clone(), state, details };
            assert_eq!(Ownership::decode(&record.encode()), Ok(record));
        }
        assert_eq!(Ownership::decode(b"\x01\x09\x01a\x07\x03\x00"), Err(DecodeError));
    }
}
