//! An edge and the inbox of an owner, as a dialogue in which every message can be lost.

use super::*;
use crate::{Attempt, ClientId, Inbox, InboxAction, Mark, Marks, NodeId, RecordBody};

fn instance(name: &str) -> Instance {
    Instance { node: NodeId::new(name).unwrap(), incarnation: 1 }
}

fn log() -> LogName {
    LogName::new("game").unwrap()
}

/// An edge with one client, and the owner of its game.
struct Dialogue {
    now: Timestamp,
    edge: Edge,
    connection: ConnectionId,
    inbox: Inbox,
    epoch: Epoch,
    applied: Vec<(u64, Vec<u8>)>,
}

impl Dialogue {
    fn new() -> Self {
        let now = Timestamp(0);
        let mut edge = Edge::new(instance("edge"));
        edge.handle_owner(now, &log(), &instance("owner"), Epoch(1));
        let connection = edge.connect(now, &log(), b"token".to_vec());
        let inbox = Inbox::new(log(), Epoch(1), Marks::default());
        Self { now, edge, connection, inbox, epoch: Epoch(1), applied: vec![] }
    }

    fn attached() -> Self {
        let mut dialogue = Self::new();
        dialogue.deliver();
        let connection = dialogue.connection.clone();
        let attached = EdgeEvent::Attached { connection, welcome: b"hello".to_vec() };
        assert_eq!(dialogue.edge.poll_event(), Some(attached));
        dialogue
    }

    fn press(&mut self, frame: &[u8]) {
        self.edge.send(self.now, &self.connection, frame.to_vec()).unwrap();
    }

    /// Messages arrive on both sides until there are none.
    fn deliver(&mut self) {
        loop {
            let up: Vec<_> = std::iter::from_fn(|| self.edge.poll_message()).collect();
            for (_, message) in &up {
                self.handle(message.clone());
            }
            let down: Vec<_> = std::iter::from_fn(|| self.inbox.poll_message()).collect();
            for (_, message) in &down {
                self.edge.handle_message(self.now, &instance("owner"), message.clone());
            }
            if up.is_empty() && down.is_empty() {
                return;
            }
        }
    }

    fn handle(&mut self, message: EdgeMessage) {
        for action in self.inbox.handle_message(&instance("edge"), message, true) {
            match action {
                InboxAction::Verify { connection, hello } if hello == b"token" => {
                    self.inbox.attach(&connection, None, b"hello".to_vec());
                }
                InboxAction::Verify { connection, .. } => {
                    self.inbox.reject(&connection, b"who?".to_vec());
                }
                InboxAction::Apply { mark, frame } => self.applied.push((mark.number, frame)),
                InboxAction::Detached(_) => {}
            }
        }
    }

    fn lose_all(&mut self) {
        while self.edge.poll_message().is_some() {}
        while self.inbox.poll_message().is_some() {}
    }

    fn pass(&mut self, ms: u64) {
        self.now = self.now.after(ms);
        self.edge.handle_timeout(self.now);
    }

    /// Another node takes over, with these marks in the log.
    fn take_over(&mut self, marks: &[u64]) {
        self.epoch = self.epoch.next();
        let mut known = Marks::default();
        let marks = marks.iter().map(|number| {
            let connection = self.connection.clone();
            Mark { connection, number: *number, attempt: None }
        });
        let body = RecordBody::Batch { bytes: vec![], marks: marks.collect() };
        known.replay(&crate::LogRecord { epoch: Epoch(1), index: 1, body });
        self.inbox = Inbox::new(log(), self.epoch, known);
        self.edge.handle_owner(self.now, &log(), &instance("next"), self.epoch);
    }
}

#[test]
fn a_lost_message_is_sent_again() {
    let mut dialogue = Dialogue::new();
    dialogue.lose_all();
    dialogue.pass(RESEND_MS);
    dialogue.press(b"a");
    dialogue.deliver();
    dialogue.press(b"b");
    dialogue.lose_all();
    dialogue.pass(RESEND_MS);
    dialogue.deliver();
    assert_eq!(dialogue.applied, [(1, b"a".to_vec()), (2, b"b".to_vec())]);
}

