//! A game and a storage for the tests of this crate.

use std::io;

use nuggets_game::{Rules, Seed, Setup, shipped};
use nuggets_protocol::Dialect;
use nuggets_server::{RecordKind, Storage, Stored};

use crate::{Attach, AttachRole, ConnectionId, GameId, GameMeta, PlayerId};

pub(crate) fn id(number: u8) -> GameId {
    GameId::from_random([number; 12])
}

/// The metadata of a game that person 1 has created.
pub(crate) fn meta(number: u8) -> GameMeta {
    GameMeta::new(id(number), "main".into(), PlayerId(1), "Person 1".into())
}

pub(crate) fn setup() -> Setup {
    let map = shipped::find("main").unwrap().map();
    Setup::new(map, Rules::default(), Seed::new(3), Dialect::V2021)
}

/// The request of a person over a connection.
pub(crate) fn attach(connection: u64, person: u64, role: AttachRole) -> Attach {
    let name = format!("Person {person}");
    Attach::new(ConnectionId(connection), PlayerId(person), name, role)
}

/// A journal that is deleted while nothing is written.
#[derive(Debug)]
pub(crate) struct Deleted;

impl Storage for Deleted {
    fn append(&mut self, _: RecordKind, _: &[u8]) -> io::Result<Stored> {
        Ok(Stored::Yes)
    }

    fn check(&mut self) -> io::Result<Stored> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn check_interval_ms(&self) -> Option<u64> {
        Some(5_000)
    }
}
