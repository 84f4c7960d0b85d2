//! What a seed stands for: nodes, games, clients, and how bad everything is.

use std::fmt;

use super::rng::SimRng;
use super::sabotage::ClusterSabotage;

/// One run, before it begins. Everything in it may be changed for an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterPlan {
    /// The seed that it was drawn from.
    pub seed: u64,
    /// How many nodes there are.
    pub nodes: usize,
    /// How many games there are.
    pub games: usize,
    /// How many clients each game has.
    pub clients: usize,
    /// How long faults happen, in milliseconds.
    pub fault_ms: u64,
    /// The mean time between two faults, in milliseconds.
    pub fault_every_ms: u64,
    /// How many of a thousand messages are lost.
    pub loss: u64,
    /// How many of a thousand messages are late, by up to three seconds.
    pub late: u64,
    /// How many of a thousand publishes arrive a second time.
    pub doubled: u64,
    /// Whether all brokers lose power once, and with it what they have acknowledged.
    pub power_loss: PowerLoss,
    /// Whether brokers need as long for an election as those of JetStream do, while faults happen.
    pub slow_elections: bool,
    /// A rule that is broken, to see that it is noticed.
    pub sabotage: Option<ClusterSabotage>,
}

/// Whether the engine breaks its promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerLoss {
    /// It doesn't.
    None,
    /// All brokers lose power, and no node crashes in this run: nothing that was shown may be lost.
    NodesSurvive,
    /// All brokers and an owner lose power; another node continues with what is left; then only the former owner is there.
    OwnerIsReplaced,
}

impl ClusterPlan {
    /// The plan of this seed.
    pub fn draw(seed: u64) -> Self {
        let mut rng = SimRng::new(seed);
        let power_loss = match rng.below(10) {
            0 => PowerLoss::NodesSurvive,
            1 => PowerLoss::OwnerIsReplaced,
            _ => PowerLoss::None,
        };
        Self {
            seed,
            nodes: 3 + rng.index(3),
            games: 1 + rng.index(3),
            clients: 1 + rng.index(3),
            fault_ms: rng.between(3_000, 9_000),
            fault_every_ms: rng.between(200, 1_500),
            loss: [0, 5, 30, 100][rng.index(4)],
            late: [0, 5, 30][rng.index(3)],
            doubled: [0, 20, 100][rng.index(3)],
            power_loss,
            slow_elections: rng.below(2) == 0,
            sabotage: None,
        }
    }

    /// The same with a broken rule.
    #[must_use]
    pub fn sabotaged(self, sabotage: ClusterSabotage) -> Self {
        Self { sabotage: Some(sabotage), ..self }
    }
}

/// Nodes, clients and faults, in one line.
impl fmt::Display for ClusterPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nodes, games, clients, fault_ms, fault_every_ms, .. } = self;
        write!(f, "{nodes} nodes, {games} games with {clients} clients each, ")?;
        write!(f, "a fault every {fault_every_ms} ms for {fault_ms} ms, ")?;
        let Self { loss, late, doubled, .. } = self;
        write!(f, "of 1000 messages {loss} lost, {late} late, {doubled} doubled")?;
        if self.slow_elections {
            write!(f, "; slow elections")?;
        }
        match self.power_loss {
            PowerLoss::None => {}
            PowerLoss::NodesSurvive => write!(f, "; the brokers lose power")?,
            PowerLoss::OwnerIsReplaced => write!(f, "; the brokers and an owner lose power")?,
        }
        self.sabotage.map_or(Ok(()), |sabotage| write!(f, "; broken rule: {sabotage}"))
    }
}
