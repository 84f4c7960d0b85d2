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
    /// The records of a log, in one of the streams. Every message is kept.
    Log(LogName, LogStream),
    /// Who owns a log. Only the last message matters.
    Ownership(LogName),
}

impl Subject {
    /// The log that it is about.
    pub fn log(&self) -> &LogName {
        match self {
            Self::Log(log, _) | Self::Ownership(log) => log,
        }
    }
}

/// The subject as NATS has it.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Log(log, stream) => write!(f, "nuggets.log.{stream}.{log}"),
            Self::Ownership(log) => write!(f, "nuggets.own.{log}"),
        }
    }
}

/// A stream of records. There are two, led by different brokers, so that the death of one broker stops the appends to one
/// of them only. Each log has subjects in both ([`Journal`](crate::Journal)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogStream {
    /// `nuggets-log-1`
    First,
    /// `nuggets-log-2`
    Second,
}

impl LogStream {
    /// Both.
    pub const ALL: [Self; 2] = [Self::First, Self::Second];

    /// The streams of a log, first the one in which it is written if both can be.
    pub fn of(log: &LogName) -> [Self; 2] {
        let sum: u32 = log.as_str().bytes().map(u32::from).sum();
        if sum.is_multiple_of(2) { Self::ALL } else { [Self::Second, Self::First] }
    }
}

impl fmt::Display for LogStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "1",
            Self::Second => "2",
        })
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
    /// Nobody accepts messages of this subject at the moment: its stream has no leader. That may be outdated, and an earlier
    /// copy of the same request may have been carried out.
    NoLeader,
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
