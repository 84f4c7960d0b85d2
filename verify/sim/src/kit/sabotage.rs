//! Rules that are broken on purpose, to test that this is noticed, and for its own reason.

use super::Simulation;

/// A rule that can be broken.
pub struct Sabotage<P> {
    /// The word for it on the command line and in the plan.
    pub word: &'static str,
    stage: fn(&mut P),
    /// Parts of the descriptions of the faults that follow; others may have another reason.
    reasons: &'static [&'static str],
}

impl<P: 'static> Sabotage<P> {
    /// A rule that is noticed by a fault with one of these reasons.
    pub const fn new(word: &'static str, reasons: &'static [&'static str]) -> Self {
        Self { word, stage: |_| {}, reasons }
    }

    /// Adds to the plan what makes the rule matter.
    #[must_use]
    pub const fn staged_by(self, stage: fn(&mut P)) -> Self {
        Self { stage, ..self }
    }

    /// Returns the plan of this seed in which the rule matters.
    pub fn staged<S: Simulation<Plan = P>>(&self, seed: u64) -> P {
        let mut plan = S::draw(seed);
        (self.stage)(&mut plan);
        plan
    }

    /// Returns the plan of this seed with the rule broken.
    pub fn broken<S: Simulation<Plan = P>>(&self, seed: u64) -> P {
        let mut plan = self.staged::<S>(seed);
        S::break_rule(&mut plan, self.word);
        plan
    }

    /// True if a fault follows from the broken rule.
    pub fn is_noticed(&self, fault: &str) -> bool {
        self.reasons.iter().any(|reason| fault.contains(reason))
    }
}
