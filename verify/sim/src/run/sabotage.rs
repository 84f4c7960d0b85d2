//! Rooms that are broken on purpose, to test that the faults are found.

use std::str::FromStr;

use thiserror::Error;

use super::RunPlan;

/// A fault put into the room.
///
/// ```
/// use nuggets_sim::run::{Run, RunPlan, Sabotage};
///
/// let broken = |seed| RunPlan::draw(seed).sabotaged(Sabotage::Resends);
/// assert!((0..100).any(|seed| Run::from_plan(broken(seed)).play().is_err()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// The room sends nothing again.
    Resends,
    /// The room plays by another rule than the model: sprints stop where they should not, or the reverse.
    Rules,
    /// The room drops players after half of the idle timeout.
    Idle,
    /// The room sends the end for half as long.
    Linger,
}

/// The word names no fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown fault: choose resends, rules, idle or linger")]
pub struct UnknownSabotage;

impl Sabotage {
    /// The word for it on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Resends => "resends",
            Self::Rules => "rules",
            Self::Idle => "idle",
            Self::Linger => "linger",
        }
    }
}

impl FromStr for Sabotage {
    type Err = UnknownSabotage;

    fn from_str(word: &str) -> Result<Self, UnknownSabotage> {
        match word {
            // The older word still works.
            "resends" | "repeats" => Ok(Self::Resends),
            "rules" => Ok(Self::Rules),
            "idle" => Ok(Self::Idle),
            "linger" => Ok(Self::Linger),
            _ => Err(UnknownSabotage),
        }
    }
}

impl RunPlan {
    /// The same plan with a fault in the room.
    #[must_use]
    pub fn sabotaged(mut self, sabotage: Sabotage) -> Self {
        match sabotage {
            Sabotage::Resends => self.room_reliability.resends = false,
            Sabotage::Rules => self.room_rules.sprint_stops = !self.room_rules.sprint_stops,
            Sabotage::Idle => {
                let halved = self.room_reliability.idle_timeout_ms.map(|ms| ms / 2);
                self.room_reliability.idle_timeout_ms = halved;
            }
            Sabotage::Linger => self.room_reliability.linger_ms /= 2,
        }
        self
    }
}
