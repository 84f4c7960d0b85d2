//! One run of a node's process: everything of a node that a crash destroys.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nuggets_time::Timestamp;

use super::followed::Followed;
use super::game::Key;
use super::owned_game::{OwnedGame, VIEW};
use super::sabotage::ClusterSabotage;
use crate::journal::BrokenRule;
use crate::{
    ConnectionId, Edge, EdgeEvent, EdgeMessage, EngineReply, EngineRequest, Epoch, Heartbeat,
    Instance, Journal, JournalEnd, LogName, LogState, NextPicture, Node, NodeEvent, OwnerMessage,
    Picture, RequestId, Seq, SteadyTime, StoredMessage, ViewFeed,
};

/// How often it looks for new ownership records.
const WATCH_MS: u64 = 100;

/// The own files of a node: for each log its records.
pub(super) type Disk = BTreeMap<LogName, Vec<Arc<[u8]>>>;

/// What a process does to the world, or the world should check.
#[derive(Debug)]
pub(super) enum Effect {
    Request {
        journal: Option<LogName>,
        request: EngineRequest,
    },
    Watch {
        after: Seq,
    },
    Heartbeat(Heartbeat),
    ToOwner {
        to: Instance,
        message: EdgeMessage,
    },
    ToEdge {
        to: Instance,
        message: OwnerMessage,
    },
    Publish {
        log: LogName,
        picture: Picture,
    },
    /// A log is open, with these keys in it.
    Opened {
        log: LogName,
        epoch: Epoch,
        keys: Vec<Key>,
    },
    /// These keys may be seen.
    Shown {
        log: LogName,
        keys: Vec<Key>,
    },
    /// A record was written to the own file, behind so many others.
    Stored {
        index: Option<u64>,
        after: u64,
    },
    Paused {
        is_paused: bool,
    },
    Closed {
        log: LogName,
        why: JournalEnd,
    },
    /// Clients of this log see something new.
    Screen {
        log: LogName,
        index: u64,
        keys: Vec<Key>,
    },
    Stopped {
        log: LogName,
    },
    /// Asks a node to follow a log.
    Prepare {
        to: Instance,
        log: LogName,
    },
    /// Answers that.
    Prepared {
        to: Instance,
        log: LogName,
    },
}

/// What arrives at a process.
#[derive(Clone, Debug)]
pub(super) enum Input {
    Reply {
        journal: Option<LogName>,
        id: RequestId,
        reply: EngineReply,
    },
    Ownership {
        records: Vec<(LogName, StoredMessage)>,
        end: Seq,
    },
    WatchRestart,
    Heartbeat(Vec<u8>),
    FromEdge {
        from: Instance,
        bytes: Vec<u8>,
    },
    FromOwner {
        from: Instance,
        bytes: Vec<u8>,
    },
    Picture {
        log: LogName,
        bytes: Vec<u8>,
    },
    Prepare {
        from: Instance,
        log: LogName,
    },
    Prepared {
        from: Instance,
        log: LogName,
    },
    Create(LogName),
    /// A client has pressed a key here, perhaps long ago.
    Press(ConnectionId, Key),
    Leave(ConnectionId),
    Drain,
    Wake,
}

#[derive(Debug)]
pub(super) struct Process {
    time: SteadyTime,
    pub(super) now: Timestamp,
    pub(super) node: Node,
    pub(super) edge: Edge,
    pub(super) games: BTreeMap<LogName, OwnedGame>,
    pub(super) followed: BTreeMap<LogName, Followed>,
    feeds: BTreeMap<LogName, Feed>,
    watch_at: Timestamp,
    watched: Seq,
    /// Clients that are told that their game is paused.
    pub(super) paused: BTreeSet<ConnectionId>,
    /// Publishes that were sent once.
    sent: BTreeSet<(LogName, RequestId)>,
    pub(super) sabotage: Option<ClusterSabotage>,
}

