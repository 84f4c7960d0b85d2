//! Servers without proper sprints: where a sprint moved us nowhere, a step may.

use nuggets_atlas::{Point, Stroke};

/// After this many error replies to sprints, none of which moved us, only steps are sent.
const MAX_ERRORS: u32 = 2;

/// The experience with sprints on this server.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sprints {
    /// The last key, with the position at which it was pressed.
    last: Option<(Point, Stroke)>,
    have_worked: bool,
    errors: u32,
}

impl Sprints {
    /// Handles a picture that shows us here.
    pub(super) fn handle_picture(&mut self, you: Point) {
        self.have_worked |= matches!(self.last, Some((from, Stroke::Sprint(_))) if from != you);
    }

    /// Counts an error reply, presumably to the last key.
    pub(super) fn handle_error_reply(&mut self) {
        self.errors += u32::from(matches!(self.last, Some((_, Stroke::Sprint(_)))));
    }

    /// Returns the key to send in place of this one: a step for a sprint that does not work here.
    pub(super) fn replace_failed(&mut self, stroke: Stroke, you: Point) -> Stroke {
        let has_failed = self.last == Some((you, stroke));
        let are_unsupported = !self.have_worked && self.errors >= MAX_ERRORS;
        let stroke = match stroke {
            Stroke::Sprint(way) if has_failed || are_unsupported => Stroke::Step(way),
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
    fn a_sprint_that_did_not_move_us_becomes_a_step() {
        let mut sprints = Sprints::default();
        assert_eq!(
            [SPRINT; 3].map(|stroke| sprints.replace_failed(stroke, HERE)),
            [SPRINT, STEP, SPRINT]
        );
        let there = Point::new(1, 0);
        assert_eq!(sprints.replace_failed(SPRINT, there), SPRINT);
        assert_eq!(sprints.replace_failed(STEP, there), STEP);
    }

    #[test]
    fn after_error_replies_to_sprints_only_steps_are_sent() {
        let mut sprints = Sprints::default();
        for row in 1..=2 {
            assert_eq!(sprints.replace_failed(SPRINT, Point::new(row, 0)), SPRINT);
            sprints.handle_error_reply();
        }
        assert_eq!(sprints.replace_failed(SPRINT, HERE), STEP);
        sprints.handle_error_reply();
        assert_eq!(sprints.replace_failed(SPRINT, Point::new(5, 5)), STEP);
    }

    #[test]
    fn once_a_sprint_has_worked_error_replies_are_about_something_else() {
        let mut sprints = Sprints::default();
        sprints.replace_failed(SPRINT, HERE);
        sprints.handle_picture(Point::new(1, 0));
        for _ in 0..9 {
            sprints.handle_error_reply();
        }
        assert_eq!(sprints.replace_failed(SPRINT, Point::new(1, 0)), SPRINT);
    }
}
