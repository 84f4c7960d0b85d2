//! The replicated journal of a log, at its owner: reads the log, fences earlier owners, appends in batches, and says what
//! is committed. It knows neither games nor nodes.
//!
//! ```text
//! Following ──> Reading ──> Fencing ──> Completing ──> Opening ──> Open ──> Closed
//!                  ^           │            │             │
//!                  └───────────┴────────────┴─────────────┘  somebody else's record came first
//! ```
//!
//! A log is stored in two streams, which have different leaders. Its owner writes in one of them. If that does not answer,
//! the owner moves: it publishes the very same record in the other stream, and continues there. Nobody has to agree, because
//! a new owner fences both streams before it opens the log. Each record is in one of the streams or in both, and
//! [`LogMerge`] puts them together.
//!
//! The node that will get a log in a planned hand-over follows it before, while its owner still writes. So only the last
//! records are left to read when it becomes the owner.
//!
//! In every stage at most one publish is outstanding, and it is resolved in one way: it is sent again with the same
//! expected sequence until the engine answers. A second copy of it can't be stored, because the first has changed the
//! sequence. If the engine says that the sequence is wrong, the log is read: either this very record is there, then it is
//! stored, or another one is. Nothing is ever assumed.

mod moving;
mod opening;
mod publishing;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;

use nuggets_time::Timestamp;
use thiserror::Error;

use crate::{
    EngineCall, EngineReply, EngineRequest, Epoch, Instance, LogMerge, LogName, LogRecord,
    LogStream, Mark, RequestId, Seq, Subject,
};
use publishing::Outstanding;

/// A publish or read without an answer is sent again after this time.
pub const RETRY_MS: u64 = 400;
/// An append that is not acknowledged for this long pauses the game.
pub const PAUSE_AFTER_MS: u64 = 1_000;
/// If the engine rejects the sequence for this long, and the log still shows nothing behind it, the log has lost its end.
pub const SHORTER_AFTER_MS: u64 = 1_000;
/// The most bytes of one append, and of one batch.
pub const MAX_BATCH_BYTES: usize = 512 * 1024;
/// Nothing is accepted while more bytes than this wait for the next batch.
pub const MAX_PENDING_BYTES: usize = 1024 * 1024;

/// An append that is not acknowledged for this long is published in the other stream.
pub const MOVE_AFTER_MS: u64 = 700;
/// After this time the owner tries the stream again that it has left. An election takes up to ten seconds.
pub const RETURN_AFTER_MS: u64 = 15_000;
/// After a move it is checked this often whether the stream that was left still has everything, until it answers.
pub const CHECK_MS: u64 = 1_000;

/// Counts the appends of a journal. What an append caused may be seen when its ticket is committed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// What the owner has to do, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JournalEvent {
    /// Rebuild from this record. Only before `Opened`.
    Replay(LogRecord),
    /// This record is in the log, and not in the own copy yet: append it there before anything later is done.
    Store(Arc<[u8]>),
    /// The log is complete, and no earlier owner can append to it any more. Appends are accepted.
    Opened,
    /// Everything up to this ticket is in the log: what it caused may be seen.
    Committed(Ticket),
    /// Appends are not acknowledged: the game is paused, and people are told so.
    Paused,
    /// They are again.
    Resumed,
    /// Nothing can be appended any more; what is not committed must never be seen. No event follows.
    Closed(JournalEnd),
}

/// Why a journal is closed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JournalEnd {
    /// Another owner has opened the log.
    #[error("the log has another owner, in epoch {epoch}")]
    Superseded {
        /// Its epoch.
        epoch: Epoch,
    },
    /// Records that were acknowledged are not in the log any more. Opening it again compares all of it with the own copy,
    /// and completes it or finds a contradiction.
    #[error("the log has lost records that were acknowledged")]
    Shorter,
    /// The log and the own copy differ, or the log has something that is no record. A person must decide.
    #[error("record {index} of the log is not what the copy of this node has, or no valid record")]
    Contradiction {
        /// The first record that differs.
        index: u64,
    },
}

/// The epoch of a journal that is not claimed yet: later than all that it can read.
const FOLLOWING: Epoch = Epoch(u64::MAX);

/// The journal of one log in one epoch.
#[derive(Debug)]
pub struct Journal {
    log: LogName,
    me: Instance,
    epoch: Epoch,
    stage: JournalStage,
    is_caught_up: bool,
    /// Everything up to here was known before the log was opened, and is not read.
    base: LogPosition,
    /// The streams of the log. The first one is preferred.
    streams: Vec<StreamEnd>,
    /// The one in which it writes.
    current: usize,
    /// So many of them are fenced in this epoch.
    fenced: usize,
    moved_at: Option<Timestamp>,
    /// The records that were read, in order.
    merge: LogMerge,
    /// The last record of the log that is known.
    last_index: u64,
    /// The greatest epoch of any record that was read, also of fences.
    seen_epoch: Epoch,
    /// What the own copy has behind `base`, until the log is open.
    copy: Vec<Arc<[u8]>>,
    reading: Option<Reading>,
    /// A read of the last message of the stream that was left.
    checking: Option<Reading>,
    outstanding: Option<Outstanding>,
    pending: Pending,
    appended: Ticket,
    committed: Ticket,
    is_paused: bool,
    broken_rule: Option<BrokenRule>,
    next_request: u64,
    requests: VecDeque<EngineRequest>,
    events: VecDeque<JournalEvent>,
}

