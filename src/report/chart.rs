//! Charts as SVG. They bring their own light background, so that a page may be light or dark, and they hold nothing that
//! depends on the machine that draws them: the same figures give the same file.

use std::ops::Range;

use plotters::chart::MeshStyle;
use plotters::coord::ranged1d::{KeyPointHint, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use thiserror::Error;

use super::human;

/// A chart that could not be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a chart could not be drawn: {0}")]
pub struct ChartError(String);

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for ChartError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        Self(error.to_string())
    }
}

/// Points under one name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
}

/// Bars under one heading, one for each name of the legend.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Group {
    pub(super) heading: String,
    pub(super) bars: Vec<Option<f64>>,
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

/// Seconds against board size, on a logarithmic scale.
pub(super) fn time_against_n(title: &str, lines: &[Line]) -> Result<String, ChartError> {
    let mut svg = String::new();
    {
        let root = canvas(&mut svg, 520)?;
        let (x, y) = ranges(lines);
        let decades = 10_f64.powf(y.start.log10().floor())..10_f64.powf(y.end.log10().ceil());
        let mut chart = ChartBuilder::on(&root)
            .caption(title, font(20))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(84)
            .build_cartesian_2d(Whole(x), Decades(decades))?;
        styled(&mut chart.configure_mesh())
            .x_desc("Board size N")
            .y_desc("Time for all solutions (log scale)")
            .x_labels(25)
            .draw()?;
        draw_lines(&mut chart, lines)?;
        legend(&mut chart)?;
        root.present()?;
    }
    Ok(svg)
}

/// Speed-up against threads, with the line that no machine can beat.
pub(super) fn speedup_against_threads(title: &str, lines: &[Line]) -> Result<String, ChartError> {
    let mut svg = String::new();
    {
        let root = canvas(&mut svg, 460)?;
        let (x, y) = ranges(lines);
        let most = x.end.max(y.end).ceil();
        let ideal = Line {
            name: "as many times as threads".to_owned(),
            points: vec![(1.0, 1.0), (x.end, x.end)],
        };
        let mut chart = ChartBuilder::on(&root)
            .caption(title, font(20))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(64)
            .build_cartesian_2d(Whole(1.0..x.end), 0.0..most * 1.1)?;
        styled(&mut chart.configure_mesh())
            .x_desc("Threads")
            .y_desc("Speed-up (times one thread)")
            .x_labels(16)
            .y_label_formatter(&|speedup| match *speedup {
                large if most > 20.0 => format!("{large:.0}"),
                small => format!("{small:.1}"),
            })
            .draw()?;
        // Wide and pale, so that it shows beside a line that lies on it.
        let grey = RGBColor(205, 208, 212);
        chart
            .draw_series(LineSeries::new(ideal.points, grey.stroke_width(9)))?
            .label(ideal.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], grey.stroke_width(9)));
        draw_lines(&mut chart, lines)?;
        legend(&mut chart)?;
        root.present()?;
    }
    Ok(svg)
}

/// Rates as horizontal bars, each with its figure beside it.
pub(super) fn rates(title: &str, names: &[String], groups: &[Group]) -> Result<String, ChartError> {
    const BAR: f64 = 20.0;
    const GAP: f64 = 16.0;
    let per_group = names.len() as f64 * BAR + GAP;
    let height = 140.0 + 26.0 * names.len() as f64 + per_group * groups.len() as f64;
    let mut svg = String::new();
    {
        let root = canvas(&mut svg, height as u32)?;
        let widest = groups.iter().flat_map(|group| group.bars.iter().flatten());
        let most = widest.copied().fold(f64::MIN_POSITIVE, f64::max);
        let longest = groups
            .iter()
            .map(|group| group.heading.chars().count())
            .max();
        let left = 24 + 8 * longest.unwrap_or(0).min(40) as u32;
        let top = 52 + 26 * names.len() as i32;
        let below = per_group * groups.len() as f64;
        let (_, plot) = root.split_vertically(top);
        let mut chart = ChartBuilder::on(&plot)
            .margin(16)
            .margin_top(0)
            .x_label_area_size(48)
            .y_label_area_size(left)
            .build_cartesian_2d(0.0..most * 1.16, below..0.0)?;
        styled(&mut chart.configure_mesh())
            .disable_y_mesh()
            .x_desc("Solutions per second")
            .x_labels(7)
            .max_light_lines(1)
            .y_labels(0)
            .x_label_formatter(&|rate| {
                if *rate == 0.0 {
                    "0".to_owned()
                } else {
                    human::si(*rate)
                }
            })
            .draw()?;
        let (plot_left, _) = chart.plotting_area().get_base_pixel();
        let centred = font(20).pos(Pos::new(HPos::Center, VPos::Center));
        let centre = (WIDTH as i32 / 2, 28);
        root.draw(&Text::new(title.to_owned(), centre, centred))?;
        for (i, group) in groups.iter().enumerate() {
            let start = i as f64 * per_group + GAP / 2.0;
            for (j, rate) in group.bars.iter().enumerate() {
                let Some(rate) = *rate else { continue };
                let from = start + j as f64 * BAR;
                let bar = [(0.0, from + 1.0), (rate, from + BAR - 1.0)];
                let filled = colour(j).filled();
                chart.draw_series([Rectangle::new(bar, filled)])?;
                let (x, y) = chart.backend_coord(&(rate, from + BAR / 2.0));
                let beside = font(14).pos(Pos::new(HPos::Left, VPos::Center));
                root.draw(&Text::new(human::si(rate), (x + 6, y), beside))?;
            }
            let middle = start + BAR * names.len() as f64 / 2.0;
            let (_, y) = chart.backend_coord(&(0.0, middle));
            let before = font(14).pos(Pos::new(HPos::Right, VPos::Center));
            let heading = shortened(&group.heading, 40);
            root.draw(&Text::new(heading, (plot_left - 10, y), before))?;
        }
        for (j, name) in names.iter().enumerate() {
            let y = 50 + 26 * j as i32;
            let square = [(plot_left, y), (plot_left + 16, y + 14)];
            root.draw(&Rectangle::new(square, colour(j).filled()))?;
            let beside = font(14).pos(Pos::new(HPos::Left, VPos::Center));
            root.draw(&Text::new(name.clone(), (plot_left + 24, y + 7), beside))?;
        }
        root.present()?;
    }
    Ok(svg)
}

