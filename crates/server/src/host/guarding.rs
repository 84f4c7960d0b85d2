//! The driver's part of guarding a room: asks the guard about new seats, and reports seats and keys to it.

use std::net::SocketAddr;

use nuggets_time::Timestamp;

use super::Host;
use crate::{Admission, Guard, Peer, Room, Storage, Transport};

impl<S: Storage> Host<S> {
    /// Registers the peers of a resumed game with the guard. Players who pressed keys before have proven that they
    /// listen. Does nothing for a new game.
    pub fn admit_resumed(&mut self, transport: &mut impl Transport) {
        let now = self.now();
        let resumed_keys = std::mem::take(&mut self.resumed_keys);
        let peers: Vec<Peer> = self.room.peers().collect();
        for (index, peer) in peers.into_iter().enumerate() {
            self.note_seat(transport, now, peer, self.admission_of(peer));
            let keys = resumed_keys.iter().filter(|(letter, _)| letter.index() == index);
            guarded(transport, peer, |guard, source| {
                keys.for_each(|(_, at)| guard.note_key(*at, source));
            });
        }
    }

    /// Asks the guard about an admission. Then the room handles the request, or refuses it.
    pub(super) fn admit(
        &mut self,
        transport: &mut impl Transport,
        from: Peer,
        admission: Option<Admission>,
        handle: impl FnOnce(&mut Room, Timestamp),
    ) {
        let now = self.now();
        if admission == Some(Admission::WatchAgain) {
            guarded(transport, from, |guard, source| guard.note_key(now, source));
        }
        if let Some(admission) = admission
            && let Some(Err(why)) =
                guarded(transport, from, |guard, source| guard.admit(now, source, admission))
        {
            self.room.refuse(now, from, admission, why);
            return self.take_records(transport);
        }
        let spectator = self.room.spectator();
        handle(&mut self.room, now);
        self.note_departed_spectator(transport, spectator);
        if let Some(admission) = admission.filter(|admission| admission.is_new())
            && self.room.has_seat(from)
        {
            self.release_departed_spectator(transport);
            self.note_seat(transport, now, from, admission);
        }
        self.take_records(transport);
    }

    /// Remembers a spectator that has just left: the guard keeps its seat until its goodbye is sent.
    pub(super) fn note_departed_spectator(
        &mut self,
        transport: &mut impl Transport,
        before: Option<Peer>,
    ) {
        if before != self.room.spectator() {
            // This is the second one in the same batch of messages, so the guard no longer needs the first.
            self.release_departed_spectator(transport);
            self.departed_spectator = before;
        }
    }

    /// Releases the guard's seat of a spectator who has quit or was replaced.
    pub(super) fn release_departed_spectator(&mut self, transport: &mut impl Transport) {
        if let Some(departed) = self.departed_spectator.take() {
            release(transport, departed, Admission::Watch);
        }
    }

    /// Removes the room's peers from the guard. For a room that can't be closed because it has panicked.
    pub fn release_peers(&self, transport: &mut impl Transport) {
        for peer in self.room.peers() {
            release(transport, peer, self.admission_of(peer));
        }
    }

    /// The admission by which this peer got its seat.
    fn admission_of(&self, peer: Peer) -> Admission {
        if self.room.spectator() == Some(peer) { Admission::Watch } else { Admission::Join }
    }

    fn note_seat(
        &mut self,
        transport: &mut impl Transport,
        now: Timestamp,
        peer: Peer,
        admission: Admission,
    ) {
        self.room.set_delivery(peer, transport.delivery(peer));
        let is_trusted = guarded(transport, peer, |guard, source| {
            guard.seat(now, source, admission);
            guard.is_trusted(source)
        });
        if is_trusted == Some(true) {
            self.room.lift_key_rate(peer);
        }
    }
}

/// Calls this with the guard and the address of a peer, if the transport has both.
pub(super) fn guarded<R>(
    transport: &mut impl Transport,
    peer: Peer,
    call: impl FnOnce(&mut Guard, SocketAddr) -> R,
) -> Option<R> {
    let source = transport.source(peer)?;
    transport.guard().map(|guard| call(guard, source))
}

/// Releases the guard's seat of a peer.
fn release(transport: &mut impl Transport, peer: Peer, admission: Admission) {
    guarded(transport, peer, |guard, source| guard.release(source, admission));
}
