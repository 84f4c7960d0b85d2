//! Puts the records of a log in order that were read from its streams. Every record is in one stream or in both: an owner
//! that gets no acknowledgement in one stream publishes the same record in the other, and both copies may be stored.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use thiserror::Error;

use crate::{Epoch, LogRecord};

/// The records of the streams are no log: two of them differ, or one is not what its owner can have written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("record {index} of the log differs between its streams, or is no valid record")]
pub struct MergeError {
    /// The first record that is wrong.
    pub index: u64,
}

/// A record, and how it is stored.
type RecordWithBytes = (LogRecord, Arc<[u8]>);

/// Records in, in the order of each stream; records out, in the order of the log.
#[derive(Debug, Default)]
pub struct LogMerge {
    /// The number of the record before the first one.
    base: u64,
    last_epoch: Epoch,
    /// A hash of each record that was taken out.
    hashes: Vec<u64>,
    /// Records that have come before others that belong before them.
    ahead: BTreeMap<u64, RecordWithBytes>,
}

impl LogMerge {
    /// For the records behind this one, which has this epoch.
    pub fn behind(index: u64, epoch: Epoch) -> Self {
        Self { base: index, last_epoch: epoch, ..Self::default() }
    }

    /// The number of the last record that was taken out.
    pub fn last_index(&self) -> u64 {
        self.base + self.hashes.len() as u64
    }

    /// The epoch of that record.
    pub fn last_epoch(&self) -> Epoch {
        self.last_epoch
    }

    /// True if records wait for others that are missing before them.
    pub fn has_gap(&self) -> bool {
        !self.ahead.is_empty()
    }

    /// Adds a record, which is no fence.
    pub fn add(&mut self, record: LogRecord, bytes: &Arc<[u8]>) -> Result<(), MergeError> {
        let index = record.index;
        let taken = index.checked_sub(self.base + 1);
        let taken = taken.and_then(|at| self.hashes.get(usize::try_from(at).ok()?));
        let waiting = self.ahead.get(&index).map(|(_, bytes)| hash(bytes));
        match taken.copied().or(waiting) {
            Some(known) if known != hash(bytes) => Err(MergeError { index }),
            Some(_) => Ok(()),
            None if index <= self.base => Ok(()),
            None => {
                self.ahead.insert(index, (record, Arc::clone(bytes)));
                Ok(())
            }
        }
    }

    /// Takes the next record out. Epochs never decrease.
    pub fn poll(&mut self) -> Result<Option<RecordWithBytes>, MergeError> {
        let index = self.last_index() + 1;
        let Some((record, bytes)) = self.ahead.remove(&index) else { return Ok(None) };
        if record.epoch < self.last_epoch {
            return Err(MergeError { index });
        }
        self.last_epoch = record.epoch;
        self.hashes.push(hash(&bytes));
        Ok(Some((record, bytes)))
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordBody;

    fn record(epoch: u64, index: u64, text: &str) -> (LogRecord, Arc<[u8]>) {
        let body = RecordBody::Batch { bytes: text.into(), marks: vec![] };
        let record = LogRecord { epoch: Epoch(epoch), index, body };
        let bytes = record.encode().into();
        (record, bytes)
    }

    fn add(merge: &mut LogMerge, epoch: u64, index: u64, text: &str) -> Result<(), MergeError> {
        let (record, bytes) = record(epoch, index, text);
        merge.add(record, &bytes)
    }

    fn indexes(merge: &mut LogMerge) -> Vec<u64> {
        std::iter::from_fn(|| merge.poll().unwrap()).map(|(record, _)| record.index).collect()
    }

    #[test]
    fn records_of_two_streams_come_in_order_and_once() {
        let mut merge = LogMerge::default();
        for index in [1, 2, 5] {
            add(&mut merge, 1, index, "a").unwrap();
        }
        assert_eq!(indexes(&mut merge), [1, 2]);
        assert!(merge.has_gap());
        for index in [2, 3, 4, 5, 6] {
            add(&mut merge, 1, index, "a").unwrap();
        }
        assert_eq!(indexes(&mut merge), [3, 4, 5, 6]);
        assert!(!merge.has_gap());
    }

    #[test]
    fn two_different_records_of_one_number_are_an_error() {
        let mut merge = LogMerge::default();
        add(&mut merge, 1, 1, "a").unwrap();
        add(&mut merge, 1, 2, "b").unwrap();
        assert_eq!(add(&mut merge, 1, 2, "c"), Err(MergeError { index: 2 }), "before it is taken");
        indexes(&mut merge);
        assert_eq!(add(&mut merge, 1, 1, "c"), Err(MergeError { index: 1 }), "and afterwards");
    }

    #[test]
    fn an_epoch_that_is_earlier_than_the_one_before_is_an_error() {
        let mut merge = LogMerge::behind(4, Epoch(3));
        add(&mut merge, 2, 5, "a").unwrap();
        assert_eq!(merge.poll(), Err(MergeError { index: 5 }));
    }
}
