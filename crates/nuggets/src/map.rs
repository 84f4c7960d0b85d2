//! `nuggets map …`: everything about maps that needs no game.

mod check;
mod new;
mod picture;
mod show;
mod stats;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use nuggets_game::{Blueprint, Map, Seed, generate};
use nuggets_protocol::Dialect;

pub(crate) use self::picture::Picture;
use crate::args::BadArgument;
use crate::args::map::MapCommand;
use crate::{map_file, seed};

pub(crate) fn run(command: &MapCommand) -> anyhow::Result<ExitCode> {
    match command {
        MapCommand::Check(args) => return check::run(args),
        MapCommand::New(args) => new::run(args)?,
        MapCommand::Show(args) => show::run(args)?,
        MapCommand::Stats(args) => stats::run(args)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The map of this file or name, or a new one.
fn open(source: &Path, typed_seed: Option<&str>) -> anyhow::Result<Map> {
    if map_file::is_random(source) {
        return Ok(generate(&Blueprint::default(), seed_for_map(typed_seed)?));
    }
    if typed_seed.is_some() {
        let why = "--seed is for the map 'random' only: this one is drawn already".to_owned();
        return Err(BadArgument(why).into());
    }
    map_file::look_up(source)
}

/// The seed that was typed, or one that is chosen and told, so that the map can be had again.
fn seed_for_map(typed: Option<&str>) -> anyhow::Result<Seed> {
    let seed = seed::read_or_choose(typed, Dialect::default())?;
    if typed.is_none() {
        // Whoever closed stderr doesn't want to know.
        let _ = writeln!(io::stderr(), "seed {seed}: repeat with --seed {seed}");
    }
    Ok(seed)
}
