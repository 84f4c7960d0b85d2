//! Logs that a node reads because it will get them, while their owners still write.

use nuggets_time::Timestamp;

use super::owned_game::OwnedGame;
use super::process::{Disk, Effect, Process};
use super::sabotage::ClusterSabotage;
use crate::{Instance, LogName};

/// A log that its owner has not asked for again for this long is dropped.
const FOLLOW_MS: u64 = 2_000;

#[derive(Debug)]
pub(super) struct Followed {
    pub(super) game: OwnedGame,
    asked_at: Timestamp,
    /// Who waits for an answer.
    asked_by: Option<Instance>,
}

impl Process {
    /// The owner of a log will hand it over to this node.
    pub(super) fn follow(&mut self, from: Instance, log: &LogName, disk: &Disk) {
        if self.games.contains_key(log) {
            return;
        }
        if !self.followed.contains_key(log) {
            let game = self.new_game(log, disk);
            let followed = Followed { game, asked_at: self.now, asked_by: None };
            self.followed.insert(log.clone(), followed);
        }
        if let Some(followed) = self.followed.get_mut(log) {
            (followed.asked_at, followed.asked_by) = (self.now, Some(from));
            followed.game.journal.follow_on(self.now);
        }
    }

    pub(super) fn handle_followed_timeouts(&mut self) {
        let now = self.now;
        self.followed.retain(|_, followed| now.since(followed.asked_at) < FOLLOW_MS);
        for followed in self.followed.values_mut() {
            followed.game.journal.handle_timeout(now);
        }
    }

    pub(super) fn settle_followed(&mut self, disk: &mut Disk, effects: &mut Vec<Effect>) {
        let is_hasty = self.sabotage == Some(ClusterSabotage::Prepare);
        let mut closed = vec![];
        for (log, followed) in &mut self.followed {
            let copy = disk.entry(log.clone()).or_default();
            if followed.game.settle(self.now, copy, effects).is_some() {
                closed.push(log.clone());
            } else if (followed.game.journal.is_caught_up() || is_hasty)
                && let Some(to) = followed.asked_by.take()
            {
                effects.push(Effect::Prepared { to, log: log.clone() });
            }
        }
        // The node that opens it reports why.
        for log in closed {
            self.followed.remove(&log);
        }
        if is_hasty {
            self.followed.clear();
        }
    }
}
