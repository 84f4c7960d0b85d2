//! Which frames have been applied, by connection, and the newest connection of each client. A function of the log: every
//! owner that reads it has the same.

use std::collections::BTreeMap;

use crate::{Attempt, ClientId, ConnectionId, LogRecord, Mark, RecordBody};

/// Connections and clients that are remembered; of more, those are forgotten whose last frame is the longest ago. A game
/// has 26 players, so a frame that is still unanswered is never the 256th from the end.
pub const MAX_MARKS: usize = 256;

/// The last applied frame of each connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    by_connection: BTreeMap<ConnectionId, Applied>,
    /// The newest connection of each client that a frame was applied of.
    by_client: BTreeMap<ClientId, Applied>,
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

    /// True if a frame of a later connection of the same client was applied.
    pub fn is_outdated(&self, attempt: &Attempt) -> bool {
        self.by_client.get(&attempt.client).is_some_and(|newest| newest.number > attempt.number)
    }

    /// A frame was applied.
    pub(crate) fn set(&mut self, mark: &Mark) {
        self.count += 1;
        raise(&mut self.by_connection, mark.connection.clone(), mark.number, self.count);
        if let Some(Attempt { client, number }) = mark.attempt {
            raise(&mut self.by_client, client, number, self.count);
        }
    }
}

/// Keeps the greatest number of a key. Of too many keys, the one is forgotten that was raised the longest ago.
fn raise<K: Ord + Clone>(all: &mut BTreeMap<K, Applied>, key: K, number: u64, at: u64) {
    let number = all.get(&key).map_or(number, |before| before.number.max(number));
    all.insert(key, Applied { number, at });
    if all.len() > MAX_MARKS
        && let Some(oldest) = all.iter().min_by_key(|(_, it)| it.at).map(|(key, _)| key.clone())
    {
        all.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Instance, NodeId};

    fn mark(connection: u64, number: u64) -> Mark {
        let edge = Instance { node: NodeId::new("one").unwrap(), incarnation: 1 };
        let connection = ConnectionId { edge, number: connection };
        Mark { connection, number, attempt: None }
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
    fn a_connection_is_outdated_when_a_later_one_of_its_client_was_used() {
        let attempt = |id, number| Attempt { client: ClientId { player: 1, id }, number };
        let mut marks = Marks::default();
        marks.set(&Mark { attempt: Some(attempt(7, 3)), ..mark(1, 1) });
        marks.set(&Mark { attempt: Some(attempt(7, 2)), ..mark(2, 1) });
        assert!(marks.is_outdated(&attempt(7, 2)));
        assert!(!marks.is_outdated(&attempt(7, 3)) && !marks.is_outdated(&attempt(7, 4)));
        assert!(!marks.is_outdated(&attempt(8, 1)), "another client of the player");
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
