//! `nuggets map …`: checks, generates, shows and measures maps.

mod check;
mod picture;
mod show;
mod stats;

use std::path::Path;
use std::process::ExitCode;

use nuggets_game::map::generate::{Blueprint, generate};
use nuggets_game::{Map, Seed};

pub(crate) use self::picture::MapDrawing;
use crate::args::BadArgument;
use crate::args::map::{MapCommand, NewArgs};
use crate::{map_file, print, seed};

pub(crate) fn run(command: &MapCommand) -> anyhow::Result<ExitCode> {
    match command {
        MapCommand::Check(args) => return check::run(args),
        MapCommand::New(args) => generate_map(args)?,
        MapCommand::Show(args) => show::run(args)?,
        MapCommand::Stats(args) => stats::run(args)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn generate_map(args: &NewArgs) -> anyhow::Result<()> {
    let blueprint = Blueprint::new(args.rows, args.cols, args.rooms, args.style);
    let blueprint = blueprint.map_err(|why| BadArgument(why.to_string()))?;
    let map = generate(&blueprint, seed_for_map(args.seed.as_deref())?).to_string();
    match &args.out {
        Some(path) => print::file(path, map.as_bytes(), args.force),
        None => print::text(&map),
    }
}

/// Loads a map, or generates it if it is `random`.
fn open(source: &Path, typed_seed: Option<&str>) -> anyhow::Result<Map> {
    if map_file::is_random(source) {
        return Ok(generate(&Blueprint::default(), seed_for_map(typed_seed)?));
    }
    if typed_seed.is_some() {
        let why = "--seed needs the map 'random': other maps are not generated".to_owned();
        return Err(BadArgument(why).into());
    }
    map_file::load_unchecked(source)
}

/// The seed that was typed, or a random one, which is printed so that the map can be generated again.
fn seed_for_map(typed: Option<&str>) -> anyhow::Result<Seed> {
    let seed = seed::read_or_choose(typed)?;
    if typed.is_none() {
        print::to_stderr(format_args!("seed {seed}: repeat with --seed {seed}"));
    }
    Ok(seed)
}
