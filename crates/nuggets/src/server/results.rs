//! The file with the results of all games: a row of CSV for every player, or a line of JSON for every game.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use nuggets_game::{End, Game, Player, Seed};
use nuggets_record::RecordingEnd;
use nuggets_server::Room;
use serde_json::json;

use crate::args::BadArgument;
use crate::print::csv_cell;

/// The first line of a CSV file.
const HEADING: &str = "game,seed,map,end,left,letter,purse,name\n";

/// The file and its form.
#[derive(Debug)]
pub(super) struct Results {
    path: PathBuf,
    form: Form,
    file: File,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Csv,
    JsonLines,
}

/// The identity of a game with a result.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResultKey<'a> {
    /// Counted from 1.
    pub(super) number: u32,
    pub(super) seed: Seed,
    pub(super) map: &'a str,
}

impl Results {
    /// Opens the file; results are appended to its content.
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let form = match path.extension().and_then(|ending| ending.to_str()) {
            Some("csv") => Form::Csv,
            Some("jsonl" | "json") => Form::JsonLines,
            _ => {
                return Err(BadArgument(format!(
                    "can't tell what to write into '{}': name a file that ends in .csv or .jsonl",
                    path.display()
                ))
                .into());
            }
        };
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(|why| {
            anyhow!("can't write '{}': {why}. Give a path that you may write to", path.display())
        })?;
        Ok(Self { path: path.to_owned(), form, file })
    }

    /// Appends the result of a game, in one write. One that was resumed at its end may have its result already.
    pub(super) fn append(&mut self, id: ResultKey, room: &Room) -> anyhow::Result<()> {
        let failed = || format!("can't write the result into '{}'", self.path.display());
        let written = match fs::read_to_string(&self.path) {
            Err(why) if why.kind() == ErrorKind::NotFound => String::new(),
            read => read.with_context(failed)?,
        };
        let (game, end) = (room.game(), end_of(room));
        let text = match self.form {
            Form::Csv => rows(id, game, end),
            Form::JsonLines => json_line(id, game, end),
        };
        if room.is_over() && written.ends_with(&text) && !text.is_empty() {
            return Ok(());
        }
        let has_heading = self.form == Form::JsonLines || !written.is_empty();
        let heading = if has_heading { "" } else { HEADING };
        self.file.write_all(format!("{heading}{text}").as_bytes()).with_context(failed)
    }
}

/// The text for the end of the game.
fn end_of(room: &Room) -> &'static str {
    match (room.game().end(), room.ended_early()) {
        (Some(End::AllCollected), _) => "all gold taken",
        (Some(End::NobodyLeft), _) => "all players left",
        (Some(End::Emptied), _) => "last player left",
        (None, Some(RecordingEnd::Stalemate)) => "stalemate",
        (None, Some(_)) => "ended by host",
        (None, None) => "stopped",
    }
}

fn rows(id: ResultKey, game: &Game, end: &str) -> String {
    let ResultKey { number, seed, map } = id;
    let left = game.remaining();
    let row = |player: &Player| {
        let (letter, purse, name) = (player.letter(), player.purse(), player.name().as_str());
        format!(
            "{number},{seed},{},{end},{left},{letter},{purse},{}\n",
            csv_cell(map),
            csv_cell(name)
        )
    };
    game.players().iter().map(row).collect()
}

fn json_line(id: ResultKey, game: &Game, end: &str) -> String {
    let player = |player: &Player| {
        json!({
            "letter": player.letter().to_string(),
            "name": player.name().as_str(),
            "purse": player.purse(),
        })
    };
    let players: Vec<_> = game.players().iter().map(player).collect();
    let ResultKey { number, seed, map } = id;
    let seed = seed.number();
    let left = game.remaining();
    let line = json!({
        "game": number, "seed": seed, "map": map, "end": end, "left": left, "players": players,
    });
    format!("{line}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_another_ending_is_rejected_before_the_game() {
        let error = Results::open(Path::new("results.txt")).unwrap_err();
        assert!(
            error.is::<BadArgument>() && error.to_string().contains(".csv or .jsonl"),
            "{error}"
        );
    }
}
