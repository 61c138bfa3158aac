//! `queens trace`: prints every step of a search as a board.

use std::io::{BufWriter, Write};
use std::time::Instant;

use queens_search::{Step, TraceWriter};

use super::arguments::SearchArguments;
use super::source::{print_search, stopped};
use crate::exit::Result;
use crate::human;
use crate::output::Output;

pub(crate) fn run(arguments: &SearchArguments) -> Result<()> {
    let board = arguments.board()?;
    let limits = arguments.options.limits();
    let mut search = arguments.search(&board, &limits)?;
    arguments.options.interrupt(&limits.cancel)?;

    let started = Instant::now();
    let mut writer = TraceWriter::new(&board);
    let mut out = BufWriter::new(Output::standard());
    writer.begin(&mut out, search.strategy())?;
    while arguments.goes_on(&search) {
        let step = search.step();
        writer.step(&mut out, &search, &step)?;
        if matches!(step, Step::End | Step::Limit(_)) {
            break;
        }
    }
    writeln!(out, "{}", human::plural(writer.steps() as usize, "step"))?;
    out.flush()?;
    print_search(&search, started.elapsed());
    stopped(&search, "trace")
}
