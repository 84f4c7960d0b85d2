//! `nuggets map show`: a map, or what is seen from a spot, as text or as a picture.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use nuggets_client::{wants_color, write_map};
use nuggets_game::{Map, Point, PointSet, Sight};
use nuggets_server::sight_rule;

use super::open;
use super::picture::Picture;
use crate::args::BadArgument;
use crate::args::map::ShowArgs;
use crate::print;

/// Where somebody stands and what is seen from there.
pub(super) struct Look {
    pub(super) from: Point,
    pub(super) seen: Arc<PointSet>,
}

pub(super) fn run(args: &ShowArgs) -> anyhow::Result<()> {
    let map = open(&args.map, args.seed.as_deref())?;
    if let Some(from) = args.from {
        check_spot(&map, from)?;
    }
    let sight = Sight::new(map, sight_rule(args.dialect));
    let look = args.from.map(|from| Look { from, seen: sight.from(from) });
    if args.svg.is_none() && args.png.is_none() {
        return show(&text(sight.map(), look.as_ref()), args);
    }
    let picture = Picture::of(sight.map(), look.as_ref());
    if let Some(path) = &args.svg {
        print::file(path, picture.to_svg().as_bytes(), args.force)?;
    }
    if let Some(path) = &args.png {
        print::file(path, &picture.to_png()?, args.force)?;
    }
    Ok(())
}

fn show(text: &str, args: &ShowArgs) -> anyhow::Result<()> {
    let colored = wants_color(args.color, io::stdout().is_terminal());
    print::out(|out| if colored { write_map(out, text) } else { out.write_all(text.as_bytes()) })
}

/// The map as its file, or only what is seen, with an `@` where the viewer stands.
fn text(map: &Map, look: Option<&Look>) -> String {
    let Some(look) = look else { return map.to_string() };
    let symbol = |at: Point| match map.tile(at) {
        _ if at == look.from => '@',
        Some(tile) if look.seen.contains(map.index(at)) => char::from(tile.as_char()),
        _ => ' ',
    };
    let line =
        |row| (0..map.cols()).map(|col| symbol(Point::new(row, col))).chain(['\n']).collect();
    (0..map.rows()).map(|row| -> String { line(row) }).collect()
}

fn check_spot(map: &Map, at: Point) -> Result<(), BadArgument> {
    let found = match map.tile(at) {
        Some(tile) if tile.is_spot() => return Ok(()),
        Some(tile) if tile.is_wall() => {
            format!("there is a boundary '{}'", char::from(tile.as_char()))
        }
        Some(_) => "there is rock".to_owned(),
        None => format!("the map has {} lines and {} columns", map.rows(), map.cols()),
    };
    let apart = |spot: &Point| spot.row.abs_diff(at.row).max(spot.col.abs_diff(at.col));
    let nearest = map.spots().into_iter().min_by_key(apart);
    let advice = nearest.map_or_else(
        || "This map has no spot at all".to_owned(),
        |spot| {
            format!("Choose a spot '.' or '#'; the nearest is {},{}", spot.row + 1, spot.col + 1)
        },
    );
    Err(BadArgument(format!("nobody can look from {at}: {found}. {advice}")))
}
