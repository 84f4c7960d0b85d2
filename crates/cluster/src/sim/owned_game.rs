//! A game at its owner: journal, inbox and outlet put together as a host does it.

use std::collections::BTreeMap;
use std::sync::Arc;

use nuggets_time::Timestamp;

use super::game::{self, Key};
use super::process::Effect;
use super::sabotage::ClusterSabotage;
use crate::inbox::BrokenInboxRule;
use crate::{
    ConnectionId, EdgeMessage, Gate, Inbox, InboxAction, Instance, Journal, JournalEnd,
    JournalEvent, LogName, LogRecord, Mark, Marks, NextPicture, Outlet, Picture,
};

/// The only view.
pub(super) const VIEW: &[u8] = b"map";
/// Output that may be held.
const MAX_HELD: usize = 512;

#[derive(Debug)]
pub(super) struct OwnedGame {
    log: LogName,
    pub(super) journal: Journal,
    marks: Marks,
    /// Since it is open.
    doors: Option<Doors>,
    gate: Gate<Output>,
    /// All keys that were applied, committed or not.
    keys: Vec<Key>,
    /// How many of them are committed.
    shown: usize,
    /// How many of them edges were sent.
    published: usize,
    players: BTreeMap<ConnectionId, u8>,
    is_stopping: bool,
    sabotage: Option<ClusterSabotage>,
}

#[derive(Debug)]
struct Doors {
    inbox: Inbox,
    outlet: Outlet,
}

/// What waits for its records to be committed.
#[derive(Debug)]
struct Output {
    mark: Mark,
    /// How many keys it shows.
    keys: usize,
}

