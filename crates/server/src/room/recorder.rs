//! What a room writes down of its game, as bytes for somebody to keep.

use nuggets_game::Seed;
use nuggets_record::{CatchUp, Entry, Header, Millis, What, Writer};

use super::Room;
use crate::sight_rule;

/// What is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// A recording to be shared: nobody's address stands in it.
    Recording,
    /// A journal, from which the game can be taken up again by whoever sat where.
    Journal,
}

/// One recording under way.
#[derive(Debug)]
pub(super) struct Recorder {
    kind: RecordKind,
    writer: Writer,
    /// What has not been taken yet.
    bytes: Vec<u8>,
    /// What was taken last; kept for its memory.
    taken: Vec<u8>,
}

impl Recorder {
    pub(super) fn new(kind: RecordKind, writer: Writer, bytes: Vec<u8>) -> Self {
        Self { kind, writer, bytes, taken: Vec::new() }
    }
}

impl Room {
    /// From now on the game is written down. It must be at its start, and the seed its own.
    #[must_use]
    pub fn recorded(mut self, kind: RecordKind, seed: Seed, port: u16) -> Self {
        assert!(self.game.players().is_empty(), "a recording begins with the game");
        let header = Header {
            rules: *self.game.rules(),
            seed,
            dialect: self.dialect,
            sight: sight_rule(self.dialect),
            map: self.game.map().clone(),
            port,
        };
        let (writer, bytes) = Writer::new(&header, &self.game);
        self.recorders.push(Recorder::new(kind, writer, bytes));
        self
    }

    /// A game that was taken up again is recorded from its start on: what was found out about the
    /// recording says where it goes on.
    #[must_use]
    pub fn recorded_on(mut self, caught_up: CatchUp) -> Self {
        let CatchUp { mut writer, mut bytes, .. } = caught_up;
        writer.resume_now(self.now, &self.game, &mut bytes);
        self.recorders.push(Recorder::new(RecordKind::Recording, writer, bytes));
        self
    }

    /// The next bytes to keep, and what they belong to. They must be kept before anything of what
    /// they tell is sent.
    pub fn poll_record(&mut self) -> Option<(RecordKind, &[u8])> {
        let recorder = self.recorders.iter_mut().find(|recorder| !recorder.bytes.is_empty())?;
        recorder.taken.clear();
        std::mem::swap(&mut recorder.taken, &mut recorder.bytes);
        Some((recorder.kind, &recorder.taken))
    }

    /// Stops writing this down: nobody can keep it any more.
    pub fn stop_recording(&mut self, kind: RecordKind) {
        self.recorders.retain(|recorder| recorder.kind != kind);
    }

    pub(super) fn record(&mut self, what: What) {
        if self.recorders.is_empty() {
            return;
        }
        let entry = Entry::new(Millis(self.now.0), what);
        for recorder in &mut self.recorders {
            let entry = match recorder.kind {
                RecordKind::Journal => Some(entry.clone()),
                RecordKind::Recording => entry.clone().shared(),
            };
            if let Some(entry) = entry {
                recorder.writer.append(&entry, &self.game, &mut recorder.bytes);
            }
        }
    }
}
