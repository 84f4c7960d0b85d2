//! What clients send to the owner of a game: who is attached, and which frames are new. It applies nothing itself.
//!
//! Use: `handle_message` says what to do. For `Apply`, the game applies the frame; what it did is appended to the journal
//! *with the mark*, and `answer` is called when that is committed. So a frame is applied once, whatever is sent twice.
//!
//! A client that has lost its connection comes back over another one, perhaps at another node. What it had sent over the
//! earlier connection may still be on its way, or in a node that hangs. Once a frame of the later connection was applied,
//! no frame of an earlier one is: the client counts its connections, and the marks in the log have the count.

use std::collections::{BTreeMap, VecDeque};

use crate::{
    Attempt, ConnectionId, EdgeMessage, Epoch, Instance, LogName, Mark, Marks, OwnerMessage,
};

/// The most connections that are attached to one game. Watchers need none: they read views.
pub const MAX_ATTACHED: usize = 1_024;

/// The error reply on a connection that the client has replaced by a later one.
const OUTDATED: &[u8] =
    b"you have come back over another connection, so keys of this one have no effect";

/// What the owner has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InboxAction {
    /// Check the token in `hello`; then call `attach` or `reject`. It may come again for an attached connection.
    Verify {
        /// Whose.
        connection: ConnectionId,
        /// What the edge has sent.
        hello: Vec<u8>,
    },
    /// Apply this frame.
    Apply {
        /// What to append with its effect.
        mark: Mark,
        /// What the client sent.
        frame: Vec<u8>,
    },
    /// The connection is gone.
    Detached(ConnectionId),
}

/// The clients of one game, at its owner.
#[derive(Debug)]
pub struct Inbox {
    log: LogName,
    epoch: Epoch,
    /// Frames that were applied here or by earlier owners, committed or not.
    applied: Marks,
    attached: BTreeMap<ConnectionId, Attachment>,
    is_paused: bool,
    /// Only in the simulation, to see that the rule is needed.
    broken_rule: Option<BrokenInboxRule>,
    messages: VecDeque<(Instance, OwnerMessage)>,
}

/// A rule that the simulation breaks, to see that it is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BrokenInboxRule {
    /// Frames are applied whatever their number.
    NoNumbers,
    /// Frames of outdated connections are applied.
    NoOrder,
}

#[derive(Clone, Copy, Debug)]
struct Attachment {
    /// The last frame that was applied here, also if it had no effect and so no mark.
    applied: u64,
    /// The last frame whose effect is committed.
    answered: u64,
    /// Which connection of its client it is, if that is known.
    attempt: Option<Attempt>,
}

impl Inbox {
    /// The inbox of an owner in this epoch, with the marks that it has read from the log.
    pub fn new(log: LogName, epoch: Epoch, marks: Marks) -> Self {
        Self {
            log,
            epoch,
            applied: marks,
            attached: BTreeMap::new(),
            is_paused: false,
            broken_rule: None,
            messages: VecDeque::new(),
        }
    }

    /// A message of an edge. `from` is the instance that sent it; nobody can speak for a connection of another one.
    /// Without `can_apply` (the journal is paused or full, or the log is being handed over), frames are left to be sent
    /// again.
    pub fn handle_message(
        &mut self,
        from: &Instance,
        message: EdgeMessage,
        can_apply: bool,
    ) -> Vec<InboxAction> {
        match message {
            EdgeMessage::Attach { connection, hello, .. } if connection.edge == *from => {
                vec![InboxAction::Verify { connection, hello }]
            }
            EdgeMessage::Detach { connection, .. } if connection.edge == *from => {
                let was_attached = self.attached.remove(&connection).is_some();
                was_attached.then_some(InboxAction::Detached(connection)).into_iter().collect()
            }
            EdgeMessage::Frames { connection, first, answered, frames, .. }
                if connection.edge == *from =>
            {
                self.handle_frames(&connection, SentFrames { first, answered, frames, can_apply })
            }
            _ => vec![],
        }
    }