impl OwnedGame {
    pub(super) fn new(log: LogName, journal: Journal, sabotage: Option<ClusterSabotage>) -> Self {
        Self {
            log,
            journal,
            marks: Marks::default(),
            doors: None,
            gate: Gate::default(),
            keys: vec![],
            shown: 0,
            published: 0,
            players: BTreeMap::new(),
            is_stopping: false,
            sabotage,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.doors.is_some()
    }

    pub(super) fn is_serving(&self) -> bool {
        self.is_open() && self.journal.can_append()
    }

    pub(super) fn stop(&mut self) {
        self.is_stopping = true;
    }

    /// True if it can be handed over.
    pub(super) fn is_ready_to_go(&self) -> bool {
        self.is_stopping && self.journal.is_idle() && self.gate.is_empty()
    }

    pub(super) fn handle_gone(&mut self, edge: &Instance) {
        let gone = self.doors.as_mut().map(|doors| doors.inbox.handle_gone(edge));
        for connection in gone.unwrap_or_default() {
            self.players.remove(&connection);
        }
    }

    pub(super) fn handle_message(&mut self, now: Timestamp, from: &Instance, message: EdgeMessage) {
        let can_apply =
            self.journal.can_append() && !self.is_stopping && self.gate.len() < MAX_HELD;
        let Some(doors) = &mut self.doors else { return };
        if let EdgeMessage::Subscribe { view, needs_whole, .. } = &message {
            return doors.outlet.subscribe(now, from, view, *needs_whole);
        }
        for action in doors.inbox.handle_message(from, message, can_apply) {
            self.handle_action(now, action);
        }
    }

    fn handle_action(&mut self, now: Timestamp, action: InboxAction) {
        match action {
            InboxAction::Verify { connection, hello } => self.verify(&connection, &hello),
            InboxAction::Apply { mark, frame } => self.apply(now, mark, &frame),
            InboxAction::Detached(connection) => {
                self.players.remove(&connection);
            }
        }
    }

    fn verify(&mut self, connection: &ConnectionId, hello: &[u8]) {
        let (Some(doors), Some(shown)) = (&mut self.doors, game::read_hello(hello)) else { return };
        let (attempt, is_right) = shown;
        let is_lax = self.sabotage == Some(ClusterSabotage::Tokens);
        if is_lax || is_right {
            self.players.insert(connection.clone(), hello[0]);
            doors.inbox.attach(connection, Some(attempt), vec![]);
        } else {
            doors.inbox.reject(connection, b"wrong token".to_vec());
        }
    }

    fn apply(&mut self, now: Timestamp, mark: Mark, frame: &[u8]) {
        let player = self.players.get(&mark.connection);
        let key = Key::decode(frame).filter(|key| player == Some(&key.player));
        let mut ticket = self.journal.appended();
        if let Some(key) = key.filter(|key| key.has_effect()) {
            self.keys.push(key);
            ticket = self.journal.append(now, key.encode(), Some(mark.clone()));
        }
        self.gate.push(ticket, Output { mark, keys: self.keys.len() });
    }

    /// Does what the journal says, and passes on what may be seen. Says if the journal is closed.
    pub(super) fn settle(
        &mut self,
        now: Timestamp,
        copy: &mut Vec<Arc<[u8]>>,
        effects: &mut Vec<Effect>,
    ) -> Option<JournalEnd> {
        while let Some(event) = self.journal.poll_event() {
            match event {
                JournalEvent::Closed(why) => return Some(why),
                event => self.handle_event(event, copy, effects),
            }
        }
        self.release(effects);
        self.publish(now, effects);
        if let Some(doors) = &mut self.doors {
            while let Some((to, message)) = doors.inbox.poll_message() {
                effects.push(Effect::ToEdge { to, message });
            }
        }
        while let Some(request) = self.journal.poll_request() {
            effects.push(Effect::Request { journal: Some(self.log.clone()), request });
        }
        None
    }

    fn handle_event(
        &mut self,
        event: JournalEvent,
        copy: &mut Vec<Arc<[u8]>>,
        effects: &mut Vec<Effect>,
    ) {
        match event {
            JournalEvent::Replay(record) => {
                self.marks.replay(&record);
                self.keys.extend(Key::of_record(&record));
            }
            JournalEvent::Store(bytes) => {
                let index = LogRecord::decode(&bytes).map(|record| record.index);
                effects.push(Effect::Stored { index: index.ok(), after: copy.len() as u64 });
                copy.push(bytes);
            }
            JournalEvent::Opened => self.open(effects),
            JournalEvent::Committed(_) => self.release(effects),
            JournalEvent::Paused | JournalEvent::Resumed => {
                let is_paused = self.journal.is_paused();
                if let Some(doors) = &mut self.doors {
                    doors.inbox.set_paused(is_paused);
                }
                effects.push(Effect::Paused { is_paused });
            }
            JournalEvent::Closed(_) => {}
        }
    }

    fn open(&mut self, effects: &mut Vec<Effect>) {
        let marks = match self.sabotage {
            Some(ClusterSabotage::Marks) => Marks::default(),
            _ => std::mem::take(&mut self.marks),
        };
        let epoch = self.journal.epoch();
        let mut inbox = Inbox::new(self.log.clone(), epoch, marks);
        match self.sabotage {
            Some(ClusterSabotage::Numbers) => inbox.break_rule(BrokenInboxRule::NoNumbers),
            Some(ClusterSabotage::Order) => inbox.break_rule(BrokenInboxRule::NoOrder),
            _ => {}
        }
        self.doors = Some(Doors { inbox, outlet: Outlet::new(epoch) });
        self.shown = self.keys.len();
        self.published = self.shown;
        let (log, keys) = (self.log.clone(), self.keys.clone());
        effects.push(Effect::Opened { log, epoch, keys });
    }

    /// Answers and shows what is committed.
    fn release(&mut self, effects: &mut Vec<Effect>) {
        let Some(doors) = &mut self.doors else { return };
        let committed = match self.sabotage {
            Some(ClusterSabotage::Ack) => self.journal.appended(),
            _ => self.journal.committed(),
        };
        while let Some(Output { mark, keys }) = self.gate.poll(committed) {
            doors.inbox.answer(&mark.connection, mark.number);
            if keys > self.shown {
                self.shown = keys;
                let keys = self.keys[..keys].to_vec();
                effects.push(Effect::Shown { log: self.log.clone(), keys });
            }
        }
    }

    /// One picture for all edges, if there is something new or one of them has missed something.
    fn publish(&mut self, now: Timestamp, effects: &mut Vec<Effect>) {
        let Some(doors) = &mut self.doors else { return };
        let next = doors.outlet.wanted(now).next().map(|(_, next)| next);
        let Some(next) = next else { return };
        let news = match next {
            NextPicture::Whole => &self.keys[..self.shown],
            NextPicture::Change if self.shown == self.published => return,
            NextPicture::Change => &self.keys[self.published..self.shown],
        };
        self.published = self.shown;
        let bytes = Key::encode_all(news);
        let index = self.journal.last_index();
        let picture: Option<Picture> = doors.outlet.publish(VIEW, index, next, bytes);
        if let Some(picture) = picture {
            effects.push(Effect::Publish { log: self.log.clone(), picture });
        }
    }
}
