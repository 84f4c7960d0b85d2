//! Faults of nodes and of the database: how they begin, and how they are mended.

use std::fmt;
use std::time::Duration;

use nuggets_game::Rng;
use nuggets_testkit::{CutDirection, Proxy, StopMode, WebHost};
use rustix::process::{Resource, Rlimit, Signal, getrlimit, prlimit};

use crate::cluster::Cluster;

/// Something that goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// `kill -9` of the node that runs a game.
    KillOwner,
    /// The owner hangs, and goes on when another node has its games.
    HangOwner,
    /// The owner is cut off from the database until another node has its games.
    CutOwner(CutDirection),
    /// The owner is asked to stop, and hands its games over.
    StopOwner,
    /// A node can open no more files and sockets, and its connections to the database break.
    NoDescriptors,
    /// `kill -9` of a node that does not run the game, but may pass it on.
    KillOther,
    /// `kill -9` of all nodes.
    KillAll,
    /// `kill -9` of the primary; the standby is promoted.
    FailOver,
    RestartDatabase,
    /// The primary can't write any more.
    FillDisk,
}

/// The rounds of the suite; those after it are drawn.
const SUITE: [&[Fault]; 10] = [
    &[Fault::KillOwner],
    &[Fault::StopOwner],
    &[Fault::HangOwner],
    &[Fault::FailOver],
    &[Fault::CutOwner(CutDirection::Both)],
    &[Fault::NoDescriptors, Fault::KillOwner],
    &[Fault::FillDisk],
    &[Fault::CutOwner(CutDirection::FromServer), Fault::KillOther],
    &[Fault::RestartDatabase, Fault::KillOwner],
    &[Fault::KillAll],
];

const ALL: [Fault; 12] = [
    Fault::KillOwner,
    Fault::HangOwner,
    Fault::CutOwner(CutDirection::Both),
    Fault::CutOwner(CutDirection::ToServer),
    Fault::CutOwner(CutDirection::FromServer),
    Fault::StopOwner,
    Fault::NoDescriptors,
    Fault::KillOther,
    Fault::KillAll,
    Fault::FailOver,
    Fault::RestartDatabase,
    Fault::FillDisk,
];

/// The extent of a run.
pub(super) struct Extent {
    pub(super) rounds: usize,
    pub(super) seed: i64,
    pub(super) is_long: bool,
    /// Only this fault.
    fault: Option<String>,
}

impl Extent {
    pub(super) fn chosen() -> Self {
        let number = |name: &str| std::env::var(name).ok().map(|it| it.parse().expect("a number"));
        let rounds = number("NUGGETS_ROUNDS");
        Self {
            rounds: rounds.map_or(SUITE.len(), |rounds| usize::try_from(rounds).unwrap()),
            seed: number("NUGGETS_SEED").unwrap_or(1),
            is_long: rounds.is_some(),
            fault: std::env::var("NUGGETS_FAULT").ok(),
        }
    }

    /// The faults of a round.
    pub(super) fn faults(&self, round: usize, rng: &mut Rng) -> Vec<Fault> {
        let Some(name) = &self.fault else {
            return SUITE.get(round).map_or_else(|| Fault::draw(rng), |faults| faults.to_vec());
        };
        loop {
            let faults = Fault::draw(rng);
            if format!("{faults:?}").trim_matches(['[', ']']) == name {
                return faults;
            }
        }
    }
}

impl Fault {
    /// One fault, or a pair of which one is about a node.
    fn draw(rng: &mut Rng) -> Vec<Self> {
        let first = ALL[rng.index(ALL.len())];
        let second = ALL[rng.index(ALL.len())];
        let can_pair = first != second && first.is_about_one_node() && second != Self::KillAll;
        if can_pair && rng.below(2) == 0 { vec![second, first] } else { vec![first] }
    }

    pub(super) fn is_about_database(self) -> bool {
        matches!(self, Self::FailOver | Self::RestartDatabase | Self::FillDisk)
    }

    /// Its node does not live or runs no games for a while.
    pub(super) fn is_about_one_node(self) -> bool {
        !self.is_about_database() && self != Self::KillAll
    }

