//! The connections of this node, wherever their games are: players by their links to the owner, everybody by the views
//! that this node shows.

mod feed;

use std::collections::BTreeMap;

use nuggets_cluster::{
    ConnectionId, Edge, EdgeEvent, EdgeMessage, Instance, LogName, NextPicture, Picture,
};
use nuggets_time::Timestamp;
use tokio::sync::mpsc;

use super::effect::{AttachAnswer, PlayHere, WatchHere};
use super::messages::{Welcome, view_bytes};
use crate::AttachError;
use crate::view_stream::Audience;
use crate::wire::DirectLine;
use crate::workers::relay::View;
use feed::{Feed, Waiter};

/// What players are told while nothing of their game can be saved.
pub(crate) const PAUSED: &str =
    "Saving is not possible at the moment, so the game is paused. It goes on by itself.";
/// What they are told afterwards.
pub(crate) const RESUMED: &str = "Saving is possible again: the game goes on.";

/// The connection's number at this node.
type HostId = crate::ConnectionId;

/// All connections of this node.
#[derive(Debug)]
pub(super) struct Clients {
    pub(super) edge: Edge,
    players: BTreeMap<HostId, Player>,
    by_connection: BTreeMap<ConnectionId, HostId>,
    feeds: BTreeMap<(LogName, View), Feed>,
    /// Differs after every start, so that numbers of an earlier stream mean nothing.
    nonce: u64,
    /// Streams so far.
    streams: u64,
    /// This node does not reach the others.
    is_cut_off: bool,
}

#[derive(Debug)]
struct Player {
    connection: ConnectionId,
    log: LogName,
    delay_ms: u64,
    direct: mpsc::Sender<DirectLine>,
    /// Until the owner has answered.
    answer: Option<AttachAnswer>,
}

impl Clients {
    pub(super) fn new(me: Instance) -> Self {
        Self {
            nonce: me.incarnation,
            edge: Edge::new(me),
            players: BTreeMap::new(),
            by_connection: BTreeMap::new(),
            feeds: BTreeMap::new(),
            streams: 0,
            is_cut_off: false,
        }
    }

    /// A player wants to be attached.
    pub(super) fn play(&mut self, now: Timestamp, log: &LogName, play: PlayHere) {
        let PlayHere { connection: id, hello, delay_ms, direct, answer, .. } = play;
        let connection = self.edge.connect(now, log, hello);
        self.by_connection.insert(connection.clone(), id);
        let answer = Some(answer);
        let player = Player { connection, log: log.clone(), delay_ms, direct, answer };
        if let Some(before) = self.players.insert(id, player) {
            self.by_connection.remove(&before.connection);
            self.edge.disconnect(&before.connection);
        }
    }

    /// A watcher wants to read a view.
    pub(super) fn watch(&mut self, log: &LogName, watch: WatchHere) {
        let WatchHere { view, hello, delay_ms, answer, .. } = watch;
        let (index, notice, audience) = (0, None, Audience::Watcher);
        let waiter = Waiter { index, hello, notice, audience, answer };
        self.wait_for_view((log.clone(), view), delay_ms, waiter);
    }

    pub(super) fn key(&mut self, now: Timestamp, id: HostId, key: char) {
        let Some(player) = self.players.get(&id) else { return };
        let frame = key.to_string().into_bytes();
        if self.edge.send(now, &player.connection, frame).is_err() {
            let words = "too many keys are not answered yet: this one was dropped";
            let _ = player.direct.try_send(DirectLine::Error(words.to_owned()));
        }
    }

    pub(super) fn leave(&mut self, id: HostId) {
        if let Some(player) = self.players.remove(&id) {
            self.by_connection.remove(&player.connection);
            self.edge.disconnect(&player.connection);
        }
    }

    /// Players are told when this node does not reach the others, and when it does again.
    pub(super) fn set_cut_off(&mut self, is_cut_off: bool) {
        if std::mem::replace(&mut self.is_cut_off, is_cut_off) == is_cut_off {
            return;
        }
        let words = if is_cut_off { PAUSED } else { RESUMED };
        for player in self.players.values() {
            let _ = player.direct.try_send(DirectLine::Notice(words.to_owned()));
        }
    }

    /// Whose log it is has changed.
    pub(super) fn handle_owner(&mut self, log: &LogName) {
        for (_, feed) in self.feeds.iter_mut().filter(|((of, _), _)| of == log) {
            feed.follower.handle_owner();
        }
    }

