//! The costs by map size and by numbers of players, games and watchers, as a picture.

use std::path::Path;

use anyhow::anyhow;
use plotters::prelude::*;

use super::report::Report;

const SIZE: (u32, u32) = (1200, 800);
const SUBJECT: RGBColor = RGBColor(0, 114, 178);
const BARE: RGBColor = RGBColor(213, 94, 0);

/// A figure of the subject and of its bare loop, by a size.
type Points = Vec<(usize, [f64; 2])>;

/// Above the server: the cost of a key against the size of the map, and how many keys a second of processor time takes,
/// against the size of the map and against the players. Below the web host: the cost of a key against games and
/// watchers, and how long it takes from key to picture.
pub(crate) fn draw(file: &Path, report: &Report) -> anyhow::Result<()> {
    let by_size = report.by_size.iter().map(|(load, cost)| (load.field.map().tiles().len(), cost));
    let by_players = report.by_players.iter().map(|(load, cost)| (load.players, cost));
    let by_size: Vec<_> = by_size.map(|(x, cost)| (x, [cost.server_ns, cost.bare_ns])).collect();
    let keys = |(x, ns): (usize, [f64; 2])| (x, ns.map(|ns| 1e9 / ns));
    let (games, watchers) = (&report.host.by_games, &report.host.watched.by_watchers);
    let charts: [(&str, &str, Points); 6] = [
        (
            "26 players: µs per key, by gridpoints",
            "server",
            by_size.iter().map(|(x, ns)| (*x, ns.map(|ns| ns / 1e3))).collect(),
        ),
        (
            "26 players: keys per second, by gridpoints",
            "server",
            by_size.iter().copied().map(keys).collect(),
        ),
        (
            "21x79: keys per second, by players",
            "server",
            by_players.map(|(x, cost)| keys((x, [cost.server_ns, cost.bare_ns]))).collect(),
        ),
        (
            "web host: µs per key, by games of 26",
            "host",
            games.iter().map(|it| (it.size.games, [it.host_us, it.bare_us])).collect(),
        ),
        (
            "web host: µs per key, by watchers",
            "host",
            watchers.iter().map(|it| (it.size.watchers, [it.host_us, it.bare_us])).collect(),
        ),
        (
            "web host: p99 in ms, by watchers",
            "host",
            watchers
                .iter()
                .map(|it| (it.size.watchers, [it.host_ms.p99, it.bare_ms.p99]))
                .collect(),
        ),
    ];
    let area = SVGBackend::new(file, SIZE).into_drawing_area();
    area.fill(&WHITE).map_err(|why| anyhow!("{why}"))?;
    for (area, (title, subject, points)) in area.split_evenly((2, 3)).iter().zip(&charts) {
        chart(area, title, subject, points)?;
    }
    area.present().map_err(|why| anyhow!("{why}"))
}

#[expect(clippy::cast_precision_loss, reason = "coordinates of a picture")]
fn chart(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    title: &str,
    subject: &str,
    points: &Points,
) -> anyhow::Result<()> {
    let of = |line: usize| points.iter().map(move |(x, y)| (*x as f64, y[line]));
    let highest =
        |axis: fn((f64, f64)) -> f64| of(0).chain(of(1)).map(axis).fold(0.0, f64::max) * 1.1;
    let is_rising = of(0).next().map(|p| p.1) < of(0).next_back().map(|p| p.1);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 15))
        .margin(12)
        .x_label_area_size(30)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..highest(|p| p.0), 0.0..highest(|p| p.1))?;
    chart.configure_mesh().light_line_style(WHITE).draw()?;
    for (line, name, color) in [(0, subject, SUBJECT), (1, "bare loop", BARE)] {
        chart
            .draw_series(LineSeries::new(of(line), color.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)));
        chart.draw_series(of(line).map(|at| Circle::new(at, 3, color.filled())))?;
    }
    let corner = [SeriesLabelPosition::UpperRight, SeriesLabelPosition::LowerRight];
    let corner = corner[usize::from(is_rising)].clone();
    chart.configure_series_labels().position(corner).border_style(BLACK).draw()?;
    Ok(())
}
