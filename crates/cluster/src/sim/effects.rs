//! What the processes of nodes do to the world, and what is checked when they do it. Rules are broken here.

use super::client::SimClient;
use super::game::Key;
use super::plan::PowerLoss;
use super::process::{Effect, Input, dropped_copy};
use super::sabotage::ClusterSabotage;
use super::stream::{ReplyTo, SimPublish};
use super::world::{BrokerRequest, Event, PassTo, SimNode, World};
use crate::{
    EdgeMessage, EngineCall, EngineReply, EngineRequest, Epoch, Instance, JournalEnd, LogName,
    LogRecord, OwnerMessage, RecordBody, Seq, Subject,
};

impl World {
    pub(super) fn carry_out(&mut self, node: usize, effects: Vec<Effect>) -> Result<(), String> {
        for effect in effects {
            self.carry_out_one(node, effect)?;
        }
        Ok(())
    }

    fn carry_out_one(&mut self, node: usize, effect: Effect) -> Result<(), String> {
        let incarnation = self.nodes[node].incarnation;
        let me = self.instance(node);
        match effect {
            Effect::Request { journal, request } => self.request(node, journal, request),
            Effect::Watch { after } => {
                self.send_up(node, BrokerRequest::Watch { node, incarnation, after });
            }
            Effect::Heartbeat(heartbeat) => {
                let input = Input::Heartbeat(heartbeat.encode());
                self.send_up(node, BrokerRequest::Pass { to: PassTo::All, input });
            }
            Effect::ToOwner { to, message } => self.send_to_owner(node, to, &message),
            Effect::ToEdge { to, message } => self.send_to_edge(node, to, &message),
            Effect::Publish { log, picture } => {
                let input = Input::Picture { log, bytes: picture.encode() };
                self.send_up(node, BrokerRequest::Pass { to: PassTo::All, input });
            }
            Effect::Opened { log, epoch, keys } => {
                self.handle_opened(node, &log, epoch, &keys)?;
            }
            Effect::Shown { log, keys } => {
                self.check_committed()?;
                self.truth.log(&log).handle_shown(&keys)?;
            }
            Effect::Stored { index, after } => {
                if index != Some(after + 1) {
                    return Err(format!("{me} has written record {index:?} behind {after} others"));
                }
            }
            Effect::Paused { is_paused } => self.outcome.pauses += u64::from(is_paused),
            Effect::Closed { log, why } => self.handle_closed(&me, &log, &why)?,
            Effect::Screen { log, index, keys } => {
                let is_here =
                    |client: &SimClient| client.at.as_ref().is_some_and(|at| at.0 == node);
                for number in 0..self.clients.len() {
                    let client = &self.clients[number];
                    if is_here(client) && client.log == log {
                        self.show(number, index, &keys)?;
                    }
                }
            }
            Effect::Prepare { to, log } => {
                let input = Input::Prepare { from: me, log };
                self.send_up(node, BrokerRequest::Pass { to: PassTo::One(to), input });
            }
            Effect::Prepared { to, log } => {
                let input = Input::Prepared { from: me, log };
                self.send_up(node, BrokerRequest::Pass { to: PassTo::One(to), input });
            }
            Effect::Stopped { log } => {
                self.note(&format!("{me} stops {log} to hand it over"));
                self.stopped_at.insert(log, self.now);
            }
        }
        Ok(())
    }

    fn handle_opened(
        &mut self,
        node: usize,
        log: &LogName,
        epoch: Epoch,
        keys: &[Key],
    ) -> Result<(), String> {
        let me = self.instance(node);
        self.note(&format!("{me} opens {log} in epoch {epoch} with {} keys", keys.len()));
        self.outcome.openings += 1;
        self.note_handed_over(log)?;
        self.check_committed()?;
        self.truth.log(log).handle_opened(&me, epoch, keys)?;
        for name in [log.clone(), dropped_copy(log)] {
            if let Some(copy) = self.nodes[node].disk.get(&name) {
                self.truth.log(log).check_copy(&me, copy)?;
            }
        }
        Ok(())
    }

