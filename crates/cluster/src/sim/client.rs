//! A client: presses keys, and notices if what it is shown goes back.

use std::collections::VecDeque;

use super::game::Key;
use crate::{ConnectionId, LogName};

#[derive(Debug)]
pub(super) struct SimClient {
    pub(super) log: LogName,
    pub(super) player: u8,
    /// The node that it has reached, and its connection there.
    pub(super) at: Option<(usize, ConnectionId)>,
    next_serial: u32,
    /// How often it has connected.
    pub(super) connections: u64,
    /// Keys of this connection that are not known to be answered.
    waiting: VecDeque<Key>,
    /// The last screen, and how many records it shows.
    pub(super) screen: Vec<Key>,
    pub(super) index: u64,
}

impl SimClient {
    pub(super) fn new(log: LogName, player: u8) -> Self {
        Self {
            log,
            player,
            at: None,
            next_serial: 0,
            connections: 0,
            waiting: VecDeque::new(),
            screen: vec![],
            index: 0,
        }
    }

    /// Its connection is gone; what was not answered is not pressed again.
    pub(super) fn disconnect(&mut self) {
        self.at = None;
        self.waiting.clear();
    }

    pub(super) fn next_key(&mut self) -> Key {
        self.next_serial += 1;
        Key { player: self.player, serial: self.next_serial }
    }

    pub(super) fn note_pressed(&mut self, key: Key) {
        self.waiting.push_back(key);
    }

    /// The keys that are answered when so many are not.
    pub(super) fn take_answered(&mut self, unanswered: usize) -> Vec<Key> {
        let answered = self.waiting.len().saturating_sub(unanswered);
        self.waiting.drain(..answered).collect()
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// A new screen, which must show all that the last one did. An edge does not show a client less of the log than it
    /// has seen at another edge.
    pub(super) fn see(&mut self, index: u64, keys: &[Key], is_checked: bool) -> Result<(), String> {
        if is_checked && index < self.index {
            return Ok(());
        }
        if !keys.starts_with(&self.screen) {
            let (before, now) = (self.screen.len(), keys.len());
            let (log, player) = (&self.log, self.player);
            return Err(format!("client {player} of {log} saw {before} keys, then {now} others"));
        }
        self.index = index;
        self.screen = keys.to_vec();
        Ok(())
    }
}