    /// No game goes on before it is mended.
    pub(super) fn stops_all(self) -> bool {
        matches!(self, Self::FillDisk | Self::KillAll)
    }

    /// Another node must take over the games of the node.
    pub(super) fn ends_ownership(self) -> bool {
        self.is_about_one_node() && self != Self::NoDescriptors
    }

    /// The node is that of the chosen game.
    pub(super) fn is_about_owner(self) -> bool {
        !matches!(self, Self::KillOther | Self::NoDescriptors)
    }

    /// The shortest time that it lasts.
    pub(super) fn lasts(self, rng: &mut Rng, is_long: bool) -> Duration {
        let more = if is_long { rng.below(15_000) } else { 0 };
        match self {
            Self::HangOwner => Duration::from_millis(5_000 + u64::from(more)),
            Self::FillDisk => Duration::from_millis(2_000 + u64::from(more / 4)),
            _ => Duration::ZERO,
        }
    }

    /// Begins. A fault of the database that is over at once is over when this returns.
    pub(super) fn begin(self, cluster: &mut Cluster, node: usize) {
        match self {
            Self::KillOwner | Self::KillOther => cluster.nodes[node].kill(),
            Self::HangOwner => cluster.nodes[node].signal(Signal::STOP),
            Self::StopOwner => cluster.nodes[node].signal(Signal::TERM),
            Self::CutOwner(cut) => cluster.networks(node).iter().for_each(|it| it.cut(cut)),
            Self::NoDescriptors => {
                limit_descriptors(&cluster.nodes[node], true);
                cluster.networks(node).iter().for_each(Proxy::break_connections);
            }
            Self::KillAll => cluster.nodes.iter_mut().for_each(WebHost::kill),
            Self::FailOver => {
                cluster.databases.fail_over();
                cluster.databases.wait_for_commit();
            }
            Self::RestartDatabase => {
                cluster.databases.primary_mut().stop(StopMode::Immediate);
                cluster.databases.primary_mut().restart();
                cluster.databases.wait_for_commit();
            }
            Self::FillDisk => cluster.databases.primary().fill_disk(),
        }
    }

    /// Everything is as before.
    pub(super) fn mend(self, cluster: &mut Cluster, node: usize) {
        match self {
            Self::KillOwner | Self::KillOther => cluster.nodes[node].start_when_possible(),
            Self::HangOwner => cluster.nodes[node].signal(Signal::CONT),
            Self::StopOwner => {
                let ended = cluster.nodes[node].end();
                assert!(ended.status.success(), "node {node} did not stop as it should");
                cluster.nodes[node].start_when_possible();
            }
            Self::CutOwner(_) => cluster.networks(node).iter().for_each(Proxy::mend),
            Self::NoDescriptors => limit_descriptors(&cluster.nodes[node], false),
            Self::KillAll => cluster.nodes.iter_mut().for_each(WebHost::start_when_possible),
            Self::FailOver => cluster.add_standby(),
            Self::RestartDatabase => {}
            Self::FillDisk => cluster.databases.primary_mut().free_disk(),
        }
    }
}

/// Lets a node open no more files and sockets than it has, or as many as usual.
fn limit_descriptors(node: &WebHost, is_limited: bool) {
    let pid = node.process().pid();
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
    let usual = getrlimit(Resource::Nofile);
    let current = if is_limited { Some(open as u64) } else { usual.current };
    prlimit(Some(pid), Resource::Nofile, Rlimit { current, ..usual }).unwrap();
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::KillOwner => "owner killed",
            Self::HangOwner => "owner hangs",
            Self::CutOwner(CutDirection::Both) => "owner cut off",
            Self::CutOwner(CutDirection::ToServer) => "owner can't speak to the database",
            Self::CutOwner(CutDirection::FromServer) => "owner can't hear the database",
            Self::StopOwner => "owner stopped as planned",
            Self::NoDescriptors => "node without descriptors",
            Self::KillOther => "another node killed",
            Self::KillAll => "all nodes killed",
            Self::FailOver => "primary killed, standby promoted",
            Self::RestartDatabase => "database restarted",
            Self::FillDisk => "disk of the database full",
        })
    }
}