/// Where a copy is put that a broken rule would have deleted, so that the checks still see it.
pub(super) fn dropped_copy(log: &LogName) -> LogName {
    LogName::new(&format!("{log}-dropped")).expect("a good name")
}

#[derive(Debug)]
struct Feed {
    feed: ViewFeed,
    keys: Vec<Key>,
}

impl Process {
    pub(super) fn new(reading: Timestamp, me: Instance, sabotage: Option<ClusterSabotage>) -> Self {
        let mut time = SteadyTime::default();
        let now = time.advance(reading);
        Self {
            time,
            now,
            node: Node::new(now, me.clone()),
            edge: Edge::new(me),
            games: BTreeMap::new(),
            followed: BTreeMap::new(),
            feeds: BTreeMap::new(),
            watch_at: now,
            watched: Seq(0),
            paused: BTreeSet::new(),
            sent: BTreeSet::new(),
            sabotage,
        }
    }

    /// The reading of its clock at which it wants to be woken.
    pub(super) fn wake_at(&self) -> Timestamp {
        let journals = self.games.values().filter_map(|game| game.journal.poll_timeout());
        let followed = self.followed.values().filter_map(|it| it.game.journal.poll_timeout());
        let feeds = self.feeds.values().map(|feed| feed.feed.timeout());
        let others =
            [Some(self.node.poll_timeout()), self.edge.poll_timeout(), Some(self.watch_at)];
        let times = journals.chain(followed).chain(feeds).chain(others.into_iter().flatten());
        self.time.reading_at(times.min().unwrap_or(self.watch_at))
    }

    pub(super) fn handle(
        &mut self,
        reading: Timestamp,
        input: Input,
        disk: &mut Disk,
    ) -> Vec<Effect> {
        let now = self.time.advance(reading);
        self.now = now;
        let mut effects = vec![];
        match input {
            Input::Reply { journal: None, id, reply } => self.node.handle_reply(now, id, reply),
            Input::Reply { journal: Some(log), id, reply } => {
                let followed = self.followed.get_mut(&log).map(|followed| &mut followed.game);
                if let Some(game) = self.games.get_mut(&log).or(followed) {
                    game.journal.handle_reply(now, id, reply);
                }
            }
            Input::Ownership { records, end } => {
                for (log, message) in records {
                    self.node.handle_ownership(now, &log, message.seq, &message.bytes);
                }
                self.watched = end;
            }
            Input::WatchRestart => {
                self.node.handle_watch_restart();
                self.watched = Seq(0);
            }
            Input::Heartbeat(bytes) => {
                if let Ok(heartbeat) = Heartbeat::decode(&bytes) {
                    self.node.handle_heartbeat(now, heartbeat);
                }
            }
            Input::FromEdge { from, bytes } => self.handle_from_edge(&from, &bytes, &mut effects),
            Input::FromOwner { from, bytes } => {
                if let Ok(message) = OwnerMessage::decode(&bytes) {
                    self.edge.handle_message(now, &from, message);
                }
            }
            Input::Picture { log, bytes } => self.handle_picture(&log, &bytes, &mut effects),
            Input::Prepare { from, log } => self.follow(from, &log, disk),
            Input::Prepared { from, log } => self.node.handle_prepared(now, &log, &from),
            Input::Create(log) => {
                let created = self.node.create(now, &log, vec![]);
                assert_eq!(created, Ok(()), "a node that runs for a second creates {log}");
            }
            // A key that is one too many is dropped.
            Input::Press(connection, key) => drop(self.press(&connection, key)),
            Input::Leave(connection) => self.edge.disconnect(&connection),
            Input::Drain => self.node.drain(),
            Input::Wake => {}
        }
        self.handle_timeouts(&mut effects);
        self.settle(disk, &mut effects);
        effects
    }

    /// A client comes, and has seen `index` records of the log before.
    pub(super) fn connect(&mut self, log: &LogName, hello: Vec<u8>) -> ConnectionId {
        self.tell_owner(log);
        let feed = || Feed { feed: ViewFeed::new(0), keys: vec![] };
        self.feeds.entry(log.clone()).or_insert_with(feed);
        self.edge.connect(self.now, log, hello)
    }

