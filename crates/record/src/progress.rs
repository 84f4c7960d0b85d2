//! Where a recording stands: what its next record depends on. Writer and reader go through the same.

use crc32fast::Hasher;

use crate::head::Kind;
use crate::{Ending, Millis};

/// A checkpoint is due after so many inputs.
pub(crate) const CHECKPOINT_EVERY: u32 = 64;

/// Everything before the next record, as far as it matters.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    /// Runs over the header and everything that records say, but not over their checksums: a sum
    /// that runs over itself forgets what was before.
    chain: Hasher,
    /// The time of the last record.
    pub(crate) last: Millis,
    /// Inputs so far.
    pub(crate) inputs: u32,
    checkpoint_due: bool,
    ended: Option<Ending>,
    told: bool,
}

impl Progress {
    /// Right behind the header that has this checksum. The start is checked too.
    pub(crate) fn behind_header(crc: u32) -> Self {
        Self {
            chain: Hasher::new_with_initial(crc),
            last: Millis(0),
            inputs: 0,
            checkpoint_due: true,
            ended: None,
            told: false,
        }
    }

    /// May such a record come next?
    pub(crate) fn admits(&self, kind: Kind) -> bool {
        match self.ended {
            Some(Ending::Over) => kind == Kind::Told && !self.told,
            Some(Ending::Closed) => kind == Kind::Resumed,
            None => kind != Kind::Told && self.checkpoint_due == (kind == Kind::Checkpoint),
        }
    }

    /// Must a checkpoint come next?
    pub(crate) fn is_checkpoint_due(&self) -> bool {
        self.checkpoint_due
    }

    /// The game is over, and its end was told: nothing more can come.
    pub(crate) fn is_told(&self) -> bool {
        self.told
    }

    /// The game is over.
    pub(crate) fn is_over(&self) -> bool {
        self.ended == Some(Ending::Over)
    }

    /// Goes past a record that says this; gives the sum over everything up to here.
    pub(crate) fn pass(&mut self, kind: Kind, at: Millis, said: &[u8]) -> u32 {
        self.chain.update(said);
        self.last = at;
        self.told = kind == Kind::Told;
        self.ended = match kind {
            Kind::End(ending) => Some(ending),
            Kind::Told => self.ended,
            _ => None,
        };
        if kind.is_input() {
            self.inputs = self.inputs.wrapping_add(1);
        }
        self.checkpoint_due = kind.is_input() && self.inputs.is_multiple_of(CHECKPOINT_EVERY);
        self.chain.clone().finalize()
    }
}
