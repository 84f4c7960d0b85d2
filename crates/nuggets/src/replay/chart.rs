//! A recording as one picture: the purses over time, and below them where players walked.

use nuggets_game::Map;
use nuggets_record::{PlayerStatistics, Statistics};
use nuggets_replay::PlayTime;
use plotters::prelude::*;

use crate::chart::{COLORS, PlotArea, TimeAxis, purse_chart, svg};
use crate::map::MapDrawing;

const MIN_WIDTH: u32 = 900;
const CHART_HEIGHT: u32 = 480;
const CAPTION_HEIGHT: u32 = 40;
/// The names stand beside the chart: there may be 26.
const NAMES_WIDTH: u32 = 150;
const NAME_HEIGHT: i32 = 16;
/// Longer names are truncated.
const MAX_NAME_CHARS: usize = 16;

pub(super) fn draw(map: &Map, statistics: &Statistics) -> anyhow::Result<String> {
    let heat = MapDrawing::of_walks(map, &statistics.visits);
    let width = heat.width().max(MIN_WIDTH);
    let top = CHART_HEIGHT + CAPTION_HEIGHT;
    let mut svg = svg((width, top + heat.height()), |area| {
        let (chart, below) = area.split_vertically(CHART_HEIGHT);
        let (chart, beside) = chart.split_horizontally(width - NAMES_WIDTH);
        purses(&chart, statistics)?;
        names(&beside, &statistics.players)?;
        below.titled(&caption(statistics), ("sans-serif", 18))?;
        Ok(())
    })?;
    let left = (width - heat.width()) / 2;
    let nested = format!("<g transform=\"translate({left},{top})\">\n{}</g>\n", heat.to_svg());
    let end = svg.rfind("</svg>").unwrap_or(svg.len());
    svg.insert_str(end, &nested);
    Ok(svg)
}

fn caption(statistics: &Statistics) -> String {
    let most = statistics.visits.iter().max().copied().unwrap_or(0);
    let most = crate::print::count(most, "time");
    format!("Where players walked: the brighter the more often, at most {most}")
}

fn purses(area: &PlotArea<'_>, statistics: &Statistics) -> anyhow::Result<()> {
    let players = &statistics.players;
    let fullest = players.iter().flat_map(|player| &player.purse).map(|(_, purse)| *purse).max();
    let end = seconds(statistics.duration.0.max(1));
    let time = TimeAxis { title: "minutes and seconds", range: 0.0..end, label: time_label };
    let most = f64::from(fullest.unwrap_or(0).max(1));
    let mut chart = purse_chart(area, "Purses over time", time, most)?;
    for (player, color) in players.iter().zip(COLORS.into_iter().cycle()) {
        chart.draw_series(LineSeries::new(stairs(player, end), color.stroke_width(2)))?;
    }
    Ok(())
}

/// The key: the colour of each player's line.
fn names(area: &PlotArea<'_>, players: &[PlayerStatistics]) -> anyhow::Result<()> {
    let tops = (0..).map(|row| 48 + row * NAME_HEIGHT);
    for ((player, color), top) in players.iter().zip(COLORS.into_iter().cycle()).zip(tops) {
        let name: String = player.name.as_str().chars().take(MAX_NAME_CHARS).collect();
        let middle = top + NAME_HEIGHT / 2;
        let line = [(0, middle), (18, middle)];
        area.draw(&PathElement::new(line, color.stroke_width(2)))?;
        let label = format!("{} {name}", player.letter);
        area.draw(&Text::new(label, (24, top), ("sans-serif", 12)))?;
    }
    Ok(())
}

/// A line with steps: a purse keeps its value until it changes.
fn stairs(player: &PlayerStatistics, end: f64) -> Vec<(f64, f64)> {
    let mut points = vec![];
    for (at, purse) in &player.purse {
        points.extend(points.last().map(|&(_, before)| (seconds(at.0), before)));
        points.push((seconds(at.0), f64::from(*purse)));
    }
    points.extend(points.last().map(|&(_, last)| (end, last)));
    points
}

#[expect(clippy::cast_precision_loss, reason = "coordinates of a picture")]
fn seconds(ms: u64) -> f64 {
    ms as f64 / 1_000.0
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a label of an axis")]
fn time_label(seconds: f64) -> String {
    PlayTime(nuggets_record::Timestamp((seconds * 1_000.0).max(0.0) as u64)).to_string()
}
