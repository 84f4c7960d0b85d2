//! Our own position in a picture with more than one `@`.
//!
//! Some servers draw what they remember of a spot, including our own `@`: every spot that we sprinted
//! away from keeps its `@` until we see it again.

use super::Picture;
use crate::{DiscoveredMap, Point, Stroke};

/// The amount of evidence that refutes an assumed position.
const MAX_EVIDENCE: u32 = 6;
/// A key that changed nothing in the picture.
const KEY_WITHOUT_EFFECT: u32 = 3;
/// A key that changed nothing, but may have led from one `@` to another.
const KEY_WITH_POSSIBLE_EFFECT: u32 = 1;

/// The state that tells our `@` from the others.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnPosition {
    /// The last key, until a picture shows its effect.
    stroke: Option<Stroke>,
    /// The last key was pressed after the last picture.
    is_fresh: bool,
    /// The evidence against the assumed position since the picture changed.
    evidence: u32,
    /// Positions that were given up because keys had no effect there.
    refuted: Vec<Point>,
}

impl OwnPosition {
    pub(super) fn press(&mut self, stroke: Stroke) {
        self.stroke = Some(stroke);
        self.is_fresh = true;
    }

    /// Returns our position. `before` holds our position in the last picture and every `@` in it.
    pub(super) fn find(
        &mut self,
        picture: &Picture,
        before: Option<(Point, Vec<Point>)>,
        has_changed: bool,
    ) -> Option<Point> {
        let is_answer = std::mem::take(&mut self.is_fresh);
        if has_changed {
            self.evidence = 0;
            self.refuted.clear();
        } else {
            self.evidence += if is_answer { KEY_WITHOUT_EFFECT } else { 0 };
        }
        let was_at = before.as_ref().map(|(was_at, _)| *was_at);
        let you = match (picture.at_signs(), before) {
            ([_, _, ..], Some((was_at, _))) if self.evidence >= MAX_EVIDENCE => {
                Some(self.choose_another(picture, was_at))
            }
            ([_, _, ..], Some((was_at, old))) => Some(self.choose(picture, was_at, &old)),
            (at_signs, _) => at_signs.first().copied(),
        };
        if you != was_at {
            self.stroke = None;
            let excess = KEY_WITHOUT_EFFECT - KEY_WITH_POSSIBLE_EFFECT;
            self.evidence = self.evidence.saturating_sub(excess);
        }
        you
    }

    /// A new `@` is ours. Without one, we returned to a spot where one was drawn before.
    fn choose(&self, picture: &Picture, was_at: Point, old: &[Point]) -> Point {
        // Both lists are sorted, row after row.
        let is_new = |at: &Point| old.binary_search(at).is_err();
        let led_to = || self.stroke.and_then(|stroke| end_of_stroke(picture, was_at, stroke));
        nearest(picture, was_at, is_new)
            .or_else(led_to)
            .or_else(|| nearest(picture, was_at, |_| true))
            .unwrap_or(was_at)
    }

    /// Returns the nearest `@` that was not refuted. If all were, starts over.
    fn choose_another(&mut self, picture: &Picture, was_at: Point) -> Point {
        self.evidence = 0;
        self.refuted.push(was_at);
        nearest(picture, was_at, |at| !self.refuted.contains(at)).unwrap_or_else(|| {
            self.refuted.clear();
            was_at
        })
    }
}

fn nearest(picture: &Picture, to: Point, is_wanted: impl Fn(&Point) -> bool) -> Option<Point> {
    let at_signs = picture.at_signs().iter().copied().filter(is_wanted);
    at_signs.min_by_key(|at| at.distance_squared(to))
}

/// Returns the `@` that the key can have led to: the last one on its path, or else the first one beyond unknown
/// gridpoints.
fn end_of_stroke(picture: &Picture, from: Point, stroke: Stroke) -> Option<Point> {
    let (Stroke::Step(direction) | Stroke::Sprint(direction)) = stroke;
    let steps = if matches!(stroke, Stroke::Step(_)) { 1 } else { usize::MAX };
    let passed = |is_open: fn(u8) -> bool| {
        let next = move |at: &Point| {
            picture.size().beside(*at, direction).filter(|&at| is_open(picture.cell(at)))
        };
        let passed = std::iter::successors(next(&from), next).take(steps);
        passed.filter(|&at| picture.cell(at) == b'@')
    };
    let is_unknown_or_spot = |cell| cell == b' ' || DiscoveredMap::shows_spot(cell);
    passed(DiscoveredMap::shows_spot).last().or_else(|| passed(is_unknown_or_spot).next())
}
