//! A journal as rows of a database, checked as it is read: it has no hole, no row of an older epoch, and whole records only.

use nuggets_time::Timestamp;

use super::Truth;

/// The rows that were read, and the history that they stand for.
#[derive(Debug, Default)]
pub struct WatchedJournal {
    rows: u64,
    epoch: u64,
    bytes: Vec<u8>,
    /// The history of all rows that were played.
    pub truth: Truth,
}

impl WatchedJournal {
    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The records of all rows.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Adds the next row.
    pub fn add(&mut self, number: u64, epoch: u64, bytes: &[u8]) -> Result<(), String> {
        if number != self.rows {
            return Err(format!("the journal has a hole: row {number} follows {} rows", self.rows));
        }
        if epoch < self.epoch {
            return Err(format!("row {number} is of the old epoch {epoch}, not {}", self.epoch));
        }
        (self.rows, self.epoch) = (self.rows + 1, epoch);
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Plays all rows that were added since the last time.
    pub fn play(&mut self, now: Timestamp) -> Result<&mut Truth, String> {
        self.truth.extend(now, &self.bytes)?;
        if self.truth.bytes() < self.bytes.len() {
            return Err("the journal has a record that is not whole".to_owned());
        }
        Ok(&mut self.truth)
    }
}
