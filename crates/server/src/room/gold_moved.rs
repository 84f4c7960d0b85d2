//! The effect of one input on the gold, read from its events.

use nuggets_game::{Event, Letter, Viewer};

use super::Notice;

/// Changes of purses and of the gold on the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GoldMoved {
    /// Nuggets taken from the map.
    pub(super) found: u32,
    /// Nuggets taken from other players.
    pub(super) stolen: u32,
    /// Nuggets dropped on the map by a player who left.
    dropped: u32,
    /// True if gold was added to the map or removed from it, even if the sum is unchanged.
    pub(super) on_the_map: bool,
    /// The players who were robbed, one bit per letter.
    robbed: u32,
}

impl GoldMoved {
    pub(super) fn read(events: &[Event]) -> Self {
        let mut moved = Self::default();
        for event in events {
            match *event {
                Event::Collected { nuggets, .. } => {
                    moved.found += nuggets;
                    moved.on_the_map = true;
                }
                Event::Dropped { nuggets, .. } => {
                    moved.dropped += nuggets;
                    moved.on_the_map = true;
                }
                Event::Stole { victim, nuggets, .. } => {
                    moved.stolen += nuggets;
                    moved.robbed |= 1 << victim.index();
                }
                _ => {}
            }
        }
        moved
    }

    pub(super) fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn is_robbed(&self, viewer: Viewer) -> bool {
        matches!(viewer, Viewer::Player(letter) if self.robbed >> letter.index() & 1 == 1)
    }

    pub(super) fn notices(self, letter: Letter, remaining: u32) -> impl Iterator<Item = Notice> {
        let Self { found, stolen, dropped, .. } = self;
        let all = [
            (found, Notice::Collected { letter, nuggets: found, remaining }),
            (stolen, Notice::Stole(letter, stolen)),
            (dropped, Notice::Dropped { letter, nuggets: dropped, remaining }),
        ];
        all.into_iter().filter(|(nuggets, _)| *nuggets > 0).map(|(_, notice)| notice)
    }
}
