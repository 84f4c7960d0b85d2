//! The arguments of `nuggets map …`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use nuggets_game::Point;
use nuggets_game::map::generate::MapStyle;
use nuggets_protocol::Dialect;
use nuggets_tui::ColorChoice;

use super::{color, dialect, number};

/// The subcommands of `nuggets map`.
#[derive(Debug, Subcommand)]
pub(crate) enum MapCommand {
    /// Check maps against every rule and suggest corrections
    Check(MapCheckArgs),
    /// Generate a map
    New(NewArgs),
    /// Show a map, or what is visible from a spot, in the terminal or as a picture
    Show(ShowArgs),
    /// Measure a map: rooms, dead ends, visibility, fairness
    Stats(StatsArgs),
}

/// Check maps against every rule and suggest corrections.
#[derive(Args, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct MapCheckArgs {
    /// The maps: files, names of built-in maps, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Print JSON: an array with an object for each file
    #[arg(long)]
    pub(crate) json: bool,
}

const CHECK_EXAMPLES: &str = "\
Exit code 0 if all maps are valid; 1 if one is invalid or can't be read.

Examples:
  nuggets map check my-map.txt          every rule, and every place where one is broken
  nuggets map check maps/*.txt --json   the same as JSON";

/// Generate a map.
#[derive(Args, Debug)]
#[command(after_help = NEW_EXAMPLES)]
pub(crate) struct NewArgs {
    /// Lines
    #[arg(long, value_name = "R", default_value_t = 21, value_parser = number::<u16>(0..=u16::MAX))]
    pub(crate) rows: u16,

    /// Columns
    #[arg(long, value_name = "C", default_value_t = 79, value_parser = number::<u16>(0..=u16::MAX))]
    pub(crate) cols: u16,

    /// Rooms; as many as suit the size if not given
    #[arg(long, value_name = "N", value_parser = number::<u16>(0..=u16::MAX))]
    pub(crate) rooms: Option<u16>,

    /// The seed that fixes everything random: a positive integer. Without it one is chosen and
    /// printed to stderr
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<String>,

    /// The style of the map
    #[arg(long, value_name = "STYLE", default_value = "rooms", value_parser = style())]
    pub(crate) style: MapStyle,

    /// The file to write; stdout if not given
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Overwrite an existing file
    #[arg(long)]
    pub(crate) force: bool,
}

const NEW_EXAMPLES: &str = "\
Examples:
  nuggets map new                                    a map that fits a window of 80x24
  nuggets map new --style halls --seed 7             the same map every time
  nuggets map new --rows 60 --cols 200 --rooms 50 --out big.txt
  nuggets map new > new.txt && nuggets play --map new.txt";

/// Show a map, or what is visible from a spot.
#[derive(Args, Debug)]
#[command(after_help = SHOW_EXAMPLES)]
pub(crate) struct ShowArgs {
    /// The map: a file, the name of a built-in map, or `random` for a new one
    pub(crate) map: PathBuf,

    /// Show what is visible from this spot: line and column, counted from 1
    #[arg(long, value_name = "R,C", value_parser = point)]
    pub(crate) from: Option<Point>,

    /// The dialect whose visibility rule to use: in 2019 players see along passages
    #[arg(long, value_name = "YEAR", default_value = "2021", value_parser = dialect())]
    pub(crate) dialect: Dialect,

    /// The seed of a random map
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<String>,

    /// Write a PNG picture into this file instead
    #[arg(long, value_name = "FILE")]
    pub(crate) png: Option<PathBuf>,

    /// Write an SVG picture into this file instead
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// Overwrite existing files
    #[arg(long)]
    pub(crate) force: bool,

    /// Use colours; auto follows the environment variables NO_COLOR and TERM
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = color())]
    pub(crate) color: ColorChoice,
}

const SHOW_EXAMPLES: &str = "\
Examples:
  nuggets map show hole                        the whole map
  nuggets map show hole --from 3,5             what a player at line 3, column 5 sees
  nuggets map show my-map.txt --png my-map.png a picture of it
  nuggets map show random --seed 7 --svg 7.svg --from 10,30";

/// Measure a map.
#[derive(Args, Debug)]
#[command(after_help = STATS_EXAMPLES)]
pub(crate) struct StatsArgs {
    /// The map: a file, the name of a built-in map, or `random` for a new one
    pub(crate) map: PathBuf,

    /// The dialect whose visibility rule to use: in 2019 players see along passages
    #[arg(long, value_name = "YEAR", default_value = "2021", value_parser = dialect())]
    pub(crate) dialect: Dialect,

    /// The seed of a random map
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<String>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const STATS_EXAMPLES: &str = "\
Examples:
  nuggets map stats main             size, rooms, visibility, fairness
  nuggets map stats my-map.txt --json | jq .fairness";

fn style() -> impl TypedValueParser<Value = MapStyle> {
    let names = MapStyle::ALL.map(|style| match style {
        MapStyle::Rooms => "rooms",
        MapStyle::CavesOfRooms => "caves-of-rooms",
        MapStyle::Halls => "halls",
    });
    PossibleValuesParser::new(names).try_map(|word| word.parse::<MapStyle>())
}

fn point(typed: &str) -> Result<Point, &'static str> {
    let from_one = |number: &str| number.trim().parse::<u16>().ok()?.checked_sub(1);
    let (line, column) = typed.split_once(',').unwrap_or_default();
    match (from_one(line), from_one(column)) {
        (Some(row), Some(col)) => Ok(Point::new(row, col)),
        _ => Err("give a line and a column, both counted from 1, like 3,5"),
    }
}
