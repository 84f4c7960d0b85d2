//! What a node says about itself.

use nuggets_cluster::nats::{KnownLog, KnownNode, NodeStatus, OwnedLog};
use nuggets_cluster::{Condition, LogName, LogState, Member, Ownership};

use super::Driver;
use crate::cluster::owned_game::OwnedGame;

impl Driver {
    /// Everything but what the driver does not know: address, connections, accounts.
    pub(super) fn status(&self) -> NodeStatus {
        let me = self.me();
        NodeStatus {
            node: me.node.to_string(),
            incarnation: me.incarnation,
            condition: condition_word(self.node.condition(self.now)).to_owned(),
            load: self.node.held() as u64,
            owned: self.owned.iter().map(owned_log).chain(self.owned_accounts()).collect(),
            logs: self.node.logs().filter(is_unfinished).map(known_log).collect(),
            nodes: self.node.members().map(|member| self.known_node(member)).collect(),
            ..NodeStatus::default()
        }
    }

    fn known_node(&self, member: &Member) -> KnownNode {
        let heartbeat = &member.heartbeat;
        KnownNode {
            node: heartbeat.from.node.to_string(),
            incarnation: heartbeat.from.incarnation,
            condition: condition_word(heartbeat.condition).to_owned(),
            load: heartbeat.load,
            heard_ms_ago: self.now.since(member.heard_at),
        }
    }
}

fn is_unfinished((_, record): &(&LogName, &Ownership)) -> bool {
    record.state != LogState::Finished
}

fn owned_log((log, game): (&LogName, &OwnedGame)) -> OwnedLog {
    let journal = game.journal();
    OwnedLog {
        log: log.to_string(),
        epoch: journal.epoch().0,
        is_open: game.is_open(),
        is_paused: journal.is_paused(),
        index: journal.last_index(),
        waiting: journal.appended().0 - journal.committed().0,
        connections: game.connections() as u64,
    }
}

fn known_log((log, record): (&LogName, &Ownership)) -> KnownLog {
    let state = match record.state {
        LogState::Running => "running",
        LogState::Finished => "finished",
        LogState::Failed => "failed",
    };
    KnownLog {
        log: log.to_string(),
        owner: record.owner.node.to_string(),
        incarnation: record.owner.incarnation,
        epoch: record.epoch.0,
        state: state.to_owned(),
    }
}

fn condition_word(condition: Condition) -> &'static str {
    match condition {
        Condition::Ready => "ready",
        Condition::Draining => "draining",
        Condition::CutOff => "cut_off",
    }
}
