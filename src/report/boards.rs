//! Solutions written down: as boards for people, as lines for programs, as a sheet of drawings.

use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;
use thiserror::Error;

use super::drawing::{INK, shown_size};
use super::human;
use crate::solve::Placement;
use crate::{Puzzle, Square};

/// A way to write solutions down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::VariantNames)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum BoardFormat {
    /// `Q` and `_`, a line for each row, with the solution's number and the time it was found.
    Board,
    /// The same with chess pieces and dots.
    Unicode,
    /// The row of the queen in each column, one line for each solution.
    List,
    /// A JSON object for each solution, one to a line.
    Json,
    /// Comma-separated values with a header line.
    Csv,
    /// Drawings on one sheet, in which queens that stood already and closed squares look different.
    Svg,
}

/// A name that is none of the formats'.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no board format is called '{0}' (accepted: board, unicode, list, json, csv, svg)")]
pub struct UnknownBoardFormat(String);

impl BoardFormat {
    /// All formats.
    pub const ALL: [Self; 6] = [
        Self::Board,
        Self::Unicode,
        Self::List,
        Self::Json,
        Self::Csv,
        Self::Svg,
    ];

    /// The format's name as options have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Board => "board",
            Self::Unicode => "unicode",
            Self::List => "list",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Svg => "svg",
        }
    }

    /// The largest board that it is of use for: one that shows every square would fill disks.
    #[must_use]
    pub fn largest(self) -> u32 {
        match self {
            Self::Board | Self::Unicode => 2_000,
            Self::Svg => 200,
            Self::List | Self::Json | Self::Csv => u32::MAX,
        }
    }
}

impl fmt::Display for BoardFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for BoardFormat {
    type Err = UnknownBoardFormat;

    fn from_str(name: &str) -> Result<Self, UnknownBoardFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownBoardFormat(name.to_owned()))
    }
}

/// The most boards on one sheet of drawings.
pub const MAX_DRAWN: usize = 1_000;

/// Writes solutions one after the other.
#[derive(Debug)]
pub struct BoardWriter<'a> {
    format: BoardFormat,
    puzzle: &'a Puzzle,
    written: u64,
    /// The boards of a sheet, whose size is known only at its end.
    sheet: Vec<Placement>,
}

/// A solution as JSON has it.
#[derive(Serialize)]
struct JsonLine<'a> {
    n: u32,
    solution: u64,
    seconds: f64,
    rows: &'a [u32],
}

impl<'a> BoardWriter<'a> {
    /// A writer for solutions of `puzzle`.
    #[must_use]
    pub fn new(format: BoardFormat, puzzle: &'a Puzzle) -> Self {
        Self {
            format,
            puzzle,
            written: 0,
            sheet: Vec::new(),
        }
    }

