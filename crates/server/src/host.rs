//! The driver of a room for every transport: *journal, then log, then send*.
//!
//! It owns the order of these three, the clock, the log quota and the writers of journal and recording. The transport
//! owns sockets, addresses and the guard; it feeds messages to the driver and sends the driver's messages.

mod guarding;
mod log;
mod record_log;

use std::io;

use nuggets_game::{Letter, Name, Setup, Viewer};
use nuggets_protocol::ClientMessage;
use nuggets_record::{CatchUp, Reading, RecordedEvent, Writer};
use nuggets_time::{Clock, Timestamp};
use tracing::warn;

use crate::{
    Commit, LogQuota, Notice, Peer, QuitReason, RecordKind, Room, Storage, Transport, WatchError,
};
use guarding::guarded;
use record_log::{RecordLog, keep_or_drop};

/// More than the number of seats: all players may be idle at once.
const MAX_TIMEOUTS: u32 = 64;

/// A room with its clock, log quota and stored records.
#[derive(Debug)]
pub struct Host<S> {
    room: Room,
    storage: S,
    journal: Option<RecordLog>,
    recording: Option<RecordLog>,
    clock: HostClock,
    /// Time of the last storage check.
    checked_at: Timestamp,
    /// True if the next `store` checks the storage.
    is_check_due: bool,
    log: LogQuota,
    /// The description of the game that precedes its state in the operator's status.
    title: String,
    /// The keys in a resumed journal, until `admit_resumed` consumes them.
    resumed_keys: Vec<(Letter, Timestamp)>,
    /// The commit that stores everything so far; `None` if the storage requires no wait.
    awaited: Option<Commit>,
    /// A spectator who has quit. The guard keeps the seat until the goodbye is sent.
    departed_spectator: Option<Peer>,
}

#[derive(Clone, Copy, Debug)]
enum HostClock {
    Running(Clock),
    Manual(Timestamp),
}

impl<S: Storage> Host<S> {
    /// Creates the driver of a room. Nothing is stored until there is a journal or recording. The clock continues
    /// from the room's time.
    pub fn new(room: Room, storage: S) -> Self {
        let clock = HostClock::Running(Clock::starting_at(room.now()));
        let checked_at = room.now();
        Self {
            room,
            storage,
            journal: None,
            recording: None,
            clock,
            checked_at,
            is_check_due: false,
            log: LogQuota::default(),
            title: String::new(),
            resumed_keys: Vec::new(),
            awaited: None,
            departed_spectator: None,
        }
    }

    /// Replaces the clock with one that only `set_time` advances, for tests.
    #[must_use]
    pub fn with_manual_clock(mut self) -> Self {
        self.clock = HostClock::Manual(self.room.now());
        self
    }

    /// Starts the journal of a new game. The setup must be the one of this game.
    #[must_use]
    pub fn with_journal(mut self, setup: &Setup, port: u16) -> Self {
        self.journal = Some(RecordLog::start(&self.room, setup, port));
        self
    }

    /// Continues the journal from which the room was resumed.
    #[must_use]
    pub fn with_resumed_journal(mut self, reading: &Reading) -> Self {
        let resumed = Writer::resume(reading, self.room.now(), self.room.game());
        self.journal = resumed.map(|(writer, bytes)| RecordLog { writer, bytes });
        let keys = reading.recording.entries().filter_map(|entry| match entry.what {
            RecordedEvent::Press(letter, _) => Some((letter, entry.at)),
            _ => None,
        });
        self.resumed_keys = keys.collect();
        self
    }

    /// Starts the recording of a new game. The setup must be the one of this game.
    #[must_use]
    pub fn with_recording(mut self, setup: &Setup, port: u16) -> Self {
        self.recording = Some(RecordLog::start(&self.room, setup, port));
        self
    }

    /// Continues the recording of a resumed game.
    #[must_use]
    pub fn with_resumed_recording(mut self, catch_up: CatchUp) -> Self {
        let CatchUp { mut writer, mut bytes, .. } = catch_up;
        writer.append_resumed(self.room.now(), self.room.game(), &mut bytes);
        self.recording = Some(RecordLog { writer, bytes });
        self
    }

    /// Sets the title that tells the operator which game this is.
    #[must_use]
    pub fn with_title(mut self, title: String) -> Self {
        self.title = title;
        self
    }

    /// The description of the game that precedes its state in the operator's status.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The room.
    pub fn room(&self) -> &Room {
        &self.room
    }

    /// The storage of the records.
    pub fn storage(&self) -> &S {
        &self.storage
    }