/// A rule that the simulation breaks, to see that it is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BrokenRule {
    /// Neither fences nor an `Opened` record are published.
    NoFence,
    /// Only the stream in which the new owner writes is fenced.
    OneFence,
    /// The log is not compared with the copy.
    NoPrefixProof,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JournalStage {
    Following,
    Reading,
    Fencing,
    Completing,
    Opening,
    Open,
    Closed,
}

/// The last known message of the log in one of its streams.
#[derive(Clone, Copy, Debug)]
struct StreamEnd {
    stream: LogStream,
    seq: Seq,
    /// The owner has left the stream, and does not know yet whether it still has this message.
    is_unchecked: bool,
}

impl StreamEnd {
    fn new(stream: LogStream, seq: Seq) -> Self {
        Self { stream, seq, is_unchecked: false }
    }
}

/// A record of a log that is stored in one stream; all zero before the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogPosition {
    /// Its sequence in the engine.
    pub seq: Seq,
    /// Its number in the log.
    pub index: u64,
    /// The epoch of its writer.
    pub epoch: Epoch,
}

/// A read that is not answered yet.
#[derive(Clone, Copy, Debug)]
struct Reading {
    id: RequestId,
    sent_at: Timestamp,
    /// Of which stream.
    at: usize,
}

/// What waits for the next batch.
#[derive(Debug, Default)]
struct Pending {
    appends: VecDeque<(Vec<u8>, Option<Mark>)>,
    bytes: usize,
}

impl Journal {
    /// Begins to open the log in an epoch that the ownership record gives to this instance. `copy` is the own file: the
    /// records that were stored by earlier instances of this node, from the first one on.
    pub fn open(
        now: Timestamp,
        log: LogName,
        me: Instance,
        epoch: Epoch,
        copy: Vec<Arc<[u8]>>,
    ) -> Self {
        let mut journal = Self::follow(now, log, me, copy);
        journal.claim(now, epoch);
        journal
    }

    /// The same for a log that is stored in one stream only, and of which everything up to `base` is known: only what is
    /// behind it is read and replayed, so that a very long log is opened as fast as a short one. `copy` begins behind `base`.
    pub fn open_behind(
        now: Timestamp,
        log: LogName,
        (me, epoch): (Instance, Epoch),
        base: LogPosition,
        copy: Vec<Arc<[u8]>>,
    ) -> Self {
        let streams = vec![StreamEnd::new(LogStream::First, base.seq)];
        let mut journal = Self::new(log, me, base, streams, copy);
        journal.read(now, 0);
        journal.claim(now, epoch);
        journal
    }

    /// Begins to read the log of another owner. Nothing is published before `claim`.
    pub fn follow(now: Timestamp, log: LogName, me: Instance, copy: Vec<Arc<[u8]>>) -> Self {
        let streams = LogStream::of(&log).map(|stream| StreamEnd::new(stream, Seq(0)));
        let mut journal = Self::new(log, me, LogPosition::default(), streams.to_vec(), copy);
        journal.read(now, 0);
        journal
    }

