//! Charts in SVG format. They do not depend on the machine that draws them: the same data always
//! gives the same file.

use std::fmt::Write as _;
use std::ops::Range;

use crate::human;
use crate::solve::drawing::{begin, text};

/// Upper bound on the width of a character in a label, in pixels.
const CHARACTER: usize = 7;
/// Minimum vertical distance between labels, in pixels.
const LABEL_HEIGHT: i32 = 18;
/// Width and height of the chart, in pixels.
const SIZE: (i32, i32) = (900, 520);
/// Left, upper and lower border of the plot, in pixels.
const LEFT: i32 = 100;
const TOP: i32 = 56;
const BOTTOM: i32 = 455;
/// Colours of grid lines with and without a label.
const GRID: [&str; 2] = ["#cdd0d4", "#e8eaec"];

/// Colours and markers of lines. Colour-blind readers can distinguish the colours (based on the
/// palette of Okabe and Ito), and other readers the markers.
const STYLES: [(&str, &str); 6] = [
    ("#005ea2", "-5,0 0,-5 5,0 0,5"),
    ("#d55e00", "0,-6 5,4 -5,4"),
    ("#008c69", "-4,-4 4,-4 4,4 -4,4"),
    ("#aa3c82", "0,6 5,-4 -5,-4"),
    ("#966e00", "-6,-2 6,-2 6,2 -6,2"),
    ("#46a0d7", "-2,-6 2,-6 2,6 -2,6"),
];

/// Plots seconds, on a logarithmic scale, against board size. Each line is labelled with its name
/// at its end. `lines` must contain points for two sizes.
pub(super) fn time_against_n(title: &str, lines: &[(String, Vec<(u32, f64)>)]) -> String {
    let points = || lines.iter().flat_map(|(_, line)| line);
    let sizes = points().map(|point| point.0 as i32);
    let (first, last) = (sizes.clone().min().unwrap_or(1).max(1) - 1, sizes.max().unwrap_or(1));
    let times = points().map(|point| point.1.log10());
    let lowest = times.clone().fold(f64::INFINITY, f64::min).floor();
    let highest = times.fold(lowest + 1.0, f64::max).ceil();
    let longest = lines.iter().map(|(name, _)| name.chars().count()).max();
    let right = SIZE.0 - 34 - (longest.unwrap_or(0) * CHARACTER) as i32;
    let x = |n: i32| LEFT + (right - LEFT) * (n - first) / (last - first);
    let y =
        |log: f64| BOTTOM - (f64::from(BOTTOM - TOP) * (log - lowest) / (highest - lowest)) as i32;

    let mut svg = begin(SIZE.0.into(), SIZE.1.into(), title);
    text(&mut svg, ((LEFT + right) / 2, 28), 16, "middle", title);
    text(&mut svg, (16, TOP - 12), 13, "start", "Time for all solutions (log scale)");
    text(&mut svg, ((LEFT + right) / 2, SIZE.1 - 16), 13, "middle", "Board size N");
    for n in first..=last {
        path(&mut svg, 1, GRID[0], &[(x(n), TOP), (x(n), BOTTOM)]);
        text(&mut svg, (x(n), BOTTOM + 20), 12, "middle", &n.to_string());
    }
    for decade in lowest as i32..=highest as i32 {
        let height = y(decade.into());
        path(&mut svg, 1, GRID[0], &[(LEFT, height), (right, height)]);
        text(&mut svg, (LEFT - 8, height + 4), 12, "end", &power_of_ten(decade));
        let between = (2..10).map(|digit| f64::from(decade) + f64::from(digit).log10());
        for log in between.filter(|&log| log < highest) {
            path(&mut svg, 1, GRID[1], &[(LEFT, y(log)), (right, y(log))]);
        }
    }
    let mut ends = Vec::new();
    for ((name, line), (colour, marker)) in lines.iter().zip(STYLES.iter().cycle()) {
        let line: Vec<_> = line.iter().map(|&(n, time)| (x(n as i32), y(time.log10()))).collect();
        path(&mut svg, 2, colour, &line);
        for (x, y) in &line {
            let place = format!("translate({x} {y})");
            let _ = writeln!(
                svg,
                r#"<polygon points="{marker}" transform="{place}" fill="{colour}"/>"#
            );
        }
        ends.extend(line.last().map(|&end| (end, *colour, name)));
    }
    // Labels are to the right of the plot, in the order of the lines' ends, and connected to them
    // by thin lines.
    ends.sort_by_key(|&((_, y), ..)| y);
    let heights = separate(ends.iter().map(|((_, y), ..)| *y).collect(), TOP..BOTTOM);
    for ((end, colour, name), y) in ends.into_iter().zip(heights) {
        path(&mut svg, 1, colour, &[end, (right + 9, y)]);
        text(&mut svg, (right + 12, y + 4), 13, "start", name);
    }
    svg + "</svg>\n"
}

/// Draws a line through points, with a width in pixels.
fn path(svg: &mut String, width: u32, colour: &str, points: &[(i32, i32)]) {
    let points: Vec<_> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
    let points = points.join(" ");
    let _ = writeln!(
        svg,
        r#"<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>"#
    );
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

/// Formats a power of ten of a second.
fn power_of_ten(exponent: i32) -> String {
    let (unit, name) = match exponent {
        ..-6 => (-9, "ns"),
        -6..-3 => (-6, "µs"),
        -3..0 => (-3, "ms"),
        _ => (0, "s"),
    };
    format!("{} {name}", human::integer(10_u128.pow((exponent - unit) as u32)))
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
