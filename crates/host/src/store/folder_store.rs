//! The folder backend, used by the store's thread: the files of the games and the SQLite database together.

use std::collections::BTreeSet;
use std::fs::File;

use nuggets_record::{Reading, RecordingEnd};

use super::files::GameFiles;
use super::sqlite::Sqlite;
use super::summary::EndedGame;
use super::{FinishedGame, Rated, Reindexed, StoreError, accounts, games, summary};
use crate::{EndReason, Finished, GameId, GameMeta, PlayerId, is_finished};

/// Files and database of one host.
#[derive(Debug)]
pub(super) struct FolderStore {
    pub(super) files: GameFiles,
    pub(super) database: Sqlite,
    /// Locks the folder against other hosts.
    _lock: File,
}

/// The findings of recovery in a folder.
#[derive(Debug, Default)]
pub(super) struct RecoveredGames {
    pub(super) unfinished: Vec<GameMeta>,
    pub(super) skipped: Vec<String>,
}

impl FolderStore {
    /// Opens or creates the folder. Returns an error if there are games and the database is missing or damaged.
    pub(super) fn open(files: GameFiles) -> Result<Self, StoreError> {
        let lock = files.lock()?;
        let path = files.database();
        if !path.exists() && !files.list()?.is_empty() {
            return Err(StoreError::Missing(path));
        }
        Ok(Self { database: Sqlite::open(&path)?, files, _lock: lock })
    }

    /// Opens the folder like `open`, but replaces a missing or damaged database by an empty one.
    pub(super) fn open_or_replace(files: GameFiles) -> Result<Self, StoreError> {
        let lock = files.lock()?;
        let path = files.database();
        let database = match Sqlite::open(&path) {
            Err(StoreError::Damaged { .. }) => {
                files.put_database_aside()?;
                Sqlite::open(&path)?
            }
            opened => opened?,
        };
        Ok(Self { database, files, _lock: lock })
    }

    /// Completes operations that a crash interrupted, and finds the games to resume. Skips unusable files.
    pub(super) fn recover(&mut self, now_ms: u64) -> Result<RecoveredGames, StoreError> {
        self.database.transaction(|sql| accounts::remove_unused(sql, now_ms))?;
        // Their end is in the index, but perhaps not yet in their own file.
        let unmarked = "SELECT id FROM games WHERE NOT is_marked";
        for game in self.database.transaction(|sql| games::game_ids(sql, unmarked))? {
            if let Some(finished) = self.database.transaction(|sql| games::finished(sql, game))? {
                self.mark(game, finished)?;
            }
        }
        let indexed =
            self.database.transaction(|sql| games::game_ids(sql, "SELECT id FROM games"))?;
        let indexed: BTreeSet<GameId> = indexed.into_iter().collect();
        let mut found = RecoveredGames::default();
        for game in self.files.list()?.into_iter().filter(|game| !indexed.contains(game)) {
            match self.recover_game(game, now_ms) {
                Ok(unfinished) => found.unfinished.extend(unfinished),
                Err(why @ StoreError::Database(_)) => return Err(why),
                Err(why) => found.skipped.push(why.to_string()),
            }
        }
        found.unfinished.sort_by_key(|meta| (meta.created_unix_ms, meta.id));
        Ok(found)
    }

    /// Returns the game if it is to be resumed; adds it to the index if it has ended.
    fn recover_game(&mut self, game: GameId, now_ms: u64) -> Result<Option<GameMeta>, StoreError> {
        let meta = self.files.expect_meta(game)?;
        let journal = self.files.read_journal(game)?;
        let Some(reason) = end_reason(&meta, &journal) else { return Ok(Some(meta)) };
        let ended = self.files.ended_game(meta, &journal)?;
        self.finish(&ended, reason, now_ms)?;
        Ok(None)
    }

    /// Stores the metadata of a game, except for its end, which only `finish` writes.
    pub(super) fn save_meta(&self, meta: GameMeta) -> Result<(), StoreError> {
        let finished = self.files.read_meta(meta.id)?.and_then(|stored| stored.finished);
        self.files.write_meta(&GameMeta { finished, ..meta })
    }

    /// Returns this game, if it has ended and is in the index.
    pub(super) fn finished(&mut self, game: GameId) -> Result<Option<FinishedGame>, StoreError> {
        if let Some(finished) = self.database.transaction(|sql| games::finished(sql, game))? {
            self.mark(game, finished)?;
        }
        self.database.transaction(|sql| games::game(sql, game))
    }

