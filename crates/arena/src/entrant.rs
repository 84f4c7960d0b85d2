//! The brains and programs that take part in a tournament, and the syntax that names them.

use std::str::FromStr;

use nuggets_bots::{AnswerLimits, BrainKind};
use thiserror::Error;

use super::contender::{BrainContender, Contender};
use super::program::ProgramContender;

/// A brain or a program, with its number of bots per game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// Its name in the standings.
    pub name: String,
    /// A brain or a program.
    pub kind: EntrantKind,
    /// The number of its bots in every game, 1 to 26.
    pub count: usize,
}

/// The decision maker of an entrant: a brain or a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntrantKind {
    /// A brain of `nuggets-bots`.
    Brain(BrainKind),
    /// A command line for the shell; the program reads and writes messages on its standard input and output.
    Command(String),
}

/// The reason why a word does not name an entrant.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EntrantError {
    /// The brain does not exist.
    #[error("there is no brain '{0}': choose wanderer, scout or miner, such as miner:4")]
    Brain(String),
    /// The number of bots is not 1 to 26.
    #[error("'{0}' is not a number of bots: give 1 to 26 after the colon, such as miner:4")]
    Count(String),
}

impl Entrant {
    /// Returns an entrant of this many bots with this brain.
    pub fn brain(brain: BrainKind, count: usize) -> Self {
        Self { name: brain.to_string(), kind: EntrantKind::Brain(brain), count }
    }

    /// Returns an entrant of one bot that this command line runs.
    pub fn command(line: &str) -> Self {
        Self { name: line.to_owned(), kind: EntrantKind::Command(line.to_owned()), count: 1 }
    }

    pub(super) fn contender(&self, seed: u64, limits: AnswerLimits) -> Box<dyn Contender> {
        match &self.kind {
            EntrantKind::Brain(brain) => {
                Box::new(BrainContender::new(&self.name, brain.build(seed)))
            }
            EntrantKind::Command(line) => Box::new(ProgramContender::new(line, limits)),
        }
    }
}

/// Parses `miner` or `miner:4`.
impl FromStr for Entrant {
    type Err = EntrantError;

    fn from_str(typed: &str) -> Result<Self, EntrantError> {
        let (brain, count) = typed.split_once(':').unwrap_or((typed, "1"));
        let kind = brain.parse().map_err(|_| EntrantError::Brain(brain.to_owned()))?;
        let count = count.parse().ok().filter(|count| (1..=26).contains(count));
        let count = count.ok_or_else(|| EntrantError::Count(typed.to_owned()))?;
        Ok(Self::brain(kind, count))
    }
}
