//! What a state machine asks of the engine, and what the engine answers. See the law in the documentation of the crate.

use std::fmt;
use std::sync::Arc;

use crate::{Epoch, LogName};

/// The sequence of a message of a subject, as the engine has numbered it: greater for later messages, with gaps. 0 is
/// that of a subject without messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seq(pub u64);

/// A subject that the engine stores.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// The records of a log. Every message is kept.
    Log(LogName),
    /// Who owns a log. Only the last message matters.
    Ownership(LogName),
}

impl Subject {
    /// The log that it is about.
    pub fn log(&self) -> &LogName {
        match self {
            Self::Log(log) | Self::Ownership(log) => log,
        }
    }
}

/// The subject as NATS has it.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Log(log) => write!(f, "nuggets.log.{log}"),
            Self::Ownership(log) => write!(f, "nuggets.own.{log}"),
        }
    }
}

/// Relates replies to a request. A publish that is sent again has the same id, because each reply to it means the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestId {
    /// The epoch in which a journal asks; 0 for the ownership requests of a node.
    pub epoch: Epoch,
    /// Counts the requests.
    pub number: u64,
}

/// A request to the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineRequest {
    /// Stands in every reply.
    pub id: RequestId,
    /// What to do.
    pub call: EngineCall,
}

/// What the engine can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineCall {
    /// Appends the message if the last sequence of the subject is `expected`.
    Publish {
        /// Where to.
        subject: Subject,
        /// The sequence that the last message must have; 0 if there must be none.
        expected: Seq,
        /// The message.
        bytes: Arc<[u8]>,
    },
    /// Reads the messages of the subject with a greater sequence than `after`, the oldest first.
    Read {
        /// Where from.
        subject: Subject,
        /// Read what is behind it.
        after: Seq,
    },
}

/// What the engine answered. Silence, and errors that are not listed here, are no answer: the request may or may not
/// have been carried out, now or later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineReply {
    /// The message is stored by a majority, with this sequence.
    Stored(Seq),
    /// The last sequence of the subject was another one when the engine looked. That may be outdated.
    WrongSequence,
    /// Messages of the subject, in order. It may be outdated: then later ones are missing, never earlier ones.
    Messages {
        /// The messages.
        messages: Vec<StoredMessage>,
        /// False if more messages follow that did not fit into this reply.
        is_end: bool,
    },
}

/// A message as the engine has stored it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMessage {
    /// Its sequence.
    pub seq: Seq,
    /// The message.
    pub bytes: Arc<[u8]>,
}
