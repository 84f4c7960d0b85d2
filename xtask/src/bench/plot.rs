//! The costs by map size and by number of players, as a picture.

use std::path::Path;

use anyhow::anyhow;
use plotters::prelude::*;

use super::load::{Cost, Load};

const SIZE: (u32, u32) = (1200, 400);
const SERVER: RGBColor = RGBColor(0, 114, 178);
const BARE: RGBColor = RGBColor(213, 94, 0);

/// Three charts side by side: the cost of a key against the size of the map, and how many keys a
/// second of processor time takes, against the size of the map and against the players.
pub(crate) fn draw(
    file: &Path,
    by_size: &[(Load, Cost)],
    by_players: &[(Load, Cost)],
) -> anyhow::Result<()> {
    let area = SVGBackend::new(file, SIZE).into_drawing_area();
    area.fill(&WHITE).map_err(|why| anyhow!("{why}"))?;
    let parts = area.split_evenly((1, 3));
    let gridpoints = |load: &Load| load.field.map().tiles().len();
    let us: Unit = |ns| ns / 1e3;
    let keys: Unit = |ns| 1e9 / ns;
    chart(&parts[0], "26 players: µs per key, by gridpoints", by_size, gridpoints, us)?;
    chart(&parts[1], "26 players: keys per second, by gridpoints", by_size, gridpoints, keys)?;
    chart(&parts[2], "21x79: keys per second, by players", by_players, |l| l.players, keys)?;
    area.present().map_err(|why| anyhow!("{why}"))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
/// Converts nanoseconds to the unit of the chart.
type Unit = fn(f64) -> f64;

#[expect(clippy::cast_precision_loss, reason = "coordinates of a picture")]
fn chart(
    area: &Area<'_>,
    title: &str,
    loads: &[(Load, Cost)],
    x: impl Fn(&Load) -> usize,
    y: Unit,
) -> anyhow::Result<()> {
    let points = |cost: fn(&Cost) -> f64| -> Vec<(f64, f64)> {
        loads.iter().map(|(load, c)| (x(load) as f64, y(cost(c)))).collect()
    };
    let server = points(|cost| cost.server_ns);
    let bare = points(|cost| cost.bare_ns);
    let highest = |axis: fn(&(f64, f64)) -> f64| {
        server.iter().chain(&bare).map(axis).fold(0.0, f64::max) * 1.1
    };
    let is_rising = server.first().map(|p| p.1) < server.last().map(|p| p.1);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 15))
        .margin(12)
        .x_label_area_size(30)
        .y_label_area_size(56)
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
        .position(if is_rising {
            SeriesLabelPosition::LowerRight
        } else {
            SeriesLabelPosition::UpperRight
        })
        .border_style(BLACK)
        .draw()?;
    Ok(())
}