    /// The storage, for closing or replacing it.
    pub fn storage_mut(&mut self) -> &mut S {
        &mut self.storage
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        match self.clock {
            HostClock::Running(clock) => clock.now(),
            HostClock::Manual(now) => now,
        }
    }

    /// Sets the time of a manual clock, and turns any other clock into a manual one.
    pub fn set_time(&mut self, now: Timestamp) {
        self.clock = HostClock::Manual(now);
    }

    /// Parses and executes a message of arbitrary bytes. This is where text becomes typed.
    pub fn handle_message(&mut self, transport: &mut impl Transport, from: Peer, bytes: &[u8]) {
        match ClientMessage::parse(bytes) {
            Ok(ClientMessage::Play(name)) => self.join(transport, from, Name::new(name)),
            Ok(ClientMessage::Spectate) => self.spectate(transport, from),
            Ok(ClientMessage::Key(key)) => self.press(transport, from, key),
            Err(why) => {
                self.room.reject_malformed(self.now(), from, why, bytes);
                self.take_records(transport);
            }
        }
    }

    /// A peer asks for a seat or its welcome. A blank name is `None`.
    pub fn join(&mut self, transport: &mut impl Transport, from: Peer, name: Option<Name>) {
        let admission = self.room.admission_to_join(from, name.as_ref());
        self.admit(transport, from, admission, |room, now| room.join(now, from, name));
    }

    /// A peer asks for the seat of the spectator or its welcome.
    pub fn spectate(&mut self, transport: &mut impl Transport, from: Peer) {
        let admission = self.room.admission_to_spectate(from);
        self.admit(transport, from, admission, |room, now| room.spectate(now, from));
    }

    /// Handles a key press of a peer.
    pub fn press(&mut self, transport: &mut impl Transport, from: Peer, key: u8) {
        let now = self.now();
        guarded(transport, from, |guard, source| guard.note_key(now, source));
        let spectator = self.room.spectator();
        self.room.press(now, from, key);
        self.note_departed_spectator(transport, spectator);
        self.take_records(transport);
    }

    /// Adds a watcher to the audience, or changes its view.
    pub fn handle_watch(&mut self, peer: Peer, viewer: Viewer) -> Result<(), WatchError> {
        self.room.handle_watch(self.now(), peer, viewer)
    }

    /// Marks a peer as unreachable. A watcher leaves the audience.
    pub fn handle_disconnect(&mut self, transport: &mut impl Transport, peer: Peer) {
        self.room.handle_disconnect(self.now(), peer);
        self.take_records(transport);
    }

    /// Handles a reconnect of this peer, possibly over another connection.
    pub fn handle_reconnect(&mut self, transport: &mut impl Transport, peer: Peer) {
        self.room.set_delivery(peer, transport.delivery(peer));
        self.room.handle_reconnect(self.now(), peer);
        self.take_records(transport);
    }

    /// Removes a player from the game for this reason. Does nothing if the player has left.
    pub fn remove_player(
        &mut self,
        transport: &mut impl Transport,
        letter: Letter,
        why: QuitReason,
    ) {
        self.room.handle_removal(self.now(), letter, why);
        self.take_records(transport);
    }

    /// Removes the spectator for this reason. Does nothing if there is none.
    pub fn remove_spectator(&mut self, transport: &mut impl Transport, why: QuitReason) {
        let spectator = self.room.spectator();
        self.room.handle_spectator_removal(self.now(), why);
        self.note_departed_spectator(transport, spectator);
        self.take_records(transport);
    }

    /// Starts a waiting game.
    pub fn start(&mut self, transport: &mut impl Transport) {
        self.room.handle_start(self.now());
        self.take_records(transport);
    }

    /// Sends a notice from the host to all peers. It must be printable ASCII.
    pub fn send_notice(&mut self, words: &str) {
        self.room.handle_notice(self.now(), words);
    }

    /// Pauses or resumes the stalemate clock, for `nuggets play`, which hosts its own game.
    pub fn pause(&mut self, is_paused: bool) {
        self.room.handle_pause(self.now(), is_paused);
    }

    /// Ends the game in its current state and sends all peers the table.
    pub fn end_early(&mut self, transport: &mut impl Transport) {
        self.room.end_early(self.now());
        self.take_records(transport);
    }

