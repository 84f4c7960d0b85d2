//! What happens between a call and its effects: the room is driven, bots answer, streams and reports are written.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, PoisonError};

use nuggets_game::Letter;
use nuggets_protocol::{ClientMessage, ClientMessageError, Name, ServerMessage};
use nuggets_server::{Host, Peer, QuitReason, Storage, udp};
use nuggets_time::Timestamp;
use tracing::error;

use super::identities::{Identity, ViewKey, viewer};
use super::wires::Link;
use super::{HostedGame, KEEP_OVER_CONNECTED_MS, KEEP_OVER_MS};
use crate::wire::{DirectLine, ResultLine, Stage, StreamLine};
use crate::{ConnectionId, GameReport, GameResult, StreamHandle};

/// A player without a connection keeps its seat this long.
pub(super) const MAX_ABSENCE_MS: u64 = 60 * 60_000;

/// Time for people to look around before bots press keys.
const BOTS_WAIT_MS: u64 = 2000;

const NOT_STARTED: &str = "The game has not started yet.";
const CANT_STORE: &str =
    "The server can't store this game any more, so it had to stop. We are sorry.";

pub(super) fn last_words(words: &str) -> StreamLine {
    StreamLine { notice: Some(words.to_owned()), stage: Some(Stage::Over), ..StreamLine::default() }
}

impl<S: Storage> HostedGame<S> {
    pub(super) fn set_time(&mut self, now: Timestamp) {
        self.host.set_time(self.time.of_room(now));
    }

    /// The room's driver and what it sends through.
    pub(super) fn link(&mut self) -> (Link<'_>, &mut Host<Option<S>>) {
        let guard = self.guard.as_ref();
        let guard = guard.map(|guard| guard.lock().unwrap_or_else(PoisonError::into_inner));
        (Link { wires: &mut self.wires, guard }, &mut self.host)
    }

    pub(super) fn handle_message(&mut self, peer: Peer, bytes: &[u8]) {
        let (mut link, host) = self.link();
        host.handle_message(&mut link, peer, bytes);
    }

    /// Stores and sends everything, lets bots answer, and writes streams and reports.
    pub(super) fn settle(&mut self, now: Timestamp) {
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
        self.wires.views.publish(now, self.host.room().game(), &news, awaited);
    }

    /// Hands over the messages of bots. True if there were any.
    fn hear_bots(&mut self) -> bool {
        let mut any = false;
        for index in 0..self.wires.bots.len() {
            while let Some(message) = self.wires.bots[index].poll_message() {
                let identity = Identity::Bot(self.wires.bots[index].number);
                let peer = self.wires.identities.enter(identity);
                self.handle_message(peer, &message);
                any = true;
            }
        }
        any
    }

