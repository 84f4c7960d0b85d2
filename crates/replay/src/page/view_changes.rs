//! The pictures of all views, and their changes from one frame to the next: the whole map and the view of
//! every player.

use nuggets_game::{Canvas, Changes, Event, Game, Viewer};
use nuggets_protocol::web::TextRuns;
use serde::Serialize;

/// The same changes of one or more views.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ViewChanges(
    /// The views: `*` for the whole map, the letter of a player for its view.
    pub String,
    /// The changes, as in the web protocol: (row * columns + column, the new characters from there on).
    pub TextRuns,
);

/// The pictures of all views, as sent to the players: the picture of a player who is gone stays.
pub(super) struct RecordedViews {
    views: Vec<RecordedView>,
    changes: Changes,
}

struct RecordedView {
    name: char,
    canvas: Canvas,
    /// The picture of the last frame.
    shown: Vec<u8>,
    is_changed: bool,
}

impl RecordedViews {
    /// The whole map at the start of a game.
    pub(super) fn new(game: &Game) -> Self {
        let canvas = Canvas::new(game, Viewer::Spectator, b"");
        let shown = canvas.bytes().to_vec();
        let whole = RecordedView { name: '*', canvas, shown, is_changed: false };
        Self { views: vec![whole], changes: Changes::default() }
    }

    /// Updates all views. It must be called after every input.
    pub(super) fn update(&mut self, game: &Game, events: &[Event]) {
        self.changes.read(events);
        for view in &mut self.views {
            view.is_changed |= view.canvas.update(game, &self.changes);
        }
        for player in game.players().iter().skip(self.views.len() - 1) {
            let canvas = Canvas::new(game, Viewer::Player(player.letter()), b"");
            let blank = |byte: &u8| if *byte == b'\n' { b'\n' } else { b' ' };
            let shown = canvas.bytes().iter().map(blank).collect();
            self.views.push(RecordedView {
                name: player.letter().as_char(),
                canvas,
                shown,
                is_changed: true,
            });
        }
    }

    /// Returns the changes since the last call. Views with the same changes share one item.
    pub(super) fn take_changes(&mut self) -> Vec<ViewChanges> {
        let mut found: Vec<ViewChanges> = vec![];
        for view in self.views.iter_mut().filter(|view| view.is_changed) {
            let set = view.take_changes();
            if set.is_empty() {
                continue;
            }
            match found.iter_mut().find(|group| group.1 == set) {
                Some(group) => group.0.push(view.name),
                None => found.push(ViewChanges(view.name.into(), set)),
            }
        }
        found
    }
}

impl RecordedView {
    fn take_changes(&mut self) -> TextRuns {
        self.is_changed = false;
        let picture = self.canvas.bytes();
        let cols = picture.iter().position(|byte| *byte == b'\n').expect("a picture has rows");
        let rows = self.shown.chunks(cols + 1).zip(picture.chunks(cols + 1)).enumerate();
        let changed = rows.filter(|(_, (old, new))| old != new).flat_map(|(row, (old, new))| {
            (0..cols).filter(|col| old[*col] != new[*col]).map(move |col| row * cols + col)
        });
        let mut set = TextRuns::default();
        set.add_changes(picture, cols, changed);
        self.shown.copy_from_slice(picture);
        set
    }
}
