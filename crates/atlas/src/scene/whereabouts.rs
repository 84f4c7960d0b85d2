//! Where we are in a picture with more than one `@`.
//!
//! Some servers draw what they remember of a spot, and what they remember of it is us: every place
//! that we have run away from keeps its `@` until we see it again.

use super::Picture;
use crate::{Ground, Point, Stroke};

/// Where we are. `before` is where we were in the picture before, and every `@` in it.
pub(super) fn find(
    picture: &Picture,
    before: Option<(Point, Vec<Point>)>,
    stroke: Option<Stroke>,
) -> Option<Point> {
    let (signs, before) = match (picture.signs(), before) {
        (signs @ [_, _, ..], Some(before)) => (signs, before),
        (signs, _) => return signs.first().copied(),
    };
    let (was_at, old) = before;
    // Both are in order, row after row.
    let is_new = |at: &&Point| old.binary_search(at).is_err();
    let new = signs.iter().filter(is_new).min_by_key(|at| at.distance_squared(was_at)).copied();
    let led_to = || stroke.and_then(|stroke| end_of(picture, was_at, stroke));
    let stayed = || signs.contains(&was_at).then_some(was_at);
    new.or_else(led_to)
        .or_else(stayed)
        .or_else(|| signs.iter().min_by_key(|at| at.distance_squared(was_at)).copied())
}

/// The farthest `@` that the key can have led to.
fn end_of(picture: &Picture, from: Point, stroke: Stroke) -> Option<Point> {
    let (Stroke::Step(way) | Stroke::Sprint(way)) = stroke;
    let steps = if matches!(stroke, Stroke::Step(_)) { 1 } else { usize::MAX };
    let next = |at: &Point| {
        picture.size().beside(*at, way).filter(|&at| Ground::shows_spot(picture.cell(at)))
    };
    let passed = std::iter::successors(next(&from), next).take(steps);
    passed.filter(|&at| picture.cell(at) == b'@').last()
}
