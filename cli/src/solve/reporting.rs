//! Output options of `queens solve`.

use std::path::PathBuf;

use clap::Args;

use super::BoardFormat;
use crate::human;
use queens::Board;
use queens::known::known;

use crate::exit::Failure;
use crate::options;

/// Output options.
#[derive(Debug, Args)]
pub(super) struct OutputArguments {
    /// Output format: board, unicode, matrix, list, named, json, csv, svg or html
    ///
    /// Rows in `list`, `json` and `csv` count from 0 at the top; `matrix` has 1 for a queen and 0 elsewhere; `named` is
    /// x0 = 0 x1 = 4 ... Formats `board`, `unicode` and `matrix` are limited to N = 2000, `svg` and `html` to N = 200;
    /// an `svg` sheet to 1000 boards, an `html` page to 20000 [default: inferred from FILE's extension, otherwise
    /// board, or list above N = 64]
    #[arg(long, short, value_name = "FORMAT", hide_possible_values = true, value_parser = options::one_of::<BoardFormat>())]
    format: Option<BoardFormat>,

    /// Width of an `svg` sheet in pixels, which sets the boards per row [default: 1100]
    #[arg(long, value_name = "PIXELS", conflicts_with = "trace", hide_short_help = true, value_parser = options::whole::<u32>(1, None))]
    pub(super) width: Option<u32>,

    /// Write the solutions to a file
    ///
    /// The file is created only once complete; `-` is standard output.
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub(super) output: PathBuf,
}

/// Largest board size that fits a screen. Larger boards are printed as lists by default.
const LARGEST_SHOWN: u32 = 64;

impl OutputArguments {
    /// Returns the format, after checking that it can show the trace or the solutions.
    pub(super) fn format(
        &self,
        board: &Board,
        wanted: u64,
        fundamental: bool,
        is_trace: bool,
    ) -> Result<BoardFormat, Failure> {
        let n = board.n();
        let default = match n {
            _ if is_trace => BoardFormat::Unicode,
            0..=LARGEST_SHOWN => BoardFormat::Board,
            _ => BoardFormat::List,
        };
        let format = options::format_of(self.format, &self.output)?.unwrap_or(default);
        let refused = |reason| Err(Failure::usage("--format", reason));
        if self.width.is_some() && format != BoardFormat::Svg {
            let reason = format!("'{format}' has no width (accepted: with --format svg)");
            return Err(Failure::usage("--width", reason));
        }
        if is_trace && n > LARGEST_SHOWN {
            let reason = format!(
                "a board of N = {n} does not fit a screen (accepted: 0 to {LARGEST_SHOWN})"
            );
            return Err(Failure::usage("--trace", reason));
        }
        if is_trace && !format.is_for_people() && format != BoardFormat::Json {
            return refused(format!(
                "'{format}' does not show steps (accepted with --trace: board, unicode, json)"
            ));
        }
        let largest = format.largest();
        if n > largest {
            return refused(format!(
                "'{format}' cannot show a board of N = {n} (accepted: 0 to {largest})"
            ));
        }
        // Boards beyond the published table have more solutions than any format can hold.
        let known = known(n).map_or(u128::MAX, |row| match fundamental {
            true => row.fundamental,
            false => row.solutions,
        });
        match format.most() {
            Some(most)
                if !is_trace && board.is_standard() && known.min(wanted.into()) > most.into() =>
            {
                refused(format!(
                    "'{format}' holds at most {} boards (accepted: --limit up to {most})",
                    human::integer(most.into()),
                ))
            }
            _ => Ok(format),
        }
    }
}
