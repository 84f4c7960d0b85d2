//! One game of the host: a room with its seats for people, bots and UDP clients, and its view streams.
//! Pure: time is an argument, effects are data. It must not know threads, sockets or the web. All public methods of
//! [`HostedGame`] but `open` stand in this file.
//!
//! The contract: after every `handle` drain `poll_output`; `poll_timeout` says when to give it `GameCommand::Timeout`. Output that the storage has not stored yet comes after `GameCommand::Stored`, and commands wait
//! while `is_ready` is false. Times are those of the host; the room's own time continues from its journal.

mod attach;
mod bots;
mod command;
mod identities;
mod opening;
mod pending_output;
mod recipients;
mod running;
mod status;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use nuggets_protocol::ServerMessage;
use nuggets_server::{Host, QuitReason, Storage, udp};
use nuggets_time::Timestamp;

use attach::Attachments;
pub use attach::{Attach, AttachError, AttachRole, Attached};
pub use command::GameCommand;
pub(crate) use identities::Identity;
pub use opening::{OpenError, OpenGame, SharedGuard, is_finished};
pub use pending_output::GameOutput;
use pending_output::PendingOutput;
use recipients::{Recipients, RoomTransport};
use running::{MAX_ABSENCE_MS, closing_line};
use status::Reported;

use crate::locks::lock;
use crate::wire::{DirectLine, StreamLine};
use crate::{ClaimedNames, ConnectionId, GameId, GameMeta, GameReport};

/// Time that a finished game without connections stays in memory, for people who come back.
const KEEP_OVER_MS: u64 = 10 * 60_000;
/// Time that a finished game stays in memory while it has connections, for *play again*.
const KEEP_OVER_CONNECTED_MS: u64 = 60 * 60_000;

/// Time during which a notice is also sent to new connections: a page that was disconnected has missed it.
const KEEP_NOTICE_MS: u64 = 10 * 60_000;

/// Time that a view is kept after its connection was closed. Within it, a client that reconnects is sent only the lines it
/// missed; later, a whole picture.
const KEEP_VIEW_MS: u64 = 20_000;

const NOT_STARTED: &str = "The game has not started yet.";

/// One game of the host.
#[derive(Debug)]
pub struct HostedGame<S> {
    meta: GameMeta,
    host: Host<Option<S>>,
    recipients: Recipients,
    guard: Option<SharedGuard>,
    claimed_names: Arc<ClaimedNames>,
    attachments: Attachments,
    /// The start of each player's absence: for people the loss of their last connection, for UDP clients their last message.
    away: BTreeMap<Identity, Timestamp>,
    time: GameTime,
    reported: Reported,
    /// The connection whose key is being handled: error replies go to it alone.
    pressing: Option<ConnectionId>,
    /// Changes to publish in all streams with the next line.
    news: StreamLine,
    /// The last notice of the host and its expiry time.
    notice: Option<(Timestamp, String)>,
    over_at: Option<Timestamp>,
    /// The time to close views without a reader.
    close_views_at: Option<Timestamp>,
    has_failed: bool,
    pending: PendingOutput,
}

