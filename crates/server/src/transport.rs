//! The interface between the driver of a room and a transport.

use std::net::SocketAddr;

use nuggets_record::PeerToken;

use crate::{Delivery, Guard, Peer, Timestamp, Transmit};

/// The services that the driver of a room needs from its peers' transport.
pub trait Transport {
    /// The name of this peer in log lines.
    fn name(&self, peer: Peer) -> String;

    /// The token that identifies this peer in the journal.
    fn token(&self, peer: Peer) -> PeerToken;

    /// The source address that the guard limits; `None` if no limits apply.
    fn source(&self, _: Peer) -> Option<SocketAddr> {
        None
    }

    /// The guard at the door; `None` if no limits apply.
    fn guard(&mut self) -> Option<&mut Guard> {
        None
    }

    /// The kind of transport to this peer.
    fn delivery(&self, _: Peer) -> Delivery {
        Delivery::Datagram
    }

    /// Sends or drops a message. If several pictures are waiting for a slow reader, it may drop all but the last.
    fn send(&mut self, now: Timestamp, transmit: Transmit<'_>);
}
