//! The records of a log: what a message of a log's subject says. A record has a number in its log, so that a gap or a
//! record of another log is noticed, and the epoch of its writer.

use crate::codec::{Decoder, Encoder};
use crate::{Attempt, ClientId, ConnectionId, DecodeError, Epoch, Instance};

/// One record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    /// The epoch of its writer. It never decreases within a log.
    pub epoch: Epoch,
    /// Its number in the log: 1, 2, 3, …; 0 for a `Fence`.
    pub index: u64,
    /// What it says.
    pub body: RecordBody,
}

/// What a record says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordBody {
    /// A new owner has read everything before it, and from here on is the only writer.
    Opened {
        /// The new owner.
        by: Instance,
    },
    /// A new owner has read everything before it in this stream, and is about to open the log. From here on, a publish of an
    /// earlier owner in this stream has the wrong expected sequence. It is no part of the log.
    Fence {
        /// The new owner.
        by: Instance,
    },
    /// What was appended during one acknowledgement.
    Batch {
        /// What the log is about, for example the bytes of a journal.
        bytes: Vec<u8>,
        /// The frames that caused it. They are stored with their effect or not at all.
        marks: Vec<Mark>,
    },
}

/// All frames of this connection up to this number have been applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Whose frames.
    pub connection: ConnectionId,
    /// The number of the last one.
    pub number: u64,
    /// Which connection of its client it is, if the client has said so. From here on, frames of the client's earlier
    /// connections are outdated.
    pub attempt: Option<Attempt>,
}

const OPENED: u8 = 1;
const BATCH: u8 = 2;
const FENCE: u8 = 3;

impl LogRecord {
    /// The record as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let tag = match self.body {
            RecordBody::Opened { .. } => OPENED,
            RecordBody::Batch { .. } => BATCH,
            RecordBody::Fence { .. } => FENCE,
        };
        let out = Encoder::with_tag(tag).epoch(self.epoch).number(self.index);
        match &self.body {
            RecordBody::Opened { by } | RecordBody::Fence { by } => out.instance(by),
            RecordBody::Batch { bytes, marks } => {
                let out = out.bytes(bytes).number(marks.len() as u64);
                marks.iter().fold(out, |out, mark| mark.encode(out))
            }
        }
        .finish()
    }

    /// Reads a record.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut from = Decoder::new(bytes);
        let tag = from.byte()?;
        let (epoch, index) = (from.epoch()?, from.number()?);
        let body = match tag {
            OPENED => RecordBody::Opened { by: from.instance()? },
            FENCE => RecordBody::Fence { by: from.instance()? },
            BATCH => {
                RecordBody::Batch { bytes: from.bytes()?.to_vec(), marks: from.list(Mark::decode)? }
            }
            _ => return Err(DecodeError),
        };
        from.finish()?;
        Ok(Self { epoch, index, body })
    }
}

impl Mark {
    fn encode(&self, out: Encoder) -> Encoder {
        let out = out.connection(&self.connection).number(self.number);
        match self.attempt {
            None => out.flag(false),
            Some(Attempt { client, number }) => {
                out.flag(true).number(client.player).number(client.id).number(number)
            }
        }
    }

    fn decode(from: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let (connection, number) = (from.connection()?, from.number()?);
        let attempt = if from.flag()? {
            let client = ClientId { player: from.number()?, id: from.number()? };
            Some(Attempt { client, number: from.number()? })
        } else {
            None
        };
        Ok(Self { connection, number, attempt })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeId;

    fn one() -> Instance {
        Instance { node: NodeId::new("one").unwrap(), incarnation: 7 }
    }

    fn records() -> [LogRecord; 3] {
        let connection = ConnectionId { edge: one(), number: 300 };
        let client = ClientId { player: 400, id: u64::MAX };
        let attempt = Some(Attempt { client, number: 2 });
        let mark = |attempt| Mark { connection: connection.clone(), number: 12, attempt };
        [
            LogRecord { epoch: Epoch(3), index: 0, body: RecordBody::Fence { by: one() } },
            LogRecord { epoch: Epoch(3), index: 1, body: RecordBody::Opened { by: one() } },
            LogRecord {
                epoch: Epoch(3),
                index: 2,
                body: RecordBody::Batch {
                    bytes: b"abc".to_vec(),
                    marks: vec![mark(attempt), mark(None)],
                },
            },
        ]
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        for record in records() {
            assert_eq!(LogRecord::decode(&record.encode()), Ok(record));
        }
    }

    #[test]
    fn a_cut_or_longer_record_is_rejected() {
        for record in records() {
            let bytes = record.encode();
            for length in 0..bytes.len() {
                assert_eq!(LogRecord::decode(&bytes[..length]), Err(DecodeError));
            }
            assert_eq!(LogRecord::decode(&[&bytes[..], &[0]].concat()), Err(DecodeError));
        }
    }
}