    /// Adds a game that has ended to the index and rates it, unless that was done already. Writes the index first, then the
    /// file of the game; after a crash in between, `recover` writes the file.
    pub(super) fn finish(
        &mut self,
        game: &EndedGame,
        reason: EndReason,
        now_ms: u64,
    ) -> Result<FinishedGame, StoreError> {
        let id = game.meta.id;
        self.database.transaction(|sql| match games::finished(sql, id)? {
            Some(finished) => Ok::<_, StoreError>(finished),
            None => games::add(sql, game, reason, now_ms),
        })?;
        self.finished(id)?.ok_or(StoreError::UnknownGame(id))
    }

    /// Writes the end of a game into its file.
    fn mark(&mut self, game: GameId, finished: Finished) -> Result<(), StoreError> {
        let meta = self.files.expect_meta(game)?;
        if meta.finished != Some(finished) {
            self.files.write_meta(&GameMeta { finished: Some(finished), ..meta })?;
        }
        self.database.transaction(|sql| games::mark_end_stored(sql, game))
    }

    /// Rebuilds games, results, ratings and history, in the order in which the games ended.
    pub(super) fn reindex(&mut self, now_ms: u64) -> Result<Reindexed, StoreError> {
        let mut skipped = Vec::new();
        let mut ended = Vec::new();
        let mut people = Vec::new();
        for game in self.files.list()? {
            match self.examine(game, now_ms) {
                Ok((found, game)) => {
                    people.extend(found);
                    ended.extend(game);
                }
                Err(why) => skipped.push(why.to_string()),
            }
        }
        ended.sort_by_key(|(game, finished)| {
            (finished.number, game.meta.created_unix_ms, game.meta.id)
        });
        renumber(&mut ended);
        self.database.transaction(|sql| {
            games::clear(sql)?;
            for (game, finished) in &ended {
                games::insert(sql, game, *finished)?;
            }
            for (id, name) in people {
                accounts::ensure_known(sql, id, &name, now_ms)?;
            }
            Ok::<_, StoreError>(())
        })?;
        for (game, finished) in &ended {
            self.mark(game.meta.id, *finished)?;
        }
        Ok(Reindexed { games: ended.len(), skipped })
    }

    /// Returns the people of a game, with their names in it, and the game itself if it has ended.
    fn examine(&self, game: GameId, now_ms: u64) -> Result<Examined, StoreError> {
        let meta = self.files.expect_meta(game)?;
        let journal = self.files.read_journal(game)?;
        let people = people_of(&meta, &journal);
        let Some(reason) = end_reason(&meta, &journal) else {
            return Ok((people, None));
        };
        let last = Finished { number: u64::MAX, unix_ms: now_ms, reason };
        let finished = meta.finished.unwrap_or(last);
        let game = self.files.ended_game(meta, &journal)?;
        Ok((people, Some((game, finished))))
    }
}

/// The people and the end of a game, for reindexing.
type Examined = (Vec<(PlayerId, String)>, Option<(EndedGame, Finished)>);

/// Returns the reason why a game has ended; `None` if it is to be resumed. A game whose result was not sent to all peers
/// is resumed first.
fn end_reason(meta: &GameMeta, journal: &Reading) -> Option<EndReason> {
    let of_journal = || match journal.recording.end() {
        Some(RecordingEnd::Over) => EndReason::Over,
        // A web host ends a journal early only by command; earlier versions marked that as closed.
        Some(RecordingEnd::ByHost | RecordingEnd::Stalemate | RecordingEnd::Closed) | None => {
            EndReason::Creator
        }
    };
    let finished = meta.finished.map(|finished| finished.reason);
    finished.or_else(|| is_finished(journal).then(of_journal))
}

/// Returns the people of a game, with their names in it.
pub(super) fn people_of(meta: &GameMeta, journal: &Reading) -> Vec<(PlayerId, String)> {
    let joined = summary::joined(meta, &journal.recording);
    joined
        .filter_map(|(name, who)| match who {
            Some(Rated::Player(id)) => Some((id, name.to_string())),
            _ => None,
        })
        .collect()
}

/// Makes the numbers strictly increasing; keeps those that already are.
fn renumber(ended: &mut [(EndedGame, Finished)]) {
    let mut last = 0;
    for (_, finished) in ended {
        let is_known = finished.number != u64::MAX && finished.number > last;
        finished.number = if is_known { finished.number } else { last + 1 };
        last = finished.number;
    }
}