    /// Replies go to the connection that pressed the key, others to all connections of the person.
    fn send_replies(&mut self) {
        for (person, reply) in std::mem::take(&mut self.wires.replies) {
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
        if self.gate.opens_with(self.people()) {
            self.start_game();
        }
        let seated = self.seated_identities();
        self.away.retain(|who, _| seated.contains(who));
        self.news.players = Some(self.roster());
        self.news.stage = Some(self.stage());
        self.open_delayed_views(now, known);
    }

    /// Watchers of a game with a delay would have to wait for a view that was opened by the first of them.
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
            self.news.over = Some(self.result_lines());
            self.news.stage = Some(Stage::Over);
        }
    }

    /// The journal records that the end was sent to all peers, and can be read by others.
    fn close_if_done(&mut self) {
        if self.host.room().is_closed() && self.host.storage().is_some() {
            let (mut link, host) = self.link();
            // The room has nothing more to send, and the journal is complete without the last record.
            let _ = host.close(&mut link);
            *host.storage_mut() = None;
            drop(link);
            if !self.has_failed {
                let results = self.results();
                self.reports.push_back(GameReport::Over { results });
            }
        }
    }

    /// The journal can't be written: no client may be sent what is not stored.
    fn fail(&mut self, now: Timestamp, why: &io::Error) {
        error!("the game is stopped: its journal can't be written ({why})");
        self.has_failed = true;
        self.over_at = Some(now);
        let (mut link, host) = self.link();
        *host.storage_mut() = None;
        // The guard forgets its clients; there is nothing left to store or send.
        let _ = host.close(&mut link);
        drop(link);
        self.wires.bots.clear();
        self.wires.views.say(now, &last_words(CANT_STORE));
        let why = format!("the journal can't be written: {why}");
        self.reports.push_back(GameReport::Failed { why });
    }

    pub(super) fn start_game(&mut self) {
        if !self.gate.has_started && self.over_at.is_none() {
            self.gate.has_started = true;
            self.meta.has_started = true;
            self.news.stage = Some(Stage::Playing);
            self.reports.push_back(GameReport::Started);
            self.start_bots();
        }
    }

    /// Bots begin once keys act and a person or connection is there, and leave people some time to look around.
    pub(super) fn start_bots(&mut self) {
        let has_company = !self.attachments.is_empty() || self.people() > 0;
        if self.gate.has_started && has_company {
            let at = self.host.now().after(BOTS_WAIT_MS);
            self.wires.bots.iter_mut().for_each(|seat| seat.bot.handle_start(at));
        }
    }

    /// Presses a key. One that has no effect is answered to its connection.
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
        if !self.gate.has_started && key != 'Q' {
            return Err(NOT_STARTED);
        }
        let byte = u8::try_from(key).ok().filter(u8::is_ascii_graphic);
        let byte = byte.ok_or("unknown keystroke")?;
        let peer = self.wires.identities.enter(Identity::Person(person));
        let (mut link, host) = self.link();
        host.press(&mut link, peer, byte);
        Ok(())
    }

    pub(super) fn handle_datagram(&mut self, now: Timestamp, from: SocketAddr, bytes: &[u8]) {
        let address = udp::canonical(from);
        let identity = Identity::Udp(address);
        let peer = self.wires.identities.enter(identity);
        let is_seated = self.host.room().has_seat(peer);
        let message = ClientMessage::parse(bytes);
        let is_early = matches!(message, Ok(ClientMessage::Key(key)) if key != b'Q');
        if is_early && is_seated && !self.gate.has_started {
            self.reply(address, &self.dialect.error_reply(NOT_STARTED));
        } else if let Some(name) = self.claimed_name(&message).filter(|_| !is_seated) {
            let words = format!(
                "The name {name} belongs to another person on this host. Choose another one, or play as {name} \
                 in the browser."
            );
            self.reply(address, &ServerMessage::Quit(words.as_bytes().into()));
        } else {
            self.handle_message(peer, bytes);
        }
        self.flush(now);
        self.wires.identities.forget_unseated(identity, self.host.room());
        if self.seated_identities().contains(&identity) {
            self.away.insert(identity, now);
        }
        self.start_bots();
    }

    /// The name that a UDP client wants, if it is claimed: a UDP client can't prove that it is its own.
    fn claimed_name(
        &self,
        message: &Result<ClientMessage<'_>, ClientMessageError>,
    ) -> Option<Name> {
        let Ok(ClientMessage::Play(name)) = message else { return None };
        Name::new(name).filter(|name| self.claimed_names.contains(name.as_str()))
    }

    fn reply(&mut self, to: SocketAddr, message: &ServerMessage) {
        let now = self.host.now();
        let (mut link, _) = self.link();
        link.send_datagram(now, to, &message.to_bytes());
    }

    pub(super) fn handle_unreachable(&mut self, address: SocketAddr) {
        let identity = Identity::Udp(udp::canonical(address));
        if let Some(peer) = self.wires.identities.find(identity) {
            let (mut link, host) = self.link();
            host.handle_disconnect(&mut link, peer);
        }
    }

    /// A person has a connection again.
    pub(super) fn handle_return(&mut self, now: Timestamp, identity: Identity) {
        if self.away.remove(&identity).is_some()
            && let Some(peer) = self.wires.identities.find(identity)
        {
            let (mut link, host) = self.link();
            host.handle_reconnect(&mut link, peer);
            drop(link);
            self.settle(now);
        }
    }

    /// A person has no connection any more.
    pub(super) fn handle_absence(&mut self, now: Timestamp, identity: Identity) {
        self.away.insert(identity, now);
        if let Some(peer) = self.wires.identities.find(identity) {
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

    /// Handles everything that is due: in the room, for bots, players who are away and views that no connection reads.
    pub(super) fn handle_timeout(&mut self, now: Timestamp) {
        let (mut link, host) = self.link();
        host.handle_timeouts(&mut link);
        drop(link);
        let room_now = self.host.now();
        self.wires.bots.iter_mut().for_each(|seat| seat.handle_timeout(room_now));
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

    /// The stream of a view, opened if it is not open yet.
    pub(super) fn open_view(&mut self, now: Timestamp, key: ViewKey) -> Arc<StreamHandle> {
        let stream = self.begin_view(now, key);
        self.settle(now);
        stream
    }

    fn begin_view(&mut self, now: Timestamp, key: ViewKey) -> Arc<StreamHandle> {
        if let Some(open) = self.wires.views.find(key) {
            return Arc::clone(open);
        }
        let facts = self.facts();
        let stream = self.wires.views.open(now, self.host.room().game(), key, facts);
        let peer = self.wires.identities.enter(Identity::View(key));
        // The view of a player that has left, or of a game that is over, stays as it is.
        let _ = self.host.handle_watch(peer, viewer(key));
        stream
    }

    /// Frees the memory of views that no connection has come back to.
    fn close_unread_views(&mut self) {
        for key in self.wires.views.close_unread() {
            if let Some(peer) = self.wires.identities.find(Identity::View(key)) {
                let (mut link, host) = self.link();
                host.handle_disconnect(&mut link, peer);
            }
        }
    }

    /// What all streams have, as it is now.
    fn facts(&self) -> StreamLine {
        StreamLine {
            players: Some(self.roster()),
            stage: Some(self.stage()),
            over: self.over_at.map(|_| self.result_lines()),
            next: self.meta.next.map(|next| next.to_string()),
            ..StreamLine::default()
        }
    }

    fn result_lines(&self) -> Vec<ResultLine> {
        self.results().iter().map(GameResult::line).collect()
    }
}
