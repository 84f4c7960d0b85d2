//! Drives the room between a command and its effects, lets bots answer, and writes streams and reports.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, PoisonError};

use nuggets_game::Letter;
use nuggets_protocol::{ClientMessage, ClientMessageError, Name, ServerMessage};
use nuggets_server::{Host, Peer, QuitReason, Storage, udp};
use nuggets_time::Timestamp;
use tracing::error;

use super::identities::{Identity, ViewKey, viewer};
use super::recipients::RoomTransport;
use super::{HostedGame, KEEP_OVER_CONNECTED_MS, KEEP_OVER_MS};
use crate::wire::{DirectLine, Stage, StreamLine};
use crate::{ConnectionId, GameReport, StreamHandle};

/// Time that a player without a connection keeps its seat.
pub(super) const MAX_ABSENCE_MS: u64 = 60 * 60_000;

/// Time for people to look around before bots press keys.
const BOTS_WAIT_MS: u64 = 2000;

const NOT_STARTED: &str = "The game has not started yet.";
const CANT_STORE: &str =
    "The server can't store this game any more, so it had to stop. We are sorry.";

pub(super) fn closing_line(words: &str) -> StreamLine {
    StreamLine { notice: Some(words.to_owned()), stage: Some(Stage::Over), ..StreamLine::default() }
}

impl<S: Storage> HostedGame<S> {
    pub(super) fn set_time(&mut self, now: Timestamp) {
        self.host.set_time(self.time.of_room(now));
    }

    /// Returns the driver of the room and the transport that it sends through.
    pub(super) fn link(&mut self) -> (RoomTransport<'_>, &mut Host<Option<S>>) {
        let guard = self.guard.as_ref();
        let guard = guard.map(|guard| guard.lock().unwrap_or_else(PoisonError::into_inner));
        (RoomTransport { recipients: &mut self.recipients, guard }, &mut self.host)
    }

    pub(super) fn handle_message(&mut self, peer: Peer, bytes: &[u8]) {
        let (mut link, host) = self.link();
        host.handle_message(&mut link, peer, bytes);
    }