    fn new(
        log: LogName,
        me: Instance,
        base: LogPosition,
        streams: Vec<StreamEnd>,
        copy: Vec<Arc<[u8]>>,
    ) -> Self {
        Self {
            log,
            me,
            epoch: FOLLOWING,
            stage: JournalStage::Following,
            is_caught_up: false,
            base,
            streams,
            current: 0,
            fenced: 0,
            moved_at: None,
            merge: LogMerge::behind(base.index, base.epoch),
            last_index: base.index,
            seen_epoch: base.epoch,
            copy,
            reading: None,
            checking: None,
            outstanding: None,
            pending: Pending::default(),
            appended: Ticket(0),
            committed: Ticket(0),
            is_paused: false,
            broken_rule: None,
            next_request: 0,
            requests: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// Reads what was stored since it has caught up.
    pub fn follow_on(&mut self, now: Timestamp) {
        if self.stage == JournalStage::Following && self.reading.is_none() {
            self.read(now, 0);
        }
    }

    /// True if everything was read that the log had at some time since `follow`.
    pub fn is_caught_up(&self) -> bool {
        self.is_caught_up
    }

    /// The ownership record gives the log to this instance: begins to open it in this epoch, from where it was read.
    pub fn claim(&mut self, now: Timestamp, epoch: Epoch) {
        if self.stage != JournalStage::Following {
            return;
        }
        self.epoch = epoch;
        if self.seen_epoch >= epoch {
            return self.close(JournalEnd::Superseded { epoch: self.seen_epoch });
        }
        self.stage = JournalStage::Reading;
        self.requests.clear();
        self.read(now, 0);
    }

    /// Appends bytes, and the mark of the frame that caused them. The log must be open. Ask `can_append` before each
    /// input, not before each append: what an input did can't be left out.
    pub fn append(&mut self, now: Timestamp, bytes: Vec<u8>, mark: Option<Mark>) -> Ticket {
        assert!(self.is_open(), "an append to the log {} that is not open", self.log);
        assert!(bytes.len() <= MAX_BATCH_BYTES, "an append of {} bytes", bytes.len());
        self.appended.0 += 1;
        self.pending.bytes += bytes.len();
        self.pending.appends.push_back((bytes, mark));
        self.publish_pending(now);
        self.appended
    }

    /// True if input may be applied: the log is open, its appends are acknowledged, and not too many wait.
    pub fn can_append(&self) -> bool {
        let is_open = self.stage == JournalStage::Open;
        is_open && !self.is_paused && self.pending.bytes <= MAX_PENDING_BYTES
    }

    /// The ticket of the last append.
    pub fn appended(&self) -> Ticket {
        self.appended
    }

    /// The last ticket that is committed.
    pub fn committed(&self) -> Ticket {
        self.committed
    }

    /// True if everything that was appended is committed. A planned hand-over waits for it.
    pub fn is_idle(&self) -> bool {
        self.appended == self.committed
    }

    /// True between `Opened` and `Closed`.
    pub fn is_open(&self) -> bool {
        self.stage == JournalStage::Open
    }

    /// True while appends are not acknowledged.
    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// The number of the last record in the log, as far as it is known: how much of the log output shows.
    pub fn last_index(&self) -> u64 {
        self.last_index
    }

    /// The epoch in which it writes.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// An answer of the engine. Answers to earlier requests may come at any time.
    pub fn handle_reply(&mut self, now: Timestamp, id: RequestId, reply: EngineReply) {
        match reply {
            EngineReply::Stored(seq) if self.is_outstanding(id) => self.handle_stored(now, seq),
            EngineReply::WrongSequence if self.is_outstanding(id) => self.handle_rejected(now),
            EngineReply::NoLeader if self.is_outstanding(id) => self.handle_no_leader(now),
            EngineReply::Messages { messages, is_end } => {
                let is_asked = |reading: &mut Reading| reading.id == id;
                if let Some(Reading { at, .. }) = self.reading.take_if(is_asked) {
                    self.handle_messages(now, at, &messages, is_end);
                } else if let Some(Reading { at, .. }) = self.checking.take_if(is_asked) {
                    self.handle_checked(at, &messages);
                }
            }
            _ => {}
        }
    }

    /// The time has come that `poll_timeout` said.
    pub fn handle_timeout(&mut self, now: Timestamp) {
        if let Some(Reading { at, sent_at, .. }) = self.reading
            && now.since(sent_at) >= RETRY_MS
        {
            self.read(now, at);
        }
        self.move_if_due(now);
        self.check_if_due(now);
        self.resend_if_due(now);
        self.pause_if_due(now);
    }

    /// When to call `handle_timeout`.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        let read = self.reading.map(|reading| reading.sent_at.after(RETRY_MS));
        let times = [read, self.move_at(), self.check_at(), self.resend_at(), self.pause_at()];
        times.into_iter().flatten().min()
    }

    /// The next request for the engine.
    pub fn poll_request(&mut self) -> Option<EngineRequest> {
        self.requests.pop_front()
    }

    /// The next thing to do.
    pub fn poll_event(&mut self) -> Option<JournalEvent> {
        self.events.pop_front()
    }

    pub(crate) fn break_rule(&mut self, rule: BrokenRule) {
        self.broken_rule = Some(rule);
    }

    fn is_outstanding(&self, id: RequestId) -> bool {
        self.outstanding.as_ref().is_some_and(|outstanding| outstanding.id == id)
    }

    /// Reads on in a stream.
    fn read(&mut self, now: Timestamp, at: usize) {
        let id = self.new_id();
        self.reading = Some(Reading { id, sent_at: now, at });
        let call = EngineCall::Read { subject: self.subject(at), after: self.streams[at].seq };
        self.requests.push_back(EngineRequest { id, call });
    }

    fn new_id(&mut self) -> RequestId {
        self.next_request += 1;
        RequestId { epoch: self.epoch, number: self.next_request }
    }

    fn subject(&self, at: usize) -> Subject {
        Subject::Log(self.log.clone(), self.streams[at].stream)
    }

    fn close(&mut self, why: JournalEnd) {
        self.stage = JournalStage::Closed;
        (self.reading, self.checking) = (None, None);
        self.outstanding = None;
        self.pending = Pending::default();
        self.copy.clear();
        self.merge = LogMerge::default();
        self.requests.clear();
        self.events.push_back(JournalEvent::Closed(why));
    }
}