#[test]
fn a_frame_is_applied_once_and_in_order() {
    let mut dialogue = Dialogue::attached();
    for frame in [b"a", b"b", b"c"] {
        dialogue.press(frame);
    }
    let sent: Vec<_> = std::iter::from_fn(|| dialogue.edge.poll_message()).collect();
    for (_, message) in sent.iter().rev().chain(&sent).chain(&sent) {
        dialogue.handle(message.clone());
    }
    let numbers: Vec<u64> = dialogue.applied.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [1, 2, 3]);
}

#[test]
fn only_a_committed_frame_is_answered() {
    let mut dialogue = Dialogue::attached();
    dialogue.press(b"a");
    dialogue.deliver();
    dialogue.pass(RESEND_MS);
    dialogue.deliver();
    assert_eq!(dialogue.edge.unanswered(&dialogue.connection), 1);
    dialogue.inbox.answer(&dialogue.connection.clone(), 1);
    dialogue.deliver();
    assert_eq!(dialogue.edge.unanswered(&dialogue.connection), 0);
    dialogue.pass(10 * RESEND_MS);
    assert_eq!(dialogue.edge.poll_message(), None);
}

#[test]
fn a_new_owner_applies_what_the_log_does_not_have() {
    let mut dialogue = Dialogue::attached();
    for frame in [b"a", b"b", b"c"] {
        dialogue.press(frame);
    }
    dialogue.deliver();
    dialogue.applied.clear();
    dialogue.take_over(&[2]);
    dialogue.deliver();
    assert_eq!(dialogue.applied, [(3, b"c".to_vec())]);
    dialogue.inbox.answer(&dialogue.connection.clone(), 3);
    dialogue.deliver();
    assert_eq!(dialogue.edge.unanswered(&dialogue.connection), 0);
}

#[test]
fn a_new_owner_continues_behind_what_was_answered_without_a_mark() {
    let mut dialogue = Dialogue::attached();
    dialogue.press(b"into a wall");
    dialogue.deliver();
    dialogue.inbox.answer(&dialogue.connection.clone(), 1);
    dialogue.deliver();
    dialogue.take_over(&[]);
    dialogue.press(b"b");
    dialogue.deliver();
    assert_eq!(dialogue.applied.last(), Some(&(2, b"b".to_vec())));
}

#[test]
fn an_earlier_owner_is_not_asked_again() {
    let mut dialogue = Dialogue::attached();
    dialogue.take_over(&[]);
    dialogue.lose_all();
    dialogue.edge.handle_owner(dialogue.now, &log(), &instance("owner"), Epoch(1));
    dialogue.pass(RESEND_MS);
    let to = dialogue.edge.poll_message().map(|(to, _)| to);
    assert_eq!(to, Some(instance("next")));
}

#[test]
fn nobody_speaks_for_the_client_of_another_node_or_without_a_token() {
    let mut dialogue = Dialogue::attached();
    let (connection, frames) = (dialogue.connection.clone(), vec![b"a".to_vec()]);
    let forged = EdgeMessage::Frames { log: log(), connection, first: 1, answered: 0, frames };
    assert_eq!(dialogue.inbox.handle_message(&instance("thief"), forged, true), []);
    let own = ConnectionId { edge: instance("thief"), number: 1 };
    let frames = vec![b"a".to_vec()];
    let frames =
        EdgeMessage::Frames { log: log(), connection: own.clone(), first: 1, answered: 0, frames };
    assert_eq!(dialogue.inbox.handle_message(&instance("thief"), frames, true), []);
    let not_attached = OwnerMessage::NotAttached { connection: own, epoch: Epoch(1) };
    assert_eq!(dialogue.inbox.poll_message(), Some((instance("thief"), not_attached)));
}

#[test]
fn a_wrong_token_is_rejected_and_the_client_told_so() {
    let mut dialogue = Dialogue::new();
    let connection = dialogue.edge.connect(dialogue.now, &log(), b"guess".to_vec());
    dialogue.deliver();
    let rejected = EdgeEvent::Rejected { connection, reason: b"who?".to_vec() };
    let events: Vec<EdgeEvent> = std::iter::from_fn(|| dialogue.edge.poll_event()).collect();
    assert!(events.contains(&rejected), "{events:?}");
}