    /// The token is good, and this is the connection of that client, if the client has said so.
    pub fn attach(
        &mut self,
        connection: &ConnectionId,
        attempt: Option<Attempt>,
        welcome: Vec<u8>,
    ) {
        if self.attached.len() >= MAX_ATTACHED && !self.attached.contains_key(connection) {
            return self.reject(connection, b"too many connections".to_vec());
        }
        let last = self.applied.last(connection);
        let attachment = Attachment { applied: last, answered: last, attempt };
        self.attached.entry(connection.clone()).or_insert(attachment);
        let message =
            OwnerMessage::Attached { connection: connection.clone(), epoch: self.epoch, welcome };
        self.send(connection, message);
    }

    /// The token is wrong, or there is no place.
    pub fn reject(&mut self, connection: &ConnectionId, reason: Vec<u8>) {
        self.attached.remove(connection);
        self.send(connection, OwnerMessage::Rejected { connection: connection.clone(), reason });
    }

    /// What the frames of this connection up to this number did is committed, or they did nothing and everything before
    /// is committed.
    pub fn answer(&mut self, connection: &ConnectionId, up_to: u64) {
        let Some(attachment) = self.attached.get_mut(connection) else { return };
        attachment.answered = attachment.answered.max(up_to);
        let up_to = attachment.answered;
        self.send(connection, OwnerMessage::Answered { connection: connection.clone(), up_to });
    }

    /// Something for one client.
    pub fn send_direct(&mut self, connection: &ConnectionId, bytes: Vec<u8>) {
        self.send(connection, OwnerMessage::Direct { connection: connection.clone(), bytes });
    }

    /// The journal is paused, or is not any more: all edges are told.
    pub fn set_paused(&mut self, is_paused: bool) {
        self.is_paused = is_paused;
        let mut last = None;
        for connection in self.attached.keys() {
            if last.as_ref() != Some(&connection.edge) {
                last = Some(connection.edge.clone());
                let message = OwnerMessage::Paused { log: self.log.clone(), is_paused };
                self.messages.push_back((connection.edge.clone(), message));
            }
        }
    }

    /// An edge is gone, and its connections with it.
    pub fn handle_gone(&mut self, edge: &Instance) -> Vec<ConnectionId> {
        let of_edge = self.attached.keys().filter(|connection| connection.edge == *edge);
        let gone: Vec<ConnectionId> = of_edge.cloned().collect();
        for connection in &gone {
            self.attached.remove(connection);
        }
        gone
    }

    /// The next message, and to whom.
    pub fn poll_message(&mut self) -> Option<(Instance, OwnerMessage)> {
        self.messages.pop_front()
    }

    pub(crate) fn break_rule(&mut self, rule: BrokenInboxRule) {
        self.broken_rule = Some(rule);
    }

    fn handle_frames(&mut self, connection: &ConnectionId, sent: SentFrames) -> Vec<InboxAction> {
        let Some(attachment) = self.attached.get_mut(connection) else {
            let epoch = self.epoch;
            let message = OwnerMessage::NotAttached { connection: connection.clone(), epoch };
            self.send(connection, message);
            return vec![];
        };
        let attempt = attachment.attempt;
        if attempt.is_some_and(|attempt| self.applied.is_outdated(&attempt))
            && self.broken_rule != Some(BrokenInboxRule::NoOrder)
        {
            self.reject(connection, OUTDATED.to_vec());
            return vec![InboxAction::Detached(connection.clone())];
        }
        // What an earlier owner has answered needs no mark: it is not sent again.
        attachment.applied = attachment.applied.max(sent.answered);
        attachment.answered = attachment.answered.max(sent.answered);
        let up_to = attachment.answered;
        if !sent.can_apply {
            return self.decline(connection);
        }
        let ignores_numbers = self.broken_rule == Some(BrokenInboxRule::NoNumbers);
        let mut actions = vec![];
        for (number, frame) in (sent.first..).zip(sent.frames) {
            if number == attachment.applied + 1 || ignores_numbers {
                attachment.applied = number;
                let mark = Mark { connection: connection.clone(), number, attempt };
                self.applied.set(&mark);
                actions.push(InboxAction::Apply { mark, frame });
            }
        }
        if actions.is_empty() {
            let message = OwnerMessage::Answered { connection: connection.clone(), up_to };
            self.send(connection, message);
        }
        actions
    }

