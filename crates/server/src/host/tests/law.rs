//! The law of the driver: every event is in the journal, and synced, before it is sent. Checked at every send of a
//! whole game, with one message per flush and with several.

use std::cell::RefCell;
use std::rc::Rc;

use nuggets_record::{PeerToken, Recording, verify};

use super::*;
use crate::{Stored, Transmit};

/// A disk and a wire: the stored bytes, how many of them would survive a power failure, and how many would have
/// survived at each send.
#[derive(Default)]
struct World {
    journal: Vec<u8>,
    synced: usize,
    synced_at_sends: Vec<usize>,
}

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<World>>);

impl Storage for Shared {
    fn append(&mut self, kind: RecordKind, bytes: &[u8]) -> io::Result<Stored> {
        assert_eq!(kind, RecordKind::Journal);
        self.0.borrow_mut().journal.extend_from_slice(bytes);
        Ok(Stored::Yes)
    }

    fn sync(&mut self) -> io::Result<Stored> {
        let world = &mut *self.0.borrow_mut();
        world.synced = world.journal.len();
        Ok(Stored::Yes)
    }

    fn is_slow(&self) -> bool {
        true
    }
}

impl Transport for Shared {
    fn name(&self, _: Peer) -> String {
        "peer".to_owned()
    }

    fn token(&self, peer: Peer) -> PeerToken {
        MemoryTransport::token_of(peer)
    }

    fn send(&mut self, _: Timestamp, _: Transmit<'_>) {
        let world = &mut *self.0.borrow_mut();
        world.synced_at_sends.push(world.synced);
    }
}

/// A driven game, and the number of messages sent so far.
struct Driven {
    host: Host<Shared>,
    shared: Shared,
    sent: usize,
}

impl Driven {
    fn new() -> Self {
        let shared = Shared::default();
        let reliability = Reliability { idle_timeout_ms: Some(9_000), ..Reliability::default() };
        let options = RoomOptions { reliability, ..RoomOptions::default() };
        let room = Room::new(&setup()).unwrap().with_options(options);
        let host = Host::new(room, shared.clone()).with_journal(&setup(), 9).with_manual_clock();
        Self { host, shared, sent: 0 }
    }

    /// Flushes and checks that before each message sent, a power failure would leave exactly the game that the
    /// message shows.
    fn flush(&mut self) {
        assert!(self.shared.0.borrow().synced_at_sends.is_empty(), "only a flush sends");
        self.host.flush(&mut self.shared.clone()).unwrap();
        let sends = std::mem::take(&mut self.shared.0.borrow_mut().synced_at_sends);
        self.sent += sends.len();
        let world = self.shared.0.borrow();
        for synced in sends {
            let reading = Recording::read(&world.journal[..synced]).unwrap();
            let game = verify(&reading.recording).unwrap().game;
            assert_eq!(game.state_hash(), self.host.room().game().state_hash());
            assert_eq!(reading.recording.end().is_some(), self.host.room().is_over());
        }
    }

    fn hear(&mut self, ms: u64, from: char, bytes: &[u8]) {
        self.host.set_time(Timestamp(ms));
        self.host.handle_message(&mut self.shared.clone(), peer(from), bytes);
    }
}

#[test]
fn whatever_is_sent_is_in_the_synced_journal_before() {
    for batch in [1, 3] {
        let mut driven = Driven::new();
        let joins = [('a', "PLAY Ann"), ('b', "PLAY Bob"), ('s', "SPECTATE"), ('t', "SPECTATE")];
        let keys = "LHJKYUBNlhjkyubn?".chars().cycle().take(120);
        let keys = keys
            .enumerate()
            .map(|(index, key)| (if index % 3 == 0 { 'b' } else { 'a' }, format!("KEY {key}")));
        let said = joins.map(|(from, says)| (from, says.to_owned())).into_iter().chain(keys);
        let said = said.chain([('t', "KEY Q".to_owned()), ('b', "KEY Q".to_owned())]);
        for (index, (from, says)) in said.enumerate() {
            driven.hear(index as u64 * 10, from, says.as_bytes());
            if (index + 1) % batch == 0 {
                driven.flush();
            }
        }
        driven.flush();
        let sent = driven.sent;
        assert!(sent > 200, "{sent}");
        // Ann sends nothing any more: her picture is resent, then she is dropped.
        while let Some(due) = driven.host.room().poll_timeout() {
            driven.host.set_time(due);
            driven.host.handle_timeouts(&mut driven.shared.clone());
            driven.flush();
        }
        assert!(driven.sent > sent);
        assert_eq!(
            driven.host.room().game().players().iter().filter_map(nuggets_game::Player::at).count(),
            0
        );
    }
}

/// All players quit, the last one after all 26 have joined, which ends the game.
#[test]
fn the_end_of_a_game_is_in_the_synced_journal_before_the_table_is_sent() {
    let mut driven = Driven::new();
    for index in 0..26 {
        let who = char::from(b'A' + index);
        for says in ["PLAY Eve", "KEY Q"] {
            driven.hear(u64::from(index), who, says.as_bytes());
            driven.flush();
        }
    }
    assert!(driven.host.room().is_over());
}
