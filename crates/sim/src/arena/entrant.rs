//! Who takes part in a tournament, as it is typed and as it is.

use std::str::FromStr;

use nuggets_bots::BrainKind;
use thiserror::Error;

use super::command::{Command, Patience};
use super::contender::{Contender, Thinker};

/// A brain or a program, and how many of it play in every game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// What it is called in the standings.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// How many play in every game.
    pub count: usize,
}

/// What decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of our brains.
    Brain(BrainKind),
    /// A program that speaks on its standard input and output, started by the shell.
    Command(String),
}

/// Why a word names no entrant.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadEntrant {
    /// Not one of ours.
    #[error("there is no brain '{0}': choose wanderer, scout or miner, such as miner:4")]
    Brain(String),
    /// Not a number of seats.
    #[error("'{0}' is no number of bots: give 1 to 26 behind the colon, such as miner:4")]
    Count(String),
}

impl Entrant {
    /// So many bots with this brain.
    pub fn brain(brain: BrainKind, count: usize) -> Self {
        Self { name: brain.to_string(), kind: Kind::Brain(brain), count }
    }

    /// One bot run by a command line.
    pub fn command(line: &str) -> Self {
        Self { name: line.to_owned(), kind: Kind::Command(line.to_owned()), count: 1 }
    }

    pub(super) fn contender(&self, seed: u64, patience: Patience) -> Box<dyn Contender> {
        match &self.kind {
            Kind::Brain(brain) => Box::new(Thinker::new(&self.name, brain.build(seed))),
            Kind::Command(line) => Box::new(Command::new(line, patience)),
        }
    }
}

/// `miner` or `miner:4`.
impl FromStr for Entrant {
    type Err = BadEntrant;

    fn from_str(typed: &str) -> Result<Self, BadEntrant> {
        let (brain, count) = typed.split_once(':').unwrap_or((typed, "1"));
        let kind = brain.parse().map_err(|_| BadEntrant::Brain(brain.to_owned()))?;
        let count = count.parse().ok().filter(|count| (1..=26).contains(count));
        let count = count.ok_or_else(|| BadEntrant::Count(typed.to_owned()))?;
        Ok(Self::brain(kind, count))
    }
}
