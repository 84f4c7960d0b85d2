//! `nuggets map new`: draws a map.

use std::io::Write;

use nuggets_game::{Blueprint, generate};

use super::seed_for_map;
use crate::args::BadArgument;
use crate::args::map::NewArgs;
use crate::print;

pub(super) fn run(args: &NewArgs) -> anyhow::Result<()> {
    let blueprint = Blueprint::new(args.rows, args.cols, args.rooms, args.style);
    let blueprint = blueprint.map_err(|why| BadArgument(why.to_string()))?;
    let map = generate(&blueprint, seed_for_map(args.seed.as_deref())?).to_string();
    match &args.out {
        Some(path) => print::file(path, map.as_bytes(), args.force),
        None => print::out(|out| out.write_all(map.as_bytes())),
    }
}
