//! The visible part of the map: all of it, or a part that scrolls with the player. While the window is too small for
//! either, keys don't act, because their effect could not be seen.

use nuggets_atlas::{Picture, Point, Stroke};
use nuggets_session::Timestamp;
use nuggets_tui::{Key, Viewport, drag_offset, stroke_offset};
use ratatui::layout::{Position, Size};

use super::{App, note};
use crate::layout::{Fit, Layout};

/// The window, and the part of the map in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapWindow {
    /// The size of the window; `None` until the shell has reported it.
    window: Option<Size>,
    /// True if a map that does not fit is scrolled. Otherwise the client asks for a larger window.
    pub(crate) scrolls: bool,
    /// Set while the player looks around: the view stays where the player moved it, and later returns to this viewport.
    returns_to: Option<Viewport>,
    pub(crate) viewport: Viewport,
}

impl MapWindow {
    pub(crate) fn looks_around(&self) -> bool {
        self.returns_to.is_some()
    }
}

impl App {
    /// Handles a new size of the window.
    pub fn handle_resize(&mut self, window: Size) {
        self.view.window = Some(window);
        if self.fit() == Some(Fit::TooSmall) {
            self.stop_errand();
        }
        self.follow_player();
    }

    /// Moves the map with a drag of the mouse.
    pub fn handle_drag(&mut self, from: Position, to: Position) {
        self.look(drag_offset(from, to));
    }

    /// Returns the fit of the map into the window; `None` before the size of the window is known.
    pub(super) fn fit(&self) -> Option<Fit> {
        Some(self.layout()?.fit)
    }

    pub(super) fn layout(&self) -> Option<Layout> {
        let window = self.view.window?;
        Some(Layout::of(self, ratatui::layout::Rect::from((Position::ORIGIN, window))))
    }

    /// Scrolls so that the player is in view, unless the player looks around.
    pub(super) fn follow_player(&mut self) {
        let Some((map, window)) = self.scrolled_sizes() else {
            self.view.returns_to = None;
            return;
        };
        let you = self.scene().picture().and_then(Picture::you);
        let focus = you.filter(|_| !self.view.looks_around());
        self.view.viewport.follow_or_stay(map, window, focus);
    }

    /// Returns the sizes of the map and of its window, if the map is scrolled.
    fn scrolled_sizes(&self) -> Option<(Size, Size)> {
        let layout = self.layout().filter(|layout| layout.fit == Fit::Scrolled)?;
        let map = self.scene().size()?;
        Some((Size::new(map.cols, map.rows), layout.map.as_size()))
    }

    /// Handles a key on the screen that asks for a larger window; one of the keys scrolls instead. Returns true if the
    /// key belongs to that screen, or has no effect there.
    pub(super) fn handle_key_unseen(&mut self, key: Key) -> bool {
        let is_unseen = self.fit() == Some(Fit::TooSmall) && !self.help_is_open;
        if !is_unseen || key.is_quit() {
            return false;
        }
        if key == Key::Char(SCROLL_KEY) && !self.view.scrolls {
            self.view.scrolls = true;
            self.follow_player();
        }
        true
    }

    /// Handles a key that looks around. Returns true if it was one.
    pub(super) fn handle_look_key(&mut self, now: Timestamp, key: Key) -> bool {
        let is_spectator = self.join.is_spectator();
        let Some((_, window)) = self.scrolled_sizes() else {
            if key == Key::Tab && (is_spectator || self.auto.is_some()) {
                self.put_note(now, note::NOTHING_TO_SCROLL);
                return true;
            }
            return false;
        };
        if key == Key::Tab {
            if self.view.looks_around() {
                self.return_to_player();
            } else {
                self.view.returns_to = Some(self.view.viewport);
            }
            return true;
        }
        let stroke = key.wire().and_then(Stroke::from_key);
        // A spectator can move only the view.
        if let Some(stroke) = stroke.filter(|_| self.view.looks_around() || is_spectator) {
            self.look(stroke_offset(stroke, window));
            return true;
        }
        self.return_to_player();
        false
    }

    fn return_to_player(&mut self) {
        if let Some(before) = self.view.returns_to.take() {
            self.view.viewport = before;
            self.follow_player();
        }
    }

    fn look(&mut self, by: (i32, i32)) {
        if let Some((map, window)) = self.scrolled_sizes() {
            self.view.returns_to.get_or_insert(self.view.viewport);
            self.view.viewport.pan(map, window, by);
        }
    }

    /// Returns the gridpoint of the map that is drawn at this position of the window.
    pub(crate) fn point_at(&self, layout: &Layout, at: Position) -> Option<Point> {
        let size = self.scene().picture()?.size();
        let origin = layout.origin(self);
        let inside = layout.map.contains(at).then(|| Point {
            row: at.y - layout.map.y + origin.row,
            col: at.x - layout.map.x + origin.col,
        })?;
        (inside.row < size.rows && inside.col < size.cols).then_some(inside)
    }
}

/// The key that scrolls instead of asking for a larger window.
pub(crate) const SCROLL_KEY: char = 's';
