//! The clients of one node, wherever their games are: finds the owner of each game, forwards what clients send, and sends
//! again what was not answered. It knows neither the meaning of frames nor pictures.

mod link;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use nuggets_time::Timestamp;

use crate::{ConnectionId, EdgeMessage, Epoch, Instance, LogName, OwnerMessage};
use link::Link;

/// Unanswered messages are sent again after this time.
pub const RESEND_MS: u64 = 400;
/// A client whose frame is not answered for this long is told that the game is paused.
pub const STALLED_AFTER_MS: u64 = 1_500;
/// The most frames of a client that are not answered; more are refused.
pub const MAX_UNANSWERED: usize = 64;

/// What the node must do for its clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdgeEvent {
    /// The owner of its game knows the client now; after each take-over again.
    Attached {
        /// Which client.
        connection: ConnectionId,
        /// What the owner sends it.
        welcome: Vec<u8>,
    },
    /// The owner has rejected the client. The connection is forgotten.
    Rejected {
        /// Which client.
        connection: ConnectionId,
        /// Why.
        reason: Vec<u8>,
    },
    /// Something for this client.
    Direct {
        /// Which client.
        connection: ConnectionId,
        /// What.
        bytes: Vec<u8>,
    },
    /// What the client sent is not answered: saving is not possible, or the game is being taken over.
    Paused(ConnectionId),
    /// It goes on.
    Resumed(ConnectionId),
    /// The node that was thought to own this log says that it does not: `Node::refresh`.
    AskOwner(LogName),
}

/// A client sends faster than its game answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{MAX_UNANSWERED} frames are not answered yet")]
pub struct TooManyFrames;

/// All clients of one node.
#[derive(Debug)]
pub struct Edge {
    me: Instance,
    last_number: u64,
    links: BTreeMap<ConnectionId, Link>,
    owners: BTreeMap<LogName, Owner>,
    messages: VecDeque<(Instance, EdgeMessage)>,
    events: VecDeque<EdgeEvent>,
}

/// The owner of a log with clients here.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Owner {
    instance: Instance,
    epoch: Epoch,
}

