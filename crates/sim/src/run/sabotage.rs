//! Rooms that are broken on purpose: what is looked for must be found.

use std::str::FromStr;

use thiserror::Error;

use super::Plan;

/// What is broken.
///
/// ```
/// use nuggets_sim::run::{Plan, Run, Sabotage};
///
/// let broken = |seed| Plan::draw(seed).sabotaged(Sabotage::Repeats);
/// assert!((0..100).any(|seed| Run::of(broken(seed)).play().is_err()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// The room says everything just once.
    Repeats,
    /// The room plays by another rule than the model: sprints stop where they should not.
    Rules,
}

/// A word that names nothing to break.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("that can't be broken: choose repeats or rules")]
pub struct UnknownSabotage;

impl Sabotage {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Repeats => "repeats",
            Self::Rules => "rules",
        }
    }
}

impl FromStr for Sabotage {
    type Err = UnknownSabotage;

    fn from_str(word: &str) -> Result<Self, UnknownSabotage> {
        let all = [Self::Repeats, Self::Rules];
        all.into_iter().find(|kind| kind.word() == word).ok_or(UnknownSabotage)
    }
}

impl Plan {
    /// The same, but broken.
    #[must_use]
    pub fn sabotaged(mut self, sabotage: Sabotage) -> Self {
        match sabotage {
            Sabotage::Repeats => self.care.repeats = false,
            Sabotage::Rules => self.room_rules.sprint_stops = !self.room_rules.sprint_stops,
        }
        self
    }
}
