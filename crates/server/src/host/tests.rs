//! A driver with storage and transport in memory: checks what is stored and refused, and in which order.

mod audience;
mod guarded;
mod idle;
mod journal;
mod law;
mod log;

use std::net::SocketAddr;

use nuggets_game::{Rules, Seed, shipped};
use nuggets_protocol::Dialect;

use super::*;
use crate::{
    Guard, Hosting, Limits, MemoryStorage, MemoryTransport, Reliability, RoomOptions, StartRule,
};

/// A driven room to talk to. Peers are named by one letter, which is also their number.
struct Talk {
    host: Host<MemoryStorage>,
    transport: MemoryTransport,
    now: Timestamp,
}

fn setup() -> Setup {
    let map = shipped::find("main").unwrap().map();
    Setup::new(map, Rules::default(), Seed::new(3), Dialect::V2021)
}

fn peer(who: char) -> Peer {
    Peer(who.into())
}

/// Returns the source address of a peer: each peer has its own port on this machine.
fn source(peer: Peer) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], u16::try_from(peer.0).unwrap()))
}

/// The limits without the exemption of this machine.
fn strict() -> Limits {
    Limits { seats_per_source: Some(4), trust_private: false, ..Limits::default() }
}

fn guard(limits: Limits) -> Guard {
    Guard::new(limits, [9; 16])
}

impl Talk {
    fn new(host: Host<MemoryStorage>, transport: MemoryTransport) -> Self {
        let now = host.room().now();
        Self { host: host.with_manual_clock(), transport, now }
    }

    /// A new game with a journal and a recording.
    fn recorded(options: RoomOptions, hosting: Hosting) -> Self {
        let room = Room::new(&setup()).unwrap().with_options(options).with_hosting(hosting);
        let host = Host::new(room, MemoryStorage::default());
        let host = host.with_journal(&setup(), 9999).with_recording(&setup(), 9999);
        Self::new(host, MemoryTransport::default())
    }

    /// Handles these messages, each after the letter of its sender.
    fn hear_all(&mut self, said: &[&str]) {
        for says in said {
            self.hear(says.chars().next().unwrap(), &says.as_bytes()[1..]);
        }
    }

    /// Handles a message and returns the messages sent. Newlines are written as `/`.
    fn hear(&mut self, from: char, bytes: &[u8]) -> Vec<String> {
        self.receive(from, bytes);
        self.flush()
    }

    /// Handles a message without sending anything.
    fn receive(&mut self, from: char, bytes: &[u8]) {
        self.host.set_time(self.now);
        self.host.handle_message(&mut self.transport, peer(from), bytes);
    }

    /// Lets this time pass and returns the messages sent at each timeout.
    fn wait(&mut self, ms: u64) -> Vec<Vec<String>> {
        let until = self.now.after(ms);
        let mut sent = Vec::new();
        while let Some(due) = self.host.room().poll_timeout().filter(|due| *due <= until) {
            self.host.set_time(due);
            self.host.handle_timeouts(&mut self.transport);
            sent.push(self.flush());
        }
        self.now = until;
        self.host.set_time(until);
        sent
    }

    fn flush(&mut self) -> Vec<String> {
        self.host.flush(&mut self.transport).unwrap();
        let sent = std::mem::take(&mut self.transport.sent);
        let line = |(to, payload): (Peer, Vec<u8>)| {
            let to = u32::try_from(to.0).ok().and_then(char::from_u32).unwrap();
            format!("{to}> {}", String::from_utf8(payload).unwrap().replace('\n', "/"))
        };
        sent.into_iter().map(line).collect()
    }

    fn close(&mut self) {
        self.host.close(&mut self.transport).unwrap();
    }

    /// Takes the bytes added to the recording since the last call.
    fn recording(&mut self) -> Vec<u8> {
        self.host.store().unwrap();
        std::mem::take(&mut self.host.storage.recording)
    }

    /// Takes the bytes added to the journal since the last call.
    fn journal(&mut self) -> Vec<u8> {
        self.host.store().unwrap();
        std::mem::take(&mut self.host.storage.journal)
    }
}

/// Checks that this message causes exactly these messages.
fn check(talk: &mut Talk, from: char, says: &str, sent: &[&str]) {
    assert_eq!(talk.hear(from, says.as_bytes()), sent, "{from} says {says:?}");
}