impl Edge {
    /// A node without clients.
    pub fn new(me: Instance) -> Self {
        Self {
            me,
            last_number: 0,
            links: BTreeMap::new(),
            owners: BTreeMap::new(),
            messages: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// A client has come. `hello` says who it is and shows its token; every owner of the game is sent it.
    pub fn connect(&mut self, now: Timestamp, log: &LogName, hello: Vec<u8>) -> ConnectionId {
        self.last_number += 1;
        let connection = ConnectionId { edge: self.me.clone(), number: self.last_number };
        let link = Link::new(now, connection.clone(), log.clone(), hello);
        self.links.insert(connection.clone(), link);
        self.send_due(now, &connection);
        connection
    }

    /// The client has sent something.
    pub fn send(
        &mut self,
        now: Timestamp,
        connection: &ConnectionId,
        frame: Vec<u8>,
    ) -> Result<(), TooManyFrames> {
        let Some(link) = self.links.get_mut(connection) else { return Ok(()) };
        let message = link.push(now, frame)?;
        if let (Some(message), Some(owner)) = (message, self.owners.get(&link.log)) {
            self.messages.push_back((owner.instance.clone(), message));
        }
        Ok(())
    }

    /// The client is gone.
    pub fn disconnect(&mut self, connection: &ConnectionId) {
        let Some(link) = self.links.remove(connection) else { return };
        if let Some(owner) = self.owners.get(&link.log) {
            let message = EdgeMessage::Detach { log: link.log, connection: connection.clone() };
            self.messages.push_back((owner.instance.clone(), message));
        }
    }

    /// Who owns a log; an earlier owner than the known one is ignored. Only logs with clients here are needed.
    pub fn handle_owner(&mut self, now: Timestamp, log: &LogName, owner: &Instance, epoch: Epoch) {
        let known = self.owners.get(log);
        if known.is_some_and(|known| known.epoch >= epoch) {
            return;
        }
        let owner = Owner { instance: owner.clone(), epoch };
        self.owners.insert(log.clone(), owner);
        let links = self.links.values_mut().filter(|link| link.log == *log);
        let due: Vec<ConnectionId> = links.map(Link::detach).collect();
        for connection in &due {
            self.send_due(now, connection);
        }
    }

    /// The log is finished or failed: nobody is sent anything about it.
    pub fn forget(&mut self, log: &LogName) {
        self.owners.remove(log);
    }

    /// A message of an owner.
    pub fn handle_message(&mut self, now: Timestamp, from: &Instance, message: OwnerMessage) {
        match message {
            OwnerMessage::Attached { connection, epoch, welcome } => {
                self.handle_attached(now, &connection, epoch, welcome);
            }
            OwnerMessage::Rejected { connection, reason } => {
                if self.links.remove(&connection).is_some() {
                    self.events.push_back(EdgeEvent::Rejected { connection, reason });
                }
            }
            OwnerMessage::Answered { connection, up_to } => {
                let link = self.links.get_mut(&connection);
                if link.is_some_and(|link| link.handle_answered(now, up_to)) {
                    self.events.push_back(EdgeEvent::Resumed(connection));
                }
            }
            OwnerMessage::NotAttached { connection, epoch } => {
                self.handle_not_attached(now, &connection, epoch);
            }
            OwnerMessage::NotOwner { log } => {
                if self.owners.get(&log).is_some_and(|owner| owner.instance == *from) {
                    self.events.push_back(EdgeEvent::AskOwner(log));
                }
            }
            OwnerMessage::Paused { log, is_paused } => self.handle_paused(&log, is_paused),
            OwnerMessage::Direct { connection, bytes } => {
                if self.links.contains_key(&connection) {
                    self.events.push_back(EdgeEvent::Direct { connection, bytes });
                }
            }
        }
    }

    /// The time has come that `poll_timeout` said.
    pub fn handle_timeout(&mut self, now: Timestamp) {
        let due = self.links.values().filter(|link| link.is_due(now));
        let due: Vec<ConnectionId> = due.map(|link| link.connection.clone()).collect();
        for connection in &due {
            self.send_due(now, connection);
        }
        for link in self.links.values_mut() {
            if link.pause_if_stalled(now) {
                self.events.push_back(EdgeEvent::Paused(link.connection.clone()));
            }
        }
    }

    /// When to call `handle_timeout`.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        self.links.values().filter_map(Link::timeout).min()
    }

    /// The next message, and to whom.
    pub fn poll_message(&mut self) -> Option<(Instance, EdgeMessage)> {
        self.messages.pop_front()
    }

    /// The next thing to do.
    pub fn poll_event(&mut self) -> Option<EdgeEvent> {
        self.events.pop_front()
    }

    /// How many frames of a client are not answered.
    pub fn unanswered(&self, connection: &ConnectionId) -> usize {
        self.links.get(connection).map_or(0, Link::unanswered)
    }

    fn handle_attached(
        &mut self,
        now: Timestamp,
        connection: &ConnectionId,
        epoch: Epoch,
        welcome: Vec<u8>,
    ) {
        let Some(link) = self.links.get_mut(connection) else { return };
        let is_current = self.owners.get(&link.log).is_some_and(|owner| owner.epoch == epoch);
        if is_current && link.attach(epoch) {
            let attached = EdgeEvent::Attached { connection: connection.clone(), welcome };
            self.events.push_back(attached);
            // It waited for nothing else.
            if link.unanswered() == 0 && link.set_paused(false) {
                self.events.push_back(EdgeEvent::Resumed(connection.clone()));
            }
        }
        self.send_due(now, connection);
    }

    fn handle_not_attached(&mut self, now: Timestamp, connection: &ConnectionId, epoch: Epoch) {
        let Some(link) = self.links.get_mut(connection) else { return };
        if self.owners.get(&link.log).is_some_and(|owner| owner.epoch == epoch) {
            link.detach();
            self.send_due(now, connection);
        }
    }

    fn handle_paused(&mut self, log: &LogName, is_paused: bool) {
        for link in self.links.values_mut().filter(|link| link.log == *log) {
            if link.set_paused(is_paused) {
                let connection = link.connection.clone();
                self.events.push_back(if is_paused {
                    EdgeEvent::Paused(connection)
                } else {
                    EdgeEvent::Resumed(connection)
                });
            }
        }
    }

    /// Sends what this client's owner has to know: that it is there, or all that was not answered.
    fn send_due(&mut self, now: Timestamp, connection: &ConnectionId) {
        let Some(link) = self.links.get_mut(connection) else { return };
        let message = link.message(now);
        if let (Some(message), Some(owner)) = (message, self.owners.get(&link.log)) {
            self.messages.push_back((owner.instance.clone(), message));
        }
    }
}
