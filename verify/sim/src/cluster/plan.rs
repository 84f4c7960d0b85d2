//! A seed stands for this: the nodes and their clocks, the games and their people, and all faults.

use std::fmt;

use nuggets_game::{Rng, Seed};
use nuggets_host::Start;

use crate::host::GamePlan;
use crate::kit::Plan;

/// The time in which faults happen.
const MIN_FAULTS_MS: u32 = 4_000;
const MAX_MORE_FAULTS_MS: u32 = 8_000;

/// One run, before it begins. Everything in it may be changed for an experiment.
#[derive(Clone, Debug)]
pub struct ClusterPlan {
    /// The seed that it was drawn from.
    pub seed: u64,
    /// The clock of each node: its rate in thousandths, and where it stands at the start, in milliseconds.
    pub clocks: Vec<(u64, u64)>,
    /// The games.
    pub games: Vec<GamePlan>,
    /// The number of people.
    pub people: usize,
    /// The faults, ordered by time in milliseconds.
    pub faults: Vec<(u64, ClusterFault)>,
    /// No fault begins after this time, and all have ended.
    pub faults_end_ms: u64,
    /// The slowest step of a statement, in milliseconds.
    pub latency_ms: u32,
    /// One statement of this many loses its connection before it is answered.
    pub breaks: u32,
    /// One call between nodes of this many is lost.
    pub call_losses: u32,
    /// True if a fail-over loses acknowledged records. Then pictures are not compared.
    pub loses_records: bool,
    /// The node that has no descriptors from the end of all faults on: others must serve its games.
    pub unreachable: Option<usize>,
    /// True if nodes claim games of others at any time: that may only cost time.
    pub ignores_leases: bool,
    /// The word of the rule that is broken.
    pub sabotage: Option<&'static str>,
}

/// A fault. Times are durations in milliseconds; nodes are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterFault {
    /// A node is killed, and started again after this time.
    Crash(usize, u64),
    /// A node is stopped as by a signal, and goes on after this time.
    Pause(usize, u64),
    /// Nothing of a node arrives at the database, or nothing comes back, or both.
    CutOff(usize, u64, CutOff),
    /// A node can open no game, and accept no connection.
    NoDescriptors(usize, u64),
    /// A node hands its games over and stops; then it is started again.
    Leave(usize),
    /// The database is restarted.
    Restart,
    /// The database answers nothing for this time.
    Stall(u64),
    /// The standby takes over; the old primary is switched off after this time.
    FailOver(u64),
    /// A commit is cancelled while it waits for the standby.
    Cancel,
}

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutOff {
    /// Statements don't arrive.
    To,
    /// Answers don't arrive.
    From,
    /// Neither arrives.
    Both,
}

impl Plan for ClusterPlan {
    fn draw(seed: u64) -> Self {
        let mut rng = Rng::new(Seed::new(seed.cast_signed() ^ 0xc1));
        let nodes = 2 + rng.index(3);
        let faults_end_ms = u64::from(MIN_FAULTS_MS + rng.below(MAX_MORE_FAULTS_MS));
        let games = 1 + rng.index(3);
        let count = 1 + rng.index(8);
        let mut faults: Vec<(u64, ClusterFault)> =
            (0..count).map(|_| draw_fault(&mut rng, nodes, faults_end_ms)).collect();
        faults.sort_by_key(|(at, _)| *at);
        Self {
            seed,
            clocks: (0..nodes).map(|_| draw_clock(&mut rng)).collect(),
            games: (0..games).map(|_| draw_game(&mut rng)).collect(),
            people: games + rng.index(4),
            faults,
            faults_end_ms,
            latency_ms: [1, 2, 5, 20, 60][rng.index(5)],
            breaks: 20 + rng.below(400),
            call_losses: 2 + rng.below(10),
            loses_records: rng.below(12) == 0,
            unreachable: (rng.below(8) == 0).then(|| rng.index(nodes)),
            ignores_leases: false,
            sabotage: None,
        }
    }

    fn break_rule(&mut self, word: &'static str) {
        self.sabotage = Some(word);
    }
}

fn draw_clock(rng: &mut Rng) -> (u64, u64) {
    (950 + u64::from(rng.below(101)), u64::from(rng.below(1_000_000)))
}

fn draw_game(rng: &mut Rng) -> GamePlan {
    let mut plan = GamePlan::draw(rng);
    plan.spec.start = Start::AtOnce;
    plan.spec.watch_delay_s = 0;
    // A bot finds all gold: few games should end so soon.
    plan.spec.bots.count = u8::from(rng.below(4) == 0);
    plan
}

fn draw_fault(rng: &mut Rng, nodes: usize, end_ms: u64) -> (u64, ClusterFault) {
    let at = u64::from(rng.below(u32::try_from(end_ms).unwrap_or(u32::MAX)));
    let node = rng.index(nodes);
    let lasts = 100 + u64::from(rng.below(4_000));
    let fault = match rng.below(12) {
        0 | 1 => ClusterFault::Crash(node, lasts),
        2 | 3 => ClusterFault::Pause(node, lasts),
        4 => ClusterFault::CutOff(node, lasts, CutOff::Both),
        5 => ClusterFault::CutOff(node, lasts, [CutOff::To, CutOff::From][rng.index(2)]),
        6 => ClusterFault::NoDescriptors(node, lasts),
        7 => ClusterFault::Leave(node),
        8 => ClusterFault::Restart,
        9 => ClusterFault::Stall(lasts),
        10 => ClusterFault::FailOver(lasts),
        _ => ClusterFault::Cancel,
    };
    (at, fault)
}

/// Nodes, games, people and faults, in one line.
impl fmt::Display for ClusterPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { people, faults, latency_ms, breaks, .. } = self;
        write!(f, "{} nodes, {} games, {people} people; ", self.clocks.len(), self.games.len())?;
        write!(f, "each step of a statement takes up to {latency_ms} ms, ")?;
        write!(f, "one connection in {breaks} breaks")?;
        if self.loses_records {
            write!(f, ", fail-overs lose records")?;
        }
        if let Some(node) = self.unreachable {
            write!(f, "; n{node} can't be reached at the end")?;
        }
        write!(f, "; faults: {faults:?}")
    }
}
