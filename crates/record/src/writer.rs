//! Writing a recording: entries become bytes to append. Storing them is up to the caller.

use nuggets_game::Game;

use crate::encoding::{push_peer, push_prefixed, shortened};
use crate::file_header::Format;
use crate::progress::Progress;
use crate::record_prefix::{Kind, MAX_TIME_BYTES, Prefix};
use crate::{Entry, Header, Reading, RecordedEvent, Timestamp};

/// Encodes a recording while its game is played. The example of this crate shows its use.
#[derive(Clone, Debug)]
pub struct Writer {
    progress: Progress,
}

impl Writer {
    /// Starts the recording of a new game; also returns the first bytes.
    pub fn new(header: &Header, game: &Game) -> (Self, Vec<u8>) {
        let (mut bytes, crc) = header.write(Format::LATEST);
        let mut writer = Self { progress: Progress::after_header(Format::LATEST, crc) };
        writer.write_due_checkpoint(game, &mut bytes);
        (writer, bytes)
    }

    /// Resumes a recording that was read; also returns the bytes to append after its valid part: the
    /// entry `Resumed`, or nothing if the game is over. `game` is the replayed game. The file keeps
    /// its format version. `None` if the result of the game was delivered: nothing can follow.
    pub fn resume(reading: &Reading, at: Timestamp, game: &Game) -> Option<(Self, Vec<u8>)> {
        if reading.progress.is_end_delivered() {
            return None;
        }
        let (mut writer, mut bytes) = Self::continuing(reading, game);
        writer.append_resumed(at, game, &mut bytes);
        Some((writer, bytes))
    }

    /// Continues a recording that was read as if it had never been interrupted; also returns the
    /// checkpoint, if one is due.
    pub(crate) fn continuing(reading: &Reading, game: &Game) -> (Self, Vec<u8>) {
        let mut writer = Self { progress: reading.progress.clone() };
        let mut bytes = vec![];
        writer.write_due_checkpoint(game, &mut bytes);
        (writer, bytes)
    }

    /// Appends the entry `Resumed`, unless the game is over.
    pub fn append_resumed(&mut self, at: Timestamp, game: &Game, out: &mut Vec<u8>) {
        if !self.progress.is_over() {
            self.append(&Entry::new(at, RecordedEvent::Resumed), game, out);
        }
    }

    /// Appends the bytes of an entry to `out`. `game` has already applied the entry, and must have
    /// accepted it. A time before that of the last entry is raised to it.
    ///
    /// # Panics
    /// If the entry can't follow the last one: only `EndDelivered` follows the end of a game, only
    /// `Resumed` a shutdown.
    pub fn append(&mut self, entry: &Entry, game: &Game, out: &mut Vec<u8>) {
        match &entry.what {
            RecordedEvent::Press(letter, stroke) => {
                self.write(Kind::Press(*letter, *stroke), entry.at, &[], out);
            }
            RecordedEvent::Leave(letter) => self.write(Kind::Leave(*letter), entry.at, &[], out),
            RecordedEvent::Join { name, peer } => {
                let mut body = vec![];
                push_prefixed(name.as_str().as_bytes(), &mut body);
                push_peer(peer.as_ref(), self.progress.format, &mut body);
                self.write(Kind::Join, entry.at, &body, out);
            }
            RecordedEvent::Watch { peer } => {
                let mut body = vec![];
                push_peer(peer.as_ref(), self.progress.format, &mut body);
                self.write(Kind::Watch, entry.at, &body, out);
            }
            RecordedEvent::Unwatch => self.write(Kind::Unwatch, entry.at, &[], out),
            // An older format has no such record, and its readers do without.
            RecordedEvent::Heard(_) | RecordedEvent::Begun if self.progress.format < Format::V3 => {
            }
            RecordedEvent::Heard(viewer) => self.write(Kind::Heard(*viewer), entry.at, &[], out),
            RecordedEvent::Begun => self.write(Kind::Begun, entry.at, &[], out),
            RecordedEvent::Resumed => self.write(Kind::Resumed, entry.at, &[], out),
            RecordedEvent::End(end) => self.write_state(Kind::End(*end), entry.at, game, out),
            RecordedEvent::EndDelivered => self.write(Kind::EndDelivered, entry.at, &[], out),
        }
        self.write_due_checkpoint(game, out);
    }

    fn write_due_checkpoint(&mut self, game: &Game, out: &mut Vec<u8>) {
        if self.progress.is_checkpoint_due() {
            self.write_state(Kind::Checkpoint, self.progress.last, game, out);
        }
    }

    fn write_state(&mut self, kind: Kind, at: Timestamp, game: &Game, out: &mut Vec<u8>) {
        let start = out.len();
        let mut body = [0; 12];
        body[..4].copy_from_slice(&self.progress.inputs.to_le_bytes());
        body[4..].copy_from_slice(&game.state_hash().to_le_bytes());
        self.write(kind, at, &body, out);
        let own_crc = crc32fast::hash(&out[start..]);
        out.extend(own_crc.to_le_bytes());
    }

    fn write(&mut self, kind: Kind, at: Timestamp, body: &[u8], out: &mut Vec<u8>) {
        assert!(self.progress.allows(kind), "{kind:?} can't follow {:?}", self.progress);
        let start = out.len();
        let longest = (1 << (8 * MAX_TIME_BYTES)) - 1;
        let since = at.0.saturating_sub(self.progress.last.0).min(longest);
        let (time, time_bytes) = shortened(since);
        out.extend(Prefix { kind, time_bytes }.to_bytes());
        out.extend(&time[..time_bytes.into()]);
        out.extend(body);
        let at = Timestamp(self.progress.last.0 + since);
        let crc = self.progress.advance(kind, at, &out[start..]).to_le_bytes();
        out.extend(if matches!(kind, Kind::Press(..)) { &crc[..1] } else { &crc });
    }
}
