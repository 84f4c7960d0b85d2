//! Writing: entries become bytes to append. Where they go is the caller's business.

use nuggets_game::Game;

use crate::bytes::{push_peer, push_text, shortened};
use crate::head::{Head, Kind, MAX_TIME_BYTES};
use crate::progress::Progress;
use crate::{Entry, Header, Millis, Reading, What};

/// Writes a recording as it happens.
///
/// ```
/// use nuggets_game::{Name, Rules, Seed, SightRule, shipped};
/// use nuggets_protocol::Dialect;
/// use nuggets_record::{Entry, Header, Millis, Recording, Tail, What, Writer};
///
/// let header = Header {
///     rules: Rules::default(),
///     seed: Seed::new(7),
///     dialect: Dialect::V2021,
///     sight: SightRule::DarkPassages,
///     map: shipped::ALL[0].map(),
///     port: 0,
/// };
/// let mut game = header.game().unwrap();
/// let (mut writer, mut bytes) = Writer::new(&header, &game);
///
/// let what = What::Join { name: Name::new(b"Ann").unwrap(), peer: None };
/// game.apply(what.input().unwrap(), &mut vec![]);
/// writer.append(&Entry::new(Millis(1500), what), &game, &mut bytes);
///
/// let reading = Recording::read(&bytes).unwrap();
/// assert_eq!(reading.tail, Tail::Whole);
/// assert_eq!(reading.recording.records[0].entry.at, Millis(1500));
/// ```
#[derive(Clone, Debug)]
pub struct Writer {
    progress: Progress,
}

impl Writer {
    /// A new recording of a game at its start, and its first bytes.
    pub fn new(header: &Header, game: &Game) -> (Self, Vec<u8>) {
        let (mut bytes, crc) = header.write();
        let mut writer = Self { progress: Progress::behind_header(crc) };
        writer.check_in(game, &mut bytes);
        (writer, bytes)
    }

    /// Goes on with a recording that was read, and the bytes to append behind those that were good:
    /// they tell that the game was resumed now, or nothing if it is over. The game is the one that
    /// replaying gives. None if its end was told, too: nothing can follow.
    pub fn resume(reading: &Reading, at: Millis, game: &Game) -> Option<(Self, Vec<u8>)> {
        if reading.progress.is_told() {
            return None;
        }
        let (mut writer, mut bytes) = Self::behind(reading, game);
        writer.resume_now(at, game, &mut bytes);
        Some((writer, bytes))
    }

    /// Goes on with a recording that was read, as if it had never ended. A checkpoint may be due.
    pub(crate) fn behind(reading: &Reading, game: &Game) -> (Self, Vec<u8>) {
        let (mut writer, mut bytes) = (Self { progress: reading.progress.clone() }, vec![]);
        writer.check_in(game, &mut bytes);
        (writer, bytes)
    }

    /// Tells that the game was resumed now, unless it is over.
    pub fn resume_now(&mut self, at: Millis, game: &Game, out: &mut Vec<u8>) {
        if !self.progress.is_over() {
            self.append(&Entry::new(at, What::Resumed), game, out);
        }
    }

    /// Appends the bytes of an entry to `out`. The game is as the entry left it; an input must be
    /// one that the game took. A time before the last entry's counts as that.
    ///
    /// Behind the end of a game nothing can be appended but that it was told.
    pub fn append(&mut self, entry: &Entry, game: &Game, out: &mut Vec<u8>) {
        match &entry.what {
            What::Press(letter, stroke) => {
                self.write(Kind::Press(*letter, *stroke), entry.at, &[], out);
            }
            What::Leave(letter) => self.write(Kind::Leave(*letter), entry.at, &[], out),
            What::Join { name, peer } => {
                let mut body = vec![];
                push_text(name.as_str().as_bytes(), &mut body);
                push_peer(*peer, &mut body);
                self.write(Kind::Join, entry.at, &body, out);
            }
            What::Watch { peer } => {
                let mut body = vec![];
                push_peer(*peer, &mut body);
                self.write(Kind::Watch, entry.at, &body, out);
            }
            What::Unwatch => self.write(Kind::Unwatch, entry.at, &[], out),
            What::Resumed => self.write(Kind::Resumed, entry.at, &[], out),
            What::End(ending) => self.seal(Kind::End(*ending), entry.at, game, out),
            What::Told => self.write(Kind::Told, entry.at, &[], out),
        }
        self.check_in(game, out);
    }

    /// Writes the checkpoint that is due, if one is.
    fn check_in(&mut self, game: &Game, out: &mut Vec<u8>) {
        if self.progress.is_checkpoint_due() {
            self.seal(Kind::Checkpoint, self.progress.last, game, out);
        }
    }

    fn seal(&mut self, kind: Kind, at: Millis, game: &Game, out: &mut Vec<u8>) {
        let start = out.len();
        let mut body = [0; 12];
        body[..4].copy_from_slice(&self.progress.inputs.to_le_bytes());
        body[4..].copy_from_slice(&game.state_hash().to_le_bytes());
        self.write(kind, at, &body, out);
        let own = crc32fast::hash(&out[start..]);
        out.extend(own.to_le_bytes());
    }

    fn write(&mut self, kind: Kind, at: Millis, body: &[u8], out: &mut Vec<u8>) {
        assert!(self.progress.admits(kind), "{kind:?} can't come behind {:?}", self.progress);
        let start = out.len();
        let longest = (1 << (8 * MAX_TIME_BYTES)) - 1;
        let since = at.0.saturating_sub(self.progress.last.0).min(longest);
        let (time, time_bytes) = shortened(since);
        out.extend(Head { kind, time_bytes }.to_bytes());
        out.extend(&time[..time_bytes.into()]);
        out.extend(body);
        let at = Millis(self.progress.last.0 + since);
        let sum = self.progress.pass(kind, at, &out[start..]).to_le_bytes();
        out.extend(if matches!(kind, Kind::Press(..)) { &sum[..1] } else { &sum });
    }
}
