//! Games on several machines: who owns a game, its replicated journal, and what goes between the node that a client has
//! reached and the node that owns its game. All of it is pure: state machines with `handle_…` in, `poll_…` out, and time
//! as an argument. Games are bytes here. Only `nats` (a feature) is a shell: the engine.
//!
//! # What is expected of the engine
//!
//! The engine (NATS with JetStream) stores messages by subject and carries messages between nodes. This is all that safety
//! depends on, and the simulation breaks everything else:
//!
//! 1. A subject's messages have sequences, greater for later ones.
//! 2. A publish with an expected sequence is stored only if the last message of its subject has that sequence, and then its
//!    own is greater. There is no moment between the comparison and the storing.
//! 3. `Stored` means that a majority of brokers has it. While a majority keeps its disks, it stays, and so do all earlier
//!    messages of the subject.
//! 4. A read shows stored messages in order, without gaps, from the asked sequence on.
//!
//! Everything else may happen:
//!
//! - No answer comes, and the publish is stored, is not stored, or is stored much later; or is stored although it was sent
//!   again meanwhile, if the expected sequence still holds.
//! - An answer is late. A rejection is outdated. A read is outdated: the last messages are missing.
//! - Messages between nodes are lost, late, doubled, out of order; in one direction, too.
//! - A node stops for any time and continues as if nothing had been, or its clock jumps.
//! - If the engine breaks its promise 3 (several brokers lose power), the end of a subject is missing afterwards, and
//!   sequences may be used again.
//!
//! Message ids, with which the engine can recognise duplicates for some time, are not needed: the expected sequence does
//! that without a time limit.
//!
//! # The parts
//!
//! - [`Node`]: heartbeats, ownership records, take-over and hand-over. It decides who *should* write.
//! - [`Journal`]: decides who *can* write, and what is committed. [`Gate`] holds output until then. A log is stored in two
//!   streams, whose records [`LogMerge`] puts together.
//! - [`Inbox`] at the owner and [`Edge`] where the client is: frames, each applied once, and in the order in which the
//!   client has sent them, over however many connections.
//! - [`Outlet`] at the owner and [`ViewFeed`] at the edge: pictures, never older than before.
//! - [`SteadyTime`]: the time for all of them.

mod codec;
mod edge;
mod engine;
mod gate;
mod ids;
mod inbox;
mod journal;
mod marks;
mod members;
mod merge;
mod message;
#[cfg(feature = "nats")]
pub mod nats;
mod node;
mod ownership;
mod record;
pub mod sim;
mod steady_time;
mod views;

pub use codec::DecodeError;
pub use edge::{Edge, EdgeEvent, MAX_UNANSWERED, RESEND_MS, STALLED_AFTER_MS, TooManyFrames};
pub use engine::{
    EngineCall, EngineReply, EngineRequest, LogStream, RequestId, Seq, StoredMessage, Subject,
};
pub use gate::Gate;
pub use ids::{
    Attempt, BadName, ClientId, ConnectionId, Epoch, Instance, LogName, MAX_NAME_BYTES, NodeId,
};
pub use inbox::{Inbox, InboxAction, MAX_ATTACHED};
pub use journal::{
    CHECK_MS, Journal, JournalEnd, JournalEvent, LogPosition, MAX_BATCH_BYTES, MAX_PENDING_BYTES,
    MOVE_AFTER_MS, PAUSE_AFTER_MS, RETRY_MS, RETURN_AFTER_MS, SHORTER_AFTER_MS, Ticket,
};
pub use marks::{MAX_MARKS, Marks};
pub use members::{CUT_OFF_AFTER_MS, Condition, DEAD_AFTER_MS, HEARTBEAT_MS, Heartbeat, Member};
pub use merge::{LogMerge, MergeError};
pub use message::{EdgeMessage, OwnerMessage};
pub use node::{CreateError, MAX_FINISHED, MAX_LOGS, Node, NodeEvent};
pub use ownership::{LogState, MAX_DETAILS_BYTES, Ownership};
pub use record::{LogRecord, Mark, RecordBody};
pub use steady_time::{MAX_STEP_MS, SteadyTime};
pub use views::{
    ASK_WHOLE_MS, NextPicture, Outlet, Picture, SUBSCRIBE_MS, SUBSCRIBED_FOR_MS, ViewFeed,
};
