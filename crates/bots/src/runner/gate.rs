//! A gate that opens when everybody has come to it, or won't come any more.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The gate.
#[derive(Debug)]
pub(super) struct Gate {
    missing: AtomicUsize,
}

/// The right of one to pass. Whoever drops it won't come.
#[derive(Debug)]
pub(super) struct Ticket<'a> {
    gate: &'a Gate,
    has_arrived: bool,
}

impl Gate {
    /// A gate for so many.
    pub(super) fn new(count: usize) -> Self {
        Self { missing: AtomicUsize::new(count) }
    }

    /// A ticket for one of them.
    pub(super) fn ticket(&self) -> Ticket<'_> {
        Ticket { gate: self, has_arrived: false }
    }
}

impl Ticket<'_> {
    /// We are here. Is the gate open?
    pub(super) fn arrive(&mut self) -> bool {
        if !std::mem::replace(&mut self.has_arrived, true) {
            self.gate.missing.fetch_sub(1, Ordering::Relaxed);
        }
        self.gate.missing.load(Ordering::Relaxed) == 0
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.arrive();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_when_everybody_has_come_or_given_up() {
        let gate = Gate::new(3);
        let (mut ann, mut bob, late) = (gate.ticket(), gate.ticket(), gate.ticket());
        assert!(!ann.arrive() && !ann.arrive(), "one can't come twice");
        assert!(!bob.arrive());
        drop(late);
        assert!(ann.arrive() && bob.arrive());
    }
}
