//! Storage and transport in memory, for tests and the simulator.

use std::io;
use std::net::SocketAddr;

use nuggets_record::PeerToken;

use crate::{Delivery, Guard, Peer, RecordKind, Storage, Stored, Timestamp, Transmit, Transport};

/// Stores journal and recording in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryStorage {
    /// The bytes of the journal.
    pub journal: Vec<u8>,
    /// The bytes of the recording.
    pub recording: Vec<u8>,
}

impl Storage for MemoryStorage {
    fn append(&mut self, kind: RecordKind, bytes: &[u8]) -> io::Result<Stored> {
        match kind {
            RecordKind::Journal => self.journal.extend_from_slice(bytes),
            RecordKind::Recording => self.recording.extend_from_slice(bytes),
        }
        Ok(Stored::Yes)
    }
}

/// A transport that collects the messages sent. With a guard it limits bytes like the UDP shell.
#[derive(Debug, Default)]
pub struct MemoryTransport {
    /// The messages sent, in order, until the test takes them.
    pub sent: Vec<(Peer, Vec<u8>)>,
    /// The kind of transport to every peer.
    pub delivery: Delivery,
    guard: Option<Guard>,
    source_of: Option<fn(Peer) -> SocketAddr>,
}

impl MemoryTransport {
    /// A transport that limits peers as if they had these source addresses.
    pub fn guarded(guard: Guard, source_of: fn(Peer) -> SocketAddr) -> Self {
        Self { guard: Some(guard), source_of: Some(source_of), ..Self::default() }
    }

    /// The token of a peer: its number.
    pub fn token_of(peer: Peer) -> PeerToken {
        PeerToken::new(&peer.0.to_le_bytes()).expect("8 bytes are a token")
    }

    /// The peer of a token; `None` if another transport wrote it.
    pub fn restore(token: &PeerToken) -> Option<Peer> {
        token.as_bytes().try_into().ok().map(|bytes| Peer(u64::from_le_bytes(bytes)))
    }
}

impl Transport for MemoryTransport {
    fn name(&self, peer: Peer) -> String {
        format!("peer {}", peer.0)
    }

    fn token(&self, peer: Peer) -> PeerToken {
        Self::token_of(peer)
    }

    fn source(&self, peer: Peer) -> Option<SocketAddr> {
        self.source_of.map(|source_of| source_of(peer))
    }

    fn guard(&mut self) -> Option<&mut Guard> {
        self.guard.as_mut()
    }

    fn delivery(&self, _: Peer) -> Delivery {
        self.delivery
    }

    fn send(&mut self, now: Timestamp, Transmit { to, payload, .. }: Transmit<'_>) {
        let source = self.source(to);
        let may_send = match (&mut self.guard, source) {
            (Some(guard), Some(source)) => guard.may_send(now, source, payload.len()),
            _ => true,
        };
        if may_send {
            self.sent.push((to, payload.to_vec()));
        }
    }
}
