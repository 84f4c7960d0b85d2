//! One game of the host: a room with its seats for people, bots and UDP clients, its start gate and its view streams.
//! Pure: time is an argument, effects are data. It must not know threads, sockets or the web. All public methods of
//! [`HostedGame`] stand in this file.
//!
//! The contract: after every call drain `poll_report`, `poll_direct` and `poll_datagram`; `poll_timeout` says when to
//! call `handle_timeout`. Output that the storage has not stored yet comes after `handle_stored`; while `is_ready` is false, no
//! other call may be made but `prove` and `handle_stored`. Times are those of the host; the room's own time continues from its journal.

mod attach;
mod bots;
mod held;
mod identities;
mod opening;
mod running;
mod start_gate;
mod status;
#[cfg(test)]
mod tests;
mod views;
mod wires;

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;

use nuggets_game::Letter;
use nuggets_protocol::Dialect;
use nuggets_server::{Commit, Host, Storage};
use nuggets_time::Timestamp;

use attach::Attachments;
pub use attach::{Attach, AttachError, AttachRole, Attached};
use held::Held;
pub(crate) use identities::Identity;
pub use opening::{OpenError, OpenGame, SharedGuard, is_finished};
use start_gate::StartGate;
use status::Reported;
use wires::Wires;

use crate::wire::{DirectLine, StreamLine};
use crate::{ClaimedNames, ConnectionId, GameId, GameMeta, GameReport};

/// How long a game that is over stays in memory for people who come back.
const KEEP_OVER_MS: u64 = 10 * 60_000;
/// How long it stays while there are connections, for *play again*.
const KEEP_OVER_CONNECTED_MS: u64 = 60 * 60_000;

/// How long words of the host are also sent to connections that come later: a page that was away has missed them.
const KEEP_NOTICE_MS: u64 = 10 * 60_000;

/// How long after a connection was closed its view is kept: it is sent what it missed, and later a whole picture.
const KEEP_VIEW_MS: u64 = 20_000;

/// One game of the host.
#[derive(Debug)]
pub struct HostedGame<S> {
    meta: GameMeta,
    dialect: Dialect,
    host: Host<Option<S>>,
    wires: Wires,
    guard: Option<SharedGuard>,
    claimed_names: Arc<ClaimedNames>,
    gate: StartGate,
    attachments: Attachments,
    /// Since when players are away: people without a connection, UDP clients since their last message.
    away: BTreeMap<Identity, Timestamp>,
    time: GameTime,
    reported: Reported,
    reports: VecDeque<GameReport>,
    direct: VecDeque<(ConnectionId, DirectLine)>,
    /// Whose key is handled now: complaints go there.
    pressing: Option<ConnectionId>,
    /// What is published in all streams next.
    news: StreamLine,
    /// The last words of the host to this game, and when they are out of date.
    notice: Option<(Timestamp, String)>,
    over_at: Option<Timestamp>,
    /// When to close the views that no connection reads any more.
    close_views_at: Option<Timestamp>,
    has_failed: bool,
    held: Held,
}

/// How the time of the host becomes the room's own, which continues from its journal, and back.
#[derive(Clone, Copy, Debug)]
struct GameTime {
    opened_at: Timestamp,
    room_at_open: Timestamp,
}

impl GameTime {
    fn of_room(self, now: Timestamp) -> Timestamp {
        self.room_at_open.after(now.since(self.opened_at))
    }

    fn of_host(self, room: Timestamp) -> Timestamp {
        self.opened_at.after(room.since(self.room_at_open))
    }
}

impl<S: Storage> HostedGame<S> {
    /// Opens a new game, or one resumed from its journal.
    pub fn open(now: Timestamp, from: OpenGame<S>) -> Result<Self, OpenError> {
        Self::open_now(now, from)
    }

    /// Its id.
    pub fn id(&self) -> GameId {
        self.meta.id
    }

    /// Ends the game after a panic, without asking the room for anything that may panic again: all clients are sent these
    /// words, and the guard forgets the UDP clients.
    pub fn abandon(&mut self, now: Timestamp, words: &str) {
        self.give_up(now, words);
    }

    /// A connection wants to play or watch. A person who plays already comes back to the same seat.
    pub fn attach(&mut self, now: Timestamp, attach: &Attach) -> Result<Attached, AttachError> {
        self.set_time(now);
        if self.has_failed {
            return Err(AttachError::Failed);
        }
        let attached = match attach.role {
            AttachRole::Play => self.attach_player(now, attach),
            AttachRole::Watch(view) => self.attach_watcher(now, attach, view),
        };
        self.start_bots();
        self.report_connected(now);
        self.hold_output();
        attached
    }