    /// Whether nothing more can be written: a sheet holds [`MAX_DRAWN`] boards.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.sheet.len() >= MAX_DRAWN
    }

    /// Writes what stands above the solutions.
    ///
    /// # Errors
    ///
    /// What `out` reports.
    pub fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.format == BoardFormat::Csv {
            write!(out, "solution,seconds")?;
            for column in 0..self.puzzle.n() {
                write!(out, ",column_{column}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes a solution that was found after `elapsed`.
    ///
    /// # Errors
    ///
    /// What `out` reports.
    pub fn solution(
        &mut self,
        out: &mut dyn Write,
        placement: &Placement,
        elapsed: Duration,
    ) -> io::Result<()> {
        self.written += 1;
        match self.format {
            BoardFormat::Board => {
                self.heading(out, elapsed)?;
                writeln!(out, "{placement}")
            }
            BoardFormat::Unicode => {
                self.heading(out, elapsed)?;
                let board = placement.to_string();
                writeln!(out, "{}", board.replace('Q', "♛").replace('_', "·"))
            }
            BoardFormat::List => {
                let mut line = String::with_capacity(8 * placement.rows().len());
                separated(&mut line, placement.rows(), ' ');
                writeln!(out, "{line}")
            }
            BoardFormat::Json => {
                let line = JsonLine {
                    n: self.puzzle.n(),
                    solution: self.written,
                    seconds: micros(elapsed),
                    rows: placement.rows(),
                };
                serde_json::to_writer(&mut *out, &line)?;
                writeln!(out)
            }
            BoardFormat::Csv => {
                let mut line = format!("{},{}", self.written, micros(elapsed));
                if self.puzzle.n() > 0 {
                    line.push(',');
                }
                separated(&mut line, placement.rows(), ',');
                writeln!(out, "{line}")
            }
            BoardFormat::Svg => {
                self.sheet.push(placement.clone());
                Ok(())
            }
        }
    }

    /// Writes what stands below the solutions; `title` is the heading of a sheet of several. There is no sheet without a
    /// board.
    ///
    /// # Errors
    ///
    /// What `out` reports.
    pub fn end(&mut self, out: &mut dyn Write, title: &str) -> io::Result<()> {
        match self.format {
            BoardFormat::Svg if !self.sheet.is_empty() => {
                out.write_all(sheet(&self.sheet, self.puzzle, title).as_bytes())
            }
            _ => Ok(()),
        }
    }

    fn heading(&self, out: &mut dyn Write, elapsed: Duration) -> io::Result<()> {
        let time = human::seconds(elapsed.as_secs_f64());
        let number = human::integer(self.written.into());
        writeln!(out, "Solution {number}, found after {time}")
    }
}

/// Seconds to the microsecond.
fn micros(time: Duration) -> f64 {
    time.as_micros() as f64 / 1e6
}

fn separated(line: &mut String, rows: &[u32], separator: char) {
    for (i, row) in rows.iter().enumerate() {
        if i > 0 {
            line.push(separator);
        }
        let _ = write!(line, "{row}"); // a String takes everything
    }
}

/// Side of a square in a drawing, in pixels; large boards are drawn smaller.
fn side(n: u32) -> u32 {
    if n <= 32 { 20 } else { 8 }
}

const MARGIN: u32 = 20;
const TITLE_HEIGHT: u32 = 36;
const NUMBER_HEIGHT: u32 = 22;
const LEGEND_HEIGHT: u32 = 24;
/// Room for the words of the title and of the legend.
const NARROWEST_WITH_WORDS: u32 = 360;

/// A crown in a box of 10 by 10, so that no font is needed.
const QUEEN: &str = "M2 8.5h6v-1.1h-6zM2.3 6.8L1 3L3.3 5L3.5 2L5 4.5L6.5 2L6.7 5L9 3L7.7 6.8z";
/// A cross in the same box, for a square on which no queen may stand.
const CROSS: &str = "M2 2l6 6M8 2l-6 6";

/// Boards in rows on a sheet that is about as wide as high, numbered, under a title; one board stands alone. Below them
/// stands what the marks mean, where there are any.
fn sheet(boards: &[Placement], puzzle: &Puzzle, title: &str) -> String {
    let n = puzzle.n();
    let alone = boards.len() == 1;
    let across = (1..)
        .find(|across| across * across >= boards.len())
        .unwrap_or(1)
        .max(1);
    let down = boards.len().div_ceil(across) as u32;
    let side = side(n);
    let size = n * side;
    let (title_height, number_height) = if alone {
        (0, 0)
    } else {
        (TITLE_HEIGHT, NUMBER_HEIGHT)
    };
    let legend = legend(puzzle);
    let legend_height = if legend.is_empty() { 0 } else { LEGEND_HEIGHT };
    let (step_x, step_y) = (size + MARGIN, size + number_height + MARGIN);
    let top = MARGIN + title_height;
    let narrowest = if alone && legend.is_empty() {
        0
    } else {
        NARROWEST_WITH_WORDS
    };
    let width = (MARGIN + across as u32 * step_x).max(narrowest);
    let bottom = top + down * step_y;
    let height = bottom + legend_height;

    let scale = f64::from(side) / 10.0;
    let marks = if legend.is_empty() {
        String::new()
    } else {
        format!(
            r##"<path id="given" d="{QUEEN}" transform="scale({scale})" fill="#1746b0"/>
<path id="closed" d="{CROSS}" transform="scale({scale})" fill="none" stroke="#a3122b" stroke-width="1.4"/>
"##
        )
    };
    let (shown_width, shown_height) = shown_size(f64::from(width), f64::from(height));
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{shown_width}" height="{shown_height}" viewBox="0 0 {width} {height}">
<title>{title}</title>
<defs>
<pattern id="squares" width="{double}" height="{double}" patternUnits="userSpaceOnUse"><rect width="{double}" height="{double}" fill="#f3e3c3"/><path d="M{side} 0h{side}v{side}h-{side}zM0 {side}h{side}v{side}h-{side}z" fill="#c39a6b"/></pattern>
<path id="queen" d="{QUEEN}" transform="scale({scale})" fill="{INK}"/>
{marks}</defs>
<rect width="{width}" height="{height}" fill="#ffffff"/>
"##,
        double = 2 * side,
    );
    if !alone {
        text(&mut svg, (MARGIN, MARGIN + 14), 16, title);
    }
    for (i, board) in boards.iter().enumerate() {
        let x = MARGIN + (i % across) as u32 * step_x;
        let y = top + (i / across) as u32 * step_y;
        let _ = writeln!(
            svg,
            r##"<g transform="translate({x} {y})"><rect width="{size}" height="{size}" fill="url(#squares)" stroke="#6b4a2b"/>"##
        );
        let mut draw = |what: &str, square: Square| {
            let (x, y) = (square.column * side, square.row * side);
            let _ = writeln!(svg, r##"<use href="#{what}" x="{x}" y="{y}"/>"##);
        };
        for &square in puzzle.closed() {
            draw("closed", square);
        }
        for square in board.squares() {
            let given = puzzle.queens().contains(&square);
            draw(if given { "given" } else { "queen" }, square);
        }
        if !alone {
            text(&mut svg, (0, size + 16), 12, &(i + 1).to_string());
        }
        svg.push_str("</g>\n");
    }
    if !legend.is_empty() {
        text(&mut svg, (MARGIN, bottom + 4), 12, &legend);
    }
    svg.push_str("</svg>\n");
    svg
}

/// What the marks of a drawing mean; nothing where there are none.
fn legend(puzzle: &Puzzle) -> String {
    let mut parts = Vec::new();
    if !puzzle.queens().is_empty() {
        parts.push("blue: given queens");
    }
    if !puzzle.closed().is_empty() {
        parts.push("crosses: closed squares");
    }
    parts.join("; ")
}

fn text(svg: &mut String, (x, y): (u32, u32), size: u32, text: &str) {
    let _ = writeln!(
        svg,
        r##"<text x="{x}" y="{y}" font-family="sans-serif" font-size="{size}" fill="{INK}">{text}</text>"##
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::{Solutions, solutions};

    fn written(format: BoardFormat, n: u32) -> String {
        let mut out = Vec::new();
        let puzzle = Puzzle::new(n, false);
        let mut writer = BoardWriter::new(format, &puzzle);
        writer.begin(&mut out).unwrap();
        for placement in solutions(n).unwrap() {
            writer
                .solution(&mut out, &placement, Duration::from_micros(1_500))
                .unwrap();
        }
        writer.end(&mut out, "all of them").unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Boards as people see them, read back row by row.
    fn read_boards(text: &str, queen: char) -> Vec<Vec<u32>> {
        let blocks = text.split_terminator("\n\n");
        blocks
            .map(|block| {
                let lines: Vec<_> = block.lines().skip(1).collect();
                let row_of = |column: usize| {
                    let is_queen = |line: &&str| line.chars().nth(2 * column) == Some(queen);
                    lines.iter().position(is_queen).unwrap() as u32
                };
                (0..lines.len()).map(row_of).collect()
            })
            .collect()
    }

    /// The drawings' queens, read back from their places.
    fn read_drawings(svg: &str, side: u32) -> Vec<Vec<u32>> {
        let number = |line: &str, name: &str| -> u32 {
            let start = line.find(&format!("{name}=\"")).unwrap() + name.len() + 2;
            line[start..].split('"').next().unwrap().parse().unwrap()
        };
        svg.split("<g ")
            .skip(1)
            .map(|board| {
                let queens = board.lines().filter(|line| line.starts_with("<use"));
                let mut queens: Vec<_> = queens
                    .map(|line| (number(line, " x") / side, number(line, " y") / side))
                    .collect();
                queens.sort_unstable();
                queens.into_iter().map(|(_, row)| row).collect()
            })
            .collect()
    }

    fn numbers(line: &str, separator: char) -> Vec<u32> {
        line.split(separator)
            .map(|field| field.parse().unwrap())
            .collect()
    }

    #[test]
    fn every_format_is_read_back() {
        for n in [1, 4, 6, 8] {
            let truth: Vec<Vec<u32>> = solutions(n).unwrap().map(|p| p.rows().to_vec()).collect();
            assert_eq!(read_boards(&written(BoardFormat::Board, n), 'Q'), truth);
            assert_eq!(read_boards(&written(BoardFormat::Unicode, n), '♛'), truth);
            let list: Vec<_> = written(BoardFormat::List, n)
                .lines()
                .map(|l| numbers(l, ' '))
                .collect();
            assert_eq!(list, truth);
            assert_eq!(read_drawings(&written(BoardFormat::Svg, n), side(n)), truth);

            for (i, line) in written(BoardFormat::Json, n).lines().enumerate() {
                let value: serde_json::Value = serde_json::from_str(line).unwrap();
                assert_eq!(value["rows"], serde_json::json!(truth[i]));
                assert_eq!(
                    (&value["n"], &value["solution"]),
                    (&n.into(), &(i + 1).into())
                );
                assert_eq!(value["seconds"], 0.0015);
            }
            let text = written(BoardFormat::Csv, n);
            let mut csv = csv::Reader::from_reader(text.as_bytes());
            assert_eq!(csv.headers().unwrap().len(), n as usize + 2);
            let records: Vec<_> = csv.records().map(Result::unwrap).collect();
            assert_eq!(records.len(), truth.len());
            for (record, rows) in records.iter().zip(&truth) {
                assert_eq!(&record[1], "0.0015");
                let fields: Vec<u32> = record.iter().skip(2).map(|f| f.parse().unwrap()).collect();
                assert_eq!(&fields, rows);
            }
        }
    }

    #[test]
    fn the_empty_board_is_a_solution_too() {
        assert_eq!(written(BoardFormat::List, 0), "\n");
        assert!(written(BoardFormat::Json, 0).contains("\"rows\":[]"));
        assert_eq!(written(BoardFormat::Csv, 0), "solution,seconds\n1,0.0015\n");
        assert!(written(BoardFormat::Svg, 0).ends_with("</svg>\n"));
    }

    #[test]
    fn a_sheet_shows_what_was_marked() {
        let square = |name| Square::parse(name, 6).unwrap();
        let puzzle = Puzzle::new(6, false).with_queen(square("b6")).unwrap();
        let puzzle = puzzle.with_closed(square("d1")).unwrap();
        let mut out = Vec::new();
        let mut writer = BoardWriter::new(BoardFormat::Svg, &puzzle);
        let boards: Vec<_> = Solutions::new(&puzzle).unwrap().collect();
        assert!(!boards.is_empty());
        for board in &boards {
            writer.solution(&mut out, board, Duration::ZERO).unwrap();
        }
        writer.end(&mut out, "some").unwrap();
        let svg = String::from_utf8(out).unwrap();
        let uses = |what: &str| svg.matches(&format!("href=\"#{what}\"")).count();
        let counts = [uses("given"), uses("queen"), uses("closed")];
        assert_eq!(counts, [1, 5, 1].map(|of_each| of_each * boards.len()));
        // Column b is 20 from the left, rank 6 at the top; column d is 60 from the left, rank 1 at the bottom.
        assert!(svg.contains(r##"<use href="#given" x="20" y="0"/>"##));
        assert!(svg.contains(r##"<use href="#closed" x="60" y="100"/>"##));
        assert!(svg.contains("given queens") && svg.contains("closed squares"));
        assert!(!written(BoardFormat::Svg, 6).contains("closed squares"));
    }

    #[test]
    fn there_is_no_sheet_without_a_board() {
        assert_eq!(written(BoardFormat::Svg, 3), "");
    }

    #[test]
    fn names_are_read_back() {
        for format in BoardFormat::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        let message = "png".parse::<BoardFormat>().unwrap_err().to_string();
        assert!(BoardFormat::ALL.iter().all(|f| message.contains(f.name())));
    }
}
