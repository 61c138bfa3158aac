//! In what form solutions are written, and whether they go into it.

use std::path::PathBuf;

use clap::Args;

use super::BoardFormat;
use crate::human;
use queens::Board;
use queens::known::known;

use crate::exit::Failure;
use crate::options;

/// How to report.
#[derive(Debug, Args)]
pub(super) struct Reporting {
    /// Form: board, unicode, matrix, list, named, json, csv, svg or html
    ///
    /// Rows in `list`, `json` and `csv` count from 0 at the top; `matrix` is 1 and 0; `named` is x0 = 0 x1 = 4 ...; an
    /// `svg` sheet has 1000 boards at most and an `html` page to leaf through 20000, of N up to 200; `board`, `unicode`
    /// and `matrix` go up to N = 2000 [default: what the ending of FILE says, otherwise board, or list above N = 64]
    #[arg(long, short, value_name = "FORMAT", hide_possible_values = true, value_parser = options::one_of::<BoardFormat>())]
    format: Option<BoardFormat>,

    /// Width of an `svg` sheet of several boards in pixels: as many stand side by side as fit [default: 1100]
    #[arg(long, value_name = "PIXELS", hide_short_help = true, value_parser = options::whole::<u32>(1, None))]
    pub(super) width: Option<u32>,

    /// Write the solutions to a file
    ///
    /// It appears when it is complete; `-` is standard output.
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub(super) output: PathBuf,
}

/// Boards above this do not fit a screen: they are printed as lists unless asked otherwise.
pub(super) const LARGEST_SHOWN: u32 = 64;

impl Reporting {
    /// The format that was asked for, by name or by the file's.
    pub(super) fn asked(&self) -> Result<Option<BoardFormat>, Failure> {
        options::format_of(self.format, &self.output)
    }

    /// The format, which can show the board and holds as many solutions, as far as it is known before any work.
    pub(super) fn format(
        &self,
        board: &Board,
        wanted: u64,
        fundamental: bool,
    ) -> Result<BoardFormat, Failure> {
        let n = board.n();
        let usual = match n {
            0..=LARGEST_SHOWN => BoardFormat::Board,
            _ => BoardFormat::List,
        };
        let format = self.asked()?.unwrap_or(usual);
        let refused = |reason| Err(Failure::usage("--format", reason));
        if self.width.is_some() && format != BoardFormat::Svg {
            let reason = format!("'{format}' has no width (accepted: with --format svg)");
            return Err(Failure::usage("--width", reason));
        }
        let largest = format.largest();
        if n > largest {
            return refused(format!(
                "'{format}' cannot show a board of N = {n} (accepted: 0 to {largest})"
            ));
        }
        // A board that is too large to be published has more solutions than any format holds.
        let known = known(n).map_or(u128::MAX, |row| match fundamental {
            true => row.fundamental,
            false => row.solutions,
        });
        match format.most() {
            Some(most) if board.is_standard() && known.min(wanted.into()) > most.into() => {
                refused(format!(
                    "'{format}' holds {} boards, and more are asked for (accepted: --limit up to {most})",
                    human::integer(most.into()),
                ))
            }
            _ => Ok(format),
        }
    }
}
