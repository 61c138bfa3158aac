//! Charts as SVG. They bring their own light background, so that a page may be light or dark, and they hold nothing
//! that depends on the machine that draws them: the same figures give the same file.

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::human;

/// The points of a line: board sizes with seconds.
pub(super) type Line = Vec<(u32, f64)>;

const SIZE: (u32, u32) = (900, 520);
/// Ample width of a character at the end of a line, and the distance of two such names.
const CHARACTER: usize = 7;
const NAME_HEIGHT: i32 = 18;
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

/// Seconds against board size, on a logarithmic scale: lines with their names at their ends. There must be a point.
pub(super) fn time_against_n(title: &str, lines: &[(String, Line)]) -> Result<String> {
    let points = || lines.iter().flat_map(|(_, line)| line);
    let sizes = points().map(|point| point.0);
    let (first, last) = (sizes.clone().min().unwrap_or(1), sizes.max().unwrap_or(1));
    let times = points().map(|point| point.1.log10());
    let lowest = times.clone().fold(f64::INFINITY, f64::min).floor();
    let highest = times.fold(lowest + 1.0, f64::max).ceil();
    // A little more than whole decades, so that the label at either end is within.
    let decades = 0.999 * 10_f64.powf(lowest)..1.001 * 10_f64.powf(highest);

    let longest = lines.iter().map(|(name, _)| name.chars().count()).max();

    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
    root.fill(&BACKGROUND)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, font(20))
        .margin(16)
        .margin_right((longest.unwrap_or(0) * CHARACTER) as u32)
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
    // Beside the last end and from the top, so that of two names that would overlap the lower one moves down.
    let mut names = Vec::new();
    for (i, (name, line)) in lines.iter().enumerate() {
        let stroke = colour(i).stroke_width(2);
        chart.draw_series(LineSeries::new(line.iter().copied(), stroke))?;
        let at = |&point| EmptyElement::at(point) + marker(i, (0, 0));
        chart.draw_series(line.iter().map(at))?;
        names.extend(line.last().map(|end| (chart.backend_coord(end), i, name)));
    }
    names.sort_by_key(|&((_, y), ..)| y);
    let right = names.iter().map(|((x, _), ..)| *x).max().unwrap_or(0);
    let mut lowest = 0;
    for ((_, y), i, name) in names {
        let y = y.max(lowest);
        lowest = y + NAME_HEIGHT;
        let colour = colour(i);
        let style = font(14)
            .color(&colour)
            .pos(Pos::new(HPos::Left, VPos::Center));
        root.draw(&Text::new(name.clone(), (right + 10, y), style))?;
    }
    root.present()?;
    drop((chart, root));
    Ok(svg)
}

/// A mark for the points of the line of this index: its colour, and a shape for those who see none.
fn marker(index: usize, (x, y): (i32, i32)) -> Polygon<(i32, i32)> {
    let shape: &[(i32, i32)] = match index % 6 {
        0 => &[(-5, 0), (0, -5), (5, 0), (0, 5)],
        1 => &[(0, -6), (5, 4), (-5, 4)],
        2 => &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
        3 => &[(0, 6), (5, -4), (-5, -4)],
        4 => &[(-6, -2), (6, -2), (6, 2), (-6, 2)],
        _ => &[(-2, -6), (2, -6), (2, 6), (-2, 6)],
    };
    let corners: Vec<_> = shape.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
    Polygon::new(corners, colour(index).filled())
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
