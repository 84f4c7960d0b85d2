//! The owner's own copy of a log: its records one after another, each with its length before it. It is a second copy, in
//! case that several brokers lose what they have acknowledged.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nuggets_cluster::{LogRecord, RecordBody};

/// A file that records are appended to.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    file: File,
}

impl LogFile {
    /// Opens or creates the file. What a crash has left half written is cut off.
    pub(super) fn open(path: &Path) -> io::Result<(Self, Vec<Arc<[u8]>>)> {
        let mut options = File::options();
        let file = options.read(true).append(true).create(true).open(path)?;
        let (records, whole) = records_of(&fs::read(path)?);
        file.set_len(whole as u64)?;
        Ok((Self { path: path.to_owned(), file }, records))
    }

    pub(super) fn append(&mut self, record: &[u8]) -> io::Result<()> {
        let length = u32::try_from(record.len()).map_err(io::Error::other)?;
        self.file.write_all(&[&length.to_le_bytes(), record].concat())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// The records of a file, and how many of its bytes they are.
fn records_of(bytes: &[u8]) -> (Vec<Arc<[u8]>>, usize) {
    let (mut records, mut rest) = (Vec::new(), bytes);
    while let Some((length, more)) = rest.split_first_chunk()
        && let Some((record, more)) = more.split_at_checked(u32::from_le_bytes(*length) as usize)
        && LogRecord::decode(record).is_ok_and(|read| read.index == records.len() as u64 + 1)
    {
        records.push(Arc::from(record));
        rest = more;
    }
    (records, bytes.len() - rest.len())
}

/// The bytes of the game's journal in a record.
pub(super) fn journal_bytes(record: LogRecord) -> Vec<u8> {
    match record.body {
        RecordBody::Batch { bytes, .. } => bytes,
        RecordBody::Opened { .. } | RecordBody::Fence { .. } => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use nuggets_cluster::Epoch;

    use super::*;

    fn record(index: u64) -> Vec<u8> {
        let body = RecordBody::Batch { bytes: vec![7; 9], marks: vec![] };
        LogRecord { epoch: Epoch(1), index, body }.encode()
    }

    #[test]
    fn records_come_back_and_a_torn_one_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        let (mut file, before) = LogFile::open(&path).unwrap();
        assert!(before.is_empty());
        (1..=3).for_each(|index| file.append(&record(index)).unwrap());
        let whole = fs::read(&path).unwrap();
        for end in [whole.len(), whole.len() - 1, whole.len() * 2 / 3 + 2] {
            fs::write(&path, &whole[..end]).unwrap();
            let (mut file, records) = LogFile::open(&path).unwrap();
            let count = if end == whole.len() { 3 } else { 2 };
            assert_eq!(records.len(), count);
            file.append(&record(count as u64 + 1)).unwrap();
            assert_eq!(LogFile::open(&path).unwrap().1.len(), count + 1);
        }
    }
}
