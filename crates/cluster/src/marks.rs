//! Which frames have been applied, by connection. A function of the log: every owner that reads it has the same.

use std::collections::BTreeMap;

use crate::{ConnectionId, LogRecord, Mark, RecordBody};

/// Connections that are remembered; of more, those are forgotten whose last frame is the longest ago. A game has 26
/// players, so a frame that is still unanswered is never the 256th from the end.
pub const MAX_MARKS: usize = 256;

/// The last applied frame of each connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    by_connection: BTreeMap<ConnectionId, Applied>,
    /// Counts the marks, to find the oldest.
    count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Applied {
    number: u64,
    at: u64,
}

impl Marks {
    /// Takes the marks of a record of the log.
    pub fn replay(&mut self, record: &LogRecord) {
        if let RecordBody::Batch { marks, .. } = &record.body {
            for mark in marks {
                self.set(mark);
            }
        }
    }

    /// The number of the last frame of this connection that was applied; 0 if none is known.
    pub fn last(&self, connection: &ConnectionId) -> u64 {
        self.by_connection.get(connection).map_or(0, |applied| applied.number)
    }

    /// A frame was applied.
    pub(crate) fn set(&mut self, mark: &Mark) {
        self.count += 1;
        let number = mark.number.max(self.last(&mark.connection));
        let applied = Applied { number, at: self.count };
        self.by_connection.insert(mark.connection.clone(), applied);
        if self.by_connection.len() > MAX_MARKS {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        let oldest = self.by_connection.iter().min_by_key(|(_, applied)| applied.at);
        if let Some(connection) = oldest.map(|(connection, _)| connection.clone()) {
            self.by_connection.remove(&connection);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Instance, NodeId};

    fn mark(connection: u64, number: u64) -> Mark {
        let edge = Instance { node: NodeId::new("one").unwrap(), incarnation: 1 };
        Mark { connection: ConnectionId { edge, number: connection }, number }
    }

    #[test]
    fn a_mark_never_goes_back() {
        let mut marks = Marks::default();
        marks.set(&mark(1, 5));
        marks.set(&mark(1, 3));
        assert_eq!(marks.last(&mark(1, 0).connection), 5);
        assert_eq!(marks.last(&mark(2, 0).connection), 0);
    }

    #[test]
    fn of_too_many_connections_the_one_that_was_silent_longest_is_forgotten() {
        let mut marks = Marks::default();
        (1..=MAX_MARKS as u64).for_each(|connection| marks.set(&mark(connection, 1)));
        marks.set(&mark(1, 2));
        marks.set(&mark(1_000, 1));
        assert_eq!(marks.last(&mark(1, 0).connection), 2);
        assert_eq!(marks.last(&mark(2, 0).connection), 0);
        assert_eq!(marks.by_connection.len(), MAX_MARKS);
    }
}
