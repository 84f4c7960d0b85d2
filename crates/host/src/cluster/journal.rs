//! The journal of a game in the database. It stores with the next group commit of the node, and writes no file.

use std::io;
use std::sync::Arc;

use nuggets_server::{Commit, RecordKind, Storage, Stored};

use super::Cluster;
use super::ownership::BatchNumber;
use super::routes::Epoch;
use crate::GameId;

/// Appends to the journal of a game, as long as the epoch is current.
pub(super) struct DatabaseJournal {
    pub(super) cluster: Arc<Cluster>,
    pub(super) game: GameId,
    pub(super) epoch: Epoch,
}

impl DatabaseJournal {
    fn add(&self, bytes: &[u8]) -> Stored {
        let BatchNumber(number) = self.cluster.append(self.game, self.epoch, bytes);
        Stored::With(Commit(number))
    }
}

impl Storage for DatabaseJournal {
    fn append(&mut self, kind: RecordKind, bytes: &[u8]) -> io::Result<Stored> {
        match kind {
            RecordKind::Journal => Ok(self.add(bytes)),
            RecordKind::Recording => Ok(Stored::GivenUp),
        }
    }

    fn prove(&mut self) -> io::Result<Stored> {
        Ok(self.add(&[]))
    }

    fn is_ready(&self) -> bool {
        self.cluster.may_act(self.game)
    }
}
