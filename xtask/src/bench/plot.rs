//! The growth of cost, as a picture.

use std::path::Path;

use anyhow::anyhow;
use plotters::prelude::*;

use super::load::{Cost, Load};

const SIZE: (u32, u32) = (960, 420);
const SERVER: RGBColor = RGBColor(0, 114, 178);
const BARE: RGBColor = RGBColor(213, 94, 0);

/// Two charts side by side: cost of a key against the size of the map, and against the players.
pub(crate) fn draw(
    file: &Path,
    by_size: &[(Load, Cost)],
    by_players: &[(Load, Cost)],
) -> anyhow::Result<()> {
    let area = SVGBackend::new(file, SIZE).into_drawing_area();
    area.fill(&WHITE).map_err(|why| anyhow!("{why}"))?;
    let (left, right) = area.split_horizontally(SIZE.0 / 2);
    let gridpoints = |load: &Load| load.field.map().tiles().len();
    chart(&left, "26 players: µs per key against gridpoints", by_size, gridpoints)?;
    chart(&right, "21x79 map: µs per key against players", by_players, |load| load.players)?;
    area.present().map_err(|why| anyhow!("{why}"))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

#[allow(clippy::cast_precision_loss, reason = "a picture")]
fn chart(
    area: &Area<'_>,
    title: &str,
    loads: &[(Load, Cost)],
    x: impl Fn(&Load) -> usize,
) -> anyhow::Result<()> {
    let points = |cost: fn(&Cost) -> f64| -> Vec<(f64, f64)> {
        loads.iter().map(|(load, c)| (x(load) as f64, cost(c) / 1e3)).collect()
    };
    let (server, bare) = (points(|cost| cost.server_ns), points(|cost| cost.bare_ns));
    let highest = |axis: fn(&(f64, f64)) -> f64| {
        server.iter().chain(&bare).map(axis).fold(0.0, f64::max) * 1.1
    };
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(30)
        .y_label_area_size(48)
        .build_cartesian_2d(0.0..highest(|p| p.0), 0.0..highest(|p| p.1))?;
    chart.configure_mesh().light_line_style(WHITE).draw()?;
    for (name, points, color) in [("server", server, SERVER), ("bare loop", bare, BARE)] {
        chart
            .draw_series(LineSeries::new(points.clone(), color.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)));
        chart.draw_series(points.into_iter().map(|at| Circle::new(at, 3, color.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .border_style(BLACK)
        .draw()?;
    Ok(())
}