    /// Stores and sends everything, lets bots answer, and writes streams and reports.
    pub(super) fn process_output(&mut self, now: Timestamp) {
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
    pub(super) fn flush(&mut self, now: Timestamp) {
        if self.has_failed {
            return;
        }
        // Before the records are stored, so that the start is stored with them.
        if !self.host.room().has_begun() && self.meta.start.missing(self.people()) == Some(0) {
            self.start_game();
        }
        let (mut link, host) = self.link();
        let flushed = host.flush(&mut link);
        drop(link);
        if let Err(why) = flushed {
            return self.fail(now, &why);
        }
        self.note_players(now);
        self.report_gold();
        self.note_over(now);
        let news = std::mem::take(&mut self.news);
        let awaited = self.awaited();
        self.recipients.views.publish(now, self.host.room().game(), &news, awaited);
    }

    /// Passes the messages of bots to the room. Returns true if there were any.
    fn hear_bots(&mut self) -> bool {
        let mut any = false;
        for index in 0..self.recipients.bots.len() {
            while let Some(message) = self.recipients.bots[index].poll_message() {
                let identity = Identity::Bot(self.recipients.bots[index].number);
                let peer = self.recipients.identities.enter(identity);
                self.handle_message(peer, &message);
                any = true;
            }
        }
        any
    }

    /// Sends replies: those to a key to the connection that pressed it, others to all connections of the person.
    fn send_replies(&mut self) {
        for (person, reply) in std::mem::take(&mut self.recipients.replies) {
            let pressing = self.pressing.filter(|at| self.attachments.player(*at) == Some(person));
            let line = DirectLine::Error(reply.to_string());
            if let Some(connection) = pressing {
                self.direct.push_back((connection, line));
            } else {
                let all = self.attachments.of_player(person);
                self.direct.extend(all.map(|connection| (connection, line.clone())));
            }
        }
    }

    fn note_players(&mut self, now: Timestamp) {
        let Some(known) = self.report_players() else { return };
        let seated = self.seated_identities();
        self.away.retain(|who, _| seated.contains(who));
        self.news.players = Some(self.roster());
        self.news.stage = Some(self.stage());
        self.open_delayed_views(now, known);
    }

    /// Opens the views of new players at once if the game has a watch delay: otherwise the first watcher of a view would have to
    /// wait for the delay.
    fn open_delayed_views(&mut self, now: Timestamp, known: usize) {
        if self.meta.watch_delay_s > 0 {
            for index in known..self.host.room().game().players().len() {
                self.begin_view(now, Letter::nth(index));
            }
        }
    }

    fn note_over(&mut self, now: Timestamp) {
        if self.host.room().is_over() && self.over_at.is_none() {
            self.over_at = Some(now);
            self.news.over = Some(self.results());
            self.news.stage = Some(Stage::Over);
        }
    }

    /// Closes a finished game: records in the journal that the end was sent to all peers, and releases the storage so that others
    /// can read it.
    fn close_if_done(&mut self) {
        if self.host.room().is_closed() && self.host.storage().is_some() {
            let (mut link, host) = self.link();
            // The room has nothing more to send, and the journal is complete without the last record.
            let _ = host.close(&mut link);
            *host.storage_mut() = None;
            drop(link);
            if !self.has_failed {
                self.reports.push_back(GameReport::Over);
            }
        }
    }

    /// Stops the game because its journal can't be written: clients must not see anything that is not stored.
    fn fail(&mut self, now: Timestamp, why: &io::Error) {
        error!("the game is stopped: its journal can't be written ({why})");
        self.has_failed = true;
        self.over_at = Some(now);
        let (mut link, host) = self.link();
        *host.storage_mut() = None;
        // Removes its clients from the guard; there is nothing left to store or send.
        let _ = host.close(&mut link);
        drop(link);
        self.recipients.bots.clear();
        self.recipients.views.publish_closing_line(now, &closing_line(CANT_STORE));
        let why = format!("the journal can't be written: {why}");
        self.reports.push_back(GameReport::Failed { why });
    }

    pub(super) fn start_game(&mut self) {
        if !self.host.room().has_begun() && self.over_at.is_none() {
            let (mut link, host) = self.link();
            host.start(&mut link);
            drop(link);
            self.meta.has_started = true;
            self.news.stage = Some(Stage::Playing);
            self.reports.push_back(GameReport::Started);
            self.start_bots();
        }
    }

    /// Starts the bots once keys act and a person or a connection is present, after some time for people to look around.
    pub(super) fn start_bots(&mut self) {
        let has_company = !self.attachments.is_empty() || self.people() > 0;
        if self.host.room().has_begun() && has_company {
            let at = self.host.now().after(BOTS_WAIT_MS);
            self.recipients.bots.iter_mut().for_each(|seat| seat.bot.handle_start(at));
        }
    }

    /// Presses a key. If it has no effect, its connection gets an error reply.
    pub(super) fn press(&mut self, connection: ConnectionId, key: char) {
        self.pressing = Some(connection);
        if let Err(why) = self.try_press(connection, key) {
            self.direct.push_back((connection, DirectLine::Error(why.to_owned())));
        }
    }

    fn try_press(&mut self, connection: ConnectionId, key: char) -> Result<(), &'static str> {
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
        let (mut link, host) = self.link();
        host.press(&mut link, peer, byte);
        Ok(())
    }

    pub(super) fn handle_datagram(&mut self, now: Timestamp, from: SocketAddr, bytes: &[u8]) {
        let address = udp::canonical(from);
        let identity = Identity::Udp(address);
        let peer = self.recipients.identities.enter(identity);
        let is_seated = self.host.room().has_seat(peer);
        let message = ClientMessage::parse(bytes);
        if let Some(name) = self.claimed_name(&message).filter(|_| !is_seated) {
            let words = format!(
                "The name {name} belongs to another person on this host. Choose another one, or play as {name} \
                 in the browser."
            );
            let quit = ServerMessage::Quit(words.as_bytes().into()).to_bytes();
            let room_now = self.host.now();
            self.link().0.send_datagram(room_now, address, &quit);
        } else {
            self.handle_message(peer, bytes);
        }
        self.flush(now);
        self.recipients.identities.forget_unseated(identity, self.host.room());
        if self.seated_identities().contains(&identity) {
            self.away.insert(identity, now);
        }
        self.start_bots();
    }

