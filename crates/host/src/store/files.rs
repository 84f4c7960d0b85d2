//! The files of the games: `games/<id>.json` and `games/<id>.journal`.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use nuggets_record::{ReadError, Reading, Recording};

use super::StoreError;
use super::summary::EndedGame;
use crate::{GameId, GameMeta};

const LOCK_NAME: &str = "host.lock";

#[derive(Clone, Debug)]
pub(super) struct GameFiles {
    folder: PathBuf,
}

impl GameFiles {
    /// Opens the folder; creates it if there is none.
    pub(super) fn open(folder: &Path) -> Result<Self, StoreError> {
        let files = Self { folder: folder.to_owned() };
        let games = files.games();
        create_folder(&games).map_err(|why| StoreError::file(&games, why))?;
        Ok(files)
    }

    /// Locks the folder against other hosts for as long as the returned file is open.
    pub(super) fn lock(&self) -> Result<File, StoreError> {
        let path = self.folder.join(LOCK_NAME);
        let mut options = File::options();
        let opened = options.write(true).create(true).truncate(false).open(&path);
        let file = opened.map_err(|why| StoreError::file(&path, why))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse(self.folder.clone())),
            Err(TryLockError::Error(why)) => Err(StoreError::file(&path, why)),
        }
    }

    pub(super) fn database(&self) -> PathBuf {
        self.folder.join("nuggets.sqlite")
    }

    pub(super) fn journal(&self, game: GameId) -> PathBuf {
        self.games().join(format!("{game}.journal"))
    }

    fn meta(&self, game: GameId) -> PathBuf {
        self.games().join(format!("{game}.json"))
    }

    pub(super) fn games(&self) -> PathBuf {
        self.folder.join("games")
    }

    /// Returns the ids of all games that have a file, sorted.
    pub(super) fn list(&self) -> Result<Vec<GameId>, StoreError> {
        let games = self.games();
        let failed = |why| StoreError::file(&games, why);
        let mut found = Vec::new();
        for entry in fs::read_dir(&games).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(".json"));
            found.extend(id.and_then(|id| id.parse::<GameId>().ok()));
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Reads the metadata of a game; `None` if there is no such file.
    pub(super) fn read_meta(&self, game: GameId) -> Result<Option<GameMeta>, StoreError> {
        let path = self.meta(game);
        match fs::read(&path) {
            Ok(bytes) => match serde_json::from_slice(&bytes) {
                Ok(meta) => Ok(Some(meta)),
                Err(why) => Err(StoreError::Meta { place: quoted(&path), why }),
            },
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(why) => Err(StoreError::file(&path, why)),
        }
    }

    /// Reads the metadata of a game that must exist.
    pub(super) fn expect_meta(&self, game: GameId) -> Result<GameMeta, StoreError> {
        self.read_meta(game)?.ok_or(StoreError::UnknownGame(game))
    }

    /// Writes the metadata of a game atomically: after a crash the file has either the old or the new content.
    pub(super) fn write_meta(&self, meta: &GameMeta) -> Result<(), StoreError> {
        let path = self.meta(meta.id);
        let text = serde_json::to_vec_pretty(meta).expect("a meta has only texts and numbers");
        write_atomically(&path, &text).map_err(|why| StoreError::file(&path, why))
    }

    pub(super) fn journal_bytes(&self, game: GameId) -> Result<Vec<u8>, StoreError> {
        let path = self.journal(game);
        fs::read(&path).map_err(|why| StoreError::file(&path, why))
    }

    /// Reads the intact part of the journal of a game.
    pub(super) fn read_journal(&self, game: GameId) -> Result<Reading, StoreError> {
        read_journal(&quoted(&self.journal(game)), &self.journal_bytes(game)?)
    }

    /// A game that has ended, with its result.
    pub(super) fn ended_game(
        &self,
        meta: GameMeta,
        journal: &Reading,
    ) -> Result<EndedGame, StoreError> {
        EndedGame::new(&quoted(&self.journal(meta.id)), meta, journal)
    }

    /// Moves a damaged database aside, so that its readable parts are not lost.
    pub(super) fn put_database_aside(&self) -> Result<(), StoreError> {
        let path = self.database();
        let aside = (1..=u16::MAX)
            .map(|number| self.folder.join(format!("nuggets.sqlite.damaged-{number}")))
            .find(|path| !path.exists())
            .unwrap_or_else(|| self.folder.join("nuggets.sqlite.damaged"));
        for suffix in ["", "-wal", "-shm"] {
            let with_suffix = |path: &Path| PathBuf::from(format!("{}{suffix}", path.display()));
            match fs::rename(with_suffix(&path), with_suffix(&aside)) {
                Err(why) if why.kind() != io::ErrorKind::NotFound => {
                    return Err(StoreError::file(&path, why));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Reads the intact part of a journal. `place` names the journal in errors.
pub(super) fn read_journal(place: &str, bytes: &[u8]) -> Result<Reading, StoreError> {
    let failed =
        |why: ReadError| StoreError::Journal { place: place.to_owned(), why: why.to_string() };
    Recording::read(bytes).map_err(failed)
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display())
}

/// Creates a folder that only its owner may read: it contains password hashes and journals of running games.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Writes a temporary file, syncs it and renames it to `path`.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension("tmp");
    let mut file = File::create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    // Some systems can't open folders. The rename itself has succeeded.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}
