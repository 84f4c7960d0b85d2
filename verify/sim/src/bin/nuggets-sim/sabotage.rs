//! The faults that `nuggets-sim --sabotage` can inject, into a room or into a cluster.

use std::str::FromStr;

use nuggets_sim::cluster::ClusterSabotage;
use nuggets_sim::run::{Sabotage, UnknownSabotage};
use thiserror::Error;

/// A fault of one of the simulations.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AnySabotage {
    /// Into the room.
    Room(Sabotage),
    /// With `--cluster`.
    Cluster(ClusterSabotage),
}

impl AnySabotage {
    /// The fault of the room; none if it is one of a cluster.
    pub(super) fn of_room(self) -> Option<Sabotage> {
        match self {
            Self::Room(sabotage) => Some(sabotage),
            Self::Cluster(_) => None,
        }
    }
}

/// The word names no fault of either.
#[derive(Clone, Debug, Error)]
#[error("{UnknownSabotage}; with --cluster {}", words_of_cluster())]
pub(crate) struct UnknownAnySabotage;

fn words_of_cluster() -> String {
    ClusterSabotage::ALL.map(ClusterSabotage::word).join(", ")
}

impl FromStr for AnySabotage {
    type Err = UnknownAnySabotage;

    fn from_str(word: &str) -> Result<Self, UnknownAnySabotage> {
        if let Ok(sabotage) = word.parse() {
            return Ok(Self::Cluster(sabotage));
        }
        word.parse().map(Self::Room).map_err(|_| UnknownAnySabotage)
    }
}
