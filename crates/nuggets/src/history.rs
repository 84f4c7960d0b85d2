//! The recordings of the latest games of `nuggets play`, in the user's state folder (XDG).

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use nuggets_time::unix_time_ms;

use crate::user_folders::STATE;

/// The maximum number of games to keep.
const MAX_GAMES: usize = 20;
/// The file name extension of recordings.
const SUFFIX: &str = ".nuggets";

/// A recording in the state folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PastGame {
    pub(crate) path: PathBuf,
    /// The start of the game, in milliseconds since 1970.
    pub(crate) began_ms: u64,
    /// The rest of its name: map and seed.
    pub(crate) about: String,
}

/// The folder of the recordings. `None` without a home folder.
pub(crate) fn folder() -> Option<PathBuf> {
    STATE.path().map(|folder| folder.join("games"))
}

/// Creates the file for a new game, and removes the oldest games beyond the limit.
pub(crate) fn create(folder: &Path, map: &str, seed: &str) -> io::Result<File> {
    fs::create_dir_all(folder)?;
    let mut kept = games(folder);
    for old in kept.split_off(kept.len().min(MAX_GAMES - 1)) {
        fs::remove_file(old.path)?;
    }
    let map: String =
        map.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    // The new game is later than all others, even if the clock was set back.
    let latest = kept.first().map_or(0, |game| game.began_ms);
    let mut began_ms = unix_time_ms().max(latest + 1);
    loop {
        let path = folder.join(format!("{began_ms:013}-{map}-{seed}{SUFFIX}"));
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => began_ms += 1,
            opened => return opened,
        }
    }
}

/// All games in the folder, the latest first. Files with other names are ignored.
pub(crate) fn games(folder: &Path) -> Vec<PastGame> {
    let Ok(files) = fs::read_dir(folder) else { return vec![] };
    let mut games: Vec<PastGame> =
        files.flatten().filter_map(|file| past_game(file.path())).collect();
    games.sort_by(|one, other| other.path.cmp(&one.path));
    games
}

fn past_game(path: PathBuf) -> Option<PastGame> {
    let name = path.file_name()?.to_str()?.strip_suffix(SUFFIX)?;
    let (began, about) = name.split_once('-')?;
    let (map, seed) = about.rsplit_once('-')?;
    let began_ms = began.parse().ok()?;
    let about = format!("map {map}, seed {seed}");
    Some(PastGame { path, began_ms, about })
}

/// A time in UTC, as `2026-11-17 05:04`.
pub(crate) fn utc(ms: u64) -> String {
    let minutes = ms / 60_000;
    let (hour, minute) = (minutes / 60 % 24, minutes % 60);
    let (year, month, day) = date(minutes / 60 / 24);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
}

/// The date of a day since 1970-01-01.
fn date(mut day: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    for (month, days) in (1..).zip([31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
        if day < days {
            return (year, month, day + 1);
        }
        day -= days;
    }
    unreachable!("a year has no more days")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_games_are_kept_and_listed_first() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("games");
        assert_eq!(games(&folder), []);
        for seed in 1..=MAX_GAMES + 3 {
            create(&folder, "my map", &seed.to_string()).unwrap();
        }
        fs::write(folder.join("notes.txt"), "mine").unwrap();
        let games = games(&folder);
        assert_eq!(games.len(), MAX_GAMES);
        assert_eq!(games[0].about, format!("map my_map, seed {}", MAX_GAMES + 3));
        assert!(games.is_sorted_by(|one, other| one.began_ms > other.began_ms));
        assert!(folder.join("notes.txt").exists(), "other files are left alone");
    }

    #[test]
    fn times_are_written_as_dates() {
        assert_eq!(utc(0), "1970-01-01 00:00");
        assert_eq!(utc(951_782_400_000), "2000-02-29 00:00");
        assert_eq!(utc(1_794_891_899_000), "2026-11-17 05:04");
    }
}
