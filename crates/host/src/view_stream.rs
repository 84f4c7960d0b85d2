//! The numbered lines of one view: a current picture, the last lines, and reading from any position. Pure: no socket, no
//! game, no clock.
//!
//! Backpressure: there is no queue per connection. A connection keeps its position and reads the lines since then; one that is slow or
//! was disconnected reads several lines at once, or a whole picture if that is shorter or its position is too old. So
//! memory is bounded whatever readers do, and reconnecting works like reading slowly.
//!
//! Watchers of a game with a delay read the same lines later, and their whole picture is the one of that earlier time.

mod delayed;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use axum::extract::ws::Utf8Bytes;
use nuggets_game::PointSet;
use nuggets_time::Timestamp;
use thiserror::Error;

use crate::wire::{
    LineOrder, Since, StreamLine, StreamPlace, TextRuns, flips, runs_of, write_runs,
};
use delayed::Delayed;

/// Maximum number of lines kept for readers that reconnect; fewer are kept if a whole picture would be shorter.
const MAX_LINES: usize = 256;

/// The stream of one view.
#[derive(Debug)]
pub struct ViewStream {
    /// The id of the stream and the number of the last line.
    place: StreamPlace,
    current: Snapshot,
    /// The last lines, oldest first.
    lines: VecDeque<Line>,
    /// The total size of these lines, in bytes.
    bytes: usize,
    /// The state that watchers see; `None` if they have no delay.
    delayed: Option<Delayed>,
    /// The number and the text of the last notice.
    notice: Option<(u64, String)>,
    /// True if it follows a stream of another node, which may be ahead.
    is_copy: bool,
}

/// The error for a line of another node that does not follow the previous one, or can't be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a line of another node does not follow the one before it, or can't be read")]
pub struct Gap;

#[derive(Debug)]
struct Line {
    at: Timestamp,
    /// Shared with the readers that are sent this line alone.
    text: Utf8Bytes,
}

/// The role of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A player, who has no delay.
    Player,
    /// A watcher, who sees lines after the delay of the game.
    Watcher,
}

/// The last line that a reader has; by default none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The number of the line.
    pub seq: Option<u64>,
}

/// The text that a reader has to send now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamText {
    /// One or more lines, with newlines between them.
    pub text: Utf8Bytes,
    /// The position after these lines.
    pub position: Position,
}

/// A line to publish, with the memory that it takes: one of these serves all lines of a game.
#[derive(Debug, Default)]
pub struct LineBuffer {
    /// The line. Its number is set when it is published.
    pub line: StreamLine,
    text: Vec<u8>,
}

impl LineBuffer {
    /// Makes the line empty.
    pub fn clear(&mut self) {
        let StreamLine { mut set, mut sight, .. } = std::mem::take(&mut self.line);
        set.clear();
        sight.clear();
        self.line = StreamLine { set, sight, ..StreamLine::default() };
    }
}

impl From<StreamLine> for LineBuffer {
    fn from(line: StreamLine) -> Self {
        Self { line, ..Self::default() }
    }
}

impl ViewStream {
    /// Creates a stream that starts with this picture. `id` must differ from that of any other stream, even of the same view
    /// before a restart.
    pub fn new(now: Timestamp, id: &str, first: Snapshot, watch_delay_ms: u64) -> Self {
        let delayed = (watch_delay_ms > 0).then(|| Delayed::new(now, watch_delay_ms, &first));
        let mut stream = Self { current: first, delayed, is_copy: false, ..Self::copy_of(id) };
        stream.place.advance(1);
        stream
    }

    /// Creates a copy of the stream with this id. It is empty until the first whole picture arrives.
    pub fn copy_of(id: &str) -> Self {
        let mut place = StreamPlace::default();
        place.begin(id);
        Self {
            place,
            current: Snapshot::default(),
            lines: VecDeque::new(),
            bytes: 0,
            delayed: None,
            notice: None,
            is_copy: true,
        }
    }