    fn decline(&mut self, connection: &ConnectionId) -> Vec<InboxAction> {
        if self.is_paused {
            let message = OwnerMessage::Paused { log: self.log.clone(), is_paused: true };
            self.send(connection, message);
        }
        vec![]
    }

    fn send(&mut self, connection: &ConnectionId, message: OwnerMessage) {
        self.messages.push_back((connection.edge.clone(), message));
    }
}

/// Frames of one message.
#[derive(Debug)]
struct SentFrames {
    first: u64,
    answered: u64,
    frames: Vec<Vec<u8>>,
    can_apply: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeId;

    const NONE: [u64; 0] = [];

    fn connection(number: u64) -> ConnectionId {
        let edge = Instance { node: NodeId::new("edge").unwrap(), incarnation: 1 };
        ConnectionId { edge, number }
    }

    fn frames(number: u64, first: u64, count: usize) -> EdgeMessage {
        let (log, connection) = (LogName::new("game").unwrap(), connection(number));
        EdgeMessage::Frames {
            log,
            connection,
            first,
            answered: 0,
            frames: vec![b"h".to_vec(); count],
        }
    }

    fn applied(actions: &[InboxAction]) -> Vec<u64> {
        let numbers = actions.iter().filter_map(|action| match action {
            InboxAction::Apply { mark, .. } => Some(mark.number),
            _ => None,
        });
        numbers.collect()
    }

    #[test]
    fn frames_are_applied_in_order_and_once_by_who_is_attached() {
        let mut inbox = Inbox::new(LogName::new("game").unwrap(), Epoch(1), Marks::default());
        let edge = connection(1).edge;
        let send = |inbox: &mut Inbox, message, can_apply| {
            applied(&inbox.handle_message(&edge, message, can_apply))
        };
        assert_eq!(send(&mut inbox, frames(1, 1, 2), true), NONE, "it is not attached");
        inbox.attach(&connection(1), None, vec![]);
        assert_eq!(send(&mut inbox, frames(1, 2, 1), true), NONE, "the first one is missing");
        assert_eq!(send(&mut inbox, frames(1, 1, 2), false), NONE, "not now");
        assert_eq!(send(&mut inbox, frames(1, 1, 2), true), [1, 2]);
        assert_eq!(send(&mut inbox, frames(1, 1, 3), true), [3], "two of them were sent again");
        inbox.attach(&connection(1), None, vec![]);
        assert_eq!(send(&mut inbox, frames(1, 1, 3), true), NONE, "also if it has attached again");
        let other = Instance { node: NodeId::new("other").unwrap(), incarnation: 1 };
        assert!(inbox.handle_message(&other, frames(1, 4, 1), true).is_empty(), "of another node");
    }

    #[test]
    fn connections_have_a_limit() {
        let mut inbox = Inbox::new(LogName::new("game").unwrap(), Epoch(1), Marks::default());
        let all = MAX_ATTACHED as u64;
        (0..=all).for_each(|number| inbox.attach(&connection(number), None, vec![]));
        let edge = connection(0).edge;
        assert_eq!(applied(&inbox.handle_message(&edge, frames(all - 1, 1, 1), true)), [1]);
        assert_eq!(applied(&inbox.handle_message(&edge, frames(all, 1, 1), true)), NONE);
    }
}
