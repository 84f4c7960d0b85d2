//! What the driver of a room must know from a transport.

use std::net::SocketAddr;

use nuggets_record::PeerToken;

use crate::{Delivery, Guard, Peer, Timestamp, Transmit};

/// What the driver must know from the transport that a peer uses.
pub trait Transport {
    /// What log lines call this peer.
    fn name(&self, peer: Peer) -> String;

    /// What the journal identifies this peer by.
    fn token(&self, peer: Peer) -> PeerToken;

    /// The source address that the guard limits; `None` if no limits apply.
    fn source(&self, _: Peer) -> Option<SocketAddr> {
        None
    }

    /// The guard at the door; `None` if no limits apply.
    fn guard(&mut self) -> Option<&mut Guard> {
        None
    }

    /// How messages travel to this peer.
    fn delivery(&self, _: Peer) -> Delivery {
        Delivery::Datagram
    }

    /// Sends a message, or drops it. Of pictures that wait for a slow reader it may drop all but the last.
    fn send(&mut self, now: Timestamp, transmit: Transmit<'_>);
}