    /// What the clients of a log see here.
    pub(super) fn screen(&self, log: &LogName) -> Option<(u64, &[Key])> {
        let feed = self.feeds.get(log)?;
        Some((feed.feed.index(), &feed.keys))
    }

    pub(super) fn press(&mut self, connection: &ConnectionId, key: Key) -> bool {
        self.edge.send(self.now, connection, key.encode()).is_ok()
    }

    fn handle_from_edge(&mut self, from: &Instance, bytes: &[u8], effects: &mut Vec<Effect>) {
        let Ok(message) = EdgeMessage::decode(bytes) else { return };
        let connection = match &message {
            EdgeMessage::Frames { connection, .. } => Some(connection.edge.clone()),
            _ => None,
        };
        let is_lax = self.sabotage == Some(ClusterSabotage::Senders);
        let from = &connection.filter(|_| is_lax).unwrap_or_else(|| from.clone());
        let game = self.games.get_mut(message.log()).filter(|game| game.is_open());
        if let Some(game) = game {
            game.handle_message(self.now, from, message);
        } else if !self.games.contains_key(message.log()) {
            let message = OwnerMessage::NotOwner { log: message.log().clone() };
            effects.push(Effect::ToEdge { to: from.clone(), message });
        }
    }

    fn handle_picture(&mut self, log: &LogName, bytes: &[u8], effects: &mut Vec<Effect>) {
        let Some(feed) = self.feeds.get_mut(log) else { return };
        let Ok(picture) = Picture::decode(bytes) else { return };
        let is_good = feed.feed.handle_picture(&picture);
        if !is_good && self.sabotage != Some(ClusterSabotage::Pictures) {
            return;
        }
        let keys = Key::decode_all(&picture.bytes);
        if picture.is_whole {
            feed.keys = keys;
        } else {
            feed.keys.extend(keys);
        }
        let (index, keys) = (picture.index, feed.keys.clone());
        effects.push(Effect::Screen { log: log.clone(), index, keys });
    }

    fn handle_timeouts(&mut self, effects: &mut Vec<Effect>) {
        let now = self.now;
        self.node.handle_timeout(now);
        self.edge.handle_timeout(now);
        for game in self.games.values_mut() {
            game.journal.handle_timeout(now);
        }
        self.handle_followed_timeouts();
        if self.watch_at <= now {
            self.watch_at = now.after(WATCH_MS);
            effects.push(Effect::Watch { after: self.watched });
        }
        for (log, feed) in &mut self.feeds {
            let Some(owner) = self.node.ownership(log).map(|record| record.owner.clone()) else {
                continue;
            };
            if let Some(next) = feed.feed.poll_subscribe(now) {
                let (log, view) = (log.clone(), VIEW.to_vec());
                let needs_whole = next == NextPicture::Whole;
                let message = EdgeMessage::Subscribe { log, view, needs_whole };
                effects.push(Effect::ToOwner { to: owner, message });
            }
        }
    }

    /// Takes everything out of the state machines.
    fn settle(&mut self, disk: &mut Disk, effects: &mut Vec<Effect>) {
        self.settle_games(disk, effects);
        self.settle_followed(disk, effects);
        while let Some(event) = self.node.poll_event() {
            self.handle_node_event(event, disk, effects);
            self.settle_games(disk, effects);
        }
        while let Some(event) = self.edge.poll_event() {
            match event {
                EdgeEvent::AskOwner(log) => self.node.refresh(self.now, &log),
                EdgeEvent::Paused(connection) => {
                    self.paused.insert(connection);
                }
                EdgeEvent::Resumed(connection) => {
                    self.paused.remove(&connection);
                }
                _ => {}
            }
        }
        while let Some((to, message)) = self.edge.poll_message() {
            effects.push(Effect::ToOwner { to, message });
        }
        while let Some(heartbeat) = self.node.poll_heartbeat() {
            effects.push(Effect::Heartbeat(heartbeat));
        }
        while let Some(request) = self.node.poll_request() {
            effects.push(Effect::Request { journal: None, request });
        }
    }

