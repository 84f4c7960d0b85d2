//! The complete state of one view, which lines update.

use nuggets_game::PointSet;

use crate::wire::{StreamLine, flips, runs_of, text_runs};

/// The picture and everything else that the lines of a view have set.
///
/// ```
/// use nuggets_host::Snapshot;
/// use nuggets_host::wire::StreamLine;
///
/// let mut shown = Snapshot::new(b"|@..|\n|..*|\n", 5);
/// let set = shown.changes(b"|.@.|\n|..*|\n");
/// assert_eq!(set, [(1, ".@".to_owned())]);
/// shown.apply(&StreamLine { set, ..StreamLine::default() });
/// assert_eq!(shown.rows(), ["|.@.|", "|..*|"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    cols: usize,
    /// The characters of the picture, ASCII, without newlines.
    cells: Vec<u8>,
    /// The gridpoints that the player of the view sees now, except rock; empty in views of the whole map.
    in_sight: PointSet,
    /// The last value of every persistent field; `whole`, `set`, `sight`, `notice` and `seq` are unused.
    facts: StreamLine,
}

/// Size of the field names, gold and stage in a whole line, in bytes.
const USUAL_FACTS_BYTES: usize = 120;

impl Snapshot {
    /// Creates a snapshot from a picture as in `DISPLAY`: rows of this many columns, each with a newline.
    pub fn new(picture: &[u8], cols: usize) -> Self {
        let mut cells = Vec::with_capacity(picture.len());
        rows(picture, cols).for_each(|row| cells.extend_from_slice(row));
        cells.shrink_to_fit();
        let in_sight = PointSet::empty(cells.len());
        Self { cols, cells, in_sight, facts: StreamLine::default() }
    }

    /// Returns the picture, row by row.
    pub fn rows(&self) -> Vec<String> {
        let rows = self.cells.chunks(self.cols.max(1));
        rows.map(|row| String::from_utf8_lossy(row).into_owned()).collect()
    }

    /// Returns the last value of every persistent field, such as `gold` and `players`.
    pub fn facts(&self) -> &StreamLine {
        &self.facts
    }

    /// Returns the differences to this picture (as in `DISPLAY`), for `set`.
    pub fn changes(&self, picture: &[u8]) -> Vec<(u32, String)> {
        self.changes_at(picture, &(0..).take(self.cells.len()).collect::<Vec<_>>())
    }

    /// Returns the same differences, given the only gridpoints that may differ, in ascending order.
    pub fn changes_at(&self, picture: &[u8], changed: &[u32]) -> Vec<(u32, String)> {
        // The new picture has a newline after each row.
        let is_different = |at: &usize| {
            let old = self.cells.get(*at);
            old.is_some_and(|old| picture.get(*at + *at / self.cols.max(1)) != Some(old))
        };
        let changed = changed.iter().map(|at| *at as usize).filter(is_different);
        text_runs(picture, self.cols, changed)
    }

    /// Returns the visible gridpoints.
    pub fn in_sight(&self) -> &PointSet {
        &self.in_sight
    }

    /// Returns the changes of the visible gridpoints, for `sight`. Rock is left out: it looks the same as unknown gridpoints.
    pub fn sight_changes(&self, visible: &PointSet, is_rock: impl Fn(usize) -> bool) -> Vec<u32> {
        runs_of(self.in_sight.differing(visible).filter(|at| !is_rock(*at)))
    }

    /// Applies a line, exactly as clients do.
    pub fn apply(&mut self, line: &StreamLine) {
        if let Some(whole) = &line.whole {
            self.cols = whole.first().map_or(0, String::len);
            self.cells = whole.concat().into_bytes();
            self.in_sight = PointSet::empty(self.cells.len());
            self.facts = StreamLine::default();
        }
        for (offset, text) in &line.set {
            let start = *offset as usize;
            if let Some(cells) = self.cells.get_mut(start..start + text.len()) {
                cells.copy_from_slice(text.as_bytes());
            }
        }
        for at in flips(&line.sight).take_while(|at| *at < self.cells.len()) {
            if self.in_sight.contains(at) {
                self.in_sight.remove(at);
            } else {
                self.in_sight.insert(at);
            }
        }
        self.apply_facts(line);
    }

    fn apply_facts(&mut self, line: &StreamLine) {
        let facts = &mut self.facts;
        if let Some([_, purse, left]) = line.gold {
            facts.gold = Some([0, purse, left]);
        }
        replace(&mut facts.players, line.players.as_ref());
        replace(&mut facts.purses, line.purses.as_ref());
        replace(&mut facts.steps, line.steps.as_ref());
        replace(&mut facts.stage, line.stage.as_ref());
        replace(&mut facts.over, line.over.as_ref());
        replace(&mut facts.next, line.next.as_ref());
    }

    /// Removes fields from a line whose values this snapshot already has.
    pub(super) fn remove_known(&self, line: &mut StreamLine) {
        let facts = &self.facts;
        line.gold.take_if(|gold| facts.gold == Some(*gold));
        line.players.take_if(|players| facts.players.as_ref() == Some(players));
        line.purses.take_if(|purses| facts.purses.as_ref() == Some(purses));
        line.steps.take_if(|steps| facts.steps == Some(*steps));
        line.stage.take_if(|stage| facts.stage == Some(*stage));
        line.over.take_if(|over| facts.over.as_ref() == Some(over));
        line.next.take_if(|next| facts.next.as_ref() == Some(next));
    }

    /// Returns the whole state as one line.
    pub fn whole(&self, seq: u64) -> StreamLine {
        let sight = runs_of(self.in_sight.iter());
        StreamLine { seq, whole: Some(self.rows()), sight, ..self.facts.clone() }
    }

    /// Returns the approximate size of `whole` as text, in bytes.
    pub(super) fn text_bytes(&self) -> usize {
        self.cells.len() + USUAL_FACTS_BYTES
    }
}

fn replace<T: Clone>(fact: &mut Option<T>, new: Option<&T>) {
    if let Some(new) = new {
        *fact = Some(new.clone());
    }
}

fn rows(picture: &[u8], cols: usize) -> impl Iterator<Item = &[u8]> {
    picture.chunks(cols + 1).map(move |row| &row[..cols.min(row.len())])
}
