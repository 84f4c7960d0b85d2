//! Drives the room between a command and its effects, lets bots answer, and writes streams and reports.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use nuggets_game::Letter;
use nuggets_protocol::{ClientMessage, ClientMessageError, Name, ServerMessage};
use nuggets_server::{QuitReason, Storage, udp};
use nuggets_time::Timestamp;
use tracing::error;

use super::identities::{Identity, ViewKey, viewer};
use super::{HostedGame, KEEP_OVER_CONNECTED_MS, KEEP_OVER_MS};
use crate::wire::{Stage, StreamLine};
use crate::{GameReport, StreamHandle};

/// Time that a player without a connection keeps its seat.
pub(super) const MAX_ABSENCE_MS: u64 = 60 * 60_000;

/// Time for people to look around before bots press keys.
const BOTS_WAIT_MS: u64 = 2000;

const CANT_STORE: &str =
    "The server can't store this game any more, so it had to stop. We are sorry.";

pub(super) fn closing_line(words: &str) -> StreamLine {
    StreamLine { notice: Some(words.to_owned()), stage: Some(Stage::Over), ..StreamLine::default() }
}

impl<S: Storage> HostedGame<S> {
    /// Passes the messages of bots to the room. Returns true if there were any.
    pub(super) fn hear_bots(&mut self) -> bool {
        let mut any = false;
        for index in 0..self.recipients.bots.len() {
            while let Some(message) = self.recipients.bots[index].poll_message() {
                let identity = Identity::Bot(self.recipients.bots[index].number);
                let peer = self.recipients.identities.enter(identity);
                self.drive(|host, link| host.handle_message(link, peer, &message));
                any = true;
            }
        }
        any
    }

    pub(super) fn note_players(&mut self, now: Timestamp) {
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

    pub(super) fn note_over(&mut self, now: Timestamp) {
        if self.host.room().is_over() && self.over_at.is_none() {
            self.over_at = Some(now);
            self.news.over = Some(self.results());
            self.news.stage = Some(Stage::Over);
        }
    }

    /// Closes a finished game: records in the journal that the end was sent to all peers, and releases the storage so that others
    /// can read it.
    pub(super) fn close_if_done(&mut self) {
        if self.host.room().is_closed() && self.host.storage().is_some() {
            // The room has nothing more to send, and the journal is complete without the last record.
            let _ = self.drive(|host, link| host.close(link));
            *self.host.storage_mut() = None;
            if !self.has_failed {
                self.report(GameReport::Over);
            }
        }
    }

    /// Stops the game because its journal can't be written: clients must not see anything that is not stored.
    pub(super) fn fail(&mut self, now: Timestamp, why: &io::Error) {
        error!("the game is stopped: its journal can't be written ({why})");
        self.has_failed = true;
        self.over_at = Some(now);
        *self.host.storage_mut() = None;
        // Removes its clients from the guard; there is nothing left to store or send.
        let _ = self.drive(|host, link| host.close(link));
        self.recipients.bots.clear();
        self.recipients.views.publish_closing_line(now, &closing_line(CANT_STORE));
        let why = format!("the journal can't be written: {why}");
        self.report(GameReport::Failed { why });
    }

    pub(super) fn start_game(&mut self) {
        if !self.host.room().has_begun() && self.over_at.is_none() {
            self.drive(|host, link| host.start(link));
            self.meta.has_started = true;
            self.news.stage = Some(Stage::Playing);
            self.report(GameReport::Started);
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
            self.drive(|host, link| link.send_datagram(host.now(), address, &quit));
        } else {
            self.drive(|host, link| host.handle_message(link, peer, bytes));
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

    /// Reconnects a person who was away.
    pub(super) fn handle_return(&mut self, now: Timestamp, identity: Identity) {
        if self.away.remove(&identity).is_some()
            && let Some(peer) = self.recipients.identities.find(identity)
        {
            self.drive(|host, link| host.handle_reconnect(link, peer));
            self.process_output(now);
        }
    }

    /// Records that a person has lost the last connection.
    pub(super) fn handle_absence(&mut self, now: Timestamp, identity: Identity) {
        self.away.insert(identity, now);
        self.disconnect(identity);
    }

    /// Marks a client as unreachable, or closes a view.
    pub(super) fn disconnect(&mut self, identity: Identity) {
        if let Some(peer) = self.recipients.identities.find(identity) {
            self.drive(|host, link| host.handle_disconnect(link, peer));
        }
    }

    fn remove_absent(&mut self, now: Timestamp) {
        let is_due = |since: &Timestamp| since.after(MAX_ABSENCE_MS) <= now;
        let absent: Vec<Identity> =
            self.away.iter().filter(|(_, since)| is_due(since)).map(|(who, _)| *who).collect();
        for identity in absent {
            self.away.remove(&identity);
            if let Some(letter) = self.letter(identity) {
                self.drive(|host, link| host.remove_player(link, letter, QuitReason::Away));
            }
        }
    }

    /// Handles everything that is due: room, bots, absent players and views without a reader.
    pub(super) fn handle_timeout(&mut self, now: Timestamp) {
        self.drive(|host, link| host.handle_timeouts(link));
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

    pub(super) fn begin_view(&mut self, now: Timestamp, key: ViewKey) -> Arc<StreamHandle> {
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
            self.disconnect(Identity::View(key));
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
