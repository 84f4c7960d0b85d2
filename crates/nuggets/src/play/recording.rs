//! The recording of a game on this machine: in memory, for the names in the panel and for the screens after the
//! game, and in a file, for later.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use nuggets_client::end::{GameEnd, Standing};
use nuggets_game::Player;
use nuggets_record::{RecordedEvent, Recording, Replay};
use nuggets_server::{RecordKind, Storage, Stored};
use tracing::warn;

/// The bytes of a recording, shared by the server that writes it and the client that reads it.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedRecording {
    bytes: Arc<Mutex<Vec<u8>>>,
    names: Arc<Mutex<Names>>,
}

/// The names in a recording, when it had this many bytes.
#[derive(Debug, Default)]
struct Names {
    bytes: usize,
    names: Vec<(char, String)>,
}

/// A recording shorter than this is read for names whenever it has grown: players join at the start.
const SHORT_BYTES: usize = 16 << 10;
/// A longer one is read again only after it has grown by this much.
const GROWTH_BYTES: usize = 8 << 10;

impl SharedRecording {
    /// Every byte so far.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The recording so far; `None` before the first record.
    pub(super) fn read(&self) -> Option<Recording> {
        Recording::read(&self.bytes()).ok().map(|reading| reading.recording)
    }

    /// The letters and names of all players that have joined.
    pub(super) fn names(&self) -> Vec<(char, String)> {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner).len();
        let mut known = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = bytes != known.bytes && bytes < SHORT_BYTES;
        if is_new || bytes >= known.bytes + GROWTH_BYTES {
            *known = Names { bytes, names: self.read().map_or(vec![], |read| names_in(&read)) };
        }
        known.names.clone()
    }

    /// Storage that appends to this recording, and to the file if there is one.
    pub(super) fn storage(&self, file: Option<File>) -> PlayStorage {
        PlayStorage { recording: self.clone(), file }
    }
}

/// The storage that the server of the game writes its recording to.
#[derive(Debug)]
pub(super) struct PlayStorage {
    recording: SharedRecording,
    file: Option<File>,
}

impl Storage for PlayStorage {
    fn append(&mut self, kind: RecordKind, bytes: &[u8]) -> io::Result<Stored> {
        if kind == RecordKind::Recording {
            let shared = &self.recording.bytes;
            shared.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            if let Some(file) = &mut self.file
                && let Err(why) = file.write_all(bytes)
            {
                warn!("the game is no longer recorded: {why}");
                self.file = None;
            }
        }
        Ok(Stored::Yes)
    }
}

fn names_in(recording: &Recording) -> Vec<(char, String)> {
    let joins = recording.entries().filter_map(|entry| match &entry.what {
        RecordedEvent::Join { name, .. } => Some(name.to_string()),
        _ => None,
    });
    ('A'..='Z').zip(joins).collect()
}

/// The standings when the game ended for the user who played this letter: before that player
/// left, which may have emptied its purse.
pub(super) fn game_end(recording: Recording, you: Option<char>, map: String) -> Option<GameEnd> {
    let seed = recording.header.setup.seed.to_string();
    let left = recording.entries().position(
        |entry| matches!(entry.what, RecordedEvent::Leave(letter) if Some(char::from(letter.as_byte())) == you),
    );
    let position = left.unwrap_or(recording.records.len());
    let mut replay = Replay::without_snapshots(recording).ok()?;
    replay.seek(position).ok()?;
    let game = replay.game();
    let standing = |player: &Player| {
        let letter = char::from(player.letter().as_byte());
        let name = player.name().to_string();
        Standing { letter, purse: player.purse(), name, is_you: Some(letter) == you }
    };
    let standings = game.players().iter().map(standing).collect();
    Some(GameEnd { standings, unclaimed: game.remaining(), map, seed })
}
