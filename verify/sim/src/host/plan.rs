//! The plan that is drawn from a seed: the games, the people, and the faults of their connections.

use std::fmt;

use nuggets_bots::BrainKind;
use nuggets_game::{Map, Rng, RuleChoices, Rules, Seed, Setup};
use nuggets_host::{Bots, GameSpec, MapChoice, Start, Visibility};
use nuggets_protocol::Dialect;

use crate::kit::Plan;
use crate::maps::SMALL_MAPS;

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
pub struct HostPlan {
    /// The seed that it was drawn from.
    pub seed: u64,
    /// The games at the start.
    pub games: Vec<GamePlan>,
    /// The number of people; each plays or watches one game at a time.
    pub people: usize,
    /// The number of clients of the specification, over UDP.
    pub classics: usize,
    /// The number of steps.
    pub steps: u32,
    /// A connection drops once in this many steps, on average.
    pub drops: u32,
    /// The server is killed and restarted once in this many steps, on average.
    pub crashes: u32,
    /// True if a killed server loses the end of its journals. It never may: this tests that the loss is found.
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

impl Plan for HostPlan {
    fn draw(seed: u64) -> Self {
        let mut rng = Rng::new(Seed::new(seed.cast_signed()));
        let games = 1 + rng.index(3);
        Self {
            seed,
            games: (0..games).map(|_| GamePlan::draw(&mut rng)).collect(),
            people: 2 + rng.index(6),
            classics: rng.index(4),
            steps: 400 + rng.below(800),
            drops: 10 + rng.below(60),
            crashes: 60 + rng.below(400),
            loses_journals: false,
        }
    }

    fn break_rule(&mut self, _: &'static str) {
        self.loses_journals = true;
    }
}

/// Games, people and faults, in one line.
impl fmt::Display for HostPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { people, classics, steps, drops, crashes, .. } = self;
        let bots: u32 = self.games.iter().map(|game| u32::from(game.spec.bots.count)).sum();
        write!(f, "{} games, {people} people, {classics} UDP clients, ", self.games.len())?;
        write!(f, "{bots} bots, {steps} steps; ")?;
        write!(f, "one in {drops} drops a connection, one in {crashes} kills the server")
    }
}

impl GamePlan {
    pub(crate) fn draw(rng: &mut Rng) -> Self {
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
