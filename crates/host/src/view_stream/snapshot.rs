//! Everything that one view shows at one time, as lines change it.

use nuggets_game::PointSet;

use crate::wire::{StreamLine, flips, runs_of};

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
    /// ASCII, without newlines.
    cells: Vec<u8>,
    /// What the player of the view sees now, except rock; empty in views of the whole map.
    in_sight: PointSet,
    /// The last value of every field that stays; `whole`, `set`, `sight`, `notice` and `seq` are unused.
    facts: StreamLine,
}

/// A new entry of `set` costs about as much as this many unchanged characters: `"],[1234,"`.
const MAX_UNCHANGED: usize = 9;
/// The names of the fields, gold and stage in a whole line.
const USUAL_FACTS_BYTES: usize = 120;

impl Snapshot {
    /// A picture as in `DISPLAY`: rows of this many columns, each with a newline.
    pub fn new(picture: &[u8], cols: usize) -> Self {
        let mut cells = Vec::with_capacity(picture.len());
        rows(picture, cols).for_each(|row| cells.extend_from_slice(row));
        cells.shrink_to_fit();
        let in_sight = PointSet::empty(cells.len());
        Self { cols, cells, in_sight, facts: StreamLine::default() }
    }

    /// The picture, row by row.
    pub fn rows(&self) -> Vec<String> {
        let rows = self.cells.chunks(self.cols.max(1));
        rows.map(|row| String::from_utf8_lossy(row).into_owned()).collect()
    }

    /// The last value of every field that stays, such as `gold` and `players`.
    pub fn facts(&self) -> &StreamLine {
        &self.facts
    }

    /// What is different in this picture (as in `DISPLAY`), for `set`.
    pub fn changes(&self, picture: &[u8]) -> Vec<(u32, String)> {
        self.changes_at(picture, &(0..).take(self.cells.len()).collect::<Vec<_>>())
    }

    /// The same, if nothing is different but at these gridpoints, which are in ascending order. Runs of changed characters that
    /// are close together become one.
    pub fn changes_at(&self, picture: &[u8], changed: &[u32]) -> Vec<(u32, String)> {
        // Each row before it has a newline.
        let new_at = |at: usize| at + at / self.cols.max(1);
        let is_different = |at: &usize| {
            self.cells.get(*at).is_some_and(|old| picture.get(new_at(*at)) != Some(old))
        };
        let mut set = Vec::new();
        let mut add = |(from, end): (usize, usize)| {
            let text = &picture[new_at(from)..new_at(from) + end - from];
            let offset = u32::try_from(from).expect("a map fits a datagram");
            set.push((offset, String::from_utf8_lossy(text).into_owned()));
        };
        let mut run: Option<(usize, usize)> = None;
        for at in changed.iter().map(|at| *at as usize).filter(is_different) {
            match &mut run {
                Some((from, end))
                    if at / self.cols == *from / self.cols && at - *end <= MAX_UNCHANGED =>
                {
                    *end = at + 1;
                }
                _ => run.replace((at, at + 1)).into_iter().for_each(&mut add),
            }
        }
        run.into_iter().for_each(add);
        set
    }

    /// What is in sight.
    pub fn in_sight(&self) -> &PointSet {
        &self.in_sight
    }

    /// How what is in sight becomes this, for `sight`. Rock is never part of it: it looks like what is not known.
    pub fn sight_changes(&self, visible: &PointSet, is_rock: impl Fn(usize) -> bool) -> Vec<u32> {
        runs_of(self.in_sight.differing(visible).filter(|at| !is_rock(*at)))
    }

    /// Does what a client does with a line.
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

    /// Removes from a line what this snapshot already has.
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

    /// All of it as one line.
    pub fn whole(&self, seq: u64) -> StreamLine {
        let sight = runs_of(self.in_sight.iter());
        StreamLine { seq, whole: Some(self.rows()), sight, ..self.facts.clone() }
    }

    /// About how long `whole` is as text.
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
