//! Which nodes are there, by their heartbeats. Nothing here is needed for safety: whoever is wrong about another node
//! causes a short pause, never two writers.

use std::collections::BTreeMap;

use nuggets_time::Timestamp;

use crate::codec::{Decoder, Encoder};
use crate::{DecodeError, Instance, NodeId};

/// How often a node sends a heartbeat.
pub const HEARTBEAT_MS: u64 = 200;
/// A node that was not heard for this long is replaced.
pub const DEAD_AFTER_MS: u64 = 1_200;
/// A node that has not heard itself for this long is cut off, and says so in case others hear it.
pub const CUT_OFF_AFTER_MS: u64 = 600;
/// A longer gap between two calls means that this node was paused: others may have been heard meanwhile.
const MAX_GAP_MS: u64 = 500;
/// More nodes are ignored.
const MAX_NODES: usize = 1_024;

/// What a node sends to all nodes, itself included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    /// Who sends it.
    pub from: Instance,
    /// How many logs it owns, or another measure of its load.
    pub load: u64,
    /// What others can expect of it.
    pub condition: Condition,
}

/// What a node says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// It accepts logs.
    Ready,
    /// It hands over its logs and accepts none.
    Draining,
    /// It does not hear itself, so it can't get acknowledgements either: its logs are taken over.
    CutOff,
}

const HEARTBEAT: u8 = 1;
const CONDITIONS: [Condition; 3] = [Condition::Ready, Condition::Draining, Condition::CutOff];

impl Heartbeat {
    /// The heartbeat as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let out = Encoder::with_tag(HEARTBEAT).instance(&self.from);
        out.number(self.load).number(self.condition as u64).finish()
    }

    /// Reads a heartbeat.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut from = Decoder::new(bytes);
        if from.byte()? != HEARTBEAT {
            return Err(DecodeError);
        }
        let (instance, load) = (from.instance()?, from.number()?);
        let condition = usize::try_from(from.number()?).ok();
        let condition = condition.and_then(|index| CONDITIONS.get(index)).ok_or(DecodeError)?;
        from.finish()?;
        Ok(Self { from: instance, load, condition: *condition })
    }
}

/// What is known of one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its last heartbeat.
    pub heartbeat: Heartbeat,
    /// When it was last heard, and not cut off.
    pub heard_at: Timestamp,
}

/// The nodes, by name.
#[derive(Debug)]
pub(crate) struct Members {
    me: Instance,
    by_node: BTreeMap<NodeId, Member>,
    /// When the state machine was last called.
    called_at: Timestamp,
    /// Nobody is judged by silence before it: this node was paused or cut off itself.
    judge_from: Timestamp,
}

/// Whether an owner is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It is, or it is not known yet that it isn't.
    Present,
    /// Its node runs again as another instance.
    Restarted,
    /// It was not heard for too long, or is not able to serve.
    Gone,
}

impl Members {
    pub(crate) fn new(now: Timestamp, me: Instance) -> Self {
        Self { me, by_node: BTreeMap::new(), called_at: now, judge_from: now }
    }

    /// Must be called first whenever the time has advanced.
    pub(crate) fn advance(&mut self, now: Timestamp) {
        if now.since(self.called_at) > MAX_GAP_MS {
            self.judge_from = now;
        }
        self.called_at = now;
    }

    /// False if the heartbeat is of an instance that has been replaced.
    pub(crate) fn handle_heartbeat(&mut self, now: Timestamp, heartbeat: Heartbeat) -> bool {
        let node = heartbeat.from.node.clone();
        let known = self.by_node.get(&node);
        let is_old = known.is_some_and(|it| it.heartbeat.from > heartbeat.from);
        if is_old || known.is_none() && self.by_node.len() >= MAX_NODES {
            return false;
        }
        if heartbeat.from == self.me && !self.hears_itself(now) {
            self.judge_from = now;
        }
        // Whoever is cut off counts as silent, so that a short interruption for all is no reason to replace anybody.
        let is_cut_off = heartbeat.condition == Condition::CutOff && heartbeat.from != self.me;
        let known = known.filter(|known| is_cut_off && known.heartbeat.from == heartbeat.from);
        let heard_at = known.map_or(now, |known| known.heard_at);
        self.by_node.insert(node, Member { heartbeat, heard_at });
        true
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Member> {
        self.by_node.values()
    }

    /// True if this node hears itself, so that it can judge others and be heard.
    pub(crate) fn hears_itself(&self, now: Timestamp) -> bool {
        let own = self.by_node.get(&self.me.node);
        let own = own.filter(|own| own.heartbeat.from == self.me);
        own.is_some_and(|own| now.since(own.heard_at) < CUT_OFF_AFTER_MS)
    }

    /// Judges an instance. A node that does not hear itself judges nobody.
    pub(crate) fn presence(&self, now: Timestamp, instance: &Instance) -> Presence {
        if *instance == self.me || !self.hears_itself(now) {
            return Presence::Present;
        }
        let Some(member) = self.by_node.get(&instance.node) else {
            return self.by_silence(now, Timestamp(0));
        };
        if member.heartbeat.from.incarnation > instance.incarnation {
            return Presence::Restarted;
        }
        self.by_silence(now, member.heard_at)
    }

    fn by_silence(&self, now: Timestamp, heard_at: Timestamp) -> Presence {
        let silent_since = heard_at.max(self.judge_from);
        if now.since(silent_since) < DEAD_AFTER_MS { Presence::Present } else { Presence::Gone }
    }

    /// The nodes that accept logs, with their load.
    pub(crate) fn ready(&self, now: Timestamp) -> BTreeMap<NodeId, u64> {
        let is_ready = |member: &&Member| {
            let is_ready = member.heartbeat.condition == Condition::Ready;
            is_ready && now.since(member.heard_at) < DEAD_AFTER_MS
        };
        let ready = self.by_node.values().filter(is_ready);
        ready.map(|member| (member.heartbeat.from.node.clone(), member.heartbeat.load)).collect()
    }

    /// The instance of a node that was heard last.
    pub(crate) fn instance(&self, node: &NodeId) -> Option<&Instance> {
        self.by_node.get(node).map(|member| &member.heartbeat.from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heartbeat(name: &str, incarnation: u64, condition: Condition) -> Heartbeat {
        let from = Instance { node: NodeId::new(name).unwrap(), incarnation };
        Heartbeat { from, load: 300, condition }
    }

    #[test]
    fn a_heartbeat_is_read_as_it_was_written() {
        for condition in CONDITIONS {
            let heartbeat = heartbeat("one", 9, condition);
            assert_eq!(Heartbeat::decode(&heartbeat.encode()), Ok(heartbeat));
        }
        assert_eq!(Heartbeat::decode(b"\x01\x01a\x07\x00\x03"), Err(DecodeError));
    }

    #[test]
    fn a_late_heartbeat_of_an_earlier_instance_is_ignored() {
        let me = heartbeat("me", 1, Condition::Ready);
        let mut members = Members::new(Timestamp(0), me.from.clone());
        assert!(members.handle_heartbeat(Timestamp(0), me));
        let (old, new) =
            (heartbeat("one", 1, Condition::Ready), heartbeat("one", 2, Condition::Ready));
        assert!(members.handle_heartbeat(Timestamp(0), new.clone()));
        assert!(!members.handle_heartbeat(Timestamp(1), old.clone()));
        assert_eq!(members.presence(Timestamp(1), &old.from), Presence::Restarted);
        assert_eq!(members.presence(Timestamp(1), &new.from), Presence::Present);
    }
}
