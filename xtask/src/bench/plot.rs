//! The costs by map size and by numbers of players, games and watchers, as a picture.

use std::path::Path;

use anyhow::anyhow;
use plotters::prelude::*;

use super::figures::Figures;
use super::report::Report;

const SIZE: (u32, u32) = (1200, 800);
const SUBJECT: RGBColor = RGBColor(0, 114, 178);
const BARE: RGBColor = RGBColor(213, 94, 0);

/// A figure of the subject and of its bare loop, by a size.
type Points = Vec<(f64, [f64; 2])>;

/// Above the server: the cost of a key against the size of the map, and how many keys a second of processor time takes,
/// against the size of the map and against the players. Below the web host: the cost of a key against games and
/// watchers, and how long it takes from key to picture.
pub(crate) fn draw(file: &Path, report: &Report) -> anyhow::Result<()> {
    let points = |costs: &[&Figures], x: &str, names: [&str; 2]| -> Points {
        costs.iter().map(|cost| (cost.get(x), names.map(|name| cost.get(name)))).collect()
    };
    let [by_size, by_players]: [Vec<&Figures>; 2] = [&report.by_size, &report.by_players]
        .map(|loads| loads.iter().map(|(_, cost)| cost).collect());
    let [games, watchers]: [Vec<&Figures>; 2] =
        [&report.host.by_games, &report.host.by_watchers].map(|costs| costs.iter().collect());
    let (server, host) = (["server µs", "bare µs"], ["host µs", "bare µs"]);
    let keys_per_s = |points: Points| -> Points {
        points.into_iter().map(|(x, us)| (x, us.map(|us| 1e6 / us))).collect()
    };
    let charts: [(&str, &str, Points); 6] = [
        ("26 players: µs per key, by gridpoints", "server", points(&by_size, "gridpoints", server)),
        (
            "26 players: keys per second, by gridpoints",
            "server",
            keys_per_s(points(&by_size, "gridpoints", server)),
        ),
        (
            "21x79: keys per second, by players",
            "server",
            keys_per_s(points(&by_players, "players", server)),
        ),
        ("web host: µs per key, by games of 26", "host", points(&games, "games", host)),
        ("web host: µs per key, by watchers", "host", points(&watchers, "watchers", host)),
        (
            "web host: p99 in ms, by watchers",
            "host",
            points(&watchers, "watchers", ["host p99", "bare p99"]),
        ),
    ];
    let area = SVGBackend::new(file, SIZE).into_drawing_area();
    area.fill(&WHITE).map_err(|why| anyhow!("{why}"))?;
    for (area, (title, subject, points)) in area.split_evenly((2, 3)).iter().zip(&charts) {
        chart(area, title, subject, points)?;
    }
    area.present().map_err(|why| anyhow!("{why}"))
}

fn chart(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    title: &str,
    subject: &str,
    points: &Points,
) -> anyhow::Result<()> {
    let of = |line: usize| points.iter().map(move |(x, y)| (*x, y[line]));
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
