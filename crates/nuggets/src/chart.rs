//! Line charts of purses over time, as SVG: the common parts of the charts of `arena` and `replay`.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

/// Colours that colour-blind people can tell apart.
pub(crate) const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
];

pub(crate) type PlotArea<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(crate) type Chart<'a, 'b> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// The horizontal axis: its label, its range and the format of its values.
pub(crate) struct TimeAxis {
    pub(crate) title: &'static str,
    pub(crate) range: Range<f64>,
    pub(crate) label: fn(f64) -> String,
}

/// Draws the axes of a chart of nuggets over time; the vertical one reaches a little over `most`.
pub(crate) fn purse_chart<'a, 'b>(
    area: &'a PlotArea<'b>,
    caption: &str,
    time: TimeAxis,
    most: f64,
) -> anyhow::Result<Chart<'a, 'b>> {
    let mut chart = ChartBuilder::on(area)
        .caption(caption, ("sans-serif", 18))
        .margin(14)
        .x_label_area_size(40)
        .y_label_area_size(56)
        .build_cartesian_2d(time.range, 0.0..most * 1.05)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc(time.title)
        .y_desc("nuggets")
        .x_label_formatter(&|x| (time.label)(*x))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .draw()?;
    Ok(chart)
}

/// A picture of this size, white before it is drawn.
pub(crate) fn svg(
    size: (u32, u32),
    draw: impl FnOnce(&PlotArea<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE)?;
        draw(&area)?;
        area.present()?;
    }
    Ok(svg)
}
