//! Purses over time, as a picture.

use std::path::Path;

use nuggets_sim::arena::{Row, Standings};
use plotters::prelude::*;

use crate::chart_colors::COLORS;
use crate::print;

const SIZE: (u32, u32) = (900, 480);
/// A line has at most so many points: more can't be seen.
const MOST_POINTS: usize = 600;

/// One line for each entrant: its mean purse after so many moves of each bot.
pub(super) fn draw(file: &Path, standings: &Standings, force: bool) -> anyhow::Result<()> {
    print::file(file, picture(standings)?.as_bytes(), force)
}

fn picture(standings: &Standings) -> anyhow::Result<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        chart(&area, standings)?;
        area.present()?;
    }
    Ok(svg)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn chart(area: &Area<'_>, standings: &Standings) -> anyhow::Result<()> {
    let points = || standings.rows.iter().flat_map(points);
    let rounds = points().map(|point| point.0).fold(1.0, f64::max);
    let nuggets = points().map(|point| point.1).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .caption(format!("Mean purse over {} games", standings.games), ("sans-serif", 18))
        .margin(14)
        .x_label_area_size(40)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..rounds, 0.0..nuggets * 1.05)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("moves of each bot")
        .y_desc("nuggets")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .draw()?;
    for (row, color) in standings.rows.iter().zip(COLORS.into_iter().cycle()) {
        let line = LineSeries::new(points_of(row), color.stroke_width(2));
        let label = move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2));
        chart.draw_series(line)?.label(row.name.clone()).legend(label);
    }
    let labels = &mut chart.configure_series_labels();
    labels.position(SeriesLabelPosition::UpperLeft).background_style(WHITE).border_style(BLACK);
    labels.draw()?;
    Ok(())
}

fn points(row: &Row) -> impl Iterator<Item = (f64, f64)> + '_ {
    points_of(row).into_iter()
}

#[allow(clippy::cast_precision_loss, reason = "a picture")]
fn points_of(row: &Row) -> Vec<(f64, f64)> {
    let nuggets = &row.curve.nuggets;
    let stride = nuggets.len().div_ceil(MOST_POINTS).max(1);
    let last = nuggets.len().saturating_sub(1);
    let shown = (0..nuggets.len()).step_by(stride).filter(|&round| round != last).chain([last]);
    shown.filter_map(|round| Some((round as f64, *nuggets.get(round)?))).collect()
}