/// Conversion between the time of the host and that of the room, which continues from its journal.
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
    /// Returns the id of the game.
    pub fn id(&self) -> GameId {
        self.meta.id
    }

    /// Ends the game after a panic without calling anything in the room that may panic again. Sends this message to all clients
    /// and removes the UDP clients from the guard.
    pub fn abandon(&mut self, now: Timestamp, words: &str) {
        self.recipients.views.publish_closing_line(now, &closing_line(words));
        let quit = ServerMessage::Quit(words.as_bytes().into()).to_bytes();
        let Recipients { identities, output, .. } = &mut self.recipients;
        let clients = identities.udp_clients();
        output.extend(clients.map(|client| GameOutput::Datagram(client, quit.clone())));
        // Closing a game has already removed its clients from the guard.
        if self.host.storage().is_some() {
            self.drive(|host, link| host.release_peers(link));
        }
    }

    /// True if the next command is executed at once. While it is false, commands wait for a commit.
    pub fn is_ready(&self) -> bool {
        self.pending.has_room() && self.host.storage().is_ready()
    }

    /// Executes a command, or queues it until the game is ready. Commands keep their order.
    pub fn handle(&mut self, now: Timestamp, command: GameCommand) {
        self.host.set_time(self.time.of_room(now));
        match command {
            GameCommand::Stored(commit) => return self.release_output(now, commit),
            command if !self.is_ready() => return self.postpone(command),
            GameCommand::Attach(attach) => self.answer(now, &attach),
            GameCommand::Detach(connection) => self.detach(now, connection),
            GameCommand::Key(connection, key) => {
                self.pressing = Some(connection);
                if let Err(why) = self.press(connection, key) {
                    self.reply(connection, DirectLine::Error(why.to_owned()));
                }
            }
            GameCommand::Datagram(from, bytes) => self.handle_datagram(now, from, &bytes),
            GameCommand::Unreachable(address) => {
                self.disconnect(Identity::Udp(udp::canonical(address)));
            }
            GameCommand::Start => self.start_game(),
            GameCommand::End => self.drive(|host, link| host.end_early(link)),
            GameCommand::Kick(letter) => {
                self.drive(|host, link| host.remove_player(link, letter, QuitReason::Removed));
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
        self.process_output(now);
        self.pressing = None;
    }

    /// Returns the time at which the game needs `GameCommand::Timeout`; `None` while commands wait.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        if self.pending.has_commands() {
            return None;
        }
        let bots = self.recipients.bots.iter().filter_map(|seat| seat.bot.poll_timeout());
        let room = self.host.poll_timeout().into_iter().chain(bots).min();
        let room = room.map(|at| self.time.of_host(at));
        let absence = self.away.values().min().map(|since| since.after(MAX_ABSENCE_MS));
        let own = [self.connected_due(), self.gone_at(), self.close_views_at];
        own.into_iter().chain([room, absence]).flatten().min()
    }

    /// True once the game is over or has failed, and the time for clients to come back has passed.
    pub fn is_gone(&self, now: Timestamp) -> bool {
        self.gone_at().is_some_and(|at| at <= now)
    }

    /// Takes the next piece of output. Each `Attach` gets one answer, in the order of the commands.
    pub fn poll_output(&mut self) -> Option<GameOutput> {
        self.recipients.output.pop_front()
    }

    fn report(&mut self, report: GameReport) {
        self.recipients.output.push_back(GameOutput::Report(report));
    }

    fn reply(&mut self, to: ConnectionId, line: DirectLine) {
        self.recipients.output.push_back(GameOutput::Direct(to, line));
    }

    /// Presses a key, unless it has no effect.
    fn press(&mut self, connection: ConnectionId, key: char) -> Result<(), &'static str> {
        let person = self.attachments.player(connection).ok_or("You only watch this game.")?;
        if self.attachments.is_superseded(connection) {
            return Ok(());
        }
        if !self.host.room().has_begun() && key != 'Q' {
            return Err(NOT_STARTED);
        }
        let byte = u8::try_from(key).ok().filter(u8::is_ascii_graphic);
        let byte = byte.ok_or("unknown keystroke")?;
        let peer = self.recipients.identities.enter(Identity::Person(person));
        self.drive(|host, link| host.press(link, peer, byte));
        Ok(())
    }

    /// Calls the driver of the room with the transport that it sends through.
    fn drive<T>(
        &mut self,
        call: impl FnOnce(&mut Host<Option<S>>, &mut RoomTransport<'_>) -> T,
    ) -> T {
        let guard = self.guard.as_ref();
        let guard = guard.map(|guard| lock(guard));
        call(&mut self.host, &mut RoomTransport { recipients: &mut self.recipients, guard })
    }

    /// Stores and sends everything, lets bots answer, and writes streams and reports.
    fn process_output(&mut self, now: Timestamp) {
        loop {
            self.flush(now);
            self.send_replies();
            if !self.hear_bots() {
                break;
            }
        }
        self.close_if_done();
        self.report_connected(now);
        self.hold_output();
    }

    /// Stores and sends everything, and writes streams and reports.
    fn flush(&mut self, now: Timestamp) {
        if self.has_failed {
            return;
        }
        // Before the records are stored, so that the start is stored with them.
        if !self.host.room().has_begun() && self.meta.start.missing(self.people()) == Some(0) {
            self.start_game();
        }
        if let Err(why) = self.drive(|host, link| host.flush(link)) {
            return self.fail(now, &why);
        }
        self.note_players(now);
        self.report_gold();
        self.note_over(now);
        let news = std::mem::take(&mut self.news);
        let awaited = self.awaited();
        self.recipients.views.publish(now, self.host.room(), &news, awaited);
    }

    /// Sends replies: those to a key to the connection that pressed it, others to all connections of the person.
    fn send_replies(&mut self) {
        for (person, reply) in std::mem::take(&mut self.recipients.replies) {
            let pressing = self.pressing.filter(|at| self.attachments.player(*at) == Some(person));
            let line = DirectLine::Error(reply.to_string());
            if let Some(connection) = pressing {
                self.reply(connection, line);
            } else {
                let all = self.attachments.of_player(person);
                let all = all.map(|connection| GameOutput::Direct(connection, line.clone()));
                self.recipients.output.extend(all);
            }
        }
    }
}