    pub(super) fn show(&mut self, client: usize, index: u64, keys: &[Key]) -> Result<(), String> {
        let is_checked = self.plan.sabotage != Some(ClusterSabotage::Pictures);
        // The engine may have lost what nobody can restore.
        let may_go_back = self.plan.power_loss == PowerLoss::OwnerIsReplaced;
        match self.clients[client].see(index, keys, is_checked) {
            Err(_) if may_go_back => Ok(()),
            seen => seen,
        }
    }

    fn handle_closed(
        &mut self,
        me: &Instance,
        log: &LogName,
        why: &JournalEnd,
    ) -> Result<(), String> {
        self.note(&format!("{me} closes {log}: {why}"));
        if let JournalEnd::Contradiction { .. } = why {
            if self.plan.power_loss == PowerLoss::None {
                return Err(format!("{me} reports a contradiction in {log}: {why}"));
            }
            self.outcome.contradictions += 1;
            self.truth.log(log).handle_contradiction();
        }
        Ok(())
    }

    pub(super) fn instance(&self, node: usize) -> Instance {
        let SimNode { id, incarnation, .. } = &self.nodes[node];
        Instance { node: id.clone(), incarnation: *incarnation }
    }

    pub(super) fn send_to_owner(&mut self, node: usize, to: Instance, message: &EdgeMessage) {
        let input = Input::FromEdge { from: self.instance(node), bytes: message.encode() };
        self.send_up(node, BrokerRequest::Pass { to: PassTo::One(to), input });
    }

    fn send_to_edge(&mut self, node: usize, to: Instance, message: &OwnerMessage) {
        let input = Input::FromOwner { from: self.instance(node), bytes: message.encode() };
        self.send_up(node, BrokerRequest::Pass { to: PassTo::One(to), input });
    }

    fn request(&mut self, node: usize, journal: Option<LogName>, request: EngineRequest) {
        let EngineRequest { id, call } = request;
        let incarnation = self.nodes[node].incarnation;
        let reply_to = ReplyTo { node, incarnation, journal, id };
        match call {
            EngineCall::Publish { subject, expected, bytes } => {
                let publish = SimPublish { reply_to, subject, expected: Some(expected), bytes };
                if let Some(publish) = self.sabotage_publish(node, publish) {
                    self.send_up(node, BrokerRequest::Publish(publish));
                }
            }
            EngineCall::Read { subject, after } => {
                self.send_up(node, BrokerRequest::Read { reply_to, subject, after });
            }
        }
    }

    /// Breaks a rule, if this run does.
    fn sabotage_publish(&mut self, node: usize, mut publish: SimPublish) -> Option<SimPublish> {
        let Some(sabotage) = self.plan.sabotage else { return Some(publish) };
        let log = publish.subject.log().clone();
        match (sabotage, &publish.subject) {
            (ClusterSabotage::Sequence, Subject::Log(..)) => publish.expected = None,
            (ClusterSabotage::Tail, Subject::Log(..)) if is_opening(&publish.bytes) => {
                publish.expected = None;
            }
            (ClusterSabotage::Silence, Subject::Log(..)) => {
                let process = self.nodes[node].process.as_mut()?;
                if !process.is_first(&log, publish.reply_to.id) {
                    let seq = Seq(publish.expected.unwrap_or_default().0 + 1);
                    let ReplyTo { incarnation, journal, id, .. } = publish.reply_to;
                    let reply = EngineReply::Stored(seq);
                    let input = Input::Reply { journal, id, reply };
                    self.schedule(1, Event::ToNode { node, incarnation, input });
                    return None;
                }
            }
            (ClusterSabotage::Takeover, Subject::Ownership(_))
                if publish.expected != Some(Seq(0)) =>
            {
                return None;
            }
            _ => {}
        }
        Some(publish)
    }

    /// Checks what the brokers have committed since the last time.
    pub(super) fn check_committed(&mut self) -> Result<(), String> {
        for entry in self.brokers.committed_after(&mut self.checked) {
            if let Some(Subject::Log(log, _)) = &entry.subject {
                self.outcome.records += 1;
                self.truth.handle_committed(log, &entry.bytes)?;
            }
        }
        Ok(())
    }
}

fn is_opening(bytes: &[u8]) -> bool {
    LogRecord::decode(bytes).is_ok_and(|record| {
        matches!(record.body, RecordBody::Opened { .. } | RecordBody::Fence { .. })
    })
}
