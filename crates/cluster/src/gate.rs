//! Holds what must not be seen yet: output waits here until the records that it shows are in the replicated log.

use std::collections::VecDeque;

use crate::Ticket;

/// Output in order, each with the last append that it shows.
#[derive(Clone, Debug)]
pub struct Gate<T> {
    held: VecDeque<(Ticket, T)>,
}

impl<T> Default for Gate<T> {
    fn default() -> Self {
        Self { held: VecDeque::new() }
    }
}

impl<T> Gate<T> {
    /// Holds this until everything up to `ticket` is committed, and behind what was pushed before.
    pub fn push(&mut self, ticket: Ticket, output: T) {
        self.held.push_back((ticket, output));
    }

    /// The next output that may be seen.
    pub fn poll(&mut self, committed: Ticket) -> Option<T> {
        let is_free = self.held.front().is_some_and(|(ticket, _)| *ticket <= committed);
        if is_free { self.held.pop_front().map(|(_, output)| output) } else { None }
    }

    /// How much is held. The owner accepts no more input when it is too much.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// True if nothing is held.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_waits_for_its_ticket_and_keeps_its_order() {
        let mut gate = Gate::default();
        gate.push(Ticket(2), "b");
        gate.push(Ticket(1), "c");
        assert_eq!(gate.poll(Ticket(1)), None);
        assert_eq!(gate.poll(Ticket(2)), Some("b"));
        assert_eq!(gate.poll(Ticket(2)), Some("c"));
        assert!(gate.is_empty());
    }
}