#[test]
fn a_client_that_waits_is_told_so_and_when_it_ends() {
    let mut dialogue = Dialogue::attached();
    dialogue.press(b"a");
    dialogue.lose_all();
    dialogue.pass(STALLED_AFTER_MS);
    let connection = dialogue.connection.clone();
    assert_eq!(dialogue.edge.poll_event(), Some(EdgeEvent::Paused(connection.clone())));
    dialogue.deliver();
    dialogue.inbox.answer(&connection, 1);
    dialogue.deliver();
    assert_eq!(dialogue.edge.poll_event(), Some(EdgeEvent::Resumed(connection)));
}

#[test]
fn a_paused_owner_leaves_frames_for_later_and_says_so() {
    let mut dialogue = Dialogue::attached();
    dialogue.inbox.set_paused(true);
    dialogue.press(b"a");
    while let Some((_, message)) = dialogue.edge.poll_message() {
        assert_eq!(dialogue.inbox.handle_message(&instance("edge"), message, false), []);
    }
    dialogue.deliver();
    let paused = EdgeEvent::Paused(dialogue.connection.clone());
    assert_eq!(dialogue.edge.poll_event(), Some(paused));
    dialogue.pass(RESEND_MS);
    dialogue.deliver();
    assert_eq!(dialogue.applied.len(), 1);
}

#[test]
fn frames_that_wait_have_a_limit() {
    let mut dialogue = Dialogue::attached();
    for _ in 0..MAX_UNANSWERED {
        dialogue.press(b"a");
    }
    let sent = dialogue.edge.send(dialogue.now, &dialogue.connection, vec![]);
    assert_eq!(sent, Err(TooManyFrames));
}

#[test]
fn a_node_that_is_not_the_owner_makes_the_edge_ask() {
    let mut dialogue = Dialogue::attached();
    let not_owner = OwnerMessage::NotOwner { log: log() };
    dialogue.edge.handle_message(dialogue.now, &instance("other"), not_owner.clone());
    assert_eq!(dialogue.edge.poll_event(), None);
    dialogue.edge.handle_message(dialogue.now, &instance("owner"), not_owner);
    assert_eq!(dialogue.edge.poll_event(), Some(EdgeEvent::AskOwner(log())));
}

#[test]
fn a_client_that_only_waited_for_the_owner_is_told_that_it_goes_on() {
    let mut dialogue = Dialogue::new();
    dialogue.pass(STALLED_AFTER_MS);
    dialogue.lose_all();
    let connection = dialogue.connection.clone();
    assert_eq!(dialogue.edge.poll_event(), Some(EdgeEvent::Paused(connection.clone())));
    dialogue.pass(RESEND_MS);
    dialogue.deliver();
    let events: Vec<_> = std::iter::from_fn(|| dialogue.edge.poll_event()).collect();
    let welcome = b"hello".to_vec();
    let attached = EdgeEvent::Attached { connection: connection.clone(), welcome };
    assert_eq!(events, [attached, EdgeEvent::Resumed(connection)]);
}

#[test]
fn what_hung_in_an_earlier_connection_is_rejected_once_a_later_one_was_used() {
    let mut dialogue = Dialogue::new();
    let client = ClientId { player: 1, id: 2 };
    let attempt = |number| Some(Attempt { client, number });
    let earlier = dialogue.connection.clone();
    let later = dialogue.edge.connect(dialogue.now, &log(), b"token".to_vec());
    for (connection, number) in [(&later, 2), (&earlier, 1)] {
        dialogue.inbox.attach(connection, attempt(number), b"hello".to_vec());
    }
    dialogue.press(b"a");
    dialogue.deliver();
    dialogue.edge.send(dialogue.now, &later, b"b".to_vec()).unwrap();
    dialogue.deliver();
    dialogue.press(b"c");
    dialogue.deliver();
    assert_eq!(dialogue.applied, [(1, b"a".to_vec()), (1, b"b".to_vec())]);
    let is_rejected = |event: EdgeEvent| matches!(event, EdgeEvent::Rejected { connection, .. } if connection == earlier);
    assert!(std::iter::from_fn(|| dialogue.edge.poll_event()).any(is_rejected));
}
