//! The map changes of one input, in the form that `Canvas::update` needs.

use crate::{Event, Letter, Point};

/// The gridpoints whose occupant may have changed, and the players whose spot has changed.
/// Reuse one value for many inputs: it keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    touched: Vec<Point>,
    /// A bit for each player.
    moved: u32,
}

impl Changes {
    /// Replaces the content with the changes of one input's events. Of a sprint, only the ends and the
    /// occupants it met count.
    pub fn read(&mut self, events: &[Event]) {
        self.touched.clear();
        self.moved = 0;
        for event in events {
            match *event {
                Event::Joined { player, at }
                | Event::Left { player, at }
                | Event::Starved { player, at } => {
                    self.moved |= bit(player);
                    self.touched.push(at);
                }
                Event::Moved { player, from, to } => {
                    self.moved |= bit(player);
                    if self.touched.last() == Some(&from) {
                        self.touched.pop();
                    } else {
                        self.touched.push(from);
                    }
                    self.touched.push(to);
                }
                Event::Swapped { mover, other, from, to } => {
                    self.moved |= bit(mover) | bit(other);
                    self.touched.extend([from, to, to]);
                }
                // Push the spot a second time, as for a swap: the next step removes only one of the two.
                Event::Collected { at, .. } | Event::Ate { at, .. } | Event::Dropped { at, .. } => {
                    self.touched.push(at);
                }
                Event::Stole { .. } | Event::Over(_) | Event::Rejected(_) => {}
            }
        }
    }

    /// The gridpoints; some can occur more than once.
    pub fn touched(&self) -> &[Point] {
        &self.touched
    }

    /// True if the spot of this player has changed.
    pub fn has_moved(&self, player: Letter) -> bool {
        self.moved & bit(player) != 0
    }
}

fn bit(player: Letter) -> u32 {
    1 << player.index()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(col: u16) -> Point {
        Point::new(0, col)
    }

    #[test]
    fn of_a_sprint_only_the_ends_and_what_it_met_count() {
        let [a, b] = [0, 1].map(|n| Letter::nth(n).unwrap());
        let step = |from, to| Event::Moved { player: a, from: at(from), to: at(to) };
        let mut changes = Changes::default();
        changes.read(&[step(0, 1), step(1, 2), step(2, 3)]);
        assert_eq!(changes.touched(), [at(0), at(3)]);
        assert!(changes.has_moved(a) && !changes.has_moved(b));

        let gold = Event::Collected { player: a, nuggets: 5, at: at(2) };
        changes.read(&[step(0, 1), step(1, 2), gold, step(2, 3), step(3, 4)]);
        assert_eq!(changes.touched(), [at(0), at(2), at(4)]);

        let swap = Event::Swapped { mover: a, other: b, from: at(1), to: at(2) };
        changes.read(&[step(0, 1), swap, step(2, 3)]);
        assert_eq!(changes.touched(), [at(0), at(1), at(1), at(2), at(3)]);
        assert!(changes.has_moved(a) && changes.has_moved(b));
    }
}