    /// Returns the name that a UDP client asks for if an account has claimed it: a UDP client can't authenticate.
    fn claimed_name(
        &self,
        message: &Result<ClientMessage<'_>, ClientMessageError>,
    ) -> Option<Name> {
        let Ok(ClientMessage::Play(name)) = message else { return None };
        Name::new(name).filter(|name| self.claimed_names.contains(name.as_str()))
    }

    pub(super) fn handle_unreachable(&mut self, address: SocketAddr) {
        let identity = Identity::Udp(udp::canonical(address));
        if let Some(peer) = self.recipients.identities.find(identity) {
            let (mut link, host) = self.link();
            host.handle_disconnect(&mut link, peer);
        }
    }

    /// Reconnects a person who was away.
    pub(super) fn handle_return(&mut self, now: Timestamp, identity: Identity) {
        if self.away.remove(&identity).is_some()
            && let Some(peer) = self.recipients.identities.find(identity)
        {
            let (mut link, host) = self.link();
            host.handle_reconnect(&mut link, peer);
            drop(link);
            self.process_output(now);
        }
    }

    /// Records that a person has lost the last connection.
    pub(super) fn handle_absence(&mut self, now: Timestamp, identity: Identity) {
        self.away.insert(identity, now);
        if let Some(peer) = self.recipients.identities.find(identity) {
            let (mut link, host) = self.link();
            host.handle_disconnect(&mut link, peer);
        }
    }

    fn remove_absent(&mut self, now: Timestamp) {
        let is_due = |since: &Timestamp| since.after(MAX_ABSENCE_MS) <= now;
        let absent: Vec<Identity> =
            self.away.iter().filter(|(_, since)| is_due(since)).map(|(who, _)| *who).collect();
        for identity in absent {
            self.away.remove(&identity);
            if let Some(letter) = self.letter(identity) {
                self.remove_player(letter, QuitReason::Away);
            }
        }
    }

    pub(super) fn remove_player(&mut self, letter: Letter, why: QuitReason) {
        let (mut link, host) = self.link();
        host.remove_player(&mut link, letter, why);
    }

    /// Handles everything that is due: room, bots, absent players and views without a reader.
    pub(super) fn handle_timeout(&mut self, now: Timestamp) {
        let (mut link, host) = self.link();
        host.handle_timeouts(&mut link);
        drop(link);
        let room_now = self.host.now();
        self.recipients.bots.iter_mut().for_each(|seat| seat.handle_timeout(room_now));
        self.remove_absent(now);
        if self.close_views_at.take_if(|at| *at <= now).is_some() {
            self.close_unread_views();
        }
    }

    pub(super) fn gone_at(&self) -> Option<Timestamp> {
        let is_alone = self.attachments.is_empty();
        let keep_ms = if is_alone { KEEP_OVER_MS } else { KEEP_OVER_CONNECTED_MS };
        self.over_at.map(|at| at.after(keep_ms))
    }

    /// Returns the stream of a view, and opens it if necessary.
    pub(super) fn open_view(&mut self, now: Timestamp, key: ViewKey) -> Arc<StreamHandle> {
        let stream = self.begin_view(now, key);
        self.process_output(now);
        stream
    }

    fn begin_view(&mut self, now: Timestamp, key: ViewKey) -> Arc<StreamHandle> {
        if let Some(open) = self.recipients.views.find(key) {
            return Arc::clone(open);
        }
        let facts = self.facts();
        let stream = self.recipients.views.open(now, self.host.room().game(), key, facts);
        let peer = self.recipients.identities.enter(Identity::View(key));
        // The view of a player who has left, or of a finished game, does not change any more.
        let _ = self.host.handle_watch(peer, viewer(key));
        stream
    }

    /// Closes views to which no connection has come back, to free their memory.
    fn close_unread_views(&mut self) {
        for key in self.recipients.views.close_unread() {
            if let Some(peer) = self.recipients.identities.find(Identity::View(key)) {
                let (mut link, host) = self.link();
                host.handle_disconnect(&mut link, peer);
            }
        }
    }

    /// Returns the current state that all streams share.
    fn facts(&self) -> StreamLine {
        StreamLine {
            players: Some(self.roster()),
            stage: Some(self.stage()),
            over: self.over_at.map(|_| self.results()),
            next: self.meta.next.map(|next| next.to_string()),
            ..StreamLine::default()
        }
    }
}
