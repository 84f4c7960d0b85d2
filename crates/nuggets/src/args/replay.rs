//! The arguments of `nuggets replay`.

use std::path::PathBuf;

use clap::Args;
use nuggets_client::ColorChoice;
use nuggets_game::{Letter, Viewer};

use super::color;

/// Watch a recorded game again, check it, or measure it.
#[derive(Args, Debug)]
#[command(after_help = REPLAY_EXAMPLES)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option that is typed or not")]
pub(crate) struct ReplayArgs {
    /// The recording, as a server wrote it
    pub(crate) file: PathBuf,

    /// Play it again, compare every state that it holds, and say the first record that is bad
    #[arg(long)]
    pub(crate) verify: bool,

    /// Print statistics for programs: paths, nuggets over time, explored shares
    #[arg(long, conflicts_with = "verify")]
    pub(crate) json: bool,

    /// Draw the purses over time, and where people walked, into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// Write it into this file for asciinema (version 2)
    #[arg(long, value_name = "FILE")]
    pub(crate) cast: Option<PathBuf>,

    /// Through whose eyes: a player's letter, or spectator
    #[arg(long, value_name = "LETTER", default_value = "spectator", value_parser = viewer)]
    pub(crate) eyes: Viewer,

    /// Keep every pause in the --cast; else none is longer than a second
    #[arg(long, requires = "cast")]
    pub(crate) no_skip: bool,

    /// Write over files that are there already
    #[arg(long)]
    pub(crate) force: bool,

    /// Whether to use colours; auto heeds the environment's `NO_COLOR` and TERM
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = color())]
    pub(crate) color: ColorChoice,
}

const REPLAY_EXAMPLES: &str = "\
Without options it is played in the terminal: ? shows the keys and q quits. Where there is no
terminal, the last picture and the purses are printed.

The exit code is 0, or 1 if the recording can't be read, is damaged, or is not played as recorded.

Examples:
  nuggets replay game.nuggets                    watch it
  nuggets replay game.nuggets --eyes B           see what player B saw
  nuggets replay game.nuggets --verify           is it whole and unchanged?
  nuggets replay game.nuggets --json | jq '.players[].purse'
  nuggets replay game.nuggets --svg game.svg     purses over time, and where people walked
  nuggets replay game.nuggets --cast game.cast   then: asciinema play game.cast";

fn viewer(typed: &str) -> Result<Viewer, &'static str> {
    match typed.as_bytes() {
        b"spectator" => Ok(Viewer::Spectator),
        [letter] => Letter::from_char(letter.to_ascii_uppercase()).map(Viewer::Player).ok_or(WHOSE),
        _ => Err(WHOSE),
    }
}

const WHOSE: &str = "give the letter of a player, A to Z, or spectator";
