//! Rules that are broken on purpose, to test that this is noticed, and for its own reason.

use super::{Plan, Simulation};

/// A rule that can be broken.
pub struct Sabotage<S: Simulation> {
    /// The word for it on the command line.
    pub word: &'static str,
    stage: fn(&mut S::Plan),
    break_rule: fn(&mut S::Plan),
    is_noticed: fn(&S::Fault) -> bool,
}

impl<S: Simulation> Sabotage<S> {
    /// A rule that this breaks. `is_noticed` is true for the faults that follow; others may have another reason.
    pub const fn new(
        word: &'static str,
        break_rule: fn(&mut S::Plan),
        is_noticed: fn(&S::Fault) -> bool,
    ) -> Self {
        Self { word, stage: |_| {}, break_rule, is_noticed }
    }

    /// Adds to the plan what makes the rule matter.
    #[must_use]
    pub const fn staged_by(self, stage: fn(&mut S::Plan)) -> Self {
        Self { stage, ..self }
    }

    /// Finds the rule of this word.
    pub fn find(word: &str) -> Option<&'static Self> {
        S::SABOTAGES.iter().find(|it| it.word == word)
    }

    /// Returns the plan of this seed in which the rule matters.
    pub fn staged(&self, seed: u64) -> S::Plan {
        let mut plan = S::Plan::draw(seed);
        (self.stage)(&mut plan);
        plan
    }

    /// Returns the plan of this seed with the rule broken.
    pub fn broken(&self, seed: u64) -> S::Plan {
        let mut plan = self.staged(seed);
        (self.break_rule)(&mut plan);
        plan
    }

    /// True if a fault follows from the broken rule.
    pub fn is_noticed(&self, fault: &S::Fault) -> bool {
        (self.is_noticed)(fault)
    }
}
