//! The costs by map size and by numbers of players, games and watchers, as a picture.

use std::path::Path;

use anyhow::anyhow;
use plotters::prelude::*;

use super::host::HostCost;
use super::load::{Cost, Load};
use super::report::Report;

const SIZE: (u32, u32) = (1200, 800);
const SUBJECT: RGBColor = RGBColor(0, 114, 178);
const BARE: RGBColor = RGBColor(213, 94, 0);

/// Above the server: the cost of a key against the size of the map, and how many keys a second of processor time takes,
/// against the size of the map and against the players. Below the web host: the cost of a key against games and
/// watchers, and how long it takes from key to picture.
pub(crate) fn draw(file: &Path, report: &Report) -> anyhow::Result<()> {
    let area = SVGBackend::new(file, SIZE).into_drawing_area();
    area.fill(&WHITE).map_err(|why| anyhow!("{why}"))?;
    let parts = area.split_evenly((2, 3));
    let Report { by_size, by_players, host, .. } = report;
    let tiles = |load: &Load| load.field.map().tiles().len();
    let players = |load: &Load| load.players;
    let us = |ns| ns / 1e3;
    let keys = |ns| 1e9 / ns;
    chart(&parts[0], "26 players: µs per key, by gridpoints", &udp(by_size, tiles, us))?;
    chart(&parts[1], "26 players: keys per second, by gridpoints", &udp(by_size, tiles, keys))?;
    chart(&parts[2], "21x79: keys per second, by players", &udp(by_players, players, keys))?;
    let (by_games, by_watchers) = (&host.by_games, &host.watched.by_watchers);
    let games = |cost: &HostCost| cost.size.games;
    let watchers = |cost: &HostCost| cost.size.watchers;
    chart(&parts[3], "web host: µs per key, by games of 26", &web(by_games, games, web_us))?;
    chart(&parts[4], "web host: µs per key, by watchers", &web(by_watchers, watchers, web_us))?;
    chart(&parts[5], "web host: p99 in ms, by watchers", &web(by_watchers, watchers, web_p99))?;
    area.present().map_err(|why| anyhow!("{why}"))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// The points of the subject and of its bare loop.
struct Lines {
    subject: &'static str,
    points: Vec<(f64, f64)>,
    bare: Vec<(f64, f64)>,
}

#[expect(clippy::cast_precision_loss, reason = "coordinates of a picture")]
fn udp(loads: &[(Load, Cost)], x: fn(&Load) -> usize, y: fn(f64) -> f64) -> Lines {
    let points = |cost: fn(&Cost) -> f64| -> Vec<(f64, f64)> {
        loads.iter().map(|(load, c)| (x(load) as f64, y(cost(c)))).collect()
    };
    Lines { subject: "server", points: points(|c| c.server_ns), bare: points(|c| c.bare_ns) }
}

/// The figures of the host and of its bare loop.
#[expect(clippy::cast_precision_loss, reason = "coordinates of a picture")]
fn web(costs: &[HostCost], x: fn(&HostCost) -> usize, y: fn(&HostCost) -> [f64; 2]) -> Lines {
    let points = |of: usize| -> Vec<(f64, f64)> {
        costs.iter().map(|cost| (x(cost) as f64, y(cost)[of])).collect()
    };
    Lines { subject: "host", points: points(0), bare: points(1) }
}

fn web_us(cost: &HostCost) -> [f64; 2] {
    [cost.host_us, cost.bare_us]
}

fn web_p99(cost: &HostCost) -> [f64; 2] {
    [cost.host_ms.p99, cost.bare_ms.p99]
}

fn chart(area: &Area<'_>, title: &str, lines: &Lines) -> anyhow::Result<()> {
    let Lines { subject, points, bare } = lines;
    let highest = |axis: fn(&(f64, f64)) -> f64| {
        points.iter().chain(bare).map(axis).fold(0.0, f64::max) * 1.1
    };
    let is_rising = points.first().map(|p| p.1) < points.last().map(|p| p.1);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 15))
        .margin(12)
        .x_label_area_size(30)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..highest(|p| p.0), 0.0..highest(|p| p.1))?;
    chart.configure_mesh().light_line_style(WHITE).draw()?;
    for (name, points, color) in [(*subject, points, SUBJECT), ("bare loop", bare, BARE)] {
        chart
            .draw_series(LineSeries::new(points.clone(), color.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)));
        chart.draw_series(points.iter().map(|at| Circle::new(*at, 3, color.filled())))?;
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
