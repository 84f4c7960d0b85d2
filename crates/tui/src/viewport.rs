//! The part of a map that a window too small for all of it shows. It follows one gridpoint with a margin,
//! or is moved by hand.

use nuggets_protocol::{Point, Stroke};
use ratatui::layout::{Position, Size};

/// The gridpoint in the upper left corner of the window.
///
/// ```
/// use nuggets_protocol::Point;
/// use nuggets_tui::Viewport;
/// use ratatui::layout::Size;
///
/// let (map, window) = (Size::new(150, 48), Size::new(80, 20));
/// let mut view = Viewport::default();
/// view.follow(map, window, Point::new(10, 79));
/// assert_eq!(view.origin(), Point::new(0, 20), "20 columns are kept free right of the player");
/// view.follow(map, window, Point::new(10, 60));
/// assert_eq!(view.origin(), Point::new(0, 20), "the margin is kept without scrolling");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Viewport {
    top: u16,
    left: u16,
}

impl Viewport {
    /// Scrolls as little as possible, so that `focus` is at least a quarter of the window away from its
    /// edges, except at the edge of the map.
    pub fn follow(&mut self, map: Size, window: Size, focus: Point) {
        self.top = follow_axis(self.top, map.height, window.height, focus.row);
        self.left = follow_axis(self.left, map.width, window.width, focus.col);
    }

    /// Follows `focus`; without one, stays in place as far as the map reaches.
    pub fn follow_or_stay(&mut self, map: Size, window: Size, focus: Option<Point>) {
        match focus {
            Some(focus) => self.follow(map, window, focus),
            None => *self = self.within(map, window),
        }
    }

    /// Moves by this many rows and columns, never beyond the map.
    pub fn pan(&mut self, map: Size, window: Size, (rows, cols): (i32, i32)) {
        let moved =
            |from: u16, by: i32| u16::try_from((i32::from(from) + by).max(0)).unwrap_or(u16::MAX);
        self.top = moved(self.top, rows);
        self.left = moved(self.left, cols);
        *self = self.within(map, window);
    }

    /// Returns the same viewport, moved back so that the window shows as much of the map as it can.
    #[must_use]
    pub fn within(self, map: Size, window: Size) -> Self {
        Self {
            top: self.top.min(map.height.saturating_sub(window.height)),
            left: self.left.min(map.width.saturating_sub(window.width)),
        }
    }

    /// The gridpoint in the upper left corner.
    pub fn origin(self) -> Point {
        Point::new(self.top, self.left)
    }
}

/// Returns the rows and columns by which a stroke moves a viewport: a quarter of the window, or all of it for a sprint.
pub fn stroke_offset(stroke: Stroke, window: Size) -> (i32, i32) {
    let (Stroke::Step(direction) | Stroke::Sprint(direction)) = stroke;
    let share = if matches!(stroke, Stroke::Step(_)) { 4 } else { 1 };
    let (down, right) = direction.offset();
    let by = |size: u16, sign: i16| i32::from((size / share).max(1)) * i32::from(sign);
    (by(window.height, down), by(window.width, right))
}

/// Returns the rows and columns by which a drag of the mouse moves a viewport.
pub fn drag_offset(from: Position, to: Position) -> (i32, i32) {
    let by = |from: u16, to: u16| i32::from(from) - i32::from(to);
    (by(from.y, to.y), by(from.x, to.x))
}

fn follow_axis(origin: u16, map: u16, window: u16, focus: u16) -> u16 {
    let margin = window / 4;
    let least = focus.saturating_add(margin + 1).saturating_sub(window);
    let most = focus.saturating_sub(margin).max(least);
    origin.clamp(least, most).min(map.saturating_sub(window))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_map_that_fits_is_never_scrolled() {
        let mut view = Viewport::default();
        view.follow(Size::new(79, 21), Size::new(79, 21), Point::new(20, 78));
        view.pan(Size::new(79, 21), Size::new(80, 22), (5, 5));
        assert_eq!(view.origin(), Point::new(0, 0));
    }

    #[test]
    fn panning_stops_at_the_edges() {
        let (map, window) = (Size::new(30, 20), Size::new(10, 10));
        let mut view = Viewport::default();
        view.pan(map, window, (3, 100));
        assert_eq!(view.origin(), Point::new(3, 20));
        view.pan(map, window, (-100, -1));
        assert_eq!(view.origin(), Point::new(0, 19));
    }

    proptest! {
        #[test]
        fn the_focus_is_in_the_window_and_away_from_edges_that_are_not_the_maps(
            map in (1u16..300, 1u16..300),
            window in (1u16..100, 1u16..100),
            walk in prop::collection::vec((any::<u16>(), any::<u16>()), 1..20),
        ) {
            let mut view = Viewport::default();
            for (row, col) in walk {
                let focus = Point::new(row % map.0, col % map.1);
                view.follow(Size::new(map.1, map.0), Size::new(window.1, window.0), focus);
                let origin = view.origin();
                for (origin, map, window, focus) in [
                    (origin.row, map.0, window.0, focus.row),
                    (origin.col, map.1, window.1, focus.col),
                ] {
                    let margin = window / 4;
                    let before = focus.checked_sub(origin).expect("not before the window");
                    prop_assert!(before < window);
                    prop_assert!(before >= margin || origin == 0);
                    prop_assert!(window - 1 - before >= margin || origin + window >= map);
                    prop_assert!(origin + window <= map || origin == 0);
                }
            }
        }
    }
}