    /// Nobody will write the log any more.
    pub(super) fn handle_finished(&mut self, log: &LogName) {
        self.edge.forget(log);
        for (_, feed) in self.feeds.iter_mut().filter(|((of, _), _)| of == log) {
            feed.reject(&AttachError::Over);
        }
        for player in self.players.values_mut().filter(|player| player.log == *log) {
            if let Some(answer) = player.answer.take() {
                let _ = answer.send(Err(AttachError::Over));
            }
        }
    }

    /// A picture of a view that was asked for.
    pub(super) fn handle_picture(
        &mut self,
        now: Timestamp,
        (log, view): (LogName, View),
        picture: &Picture,
    ) {
        let name = view.map_or_else(|| "map".to_owned(), String::from);
        let stream_id = format!("{log}-{name}-{:x}-{}", self.nonce, self.streams + 1);
        if let Some(feed) = self.feeds.get_mut(&(log, view))
            && feed.handle_picture(now, picture, stream_id)
        {
            self.streams += 1;
        }
    }

    /// What the owners of views have to be asked now, and views that nobody reads are dropped.
    pub(super) fn poll_subscriptions(&mut self, now: Timestamp) -> Vec<EdgeMessage> {
        self.feeds.retain(|_, feed| !feed.is_unread(now));
        let mut messages = Vec::new();
        for ((log, view), feed) in &mut self.feeds {
            if let Some(next) = feed.follower.poll_subscribe(now) {
                let (log, view) = (log.clone(), view_bytes(*view));
                let needs_whole = next == NextPicture::Whole;
                messages.push(EdgeMessage::Subscribe { log, view, needs_whole });
            }
        }
        messages
    }

    /// Does what the edge says; returns a log whose owner must be looked up.
    pub(super) fn handle_event(&mut self, event: EdgeEvent) -> Option<LogName> {
        match event {
            EdgeEvent::Attached { connection, welcome } => {
                self.handle_attached(&connection, &welcome);
            }
            EdgeEvent::Rejected { connection, reason } => {
                self.handle_rejected(&connection, &reason);
            }
            EdgeEvent::Direct { connection, bytes } => {
                if let Ok(line) = serde_json::from_slice(&bytes) {
                    self.send_direct(&connection, line);
                }
            }
            EdgeEvent::Paused(connection) => {
                self.send_direct(&connection, DirectLine::Notice(PAUSED.to_owned()));
            }
            EdgeEvent::Resumed(connection) => {
                self.send_direct(&connection, DirectLine::Notice(RESUMED.to_owned()));
            }
            EdgeEvent::AskOwner(log) => return Some(log),
        }
        None
    }

    fn handle_attached(&mut self, connection: &ConnectionId, welcome: &[u8]) {
        let id = self.by_connection.get(connection);
        let Some(player) = id.and_then(|id| self.players.get_mut(id)) else { return };
        // After a take-over it reads on.
        let Some(answer) = player.answer.take() else { return };
        let Ok(Welcome { hello, notice, index }) = serde_json::from_slice(welcome) else { return };
        let key = (player.log.clone(), hello.view);
        let delay_ms = player.delay_ms;
        let audience = Audience::Player;
        self.wait_for_view(key, delay_ms, Waiter { index, hello, notice, audience, answer });
    }

    fn handle_rejected(&mut self, connection: &ConnectionId, reason: &[u8]) {
        let Some(id) = self.by_connection.remove(connection) else { return };
        let Some(player) = self.players.remove(&id) else { return };
        let words = String::from_utf8_lossy(reason).into_owned();
        match player.answer {
            Some(answer) => drop(answer.send(Err(rejection(words)))),
            None => drop(player.direct.try_send(DirectLine::Error(words))),
        }
    }

    fn wait_for_view(&mut self, key: (LogName, View), delay_ms: u64, waiter: Waiter) {
        self.feeds.entry(key).or_insert_with(|| Feed::new(delay_ms)).add(waiter);
    }

    fn send_direct(&self, connection: &ConnectionId, line: DirectLine) {
        let id = self.by_connection.get(connection);
        if let Some(player) = id.and_then(|id| self.players.get(id)) {
            // A connection that doesn't read gets no more of them.
            let _ = player.direct.try_send(line);
        }
    }
}

/// The owner's reason as an error of this node.
fn rejection(words: String) -> AttachError {
    let known = [AttachError::Over, AttachError::NoSuchGame, AttachError::HasLeft];
    let known = known.into_iter().find(|error| error.to_string() == words);
    known.unwrap_or(AttachError::Refused(words))
}
