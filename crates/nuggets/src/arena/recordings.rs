//! The selection of tournament games that are kept as recordings, and their files.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use nuggets_arena::RecordedGame;
use nuggets_subprocess::shell_quote;

use crate::args::BadArgument;
use crate::print::{self, count};

/// The games to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GameChoice {
    /// All of them.
    All,
    /// The first games, this many.
    First(u64),
    /// The game in which the chosen entrant collected the most.
    Best,
    /// The game in which it collected the least.
    Worst,
}

impl GameChoice {
    fn read(word: &str) -> Option<Self> {
        match (word, word.parse()) {
            ("all", _) => Some(Self::All),
            ("best", _) => Some(Self::Best),
            ("worst", _) => Some(Self::Worst),
            (_, Ok(number @ 1..)) => Some(Self::First(number)),
            _ => None,
        }
    }
}

/// The folder and the games that the values of `--record` name; `None` if there are none. A folder with the name of a
/// choice can be written as `./best`.
pub(super) fn read_options(values: &[PathBuf]) -> Result<Option<(&Path, GameChoice)>, BadArgument> {
    let choice = |value: &PathBuf| value.to_str().and_then(GameChoice::read);
    let folders: Vec<&PathBuf> = values.iter().filter(|value| choice(value).is_none()).collect();
    let choices: Vec<GameChoice> = values.iter().filter_map(choice).collect();
    let folder = match folders[..] {
        [] => Path::new("."),
        [folder] => folder,
        [one, other, ..] => {
            let (one, other) = (one.display(), other.display());
            return Err(BadArgument(format!(
                "--record names two folders, '{one}' and '{other}': give one. Which games to record is one of \
                 all, best, worst and a number such as 10"
            )));
        }
    };
    match choices[..] {
        [] => Ok((!folders.is_empty()).then_some((folder, GameChoice::All))),
        [choice] => Ok(Some((folder, choice))),
        _ => Err(BadArgument(
            "--record says twice which games to record: give one of all, best, worst and a number"
                .into(),
        )),
    }
}

/// Writes recordings into a folder while the games are played.
pub(super) struct Recordings {
    folder: PathBuf,
    choice: GameChoice,
    /// The entrant whose best or worst game is wanted.
    entrant: usize,
    force: bool,
    /// The best or worst game so far.
    chosen: Option<RecordedGame>,
    written: Vec<PathBuf>,
    /// The first error; nothing is written after it.
    failure: Option<anyhow::Error>,
}

impl Recordings {
    /// Creates the folder if there is none.
    pub(super) fn open(
        folder: &Path,
        choice: GameChoice,
        entrant: usize,
        force: bool,
    ) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| {
            let folder = folder.display();
            format!("can't create the folder '{folder}' for recordings: choose another --record")
        })?;
        ensure_empty(folder, force)?;
        Ok(Self {
            folder: folder.to_owned(),
            choice,
            entrant,
            force,
            chosen: None,
            written: vec![],
            failure: None,
        })
    }

    /// Takes a game that has ended. Games come in any order.
    pub(super) fn keep(&mut self, game: RecordedGame) {
        match self.choice {
            GameChoice::All => self.write(&game),
            GameChoice::First(number) if game.number <= number => self.write(&game),
            GameChoice::First(_) => {}
            GameChoice::Best | GameChoice::Worst => {
                if self.chosen.as_ref().is_none_or(|chosen| self.is_preferred(&game, chosen)) {
                    self.chosen = Some(game);
                }
            }
        }
    }

    /// True if this game is chosen over the other. Of equal games the earliest wins, so that the choice does not
    /// depend on the number of jobs.
    fn is_preferred(&self, game: &RecordedGame, chosen: &RecordedGame) -> bool {
        let rank = |game: &RecordedGame| {
            let nuggets = game.nuggets[self.entrant];
            let missing = u32::MAX - nuggets;
            (if self.choice == GameChoice::Best { missing } else { nuggets }, game.number)
        };
        rank(game) < rank(chosen)
    }

    fn write(&mut self, game: &RecordedGame) {
        if self.failure.is_some() {
            return;
        }
        let path = self.folder.join(format!("game-{:04}.nuggets", game.number));
        match print::file(&path, &game.bytes, self.force) {
            Ok(()) => self.written.push(path),
            Err(why) => self.failure = Some(why),
        }
    }

    /// Finishes after the last game; returns the files written, in the order of the games.
    pub(super) fn finish(mut self) -> anyhow::Result<Vec<PathBuf>> {
        if let Some(game) = self.chosen.take() {
            self.write(&game);
        }
        self.written.sort();
        match self.failure {
            Some(why) => Err(why),
            None => Ok(self.written),
        }
    }
}

/// A message for the user about the files written.
pub(super) fn summary(written: &[PathBuf]) -> String {
    match written {
        [] => "no game was recorded".to_owned(),
        [one] => format!("recorded: nuggets replay {}", shell_quote(&one.to_string_lossy())),
        [first, ..] => {
            let games = count(written.len(), "game");
            format!("recorded {games}: nuggets replay {} …", shell_quote(&first.to_string_lossy()))
        }
    }
}

/// Rejects a folder with recordings of another tournament, before the first game.
fn ensure_empty(folder: &Path, force: bool) -> anyhow::Result<()> {
    let files = std::fs::read_dir(folder)
        .with_context(|| format!("can't read the folder '{}'", folder.display()))?;
    let is_recording = |name: &str| name.starts_with("game-") && name.ends_with(".nuggets");
    let mut names = files.flatten().map(|file| file.file_name().to_string_lossy().into_owned());
    match names.find(|name| !force && is_recording(name)) {
        None => Ok(()),
        Some(name) => bail!(
            "'{}' already exists. Give another --record, or overwrite recordings with --force",
            folder.join(name).display()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the games kept out of five, with these nuggets for the entrant.
    fn kept(choice: &str, nuggets: [u32; 5]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let choice = GameChoice::read(choice).unwrap();
        let mut recordings = Recordings::open(folder.path(), choice, 1, false).unwrap();
        // The games end in another order.
        for number in [3, 1, 5, 2, 4] {
            let nuggets = vec![0, nuggets[number - 1]];
            let bytes = vec![7];
            recordings.keep(RecordedGame { number: number as u64, nuggets, bytes });
        }
        let written = recordings.finish().unwrap();
        let name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        written.into_iter().map(name).collect()
    }

    #[test]
    fn all_the_first_the_best_or_the_worst_games_are_kept() {
        let nuggets = [10, 30, 5, 30, 5];
        let file = |number: u32| format!("game-000{number}.nuggets");
        assert_eq!(kept("all", nuggets), (1..=5).map(file).collect::<Vec<_>>());
        assert_eq!(kept("2", nuggets), [file(1), file(2)]);
        assert_eq!(kept("best", nuggets), [file(2)]);
        assert_eq!(kept("worst", nuggets), [file(3)]);
    }

    #[test]
    fn a_choice_is_a_word_or_a_number() {
        assert_eq!(GameChoice::read("12"), Some(GameChoice::First(12)));
        assert_eq!(["0", "-1", "most", ""].map(GameChoice::read), [None; 4]);
    }
}
