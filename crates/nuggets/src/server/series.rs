//! The games of a server, one after another on one port: the map and seed of each, and the renaming of the
//! files of finished games.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use nuggets_game::{Rules, Seed};
use tracing::info;

use crate::args::{RecordArgs, ServerArgs};
use crate::{map_file, seed};

/// The position of a server in its series of games.
#[derive(Debug)]
pub(super) struct Series<'a> {
    args: &'a ServerArgs,
    /// MAP, then those of `--rotate`.
    maps: Vec<&'a Path>,
    /// The seed of the first game, if one was typed.
    first_seed: Option<Seed>,
    /// The number of the current game, from 1.
    pub(super) number: u32,
}

impl<'a> Series<'a> {
    /// Begins with the first game, or after those whose journals exist.
    pub(super) fn new(args: &'a ServerArgs, rules: &Rules) -> anyhow::Result<Self> {
        let rotated = args.hosting.rotate.iter().map(PathBuf::as_path);
        let maps: Vec<&Path> = std::iter::once(args.map.as_path()).chain(rotated).collect();
        for map in maps.iter().skip(1).filter(|map| !map_file::is_random(map)) {
            let loaded = map_file::load_unchecked(map)?;
            rules
                .check_room(&loaded)
                .with_context(|| format!("can't use the map '{}'", map.display()))?;
        }
        let first_seed = args.seed.as_deref();
        let first_seed =
            first_seed.map(|typed| seed::read_in_dialect(typed, args.dialect)).transpose()?;
        let mut series = Self { args, maps, first_seed, number: 1 };
        if let Some(journal) = args.records.journal.as_deref().filter(|_| series.is_long()) {
            series.number += finished_games(journal);
            series.expect_more(journal)?;
        }
        Ok(series)
    }

    /// True if there may be more games than one.
    pub(super) fn is_long(&self) -> bool {
        self.args.hosting.stay || self.args.hosting.games.has_more_than(1)
    }

    /// True if another game follows the current one, however that ends.
    pub(super) fn has_next(&self) -> bool {
        self.args.hosting.games.has_more_than(self.number)
    }

    /// Rejects a restart after the last game. A crash may have left its journal under its first name; a new game
    /// would be one too many.
    fn expect_more(&self, journal: &Path) -> anyhow::Result<()> {
        let is_endless = self.args.hosting.stay;
        if !is_endless && self.number > 1 && !self.args.hosting.games.has_more_than(self.number - 1)
        {
            bail!(
                "all games of '{}' are over: there are {} files of finished ones. Name another journal for new games",
                journal.display(),
                self.number - 1
            );
        }
        Ok(())
    }

    pub(super) fn map(&self) -> &'a Path {
        self.maps[(self.number as usize - 1) % self.maps.len()]
    }

    /// The seed of the current game: in a series the recorded one wins, as it may belong to a later game than the
    /// typed one.
    pub(super) fn seed(&self, recorded: Option<Seed>) -> anyhow::Result<Seed> {
        let typed = self
            .first_seed
            .map(|first| (1..self.number).fold(first, |seed, _| seed::following(seed)));
        let known = if self.is_long() { recorded.or(typed) } else { typed.or(recorded) };
        known.map_or_else(seed::choose, Ok)
    }

    /// Renames the files of the current game, which is over, and advances to the next.
    pub(super) fn advance(&mut self) -> anyhow::Result<()> {
        set_aside_finished(&self.args.records)?;
        self.number += 1;
        Ok(())
    }

    /// The title of the current game for the operator.
    pub(super) fn title(&self, seed: Seed, port: u16) -> String {
        let number = self.number;
        let of = match self.args.hosting.games.0 {
            Some(1) if !self.args.hosting.stay => "game".to_owned(),
            Some(count) if count >= number => format!("game {number} of {count}"),
            _ => format!("game {number}"),
        };
        format!("{of}, map {}, seed {seed}, port {port}: ", self.map().display())
    }
}

/// The number of finished games whose journals exist: FILE.1, FILE.2 and so on.
fn finished_games(journal: &Path) -> u32 {
    let exists = |number: &u32| numbered(journal, *number).symlink_metadata().is_ok();
    u32::try_from((1..u32::MAX).take_while(exists).count()).unwrap_or(u32::MAX)
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

/// Renames the files of a finished game, so that the next one can begin. The journal comes last: as long as it
/// keeps its name, a server that is restarted after a crash here renames the rest.
fn set_aside_finished(records: &RecordArgs) -> anyhow::Result<()> {
    for path in [&records.record, &records.journal].into_iter().flatten() {
        let free = numbered(path, finished_games(path) + 1);
        match fs::rename(path, &free) {
            Ok(()) => info!("the last game is in '{}'", free.display()),
            Err(why) if why.kind() == ErrorKind::NotFound => {}
            Err(why) => {
                return Err(why).with_context(|| {
                    format!("can't begin the next game: '{}' can't be renamed", path.display())
                });
            }
        }
    }
    Ok(())
}
