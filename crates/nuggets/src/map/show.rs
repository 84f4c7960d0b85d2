//! `nuggets map show`: a map, or what is visible from a spot, as text or as a picture.

use std::io::Write;
use std::sync::Arc;

use nuggets_game::{Map, Point, PointSet, Sight, SightRule};
use nuggets_tui::{wants_color, write_map};

use super::open;
use super::picture::MapDrawing;
use crate::args::BadArgument;
use crate::args::map::ShowArgs;
use crate::print;

/// A spot and what is visible from it.
pub(super) struct SpotSight {
    pub(super) from: Point,
    pub(super) visible: Arc<PointSet>,
}

pub(super) fn run(args: &ShowArgs) -> anyhow::Result<()> {
    let map = open(&args.map, args.seed.as_deref())?;
    if let Some(from) = args.from {
        ensure_spot(&map, from)?;
    }
    let sight = Sight::new(map, SightRule::of(args.dialect));
    let view = args.from.map(|from| SpotSight { from, visible: sight.visible_from(from) });
    if args.svg.is_none() && args.png.is_none() {
        return show(&text(sight.map(), view.as_ref()), args);
    }
    let picture = MapDrawing::of(sight.map(), view.as_ref());
    if let Some(path) = &args.svg {
        print::file(path, picture.to_svg().as_bytes(), args.force)?;
    }
    if let Some(path) = &args.png {
        print::file(path, &picture.to_png()?, args.force)?;
    }
    Ok(())
}

fn show(text: &str, args: &ShowArgs) -> anyhow::Result<()> {
    let colored = wants_color(args.color);
    print::out(|out| if colored { write_map(out, text) } else { out.write_all(text.as_bytes()) })
}

/// The map as in its file, or only what is visible, with an `@` on the spot of the viewer.
fn text(map: &Map, view: Option<&SpotSight>) -> String {
    let Some(view) = view else { return map.to_string() };
    let symbol = |at: Point| match map.tile(at) {
        _ if at == view.from => '@',
        Some(tile) if view.visible.contains(map.index(at)) => char::from(tile.as_byte()),
        _ => ' ',
    };
    let line =
        |row| (0..map.cols()).map(|col| symbol(Point::new(row, col))).chain(['\n']).collect();
    (0..map.rows()).map(|row| -> String { line(row) }).collect()
}

fn ensure_spot(map: &Map, at: Point) -> Result<(), BadArgument> {
    let found = match map.tile(at) {
        Some(tile) if tile.is_spot() => return Ok(()),
        Some(tile) if tile.is_wall() => {
            format!("there is a boundary '{}'", char::from(tile.as_byte()))
        }
        Some(_) => "there is rock".to_owned(),
        None => format!("the map has {} lines and {} columns", map.rows(), map.cols()),
    };
    let distance = |spot: &Point| spot.row.abs_diff(at.row).max(spot.col.abs_diff(at.col));
    let nearest = map.spots().into_iter().min_by_key(distance);
    let advice = nearest.map_or_else(
        || "This map has no spots".to_owned(),
        |spot| {
            format!("Choose a spot '.' or '#'; the nearest is {},{}", spot.row + 1, spot.col + 1)
        },
    );
    Err(BadArgument(format!("{at} is not a spot: {found}. {advice}")))
}
