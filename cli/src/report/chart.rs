//! Charts in SVG format.
//!
//! Charts have their own light background, because a page may be light or dark. They do not depend
//! on the machine that draws them: the same data always gives the same file.

use std::ops::Range;

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::human;

const SIZE: (u32, u32) = (900, 520);
/// Upper bound on the width of a character in a label, in pixels.
const CHARACTER: usize = 7;
/// Minimum vertical distance between labels, in pixels.
const LABEL_HEIGHT: i32 = 18;
const BACKGROUND: RGBColor = RGBColor(252, 252, 250);
const INK: RGBColor = RGBColor(30, 34, 40);
const GRID: RGBColor = RGBColor(205, 208, 212);
const FINE_GRID: RGBColor = RGBColor(232, 234, 236);

/// Colours that colour-blind readers can also distinguish (based on the palette of Okabe and Ito).
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

/// Plots seconds, on a logarithmic scale, against board size. Each line is labelled with its name
/// at its end. `lines` must contain at least one point.
pub(super) fn time_against_n(title: &str, lines: &[(String, Vec<(u32, f64)>)]) -> Result<String> {
    let points = || lines.iter().flat_map(|(_, line)| line);
    let sizes = points().map(|point| point.0);
    let (first, last) = (sizes.clone().min().unwrap_or(1), sizes.max().unwrap_or(1));
    let times = points().map(|point| point.1.log10());
    let lowest = times.clone().fold(f64::INFINITY, f64::min).floor();
    let highest = times.fold(lowest + 1.0, f64::max).ceil();
    // The range is slightly larger than whole decades, so that rounding does not drop the label at
    // either end.
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
        .build_cartesian_2d(first.saturating_sub(1)..last, decades.log_scale())?;
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
    let mut ends = Vec::new();
    for (i, (name, line)) in lines.iter().enumerate() {
        let stroke = colour(i).stroke_width(2);
        chart.draw_series(LineSeries::new(line.iter().copied(), stroke))?;
        let at = |&point| EmptyElement::at(point) + marker(i, (0, 0));
        chart.draw_series(line.iter().map(at))?;
        ends.extend(line.last().map(|end| (chart.backend_coord(end), i, name)));
    }
    // Labels are to the right of the plot, in the order of the lines' ends, and connected to them
    // by thin lines.
    ends.sort_by_key(|&((_, y), ..)| y);
    let (right, plot) = chart.plotting_area().get_pixel_range();
    let right = right.end + 12;
    let heights = separate(ends.iter().map(|((_, y), ..)| *y).collect(), plot);
    for ((end, i, name), y) in ends.into_iter().zip(heights) {
        let colour = colour(i);
        root.draw(&PathElement::new([end, (right - 3, y)], colour.mix(0.5)))?;
        let style = font(14).color(&colour).pos(Pos::new(HPos::Left, VPos::Center));
        root.draw(&Text::new(name.clone(), (right, y), style))?;
    }
    root.present()?;
    drop((chart, root));
    Ok(svg)
}

/// Moves ascending heights apart until no labels overlap: first down, then up to stay within the
/// plot if possible.
fn separate(mut heights: Vec<i32>, plot: Range<i32>) -> Vec<i32> {
    let mut lowest = plot.start;
    for height in &mut heights {
        *height = (*height).max(lowest);
        lowest = *height + LABEL_HEIGHT;
    }
    let mut highest = plot.end;
    for height in heights.iter_mut().rev() {
        *height = (*height).min(highest);
        highest = *height - LABEL_HEIGHT;
    }
    heights
}

/// Returns the marker for a line: a coloured shape that also helps readers who cannot distinguish
/// the colours.
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

/// Formats a time in seconds that is a power of ten and so needs no decimal places.
fn decade(seconds: f64) -> String {
    let (number, unit) = match seconds {
        least if least < 0.9e-6 => (least * 1e9, "ns"),
        tiny if tiny < 0.9e-3 => (tiny * 1e6, "µs"),
        small if small < 0.9 => (small * 1e3, "ms"),
        other => (other, "s"),
    };
    format!("{} {unit}", human::integer(number.round() as u128))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_neither_overlap_nor_leave_the_plot() {
        let plot = 40..460;
        for ends in [vec![], vec![50], vec![40; 4], vec![450, 455, 459], vec![60, 61, 90, 300, 301]]
        {
            let heights = separate(ends.clone(), plot.clone());
            assert_eq!(heights.len(), ends.len());
            assert!(heights.iter().all(|height| (40..=460).contains(height)), "{heights:?}");
            let gaps = heights.windows(2).map(|pair| pair[1] - pair[0]);
            assert!(gaps.min().is_none_or(|gap| gap >= LABEL_HEIGHT), "{ends:?} {heights:?}");
        }
        assert_eq!(separate(vec![50, 100, 200], plot), [50, 100, 200]);
    }
}
