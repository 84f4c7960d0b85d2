//! One game of the host: a room with its seats for people, bots and UDP clients, its start gate and its view streams.
//! Pure: time is an argument, effects are data. It must not know threads, sockets or the web. All public methods of
//! [`HostedGame`] but `open` stand in this file.
//!
//! The contract: after every `handle` drain `poll_report`, `poll_answer`, `poll_direct` and `poll_datagram`; `poll_timeout` says when
//! to give it `GameCommand::Timeout`. Output that the storage has not stored yet comes after `GameCommand::Stored`, and commands wait
//! while `is_ready` is false. Times are those of the host; the room's own time continues from its journal.

mod attach;
mod bots;
mod command;
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

use nuggets_protocol::{Dialect, ServerMessage};
use nuggets_server::{Host, QuitReason, Storage};
use nuggets_time::Timestamp;

use attach::Attachments;
pub use attach::{Attach, AttachError, AttachRole, Attached};
pub use command::GameCommand;
use held::Held;
pub(crate) use identities::Identity;
pub use opening::{OpenError, OpenGame, SharedGuard, is_finished};
use running::{MAX_ABSENCE_MS, last_words};
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
    answers: VecDeque<(ConnectionId, Result<Attached, AttachError>)>,
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
    /// Its id.
    pub fn id(&self) -> GameId {
        self.meta.id
    }

    /// Ends the game after a panic, without asking the room for anything that may panic again: all clients are sent these
    /// words, and the guard forgets the UDP clients.
    pub fn abandon(&mut self, now: Timestamp, words: &str) {
        self.wires.views.say(now, &last_words(words));
        let quit = ServerMessage::Quit(words.as_bytes().into()).to_bytes();
        let clients = self.wires.identities.udp_clients();
        self.wires.datagrams.extend(clients.map(|client| (client, quit.clone())));
        // A game that was closed has been forgotten by the guard already.
        if self.host.storage().is_some() {
            let (mut link, host) = self.link();
            host.release_peers(&mut link);
        }
    }

    /// True if the next command is executed at once. While it is false, commands wait for a commit.
    pub fn is_ready(&self) -> bool {
        self.held.has_room() && self.host.storage().is_ready()
    }

    /// Executes a command, or lets it wait until the game is ready. Commands keep their order.
    pub fn handle(&mut self, now: Timestamp, command: GameCommand) {
        self.set_time(now);
        match command {
            GameCommand::Stored(commit) => return self.release_output(now, commit),
            command if !self.is_ready() => return self.postpone(command),
            GameCommand::Attach(attach) => self.answer(now, &attach),
            GameCommand::Detach(connection) => self.detach(now, connection),
            GameCommand::Key(connection, key) => self.press(connection, key),
            GameCommand::Datagram(from, bytes) => self.handle_datagram(now, from, &bytes),
            GameCommand::Unreachable(address) => self.handle_unreachable(address),
            GameCommand::Start => self.start_game(),
            GameCommand::End => {
                let (mut link, host) = self.link();
                host.end_early(&mut link);
            }
            GameCommand::Kick(letter) => {
                self.remove_player(letter, QuitReason::Removed);
            }
            GameCommand::Notice(words) => {
                self.news.notice = Some(words.clone());
                self.notice = Some((now.after(KEEP_NOTICE_MS), words));
            }
            GameCommand::ShowNext(next) => {
                self.meta.next = Some(next);
                self.news.next = Some(next.to_string());
            }
            GameCommand::Timeout => self.handle_timeout(now),
        }
        self.settle(now);
        self.pressing = None;
    }

    /// Returns the time at which it wants `GameCommand::Timeout`; none while commands wait.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        if self.held.has_commands() {
            return None;
        }
        let bots = self.wires.bots.iter().filter_map(|seat| seat.bot.poll_timeout());
        let room = self.host.poll_timeout().into_iter().chain(bots).min();
        let room = room.map(|at| self.time.of_host(at));
        let absence = self.away.values().min().map(|since| since.after(MAX_ABSENCE_MS));
        let own = [self.connected_due(), self.gone_at(), self.close_views_at];
        own.into_iter().chain([room, absence]).flatten().min()
    }

    /// True once the game is over or has failed, and it was kept long enough for clients that come back.
    pub fn is_gone(&self, now: Timestamp) -> bool {
        self.gone_at().is_some_and(|at| at <= now)
    }

    /// The next thing that the lobby must know.
    pub fn poll_report(&mut self) -> Option<GameReport> {
        self.reports.pop_front()
    }

    /// The next answer to a connection that wants to play or watch. Each is answered once, in the order of the commands.
    pub fn poll_answer(&mut self) -> Option<(ConnectionId, Result<Attached, AttachError>)> {
        self.answers.pop_front()
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
