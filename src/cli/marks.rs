//! Options that mark squares of the board.

use crate::solve::MAX_SEARCHED;
use crate::{Board, Puzzle, Square};
use anyhow::Result;
use clap::Args;

use super::exit::UsageError;

/// What is special about the board.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Board")]
pub(crate) struct Marks {
    /// A queen that stands already (may be repeated): c5, rows from 1 at the bottom, or column,row from 0,0 at the top left
    #[arg(long, value_name = "SQUARE", allow_hyphen_values = true)]
    queen: Vec<String>,

    /// A square on which no queen may stand (may be repeated), named in the same ways
    #[arg(long, value_name = "SQUARE", allow_hyphen_values = true)]
    block: Vec<String>,

    /// Diagonals wrap around the edges: the modular problem
    #[arg(long)]
    pub(crate) torus: bool,
}

const QUEEN: &str = "--queen";
const BLOCK: &str = "--block";

impl Marks {
    /// The board to count.
    pub(crate) fn board(&self, n: u32) -> Result<Board> {
        let (queens, closed) = self.squares(n)?;
        let usage = |option| move |error| UsageError::new(option, error);
        let mut board = if self.torus {
            Board::torus(n)
        } else {
            Board::new(n)
        }
        .map_err(usage("N"))?
        .with_queens(queens)
        .map_err(usage(QUEEN))?;
        for square in closed {
            board
                .block(square.column, square.row)
                .map_err(usage(BLOCK))?;
        }
        Ok(board)
    }

    /// The board to solve.
    pub(crate) fn puzzle(&self, n: u32) -> Result<Puzzle> {
        let (queens, closed) = self.squares(n)?;
        if n > MAX_SEARCHED && !(queens.is_empty() && closed.is_empty()) {
            let reason = format!(
                "a board of N = {n} with marked squares must be searched (accepted: 0 to {MAX_SEARCHED})"
            );
            return Err(UsageError::new("N", reason).into());
        }
        let usage = |option| move |error| UsageError::new(option, error);
        let mut puzzle = Puzzle::new(n, self.torus);
        for queen in queens {
            puzzle = puzzle.with_queen(queen).map_err(usage(QUEEN))?;
        }
        for square in closed {
            puzzle = puzzle.with_closed(square).map_err(usage(BLOCK))?;
        }
        Ok(puzzle)
    }

    /// What is special about the board as part of a title: nothing, or ", torus, queen c5, closed a8 b1".
    pub(crate) fn words(&self) -> String {
        let named = |what: &str, squares: &[String]| match squares {
            [] => String::new(),
            squares => format!(", {what} {}", squares.join(" ")),
        };
        let torus = if self.torus { ", torus" } else { "" };
        torus.to_owned() + &named("queen", &self.queen) + &named("closed", &self.block)
    }

    /// The squares of both options.
    fn squares(&self, n: u32) -> Result<(Vec<Square>, Vec<Square>), UsageError> {
        let read = |option: &'static str, texts: &[String]| {
            let square = |text: &String| {
                Square::parse(text, n).map_err(|error| UsageError::new(option, error))
            };
            texts.iter().map(square).collect::<Result<Vec<_>, _>>()
        };
        Ok((read(QUEEN, &self.queen)?, read(BLOCK, &self.block)?))
    }
}
