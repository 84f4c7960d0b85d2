//! The numbered lines of one view: a current picture, the last lines, and reading from any position. Pure: no socket, no
//! game, no clock.
//!
//! Backpressure: there is no queue per connection. A connection keeps its position and reads the lines since then; one that is slow or
//! was disconnected reads several lines at once, or a whole picture if that is shorter or its position is too old. So
//! memory is bounded whatever readers do, and reconnecting works like reading slowly.
//!
//! Watchers of a game with a delay read the same lines later, and their whole picture is the one of that earlier time.

mod delayed;
mod snapshot;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use nuggets_time::Timestamp;
use thiserror::Error;

use crate::wire::{LineOrder, Since, StreamLine, StreamPlace};
use delayed::Delayed;
pub use snapshot::Snapshot;

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
    text: Box<str>,
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
    pub text: String,
    /// The position after these lines.
    pub position: Position,
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
    pub fn publish(&mut self, now: Timestamp, mut line: StreamLine) -> bool {
        self.current.remove_known(&mut line);
        if line == StreamLine::default() {
            return false;
        }
        line.seq = self.seq() + 1;
        let text = serde_json::to_string(&line).expect("a line has only texts and numbers");
        self.current.apply(&line);
        self.place.advance(line.seq);
        self.bytes += text.len();
        self.lines.push_back(Line { at: now, text: text.into() });
        self.notice = line.notice.map(|words| (line.seq, words)).or(self.notice.take());
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
    fn lines_between(&self, seq: u64, end: u64) -> Option<String> {
        let first_kept = self.first_kept();
        let skipped = usize::try_from((seq + 1).checked_sub(first_kept)?).ok()?;
        let count = usize::try_from(end.checked_sub(seq)?).ok()?;
        let lines = self.lines.range(skipped..skipped + count);
        let length: usize = lines.clone().map(|line| line.text.len() + 1).sum();
        if length > self.current.text_bytes() {
            return None;
        }
        let mut text = String::with_capacity(length);
        for line in lines {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&line.text);
        }
        Some(text)
    }

    /// Returns the whole picture, with the last notice if the reader has missed it.
    fn whole(&self, position: Position, end: u64, audience: Audience) -> String {
        let snapshot = match (audience, &self.delayed) {
            (Audience::Watcher, Some(delayed)) => delayed.snapshot(),
            _ => &self.current,
        };
        let mut line = snapshot.whole(end);
        let is_missed = |seq: u64| position.seq.is_some_and(|had| had < seq && seq <= end);
        let missed = self.notice.as_ref().filter(|(seq, _)| is_missed(*seq));
        line.notice = missed.map(|(_, words)| words.clone());
        serde_json::to_string(&line).expect("a line has only texts and numbers")
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
