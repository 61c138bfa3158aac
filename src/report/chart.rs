//! Charts as SVG. They bring their own light background, so that a page may be light or dark, and they hold nothing
//! that depends on the machine that draws them: the same figures give the same file.

use plotters::chart::MeshStyle;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::prelude::*;
use thiserror::Error;

use crate::human;

/// A chart that could not be drawn.
#[derive(Debug, Error)]
#[error("a chart could not be drawn: {0}")]
pub struct ChartError(#[from] DrawingAreaErrorKind<std::io::Error>);

/// The points of a line, and what they are of.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) points: Vec<(u32, f64)>,
}

/// The points of the line of this name, made if it is not there.
pub(super) fn named(lines: &mut Vec<Line>, name: String) -> &mut Vec<(u32, f64)> {
    let found = lines.iter().position(|line| line.name == name);
    let index = found.unwrap_or(lines.len());
    if found.is_none() {
        let points = Vec::new();
        lines.push(Line { name, points });
    }
    &mut lines[index].points
}

const WIDTH: u32 = 860;
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

fn colour(index: usize) -> RGBColor {
    COLOURS[index % COLOURS.len()]
}

fn font(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

/// Seconds against board size, on a logarithmic scale.
pub(super) fn time_against_n(title: &str, lines: &[Line]) -> Result<String, ChartError> {
    drawn(520, |root| {
        let points = || lines.iter().flat_map(|line| &line.points);
        let sizes = points().map(|point| point.0);
        let (first, last) = (sizes.clone().min(), sizes.max());
        let sizes = first.unwrap_or(1).saturating_sub(1)..last.unwrap_or(1) + 1;
        let times = points().map(|point| point.1.log10());
        let lowest = times.clone().fold(f64::INFINITY, f64::min).floor();
        let lowest = if lowest.is_finite() { lowest } else { 0.0 };
        let highest = times.fold(lowest + 1.0, f64::max).ceil();
        // A little more than whole decades, so that the label at either end is within.
        let decades = 0.999 * 10_f64.powf(lowest)..1.001 * 10_f64.powf(highest);
        let mut chart = builder(root, title, 84).build_cartesian_2d(sizes, decades.log_scale())?;
        styled(&mut chart.configure_mesh())
            .x_desc("Board size N")
            .y_desc("Time for all solutions (log scale)")
            .x_labels(25)
            .y_label_formatter(&|seconds| decade(*seconds))
            .draw()?;
        draw_lines(&mut chart, lines)
    })
}

type Canvas<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// What `draw` draws, as SVG.
fn drawn(
    height: u32,
    draw: impl FnOnce(&Canvas<'_>) -> Result<(), ChartError>,
) -> Result<String, ChartError> {
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
    root.fill(&BACKGROUND)?;
    draw(&root)?;
    root.present()?;
    drop(root);
    Ok(svg)
}

/// A chart with its title, and room for labels of the height.
fn builder<'a, 'b>(
    root: &'a Canvas<'b>,
    title: &str,
    left: u32,
) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut builder = ChartBuilder::on(root);
    builder
        .caption(title, font(20))
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(left);
    builder
}

/// Axes and grid as all charts have them.
fn styled<'m, 'a, 'b, X: Ranged, Y: Ranged, DB: DrawingBackend>(
    mesh: &'m mut MeshStyle<'a, 'b, X, Y, DB>,
) -> &'m mut MeshStyle<'a, 'b, X, Y, DB> {
    mesh.bold_line_style(GRID)
        .light_line_style(FINE_GRID)
        .axis_style(INK)
        .label_style(font(14))
        .axis_desc_style(font(15))
}

/// Draws lines with the marks of their points, and their legend.
fn draw_lines<'a, X, Y>(
    chart: &mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>,
    lines: &[Line],
) -> Result<(), ChartError>
where
    X: Ranged<ValueType = u32> + ValueFormatter<u32>,
    Y: Ranged<ValueType = f64>,
{
    for (i, line) in lines.iter().enumerate() {
        let stroke = colour(i).stroke_width(2);
        chart
            .draw_series(LineSeries::new(line.points.iter().copied(), stroke))?
            .label(line.name.clone())
            .legend(move |(x, y)| {
                EmptyElement::at((x, y))
                    + PathElement::new([(0, 0), (22, 0)], stroke)
                    + marker(i, (11, 0))
            });
        let points = line.points.iter();
        chart.draw_series(points.map(|&point| EmptyElement::at(point) + marker(i, (0, 0))))?;
    }
    legend(chart)
}

/// A mark for the points of the line of this index: its colour, and a shape for those who see none.
fn marker(index: usize, (x, y): (i32, i32)) -> Polygon<(i32, i32)> {
    let shape: &[(i32, i32)] = match index % 5 {
        0 => &[(-5, 0), (0, -5), (5, 0), (0, 5)],
        1 => &[(0, -6), (5, 4), (-5, 4)],
        2 => &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
        3 => &[(0, 6), (5, -4), (-5, -4)],
        _ => &[(-6, -2), (6, -2), (6, 2), (-6, 2)],
    };
    let corners: Vec<_> = shape.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
    Polygon::new(corners, colour(index).filled())
}

fn legend<'a, X: Ranged, Y: Ranged>(
    chart: &mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>,
) -> Result<(), ChartError> {
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .margin(12)
        .legend_area_size(34)
        .label_font(font(14))
        .background_style(BACKGROUND.mix(0.9))
        .border_style(GRID)
        .draw()?;
    Ok(())
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

/// The text, cut off where it is longer than `most` letters.
pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let start: String = text.chars().take(most - 1).collect();
    start + "…"
}
