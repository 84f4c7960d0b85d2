//! What a node does from time to time: timeouts, what others may have missed, and those who are gone.

use std::collections::BTreeSet;

use nuggets_cluster::{Condition, Instance, LogName, Member};
use tracing::warn;

use super::Driver;
use crate::cluster::effect::Effect;
use crate::cluster::messages::{NodeMessage, Words};

/// Players of a node that was not heard for this long are away.
const EDGE_GONE_MS: u64 = 5_000;
/// How often the nodes that have missed something are told all again.
const SUMMARY_MS: u64 = 2_000;
/// How long a new game may take to be stored.
const CREATE_MS: u64 = 10_000;
/// A node that has not heard itself for this long tries another broker, and again after this time.
pub(super) const RECONNECT_MS: u64 = 1_500;

impl Driver {
    pub(super) fn handle_tick(&mut self, effects: &mut Vec<Effect>) {
        let now = self.now;
        self.node.handle_timeout(now);
        self.clients.edge.handle_timeout(now);
        self.tick_accounts();
        self.touch_all();
        for game in self.owned.values_mut() {
            game.handle_timeout(now, effects);
        }
        self.handle_followed_timeouts(effects);
        self.subscribe(effects);
        self.send_orders(effects);
        self.give_up_late_games();
        if self.summary_at <= now {
            self.summary_at = now.after(SUMMARY_MS);
            self.send_summaries(effects);
            self.drop_gone_edges(effects);
        }
        if self.node.condition(now) != Condition::CutOff {
            self.reconnect_at = now.after(RECONNECT_MS);
            self.clients.set_cut_off(false);
        } else if self.reconnect_at <= now {
            self.reconnect_at = now.after(RECONNECT_MS);
            self.clients.set_cut_off(true);
            effects.push(Effect::Reconnect);
        }
        let is_drained =
            self.node.is_drained() || self.node.is_draining() && self.has_only_accounts();
        if is_drained && !std::mem::replace(&mut self.is_drained, true) {
            effects.push(Effect::Drained);
        }
    }

    fn give_up_late_games(&mut self) {
        let now = self.now;
        let late = self.creating.iter().filter(|(_, (since, _))| now.since(*since) >= CREATE_MS);
        let late: Vec<LogName> = late.map(|(log, _)| log.clone()).collect();
        for log in late {
            warn!("the game {log} could not be stored in time");
            if let Some((_, answer)) = self.creating.remove(&log) {
                let _ = answer.send(Err("the new game could not be stored in time".into()));
            }
        }
    }

    fn send_summaries(&self, effects: &mut Vec<Effect>) {
        for owned in self.owned.values().filter(|owned| !owned.summary().is_empty()) {
            let (game, reports) = (owned.game(), owned.summary().to_vec());
            let words = Words::Reports { game, reports };
            effects.push(Effect::Broadcast(NodeMessage::Words(words)));
        }
    }

    /// An edge that was not heard for long is gone; if it comes back, it attaches its connections again.
    fn drop_gone_edges(&mut self, effects: &mut Vec<Effect>) {
        if self.node.condition(self.now) == Condition::CutOff {
            return;
        }
        let is_there = |member: &&Member| self.now.since(member.heard_at) < EDGE_GONE_MS;
        let heard = self.node.members().filter(is_there);
        let there: BTreeSet<Instance> = heard.map(|it| it.heartbeat.from.clone()).collect();
        for game in self.owned.values_mut() {
            for edge in game.edges().difference(&there) {
                game.handle_gone(edge, effects);
            }
        }
    }
}
