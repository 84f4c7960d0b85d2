//! What nodes send each other about clients, as core messages: each may be lost, late or doubled.

use crate::codec::{Decoder, Encoder};
use crate::{ConnectionId, DecodeError, Epoch, LogName};

/// From the node that has a client's connection to the owner of its game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdgeMessage {
    /// A client has come, or a new owner must learn of it.
    Attach {
        /// The game.
        log: LogName,
        /// The connection.
        connection: ConnectionId,
        /// Who it is, with the token that proves it, and what it wants.
        hello: Vec<u8>,
    },
    /// What the client sent: numbered, in order, from the first one that is not answered.
    Frames {
        /// The game.
        log: LogName,
        /// The connection.
        connection: ConnectionId,
        /// The number of the first frame in `frames`.
        first: u64,
        /// All frames up to this number are answered, and will not be sent again.
        answered: u64,
        /// The frames.
        frames: Vec<Vec<u8>>,
    },
    /// The client is gone.
    Detach {
        /// The game.
        log: LogName,
        /// The connection.
        connection: ConnectionId,
    },
    /// The edge shows this view: it is published while edges ask for it.
    Subscribe {
        /// The game.
        log: LogName,
        /// Which view.
        view: Vec<u8>,
        /// True if the next picture must be a whole one.
        needs_whole: bool,
    },
}

/// From the owner of a game to an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnerMessage {
    /// The connection is attached.
    Attached {
        /// The connection.
        connection: ConnectionId,
        /// The epoch of the owner.
        epoch: Epoch,
        /// What to send to the client.
        welcome: Vec<u8>,
    },
    /// The connection was rejected, for a reason that the client can read.
    Rejected {
        /// The connection.
        connection: ConnectionId,
        /// Why.
        reason: Vec<u8>,
    },
    /// What the frames up to this number did is in the log.
    Answered {
        /// The connection.
        connection: ConnectionId,
        /// The number.
        up_to: u64,
    },
    /// Frames came from a connection that is not attached here: attach it first.
    NotAttached {
        /// The connection.
        connection: ConnectionId,
        /// The epoch of the owner.
        epoch: Epoch,
    },
    /// The node that was asked does not own this log.
    NotOwner {
        /// The log.
        log: LogName,
    },
    /// Appends are not acknowledged, or are again.
    Paused {
        /// The log.
        log: LogName,
        /// Whether the game is paused.
        is_paused: bool,
    },
    /// Something for one client only. It may get lost.
    Direct {
        /// The connection.
        connection: ConnectionId,
        /// What to send to the client.
        bytes: Vec<u8>,
    },
}

impl EdgeMessage {
    /// The game that it is about.
    pub fn log(&self) -> &LogName {
        match self {
            Self::Attach { log, .. }
            | Self::Frames { log, .. }
            | Self::Detach { log, .. }
            | Self::Subscribe { log, .. } => log,
        }
    }

    /// The message as bytes.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Attach { log, connection, hello } => {
                Encoder::with_tag(1).log(log).connection(connection).bytes(hello)
            }
            Self::Frames { log, connection, first, answered, frames } => {
                let out = Encoder::with_tag(2).log(log).connection(connection);
                let out = out.number(*first).number(*answered).number(frames.len() as u64);
                frames.iter().fold(out, |out, frame| out.bytes(frame))
            }
            Self::Detach { log, connection } => {
                Encoder::with_tag(3).log(log).connection(connection)
            }
            Self::Subscribe { log, view, needs_whole } => {
                Encoder::with_tag(4).log(log).bytes(view).flag(*needs_whole)
            }
        }
        .finish()
    }

    /// Reads a message.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut from = Decoder::new(bytes);
        let (tag, log) = (from.byte()?, from.log()?);
        let message = match tag {
            1 => {
                let connection = from.connection()?;
                Self::Attach { log, connection, hello: from.bytes()?.to_vec() }
            }
            2 => Self::Frames {
                log,
                connection: from.connection()?,
                first: from.number()?,
                answered: from.number()?,
                frames: from.list(|from| Ok(from.bytes()?.to_vec()))?,
            },
            3 => Self::Detach { log, connection: from.connection()? },
            4 => Self::Subscribe { log, view: from.bytes()?.to_vec(), needs_whole: from.flag()? },
            _ => return Err(DecodeError),
        };
        from.finish()?;
        Ok(message)
    }
}

