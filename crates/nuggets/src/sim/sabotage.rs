//! The faults that `nuggets sim --sabotage` can inject, into a room or into a cluster.

use std::str::FromStr;

use nuggets_cluster::sim::ClusterSabotage;
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

/// The word names no fault of either.
#[derive(Clone, Debug, Error)]
#[error("{UnknownSabotage}; with --cluster {}", ClusterSabotage::ALL.map(ClusterSabotage::word).join(", "))]
pub(crate) struct UnknownAnySabotage;

impl FromStr for AnySabotage {
    type Err = UnknownAnySabotage;

    fn from_str(word: &str) -> Result<Self, UnknownAnySabotage> {
        let room = word.parse().map(Self::Room).ok();
        let cluster = || word.parse().map(Self::Cluster).ok();
        room.or_else(cluster).ok_or(UnknownAnySabotage)
    }
}
