//! Servers that do not sprint as they should: where a sprint leads nowhere, a step may lead on.

use nuggets_atlas::{Point, Stroke};

/// After so many complaints about sprints, and none that led anywhere, there are none.
const REFUSED: u32 = 2;

/// What we have seen of sprints on this server.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sprints {
    /// The last key, and where it was pressed.
    last: Option<(Point, Stroke)>,
    have_worked: bool,
    refused: u32,
}

impl Sprints {
    /// A picture came with us here.
    pub(super) fn hear(&mut self, you: Point) {
        self.have_worked |= matches!(self.last, Some((from, Stroke::Sprint(_))) if from != you);
    }

    /// The server complains, it seems about the last key.
    pub(super) fn hear_complaint(&mut self) {
        self.refused += u32::from(matches!(self.last, Some((_, Stroke::Sprint(_)))));
    }

    /// What becomes of a key that is pressed here.
    pub(super) fn temper(&mut self, stroke: Stroke, you: Point) -> Stroke {
        let is_in_vain = self.last == Some((you, stroke));
        let are_unknown = !self.have_worked && self.refused >= REFUSED;
        let stroke = match stroke {
            Stroke::Sprint(way) if is_in_vain || are_unknown => Stroke::Step(way),
            stroke => stroke,
        };
        self.last = Some((you, stroke));
        stroke
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nuggets_atlas::Direction;

    const HERE: Point = Point { row: 1, col: 1 };
    const STEP: Stroke = Stroke::Step(Direction::Left);
    const SPRINT: Stroke = Stroke::Sprint(Direction::Left);

    #[test]
    fn a_sprint_that_led_nowhere_becomes_a_step() {
        let mut sprints = Sprints::default();
        assert_eq!([SPRINT; 3].map(|stroke| sprints.temper(stroke, HERE)), [SPRINT, STEP, SPRINT]);
        let there = Point::new(1, 0);
        assert_eq!(sprints.temper(SPRINT, there), SPRINT);
        assert_eq!(sprints.temper(STEP, there), STEP);
    }

    #[test]
    fn where_sprints_are_only_complained_about_there_are_only_steps() {
        let mut sprints = Sprints::default();
        for row in 1..=2 {
            assert_eq!(sprints.temper(SPRINT, Point::new(row, 0)), SPRINT);
            sprints.hear_complaint();
        }
        assert_eq!(sprints.temper(SPRINT, HERE), STEP);
        sprints.hear_complaint();
        assert_eq!(sprints.temper(SPRINT, Point::new(5, 5)), STEP);
    }

    #[test]
    fn where_one_has_led_anywhere_complaints_are_about_something_else() {
        let mut sprints = Sprints::default();
        sprints.temper(SPRINT, HERE);
        sprints.hear(Point::new(1, 0));
        for _ in 0..9 {
            sprints.hear_complaint();
        }
        assert_eq!(sprints.temper(SPRINT, Point::new(1, 0)), SPRINT);
    }
}
