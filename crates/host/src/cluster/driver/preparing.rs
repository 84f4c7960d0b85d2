//! Games that this node will get in a planned hand-over: their logs are read while their owners still serve them.

use nuggets_cluster::{EngineReply, Instance, LogName, RequestId};
use nuggets_time::Timestamp;
use tracing::{debug, info};

use super::{Driver, game_of};
use crate::cluster::effect::Effect;
use crate::cluster::messages::{NodeMessage, Words};
use crate::cluster::owned_game::OwnedGame;

/// A log that its owner has not asked for again for this long is forgotten.
const FOLLOW_MS: u64 = 2_000;

/// A log that is read.
#[derive(Debug)]
pub(super) struct Followed {
    pub(super) game: OwnedGame,
    asked_at: Timestamp,
    /// The owner, if it waits for an answer.
    asked_by: Option<Instance>,
}

impl Driver {
    /// Asks the node that gets a game to read its log. One that is no game is handed over at once.
    pub(super) fn prepare(
        &mut self,
        log: &LogName,
        successor: Instance,
        effects: &mut Vec<Effect>,
    ) {
        match game_of(log) {
            Some(game) => {
                let words = NodeMessage::Words(Words::Prepare { game });
                effects.push(Effect::send(successor, words));
            }
            None => self.node.handle_prepared(self.now, log, &successor),
        }
    }

    /// The owner of a game will hand it over to this node.
    pub(super) fn follow(&mut self, from: &Instance, log: &LogName, effects: &mut Vec<Effect>) {
        let is_owner = self.node.ownership(log).is_some_and(|record| record.owner == *from);
        if !is_owner || self.owned.contains_key(log) {
            return;
        }
        if !self.followed.contains_key(log) {
            let Some(game) = self.read_game(log) else { return };
            info!("game {log} will be handed over to this node");
            let followed = Followed { game, asked_at: self.now, asked_by: None };
            self.followed.insert(log.clone(), followed);
        }
        if let Some(followed) = self.followed.get_mut(log) {
            (followed.asked_at, followed.asked_by) = (self.now, Some(from.clone()));
            followed.game.follow_on(self.now);
        }
        self.settle_followed(log, effects);
    }

    pub(super) fn handle_followed_reply(
        &mut self,
        log: &LogName,
        id: RequestId,
        reply: EngineReply,
        effects: &mut Vec<Effect>,
    ) {
        if let Some(followed) = self.followed.get_mut(log) {
            followed.game.handle_reply(self.now, id, reply);
            self.settle_followed(log, effects);
        }
    }

    pub(super) fn handle_followed_timeouts(&mut self, effects: &mut Vec<Effect>) {
        let now = self.now;
        self.followed.retain(|_, followed| now.since(followed.asked_at) < FOLLOW_MS);
        let logs: Vec<LogName> = self.followed.keys().cloned().collect();
        for log in &logs {
            if let Some(followed) = self.followed.get_mut(log) {
                followed.game.handle_timeout(now, effects);
            }
            self.settle_followed(log, effects);
        }
    }

    fn settle_followed(&mut self, log: &LogName, effects: &mut Vec<Effect>) {
        let Some(followed) = self.followed.get_mut(log) else { return };
        if let Some(why) = followed.game.settle(self.now, effects) {
            // The node that opens the log finds the same, and reports it.
            debug!("the log {log} can't be followed: {why}");
            self.followed.remove(log);
        } else if followed.game.journal().is_caught_up()
            && let Some(owner) = followed.asked_by.take()
        {
            let words = Words::Prepared { game: followed.game.game() };
            effects.push(Effect::send(owner, NodeMessage::Words(words)));
        }
    }
}