fn canvas(
    svg: &mut String,
    height: u32,
) -> Result<DrawingArea<SVGBackend<'_>, plotters::coord::Shift>, ChartError> {
    let root = SVGBackend::with_string(svg, (WIDTH, height)).into_drawing_area();
    root.fill(&BACKGROUND)?;
    Ok(root)
}

fn draw_lines<'a, Y>(
    chart: &mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<Whole, Y>>,
    lines: &[Line],
) -> Result<(), ChartError>
where
    Y: Ranged<ValueType = f64>,
{
    for (i, line) in lines.iter().enumerate() {
        let colour = colour(i);
        chart
            .draw_series(LineSeries::new(
                line.points.iter().copied(),
                colour.stroke_width(2),
            ))?
            .label(line.name.clone())
            .legend(move |(x, y)| {
                EmptyElement::at((x, y))
                    + PathElement::new([(0, 0), (22, 0)], colour.stroke_width(2))
                    + marker(i, (11, 0))
            });
        chart.draw_series(
            line.points
                .iter()
                .map(|&point| EmptyElement::at(point) + marker(i, (0, 0))),
        )?;
    }
    Ok(())
}

/// A mark for the points of the line of this index: its colour, and a shape for those who see none.
fn marker(index: usize, (x, y): (i32, i32)) -> Polygon<(i32, i32)> {
    let shape: &[(i32, i32)] = match index % 3 {
        0 => &[
            (-4, -2),
            (-2, -4),
            (2, -4),
            (4, -2),
            (4, 2),
            (2, 4),
            (-2, 4),
            (-4, 2),
        ],
        1 => &[(0, -6), (5, 4), (-5, 4)],
        _ => &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    };
    let corners: Vec<_> = shape.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
    Polygon::new(corners, colour(index).filled())
}

fn legend<'a, X, Y>(
    chart: &mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>,
) -> Result<(), ChartError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
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

/// The smallest ranges that hold all points.
fn ranges(lines: &[Line]) -> (Range<f64>, Range<f64>) {
    let points = || lines.iter().flat_map(|line| &line.points);
    let range = |pick: fn(&(f64, f64)) -> f64| {
        let least = points().map(pick).fold(f64::INFINITY, f64::min);
        let most = points().map(pick).fold(f64::NEG_INFINITY, f64::max);
        if least <= most { least..most } else { 1.0..2.0 }
    };
    (range(|point| point.0), range(|point| point.1))
}

pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let start: String = text.chars().take(most - 1).collect();
    start + "…"
}

/// An axis for whole numbers, labelled at whole numbers only, with some room at both ends.
struct Whole(Range<f64>);

impl Ranged for Whole {
    type FormatOption = plotters::coord::ranged1d::NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let Range { start, end } = self.range();
        let part = (value - start) / (end - start);
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() {
            return Vec::new(); // there is nothing between whole numbers
        }
        let (first, last) = (self.0.start.ceil() as i64, self.0.end.floor() as i64);
        let most = hint.max_num_points().max(2) as i64;
        let steps = [
            1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 256, 512, 1024,
        ];
        let fits = |step: &i64| (last - first) / step < most;
        let step = steps.into_iter().find(fits).unwrap_or(last - first);
        let multiples = (first..=last).filter(|whole| step == 1 || whole % step == 0);
        multiples.map(|whole| whole as f64).collect()
    }

    fn range(&self) -> Range<f64> {
        let room = ((self.0.end - self.0.start) * 0.04).max(0.15);
        self.0.start - room..self.0.end + room
    }
}

impl ValueFormatter<f64> for Whole {
    fn format(value: &f64) -> String {
        format!("{value:.0}")
    }
}

/// A logarithmic axis with a label at each power of ten, as a duration.
struct Decades(Range<f64>);

impl Ranged for Decades {
    type FormatOption = plotters::coord::ranged1d::NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value / self.0.start).ln() / (self.0.end / self.0.start).ln();
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let first = self.0.start.log10().round() as i32;
        let last = self.0.end.log10().round() as i32;
        let decades = (first..=last).map(|power| 10_f64.powi(power));
        if hint.weight().allow_light_points() {
            let steps = |decade: f64| (1..10).map(move |step| decade * f64::from(step));
            let end = self.0.end;
            decades
                .flat_map(steps)
                .filter(|&point| point <= end)
                .collect()
        } else {
            decades.collect()
        }
    }

    fn range(&self) -> Range<f64> {
        self.0.clone()
    }
}

impl ValueFormatter<f64> for Decades {
    fn format(value: &f64) -> String {
        // Powers of ten need no figures behind the point.
        let (number, unit) = match *value {
            least if least < 0.9e-6 => (least * 1e9, "ns"),
            tiny if tiny < 0.9e-3 => (tiny * 1e6, "µs"),
            small if small < 0.9 => (small * 1e3, "ms"),
            other => (other, "s"),
        };
        format!("{} {unit}", human::integer(number.round() as u128))
    }
}
