//! The mean purses of a tournament over time, as a picture.

use std::path::Path;

use nuggets_arena::{Standings, StandingsRow};
use plotters::prelude::*;

use crate::chart::{COLORS, PlotArea, TimeAxis, purse_chart, svg};
use crate::print;

const SIZE: (u32, u32) = (900, 480);
/// The maximum number of points of a line: more can't be seen.
const MAX_POINTS: usize = 600;

/// One line for each entrant: its mean purse by the number of moves.
pub(super) fn draw(file: &Path, standings: &Standings, force: bool) -> anyhow::Result<()> {
    let picture = svg(SIZE, |area| chart(area, standings))?;
    print::file(file, picture.as_bytes(), force)
}

fn chart(area: &PlotArea<'_>, standings: &Standings) -> anyhow::Result<()> {
    let points: Vec<(f64, f64)> = standings.rows.iter().flat_map(points_of).collect();
    let rounds = points.iter().map(|point| point.0).fold(1.0, f64::max);
    let nuggets = points.iter().map(|point| point.1).fold(1.0, f64::max);
    let time = TimeAxis {
        title: "moves of each bot",
        range: 0.0..rounds,
        label: |round| format!("{round:.0}"),
    };
    let caption = format!("Mean purse over {}", print::count(standings.games, "game"));
    let mut chart = purse_chart(area, &caption, time, nuggets)?;
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

#[expect(clippy::cast_precision_loss, reason = "coordinates of a picture")]
fn points_of(row: &StandingsRow) -> Vec<(f64, f64)> {
    let nuggets = &row.curve.nuggets;
    let stride = nuggets.len().div_ceil(MAX_POINTS).max(1);
    let last = nuggets.len().saturating_sub(1);
    let shown = (0..nuggets.len()).step_by(stride).filter(|&round| round != last).chain([last]);
    shown.filter_map(|round| Some((round as f64, *nuggets.get(round)?))).collect()
}
