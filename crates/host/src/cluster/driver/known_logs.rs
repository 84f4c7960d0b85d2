//! What all nodes know of logs: who owns them, and what games they are. Clients of this node are told, and own games are
//! created and changed here.

use nuggets_cluster::{EngineReply, LogName, LogState, Subject};
use tokio::sync::oneshot;

use super::{Driver, log_of};
use crate::GameMeta;
use crate::cluster::effect::Effect;
use crate::cluster::messages::{Details, NodeMessage};

impl Driver {
    pub(super) fn handle_changed(&mut self, log: &LogName, effects: &mut Vec<Effect>) {
        self.tell_owner(log);
        self.clients.handle_owner(log);
        self.reject_if_finished(log);
        if let Some(record) = self.node.ownership(log) {
            effects.push(Effect::Known(log.clone(), record.clone()));
        }
        self.subscribe(effects);
    }

    pub(super) fn tell_owner(&mut self, log: &LogName) {
        let Some(record) = self.node.ownership(log) else { return };
        if record.state == LogState::Running {
            let (owner, epoch) = (record.owner.clone(), record.epoch);
            self.clients.edge.handle_owner(self.now, log, &owner, epoch);
        }
    }

    pub(super) fn reject_if_finished(&mut self, log: &LogName) {
        let record = self.node.ownership(log);
        if record.is_some_and(|record| record.state != LogState::Running) {
            self.clients.handle_finished(log);
        }
    }

    pub(super) fn create(
        &mut self,
        details: &Details,
        answer: oneshot::Sender<Result<(), String>>,
    ) {
        let log = log_of(details.meta.id);
        let created = details.encode().and_then(|bytes| {
            self.node.create(self.now, &log, bytes).map_err(|why| why.to_string())
        });
        match created {
            Ok(()) => drop(self.creating.insert(log, (self.now, answer))),
            Err(why) => drop(answer.send(Err(why))),
        }
    }

    pub(super) fn set_meta(&mut self, meta: &GameMeta) {
        let log = log_of(meta.id);
        let known = self.node.ownership(&log).filter(|_| self.owned.contains_key(&log));
        let Some(known) = known else { return };
        let changed = Details::replace_meta(&known.details, meta);
        if let Some(details) = changed.filter(|details| *details != known.details) {
            self.node.set_details(self.now, &log, details);
        }
    }
}

/// The change of an ownership record that was stored, so that it can be broadcast to all nodes at once.
pub(in crate::cluster) fn stored_ownership(
    subject: &Subject,
    bytes: &[u8],
    reply: &EngineReply,
) -> Option<NodeMessage> {
    match (subject, reply) {
        (Subject::Ownership(log), EngineReply::Stored(seq)) => {
            Some(NodeMessage::Ownership(log.clone(), *seq, bytes.to_vec()))
        }
        _ => None,
    }
}