    /// The time for the next call of `handle_timeouts`; a time in the past means immediately.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        self.room.poll_timeout().into_iter().chain(self.next_check()).min()
    }

    fn next_check(&self) -> Option<Timestamp> {
        let interval_ms = self.storage.check_interval_ms().filter(|_| self.journal.is_some())?;
        Some(self.checked_at.after(interval_ms))
    }

    /// Handles everything that is due. Returns true if something was; then call `flush`.
    pub fn handle_timeouts(&mut self, transport: &mut impl Transport) -> bool {
        self.handle_timeouts_until(transport, self.now())
    }

    /// Handles everything that was due at this time. All messages that arrived before it must have been handled: a
    /// player is idle only if none of them is from that player. The number of timeouts is limited, so that a room
    /// that always requests another call can't block its driver.
    pub fn handle_timeouts_until(
        &mut self,
        transport: &mut impl Transport,
        now: Timestamp,
    ) -> bool {
        let mut was_due = false;
        for _ in 0..MAX_TIMEOUTS {
            if self.room.poll_timeout().is_none_or(|due| due > now) {
                break;
            }
            self.room.handle_timeout(now);
            self.take_records(transport);
            was_due = true;
        }
        if self.next_check().is_some_and(|due| due <= now) {
            self.checked_at = now;
            self.is_check_due = true;
        }
        was_due || self.is_check_due
    }

    /// Stores, then logs, then sends the latest events. If they can't be stored and the game must stop, no peer is
    /// sent the latest events: the room is closed and all peers are notified that the server is shutting down.
    pub fn flush(&mut self, transport: &mut impl Transport) -> io::Result<()> {
        let stored = self.store();
        if stored.is_err() {
            self.room.abort();
            self.take_records(transport);
            // The recording may still get its end. The journal has been given up by now.
            let _ = self.store();
        }
        self.write_log(transport);
        let now = self.now();
        while let Some(transmit) = self.room.poll_transmit() {
            transport.send(now, transmit);
        }
        self.release_departed_spectator(transport);
        stored
    }

    /// The commit that stores everything flushed so far: a transport must wait for it before it sends. `None` if
    /// everything is stored when `flush` returns.
    pub fn awaited(&self) -> Option<Commit> {
        self.awaited
    }

    /// Requests a proof from the storage that this node still owns the game, and adds it to the awaited commits.
    pub fn prove(&mut self) -> io::Result<()> {
        let proved = keep_or_drop(&mut self.journal, self.storage.prove())?;
        self.awaited = self.awaited.max(proved);
        Ok(())
    }

    /// Stores the events so far without sending anything.
    pub fn store(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_check_due) {
            keep_or_drop(&mut self.journal, self.storage.check())?;
        }
        for kind in [RecordKind::Journal, RecordKind::Recording] {
            let log = match kind {
                RecordKind::Journal => &mut self.journal,
                RecordKind::Recording => &mut self.recording,
            };
            let Some(RecordLog { bytes, .. }) = log.as_mut().filter(|log| !log.bytes.is_empty())
            else {
                continue;
            };
            let stored = self.storage.append(kind, bytes);
            bytes.clear();
            self.awaited = self.awaited.max(keep_or_drop(log, stored)?);
        }
        let synced = keep_or_drop(&mut self.journal, self.storage.sync())?;
        self.awaited = self.awaited.max(synced);
        Ok(())
    }

    /// Closes the room and sends the remaining messages. If the end has already been sent, only the journal needs a
    /// record of it. The guard forgets the room's peers.
    pub fn close(&mut self, transport: &mut impl Transport) -> io::Result<()> {
        let is_delivered = self.room.is_closed();
        self.room.shut_down();
        self.finish_closing(transport, is_delivered)
    }

    /// Closes the room like `close` for a server that its operator stops: all peers are sent the table before the
    /// goodbye.
    pub fn stop(&mut self, transport: &mut impl Transport) -> io::Result<()> {
        self.room.shut_down_with_table();
        self.finish_closing(transport, false)
    }

    fn finish_closing(
        &mut self,
        transport: &mut impl Transport,
        is_delivered: bool,
    ) -> io::Result<()> {
        self.take_records(transport);
        let mut closed = Ok(());
        if !is_delivered {
            closed = self.flush(transport);
        } else if let Err(why) = self.store() {
            warn!(
                "sent the final table, but could not mark the journal complete ({why}); restarting with this \
                 journal will send it again"
            );
        }
        self.release_peers(transport);
        closed
    }

    /// Takes the next notice, so that `flush` does not log it. For tests.
    pub fn poll_notice(&mut self) -> Option<Notice> {
        self.room.poll_notice()
    }
}

#[cfg(test)]
mod tests;