    /// Adds a line of the original stream to this copy, unchanged: the next line, or a whole picture.
    pub fn follow(&mut self, text: &str) -> Result<StreamLine, Gap> {
        let line: StreamLine = serde_json::from_str(text).map_err(|_| Gap)?;
        if self.place.order(&line) != LineOrder::Next {
            return Err(Gap);
        }
        if line.whole.is_some() {
            self.lines.clear();
            self.bytes = 0;
        } else {
            self.bytes += text.len();
            self.lines.push_back(Line { at: Timestamp(0), text: text.into() });
        }
        self.current.apply(&line);
        self.place.advance(line.seq);
        self.notice = line.notice.clone().map(|words| (line.seq, words)).or(self.notice.take());
        self.drop_old_lines(Timestamp(0));
        Ok(line)
    }

    /// Returns the id, as in `hello`.
    pub fn id(&self) -> &str {
        self.place.stream()
    }

    /// Returns the number of the last line; 0 before the first.
    pub fn seq(&self) -> u64 {
        self.place.seq().unwrap_or(0)
    }

    /// True if watchers see lines later than players.
    pub fn has_watch_delay(&self) -> bool {
        self.delayed.is_some()
    }

    /// Returns the current state of the view.
    pub fn current(&self) -> &Snapshot {
        &self.current
    }

    /// Adds the changes in this line and sets its `seq`. Returns false if it changes nothing.
    pub fn publish(&mut self, now: Timestamp, LineBuffer { line, text }: &mut LineBuffer) -> bool {
        self.current.remove_known(line);
        if *line == StreamLine::default() {
            return false;
        }
        line.seq = self.seq() + 1;
        text.clear();
        serde_json::to_writer(&mut *text, line).expect("a line has only texts and numbers");
        let text = std::str::from_utf8(text).expect("JSON is text");
        self.current.apply(line);
        self.place.advance(line.seq);
        self.bytes += text.len();
        self.lines.push_back(Line { at: now, text: text.into() });
        self.notice = line.notice.take().map(|words| (line.seq, words)).or(self.notice.take());
        self.drop_old_lines(now);
        true
    }

    /// Returns the position that a client claims to have reached; the start if it names another stream.
    pub fn position(&self, since: Option<&Since>) -> Position {
        let is_known = |seq| self.is_copy || seq <= self.seq();
        let since = since.filter(|since| since.stream == self.id() && is_known(since.seq));
        Position { seq: since.map(|since| since.seq) }
    }

    /// Returns the lines since this position; `None` if there are none.
    pub fn read(
        &mut self,
        position: Position,
        now: Timestamp,
        audience: Audience,
    ) -> Option<StreamText> {
        self.advance_delayed(now);
        let end = match (audience, &self.delayed) {
            (Audience::Watcher, Some(delayed)) => delayed.visible_seq(now)?,
            _ => self.seq(),
        };
        // A client that was connected to another node may be ahead of a copy; it waits.
        let is_known = |seq| self.is_copy || seq <= self.seq();
        if self.seq() == 0 || position.seq.is_some_and(|seq| end <= seq && is_known(seq)) {
            return None;
        }
        let lines = position.seq.and_then(|seq| self.lines_between(seq, end));
        let text = lines.unwrap_or_else(|| self.whole(position, end, audience));
        Some(StreamText { text, position: Position { seq: Some(end) } })
    }

    /// Returns the number of the oldest line that is kept.
    fn first_kept(&self) -> u64 {
        self.seq() - self.lines.len() as u64 + 1
    }

    /// Returns the lines after `seq` up to `end`; `None` if some are no longer kept, or a whole picture is shorter.
    fn lines_between(&self, seq: u64, end: u64) -> Option<Utf8Bytes> {
        let first_kept = self.first_kept();
        let skipped = usize::try_from((seq + 1).checked_sub(first_kept)?).ok()?;
        let count = usize::try_from(end.checked_sub(seq)?).ok()?;
        let mut lines = self.lines.range(skipped..skipped + count);
        let length: usize = lines.clone().map(|line| line.text.len() + 1).sum();
        if length > self.current.text_bytes() {
            return None;
        }
        let first = lines.next()?.text.clone();
        if count == 1 {
            return Some(first);
        }
        let mut text = String::with_capacity(length);
        text.push_str(&first);
        for line in lines {
            text.push('\n');
            text.push_str(&line.text);
        }
        Some(text.into())
    }

