//! Where we are in a picture with more than one `@`.
//!
//! Some servers draw what they remember of a spot, and what they remember of it is us: every place
//! that we have run away from keeps its `@` until we see it again.

use super::Picture;
use crate::{Ground, Point, Stroke};

/// After so much in vain we are not where we think we are.
const TOO_MUCH: u32 = 6;
/// A key has changed nothing at all.
const NOTHING: u32 = 3;
/// Nothing but that we may have gone from one `@` to another.
const NOTHING_ELSE: u32 = 1;

/// What tells one `@` from another.
#[derive(Clone, Debug, Default)]
pub(super) struct Doubt {
    /// The last key, until it is seen where it has led.
    stroke: Option<Stroke>,
    /// Was it pressed after the last picture?
    is_fresh: bool,
    /// How much was in vain since the picture has changed.
    in_vain: u32,
    /// We can't be here: keys that should lead away from here do not.
    refuted: Vec<Point>,
}

impl Doubt {
    pub(super) fn press(&mut self, stroke: Stroke) {
        self.stroke = Some(stroke);
        self.is_fresh = true;
    }

    /// Where we are. `before` is where we were in the picture before, and every `@` in it.
    pub(super) fn find(
        &mut self,
        picture: &Picture,
        before: Option<(Point, Vec<Point>)>,
        is_news: bool,
    ) -> Option<Point> {
        let is_answer = std::mem::take(&mut self.is_fresh);
        if is_news {
            (self.in_vain, self.refuted) = (0, vec![]);
        } else {
            self.in_vain += if is_answer { NOTHING } else { 0 };
        }
        let was_at = before.as_ref().map(|(was_at, _)| *was_at);
        let you = match (picture.signs(), before) {
            ([_, _, ..], Some((was_at, _))) if self.in_vain >= TOO_MUCH => {
                Some(self.look_elsewhere(picture, was_at))
            }
            ([_, _, ..], Some((was_at, old))) => Some(self.choose(picture, was_at, &old)),
            (signs, _) => signs.first().copied(),
        };
        if you != was_at {
            self.stroke = None;
            self.in_vain = self.in_vain.saturating_sub(NOTHING - NOTHING_ELSE);
        }
        you
    }

    /// A new `@` is ours. If there is none, we have gone back to where one was drawn before.
    fn choose(&self, picture: &Picture, was_at: Point, old: &[Point]) -> Point {
        // Both are in order, row after row.
        let is_new = |at: &Point| old.binary_search(at).is_err();
        let led_to = || self.stroke.and_then(|stroke| end_of(picture, was_at, stroke));
        nearest(picture, was_at, is_new)
            .or_else(led_to)
            .or_else(|| nearest(picture, was_at, |_| true))
            .unwrap_or(was_at)
    }

    /// The nearest `@` that we have not been wrong about. When all are wrong, all may be right.
    fn look_elsewhere(&mut self, picture: &Picture, was_at: Point) -> Point {
        self.in_vain = 0;
        self.refuted.push(was_at);
        nearest(picture, was_at, |at| !self.refuted.contains(at)).unwrap_or_else(|| {
            self.refuted.clear();
            was_at
        })
    }
}

fn nearest(picture: &Picture, to: Point, is_so: impl Fn(&Point) -> bool) -> Option<Point> {
    let signs = picture.signs().iter().copied().filter(is_so);
    signs.min_by_key(|at| at.distance_squared(to))
}

/// The `@` that the key can have led to: the last one that is seen to be on its way, or else the
/// next one beyond what nobody has shown us yet.
fn end_of(picture: &Picture, from: Point, stroke: Stroke) -> Option<Point> {
    let (Stroke::Step(way) | Stroke::Sprint(way)) = stroke;
    let steps = if matches!(stroke, Stroke::Step(_)) { 1 } else { usize::MAX };
    let passed = |is_open: fn(u8) -> bool| {
        let next = move |at: &Point| {
            picture.size().beside(*at, way).filter(|&at| is_open(picture.cell(at)))
        };
        let passed = std::iter::successors(next(&from), next).take(steps);
        passed.filter(|&at| picture.cell(at) == b'@')
    };
    let is_unknown_or_spot = |cell| cell == b' ' || Ground::shows_spot(cell);
    passed(Ground::shows_spot).last().or_else(|| passed(is_unknown_or_spot).next())
}
