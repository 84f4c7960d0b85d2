//! A seed stands for this: the nodes and their clocks, the games and their people, and all faults.

use std::fmt;

use nuggets_bots::BrainKind;
use nuggets_game::{Map, Rng, RuleChoices, Rules, Seed, Setup};
use nuggets_host::{Bots, GameSpec, MapChoice, Start, Visibility};
use nuggets_protocol::Dialect;

use crate::maps::SMALL_MAPS;

/// The time in which faults happen.
const MIN_FAULTS_MS: u32 = 4_000;
const MAX_MORE_FAULTS_MS: u32 = 8_000;

/// Two of the small maps of rooms, and one with a pillar.
const MAPS: [&str; 3] = [
    SMALL_MAPS[0],
    SMALL_MAPS[1],
    "\
+----------+  
|..........|  
|....+.....###
|..........| #
+-#--------+ #
  ############
",
];

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
    /// One look of a client in this many breaks its connection.
    pub drops: u32,
    /// A single host that keeps its games in files, not in a database.
    pub disk: Option<DiskPlan>,
    /// The word of the rule that is broken.
    pub sabotage: Option<&'static str>,
}

/// A host without a database.
#[derive(Clone, Debug)]
pub struct DiskPlan {
    /// The number of clients of the specification, over UDP.
    pub classics: usize,
    /// True if a killed host loses the end of its journals. It never may: this tests that the loss is found.
    pub loses_journals: bool,
}

/// One game of a run.
#[derive(Clone, Debug)]
pub struct GamePlan {
    /// The choices of its creator.
    pub spec: GameSpec,
    /// The setup that follows from the choices.
    pub setup: Setup,
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

impl ClusterPlan {
    /// Draws the cluster of this seed.
    pub fn draw(seed: u64) -> Self {
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
            drops: 60,
            disk: None,
            sabotage: None,
        }
    }

    /// Draws the host of this seed.
    pub fn draw_host(seed: u64) -> Self {
        let mut rng = Rng::new(Seed::new(seed.cast_signed()));
        let games = 1 + rng.index(3);
        let faults_end_ms = u64::from(MIN_FAULTS_MS + rng.below(MAX_MORE_FAULTS_MS));
        let mut crash = |_| {
            let at = rng.below(u32::try_from(faults_end_ms).unwrap_or(u32::MAX));
            (u64::from(at), ClusterFault::Crash(0, rng.below(300).into()))
        };
        let faults = (0..7).map(&mut crash).collect();
        let mut plan = Self {
            clocks: vec![(1_000, 0)],
            games: (0..games).map(|_| GamePlan::draw(&mut rng)).collect(),
            people: 2 + rng.index(6),
            faults,
            faults_end_ms,
            drops: 5 + rng.below(30),
            loses_records: false,
            unreachable: None,
            disk: Some(DiskPlan { classics: rng.index(4), loses_journals: false }),
            ..Self::draw(seed)
        };
        plan.faults.truncate(rng.index(8));
        plan
    }
}

impl GamePlan {
    fn draw(rng: &mut Rng) -> Self {
        let map = MAPS[rng.index(MAPS.len())];
        let nuggets = 1 + rng.below(30);
        let rules = Rules {
            nuggets,
            min_piles: 1,
            max_piles: (1 + rng.below(4)).min(nuggets),
            max_players: 8,
            vision: (rng.below(4) == 0).then_some(3),
            steal: rng.below(4) == 0,
            drop_on_quit: rng.below(4) == 0,
            ..Rules::default()
        };
        let brain = BrainKind::ALL[rng.index(BrainKind::ALL.len())];
        let count = u8::try_from(rng.index(4)).unwrap_or(0);
        let spec = GameSpec {
            map: MapChoice::Own(map.to_owned()),
            rules: RuleChoices::default(),
            bots: Bots { count, brain: brain.to_string(), pace_ms: 50 + u64::from(rng.below(400)) },
            visibility: Visibility::Public,
            start: match rng.below(4) {
                0 => Start::ByCreator,
                1 => Start::WithPlayers(2),
                _ => Start::AtOnce,
            },
            watch_delay_s: if rng.below(3) == 0 { 1 + rng.below(5) } else { 0 },
            rated: false,
            seed: None,
        };
        let map = Map::parse(map.as_bytes()).expect("the maps of the simulation are valid").map;
        let setup = Setup::new(map, rules, draw_seed(rng), Dialect::V2021);
        Self { spec, setup }
    }
}

pub(super) fn draw_seed(rng: &mut Rng) -> Seed {
    Seed::new(i64::from(rng.below(1 << 30)) + 1)
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
        let Self { people, faults, latency_ms, breaks, drops, .. } = self;
        if let Some(disk) = &self.disk {
            write!(f, "{} UDP clients, one look in {drops} drops a connection, ", disk.classics)?;
        } else {
            write!(f, "{} nodes, one connection in {breaks} breaks, ", self.clocks.len())?;
            write!(f, "each step of a statement takes up to {latency_ms} ms, ")?;
        }
        write!(f, "{} games, {people} people", self.games.len())?;
        if self.loses_records {
            write!(f, ", fail-overs lose records")?;
        }
        if let Some(node) = self.unreachable {
            write!(f, "; n{node} can't be reached at the end")?;
        }
        write!(f, "; faults: {faults:?}")
    }
}
