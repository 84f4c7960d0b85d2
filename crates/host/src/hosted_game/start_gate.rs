//! The start gate, which decides when keys begin to act.

use crate::Start;
use crate::wire::Stage;

/// The start condition of a game, and the flag that it has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StartGate {
    start: Start,
    pub(super) has_started: bool,
}

impl StartGate {
    pub(super) fn new(start: Start, has_started: bool) -> Self {
        Self { start, has_started: has_started || start == Start::AtOnce }
    }

    /// True if the game has not started yet and this number of people is enough.
    pub(super) fn opens_with(self, people: usize) -> bool {
        let is_complete = self.missing(people) == Some(0);
        is_complete && !self.has_started
    }

    pub(super) fn stage(self, people: usize) -> Stage {
        if self.has_started {
            Stage::Playing
        } else {
            Stage::Waiting { missing: self.missing(people) }
        }
    }

    fn missing(self, people: usize) -> Option<u8> {
        match self.start {
            Start::WithPlayers(needed) => {
                let people = u8::try_from(people).unwrap_or(u8::MAX);
                Some(needed.saturating_sub(people))
            }
            Start::AtOnce | Start::ByCreator => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_starts_at_once_with_enough_people_or_by_its_creator() {
        let at_once = StartGate::new(Start::AtOnce, false);
        assert_eq!((at_once.has_started, at_once.stage(0)), (true, Stage::Playing));

        let with_two = StartGate::new(Start::WithPlayers(2), false);
        assert_eq!(with_two.stage(1), Stage::Waiting { missing: Some(1) });
        assert_eq!(
            [0, 1, 2, 3].map(|people| with_two.opens_with(people)),
            [false, false, true, true]
        );

        let by_creator = StartGate::new(Start::ByCreator, false);
        assert_eq!(by_creator.stage(5), Stage::Waiting { missing: None });
        assert!(!by_creator.opens_with(26));
        assert!(StartGate::new(Start::ByCreator, true).has_started);
    }
}
