//! Journal, then log, then send: nothing is sent that is not stored.

use std::cell::RefCell;
use std::rc::Rc;

use nuggets_record::PeerToken;

use super::*;
use crate::{Stored, Transmit};

/// The steps of storage and transport, in order.
type Steps = Rc<RefCell<Vec<&'static str>>>;

struct TracedStorage {
    steps: Steps,
    fails: bool,
}

struct TracedTransport {
    steps: Steps,
    sent: Vec<Vec<u8>>,
}

impl Storage for TracedStorage {
    fn append(&mut self, kind: RecordKind, _: &[u8]) -> io::Result<Stored> {
        if self.fails && kind == RecordKind::Journal {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.steps.borrow_mut().push("append");
        Ok(Stored::Yes)
    }

    fn sync(&mut self) -> io::Result<Stored> {
        self.steps.borrow_mut().push("sync");
        Ok(Stored::Yes)
    }
}

impl Transport for TracedTransport {
    fn name(&self, _: Peer) -> String {
        "peer".to_owned()
    }

    fn token(&self, peer: Peer) -> PeerToken {
        MemoryTransport::token_of(peer)
    }

    fn send(&mut self, _: Timestamp, transmit: Transmit<'_>) {
        self.steps.borrow_mut().push("send");
        self.sent.push(transmit.payload.to_vec());
    }
}

fn traced() -> (Host<TracedStorage>, TracedTransport) {
    let steps = Steps::default();
    let storage = TracedStorage { steps: Rc::clone(&steps), fails: false };
    let host = Host::new(Room::new(&setup()).unwrap(), storage).with_journal(&setup(), 9);
    (host, TracedTransport { steps, sent: vec![] })
}

#[test]
fn a_join_is_stored_before_its_answer_is_sent() {
    let (mut host, mut transport) = traced();
    host.store().unwrap();
    transport.steps.borrow_mut().clear();
    host.handle_message(&mut transport, peer('a'), b"PLAY Ann");
    assert!(transport.sent.is_empty(), "nothing is sent before the flush");
    host.flush(&mut transport).unwrap();
    assert_eq!(*transport.steps.borrow(), ["append", "sync", "send", "send", "send", "send"]);
}

#[test]
fn nothing_is_sent_of_a_move_that_could_not_be_stored() {
    let (mut host, mut transport) = traced();
    host.handle_message(&mut transport, peer('a'), b"PLAY Ann");
    host.flush(&mut transport).unwrap();
    transport.sent.clear();
    host.storage.fails = true;
    host.handle_message(&mut transport, peer('b'), b"PLAY Bob");
    assert!(host.flush(&mut transport).is_err());
    let last = b"QUIT The server is shutting down.".to_vec();
    assert_eq!(transport.sent, [last.clone(), last]);
    assert!(host.room().is_closed());
}