impl OwnerMessage {
    /// The message as bytes.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Attached { connection, epoch, welcome } => {
                Encoder::with_tag(1).connection(connection).epoch(*epoch).bytes(welcome)
            }
            Self::Rejected { connection, reason } => {
                Encoder::with_tag(2).connection(connection).bytes(reason)
            }
            Self::Answered { connection, up_to } => {
                Encoder::with_tag(3).connection(connection).number(*up_to)
            }
            Self::NotAttached { connection, epoch } => {
                Encoder::with_tag(4).connection(connection).epoch(*epoch)
            }
            Self::NotOwner { log } => Encoder::with_tag(5).log(log),
            Self::Paused { log, is_paused } => Encoder::with_tag(6).log(log).flag(*is_paused),
            Self::Direct { connection, bytes } => {
                Encoder::with_tag(7).connection(connection).bytes(bytes)
            }
        }
        .finish()
    }

    /// Reads a message.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut from = Decoder::new(bytes);
        let message = match from.byte()? {
            1 => Self::Attached {
                connection: from.connection()?,
                epoch: from.epoch()?,
                welcome: from.bytes()?.to_vec(),
            },
            2 => Self::Rejected { connection: from.connection()?, reason: from.bytes()?.to_vec() },
            3 => Self::Answered { connection: from.connection()?, up_to: from.number()? },
            4 => Self::NotAttached { connection: from.connection()?, epoch: from.epoch()? },
            5 => Self::NotOwner { log: from.log()? },
            6 => Self::Paused { log: from.log()?, is_paused: from.flag()? },
            7 => Self::Direct { connection: from.connection()?, bytes: from.bytes()?.to_vec() },
            _ => return Err(DecodeError),
        };
        from.finish()?;
        Ok(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Instance, NodeId};

    fn connection() -> ConnectionId {
        let edge = Instance { node: NodeId::new("one").unwrap(), incarnation: 3 };
        ConnectionId { edge, number: 300 }
    }

    fn edge_messages() -> Vec<EdgeMessage> {
        let (log, connection) = (LogName::new("game").unwrap(), connection());
        let frames = vec![b"a".to_vec(), vec![]];
        vec![
            EdgeMessage::Attach {
                log: log.clone(),
                connection: connection.clone(),
                hello: b"token".to_vec(),
            },
            EdgeMessage::Frames {
                log: log.clone(),
                connection: connection.clone(),
                first: 4,
                answered: 3,
                frames,
            },
            EdgeMessage::Detach { log: log.clone(), connection },
            EdgeMessage::Subscribe { log, view: b"A".to_vec(), needs_whole: true },
        ]
    }

    fn owner_messages() -> Vec<OwnerMessage> {
        let (log, connection, epoch) = (LogName::new("game").unwrap(), connection(), Epoch(7));
        let bytes = b"text".to_vec();
        vec![
            OwnerMessage::Attached {
                connection: connection.clone(),
                epoch,
                welcome: bytes.clone(),
            },
            OwnerMessage::Rejected { connection: connection.clone(), reason: bytes.clone() },
            OwnerMessage::Answered { connection: connection.clone(), up_to: 200 },
            OwnerMessage::NotAttached { connection: connection.clone(), epoch },
            OwnerMessage::NotOwner { log: log.clone() },
            OwnerMessage::Paused { log, is_paused: true },
            OwnerMessage::Direct { connection, bytes },
        ]
    }

    #[test]
    fn a_message_is_read_as_it_was_written() {
        for message in edge_messages() {
            assert_eq!(EdgeMessage::decode(&message.encode()), Ok(message));
        }
        for message in owner_messages() {
            assert_eq!(OwnerMessage::decode(&message.encode()), Ok(message));
        }
    }

    #[test]
    fn a_cut_message_is_rejected() {
        for bytes in edge_messages().iter().map(EdgeMessage::encode) {
            let mut cuts = 0..bytes.len();
            assert!(cuts.all(|length| EdgeMessage::decode(&bytes[..length]).is_err()));
        }
        for bytes in owner_messages().iter().map(OwnerMessage::encode) {
            let mut cuts = 0..bytes.len();
            assert!(cuts.all(|length| OwnerMessage::decode(&bytes[..length]).is_err()));
        }
    }
}