    /// True if inputs may act now. While it is false they wait, and `prove` asks for the commit after which it may be true.
    pub fn is_ready(&self) -> bool {
        self.has_room_for_input()
    }

    /// Asks for a proof that the game is still ours. Returns the commit that an answer which shows the game must wait for; none
    /// if it need not wait.
    pub fn prove(&mut self) -> Option<Commit> {
        // A storage that fails says so when something is stored.
        let _ = self.host.prove();
        self.awaited()
    }

    /// Everything up to this commit is stored: output that waited for it can be taken.
    pub fn handle_stored(&mut self, now: Timestamp, commit: Commit) {
        self.set_time(now);
        self.release_output(now, commit);
    }

    /// A connection is closed.
    pub fn detach(&mut self, now: Timestamp, connection: ConnectionId) {
        self.set_time(now);
        if self.attachments.contains(connection) {
            self.remove_attachment(now, connection);
            self.close_views_at = Some(now.after(KEEP_VIEW_MS));
            self.settle(now);
        }
    }

    /// A key of a player. One that has no effect is answered to that connection.
    pub fn key(&mut self, now: Timestamp, connection: ConnectionId, key: char) {
        self.set_time(now);
        self.pressing = Some(connection);
        if let Err(why) = self.press(connection, key) {
            self.direct.push_back((connection, DirectLine::Error(why.to_owned())));
        }
        self.settle(now);
        self.pressing = None;
    }

    /// Keys act from now on.
    pub fn start(&mut self, now: Timestamp) {
        self.set_time(now);
        self.start_game();
        self.settle(now);
    }

    /// Ends the game as it is.
    pub fn end(&mut self, now: Timestamp) {
        self.set_time(now);
        let (mut link, host) = self.link();
        host.end_early(&mut link);
        drop(link);
        self.settle(now);
    }

    /// Removes a player.
    pub fn kick(&mut self, now: Timestamp, letter: Letter) {
        self.set_time(now);
        self.remove_player(letter, "You were removed from this game.");
        self.settle(now);
    }

    /// Words of the host to all clients of this game.
    pub fn notice(&mut self, now: Timestamp, words: &str) {
        self.set_time(now);
        self.news.notice = Some(words.to_owned());
        self.notice = Some((now.after(KEEP_NOTICE_MS), words.to_owned()));
        self.settle(now);
    }

    /// The game that its people play next.
    pub fn set_next(&mut self, now: Timestamp, next: GameId) {
        self.set_time(now);
        self.meta.next = Some(next);
        self.news.next = Some(next.to_string());
        self.settle(now);
    }

    /// A message over UDP.
    pub fn datagram(&mut self, now: Timestamp, from: SocketAddr, bytes: &[u8]) {
        self.set_time(now);
        self.handle_datagram(now, from, bytes);
        self.start_bots();
        self.settle(now);
    }

    /// A datagram to this address came back.
    pub fn unreachable(&mut self, now: Timestamp, address: SocketAddr) {
        self.set_time(now);
        self.handle_unreachable(address);
        self.settle(now);
    }

    /// Does what is due.
    pub fn handle_timeout(&mut self, now: Timestamp) {
        self.set_time(now);
        let (mut link, host) = self.link();
        host.handle_timeouts(&mut link);
        drop(link);
        let room_now = self.host.now();
        self.wires.bots.iter_mut().for_each(|seat| seat.handle_timeout(room_now));
        self.remove_absent(now);
        if self.close_views_at.take_if(|at| *at <= now).is_some() {
            self.close_unread_views();
        }
        self.settle(now);
    }

    /// When `handle_timeout` wants to be called.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        self.next_timeout()
    }

    /// True once the game is over or has failed, and it was kept long enough for clients that come back.
    pub fn is_gone(&self, now: Timestamp) -> bool {
        self.gone_at().is_some_and(|at| at <= now)
    }

    /// The next thing that the lobby must know.
    pub fn poll_report(&mut self) -> Option<GameReport> {
        self.reports.pop_front()
    }

    /// The next line for one connection, outside its stream.
    pub fn poll_direct(&mut self) -> Option<(ConnectionId, DirectLine)> {
        self.direct.pop_front()
    }

    /// The next datagram to send.
    pub fn poll_datagram(&mut self) -> Option<(SocketAddr, Vec<u8>)> {
        self.wires.datagrams.pop_front()
    }
}
