//! Charts as SVG. They bring their own light background, so that a page may be light or dark, and they hold nothing
//! that depends on the machine that draws them: the same figures give the same file.

use anyhow::Result;
use plotters::prelude::*;

use crate::human;

/// The points of a line: board sizes with seconds.
pub(super) type Line = Vec<(u32, f64)>;

const SIZE: (u32, u32) = (900, 520);
const BACKGROUND: RGBColor = RGBColor(252, 252, 250);
const INK: RGBColor = RGBColor(30, 34, 40);
const GRID: RGBColor = RGBColor(205, 208, 212);
const FINE_GRID: RGBColor = RGBColor(232, 234, 236);

/// Colours that stay apart for colour-blind readers too (after Okabe and Ito), darkest first.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 94, 162),
    RGBColor(213, 94, 0),
    RGBColor(0, 140, 105),
    RGBColor(170, 60, 130),
    RGBColor(150, 110, 0),
    RGBColor(70, 160, 215),
    RGBColor(90, 90, 90),
];

fn font(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

/// Seconds against board size, on a logarithmic scale: lines, and their names where no line is, since times rise. There must
/// be a point.
pub(super) fn time_against_n(title: &str, lines: &[(String, Line)]) -> Result<String> {
    let points = || lines.iter().flat_map(|(_, line)| line);
    let sizes = points().map(|point| point.0);
    let (first, last) = (sizes.clone().min().unwrap_or(1), sizes.max().unwrap_or(1));
    let times = points().map(|point| point.1.log10());
    let lowest = times.clone().fold(f64::INFINITY, f64::min).floor();
    let highest = times.fold(lowest + 1.0, f64::max).ceil();
    // A little more than whole decades, so that the label at either end is within.
    let decades = 0.999 * 10_f64.powf(lowest)..1.001 * 10_f64.powf(highest);

    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
    root.fill(&BACKGROUND)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, font(20))
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(84)
        .build_cartesian_2d(first.saturating_sub(1)..last + 1, decades.log_scale())?;
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(FINE_GRID)
        .axis_style(INK)
        .label_style(font(14))
        .axis_desc_style(font(15))
        .x_desc("Board size N")
        .y_desc("Time for all solutions (log scale)")
        .x_labels(25)
        .y_label_formatter(&|seconds| decade(*seconds))
        .draw()?;
    for ((name, line), colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        let stroke = colour.stroke_width(2);
        let series = LineSeries::new(line.iter().copied(), stroke).point_size(4);
        let sign = move |(x, y)| PathElement::new([(x, y), (x + 20, y)], stroke);
        chart.draw_series(series)?.label(name).legend(sign);
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(BACKGROUND)
        .border_style(GRID)
        .label_font(font(14))
        .draw()?;
    root.present()?;
    drop((chart, root));
    Ok(svg)
}

/// A power of ten as a duration: it needs no figures behind the point.
fn decade(seconds: f64) -> String {
    let (number, unit) = match seconds {
        least if least < 0.9e-6 => (least * 1e9, "ns"),
        tiny if tiny < 0.9e-3 => (tiny * 1e6, "µs"),
        small if small < 0.9 => (small * 1e3, "ms"),
        other => (other, "s"),
    };
    format!("{} {unit}", human::integer(number.round() as u128))
}