    /// Returns the whole picture, with the last notice if the reader has missed it.
    fn whole(&self, position: Position, end: u64, audience: Audience) -> Utf8Bytes {
        let snapshot = match (audience, &self.delayed) {
            (Audience::Watcher, Some(delayed)) => delayed.snapshot(),
            _ => &self.current,
        };
        let mut line = snapshot.whole(end);
        let is_missed = |seq: u64| position.seq.is_some_and(|had| had < seq && seq <= end);
        let missed = self.notice.as_ref().filter(|(seq, _)| is_missed(*seq));
        line.notice = missed.map(|(_, words)| words.clone());
        serde_json::to_string(&line).expect("a line has only texts and numbers").into()
    }

    /// Shows watchers all lines that are at least as old as the delay.
    fn advance_delayed(&mut self, now: Timestamp) {
        let first_kept = self.first_kept();
        let Some(delayed) = &mut self.delayed else { return };
        delayed.apply_skip(now);
        let skipped = delayed.seq() + 1 - first_kept;
        for line in self.lines.range(usize::try_from(skipped).expect("it is within the lines")..) {
            if !delayed.apply_if_old(now, line.at, &line.text) {
                break;
            }
        }
    }

    fn drop_old_lines(&mut self, now: Timestamp) {
        self.advance_delayed(now);
        while self.lines.len() > MAX_LINES || self.bytes > self.current.text_bytes() {
            let first_kept = self.first_kept();
            if self.delayed.as_ref().is_some_and(|delayed| delayed.seq() < first_kept) {
                break;
            }
            if let Some(line) = self.lines.pop_front() {
                self.bytes -= line.text.len();
            }
        }
        self.skip_pending_if_too_many(now);
    }

    /// Lets watchers skip to a later picture if too many lines are pending, so that memory stays bounded in a game with a long
    /// delay and very many moves.
    fn skip_pending_if_too_many(&mut self, now: Timestamp) {
        let seq = self.seq();
        if self.bytes > delayed::MAX_PENDING_BYTES
            && let Some(delayed) = &mut self.delayed
        {
            delayed.skip_to(now, seq, &self.current);
            self.lines.clear();
            self.bytes = 0;
        }
    }
}

/// The picture and everything else that the lines of a view have set.
///
/// ```
/// use nuggets_host::Snapshot;
/// use nuggets_host::wire::StreamLine;
///
/// let mut shown = Snapshot::new(b"|@..|\n|..*|\n", 5);
/// let set = shown.changes(b"|.@.|\n|..*|\n");
/// assert!(set.iter().eq([(1, ".@")]));
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
    pub fn changes(&self, picture: &[u8]) -> TextRuns {
        let mut set = TextRuns::default();
        self.add_changes(picture, 0..self.cells.len(), &mut set);
        set
    }

    /// Adds the same differences to `set`, given the only gridpoints that may differ, in ascending order.
    pub fn add_changes(
        &self,
        picture: &[u8],
        changed: impl Iterator<Item = usize>,
        set: &mut TextRuns,
    ) {
        // The new picture has a newline after each row.
        let is_different = |at: &usize| {
            let old = self.cells.get(*at);
            old.is_some_and(|old| picture.get(*at + *at / self.cols.max(1)) != Some(old))
        };
        set.add_changes(picture, self.cols, changed.filter(is_different));
    }

    /// Returns the visible gridpoints.
    pub fn in_sight(&self) -> &PointSet {
        &self.in_sight
    }

    /// Writes the changes of the visible gridpoints, for `sight`. Rock is left out: it looks the same as unknown gridpoints.
    pub fn write_sight_changes(
        &self,
        visible: &PointSet,
        is_rock: impl Fn(usize) -> bool,
        sight: &mut Vec<u32>,
    ) {
        write_runs(self.in_sight.differing(visible).filter(|at| !is_rock(*at)), sight);
    }

    /// Applies a line, exactly as clients do.
    pub fn apply(&mut self, line: &StreamLine) {
        if let Some(whole) = &line.whole {
            self.cols = whole.first().map_or(0, String::len);
            self.cells = whole.concat().into_bytes();
            self.in_sight = PointSet::empty(self.cells.len());
            self.facts = StreamLine::default();
        }
        for (offset, text) in line.set.iter() {
            let start = offset as usize;
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
    fn remove_known(&self, line: &mut StreamLine) {
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
    fn text_bytes(&self) -> usize {
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