    fn settle_games(&mut self, disk: &mut Disk, effects: &mut Vec<Effect>) {
        let mut closed = vec![];
        for (log, game) in &mut self.games {
            let copy = disk.entry(log.clone()).or_default();
            if let Some(why) = game.settle(self.now, copy, effects) {
                closed.push((log.clone(), why));
            } else if game.is_ready_to_go() {
                self.node.hand_over(self.now, log);
            }
        }
        for (log, why) in closed {
            self.close(&log, why, disk, effects);
        }
    }

    fn close(
        &mut self,
        log: &LogName,
        why: JournalEnd,
        disk: &mut Disk,
        effects: &mut Vec<Effect>,
    ) {
        self.games.remove(log);
        let is_contradiction = matches!(why, JournalEnd::Contradiction { .. });
        if is_contradiction && self.sabotage == Some(ClusterSabotage::Contradiction) {
            let copy = disk.remove(log).unwrap_or_default();
            disk.insert(dropped_copy(log), copy);
            return self.node.handle_closed(self.now, log, &JournalEnd::Shorter);
        }
        self.node.handle_closed(self.now, log, &why);
        effects.push(Effect::Closed { log: log.clone(), why });
    }

    fn handle_node_event(&mut self, event: NodeEvent, disk: &mut Disk, effects: &mut Vec<Effect>) {
        match event {
            NodeEvent::Open { log, epoch } => self.open(&log, epoch, disk),
            NodeEvent::Close { log } => {
                self.games.remove(&log);
            }
            NodeEvent::Prepare { log, successor } => {
                effects.push(Effect::Prepare { to: successor, log });
            }
            NodeEvent::Stop { log } => {
                if let Some(game) = self.games.get_mut(&log) {
                    game.stop();
                }
                effects.push(Effect::Stopped { log });
            }
            NodeEvent::Changed { log } => {
                self.tell_owner(&log);
                if let Some(feed) = self.feeds.get_mut(&log) {
                    feed.feed.handle_owner();
                }
            }
            NodeEvent::Gone(edge) => {
                for game in self.games.values_mut() {
                    game.handle_gone(&edge);
                }
            }
        }
    }

    fn open(&mut self, log: &LogName, epoch: Epoch, disk: &Disk) {
        let followed = self.followed.remove(log).map(|followed| followed.game);
        let mut game = followed.unwrap_or_else(|| self.new_game(log, disk));
        game.journal.claim(self.now, epoch);
        self.games.insert(log.clone(), game);
    }

    /// A game whose log is read.
    pub(super) fn new_game(&self, log: &LogName, disk: &Disk) -> OwnedGame {
        let copy = disk.get(log).cloned().unwrap_or_default();
        let mut journal = Journal::follow(self.now, log.clone(), self.node.me().clone(), copy);
        match self.sabotage {
            Some(ClusterSabotage::Fence) => journal.break_rule(BrokenRule::NoFence),
            Some(ClusterSabotage::Streams) => journal.break_rule(BrokenRule::OneFence),
            Some(ClusterSabotage::Proof) => journal.break_rule(BrokenRule::NoPrefixProof),
            _ => {}
        }
        OwnedGame::new(log.clone(), journal, self.sabotage)
    }

    fn tell_owner(&mut self, log: &LogName) {
        let Some(record) = self.node.ownership(log) else { return };
        if record.state == LogState::Running {
            let (owner, epoch) = (record.owner.clone(), record.epoch);
            self.edge.handle_owner(self.now, log, &owner, epoch);
        } else {
            self.edge.forget(log);
        }
    }

    /// True the first time; a publish that is sent again has had no answer.
    pub(super) fn is_first(&mut self, log: &LogName, id: RequestId) -> bool {
        self.sent.insert((log.clone(), id))
    }
}
