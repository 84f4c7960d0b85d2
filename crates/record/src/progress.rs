//! The state of a recording between two records, on which the next record depends. Writer and reader
//! keep the same state.

use crc32fast::Hasher;

use crate::file_header::Format;
use crate::record_prefix::Kind;
use crate::{RecordingEnd, Timestamp};

/// The number of inputs from one checkpoint to the next.
pub(crate) const CHECKPOINT_EVERY: u32 = 64;

/// The state after the records so far.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    /// The format of the whole file.
    pub(crate) format: Format,
    /// Covers the header and the contents of all records, but not their checksums: a CRC
    /// that covers itself loses all state from before.
    chain: Hasher,
    /// The time of the last record.
    pub(crate) last: Timestamp,
    /// The number of inputs so far.
    pub(crate) inputs: u32,
    checkpoint_due: bool,
    end: Option<RecordingEnd>,
    end_delivered: bool,
}

impl Progress {
    /// The state after a header with this checksum. The first record is a checkpoint of the start.
    pub(crate) fn after_header(format: Format, crc: u32) -> Self {
        Self {
            format,
            chain: Hasher::new_with_initial(crc),
            last: Timestamp(0),
            inputs: 0,
            checkpoint_due: true,
            end: None,
            end_delivered: false,
        }
    }

    /// True if a record of this kind may come next.
    pub(crate) fn allows(&self, kind: Kind) -> bool {
        match self.end {
            Some(end) if end.is_final() => kind == Kind::EndDelivered && !self.end_delivered,
            Some(_) => kind == Kind::Resumed,
            None => kind != Kind::EndDelivered && self.checkpoint_due == (kind == Kind::Checkpoint),
        }
    }

    pub(crate) fn is_checkpoint_due(&self) -> bool {
        self.checkpoint_due
    }

    /// True once the result was delivered: no record can follow.
    pub(crate) fn is_end_delivered(&self) -> bool {
        self.end_delivered
    }

    pub(crate) fn is_over(&self) -> bool {
        self.end.is_some_and(RecordingEnd::is_final)
    }

    /// Advances past a record with this content; returns the checksum over everything up to here.
    pub(crate) fn advance(&mut self, kind: Kind, at: Timestamp, content: &[u8]) -> u32 {
        self.chain.update(content);
        self.last = at;
        self.end_delivered = kind == Kind::EndDelivered;
        self.end = match kind {
            Kind::End(end) => Some(end),
            Kind::EndDelivered => self.end,
            _ => None,
        };
        if kind.is_input() {
            self.inputs = self.inputs.wrapping_add(1);
        }
        self.checkpoint_due = kind.is_input() && self.inputs.is_multiple_of(CHECKPOINT_EVERY);
        self.chain.clone().finalize()
    }
}
