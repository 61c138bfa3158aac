//! Domain consistency of an all-different constraint.
//!
//! The algorithm is that of J.-C. Régin (A Filtering Algorithm for Constraints of Difference in CSPs, AAAI 1994). A
//! *matching* gives each column a line of its own. Once there is one, a free square is part of some other one exactly
//! if the columns can pass their lines on, in a circle or until one takes a line that nobody has: all other squares go.
//! Circles are the strongly connected components of a graph on the columns (R. Tarjan 1972), in which an arrow leads
//! from a column to the one that has a line which the former could use.

use super::domains::Domains;
use super::settings::Watch;
use super::step::{Cause, Failure, Limit, Lines, Stop};
use crate::board::Square;

/// The matchings of the last call, most of which still hold, and working memory.
#[derive(Debug)]
pub(super) struct Matching {
    /// For each kind of lines, the row of the line that each column has.
    row_of: [Vec<Option<u32>>; 3],
    /// And which column has each line.
    column_of: [Vec<Option<u32>>; 3],
    /// When the walk came to each column, from 1; 0 where it did not.
    met: Vec<u32>,
    /// The earliest column that each leads back to; [`DONE`] once its component is known.
    low: Vec<u32>,
    /// The component of each column: the column at which it was entered.
    component: Vec<u32>,
    /// Whether lines can be passed on from it until one is taken that nobody has.
    is_loose: Vec<bool>,
    stack: Vec<u32>,
    clock: u32,
}

const DONE: u32 = u32::MAX;

/// The constraint that is looked at: which open columns could use which lines.
struct Graph<'a> {
    domains: &'a Domains,
    lines: Lines,
    watch: &'a mut Watch,
}

impl<'a> Graph<'a> {
    /// The free rows of a column, and their lines.
    fn edges(&self, column: u32) -> impl Iterator<Item = (u32, usize)> + use<'a> {
        let (domains, lines) = (self.domains, self.lines);
        let line = move |row| domains.line(lines, Square::new(column, row));
        domains.free_rows(column).map(move |row| (row, line(row)))
    }
}

impl Matching {
    pub(super) fn new(n: u32) -> Self {
        let n = n as usize;
        Self {
            row_of: Lines::ALL.map(|_| vec![None; n]),
            column_of: Lines::ALL.map(|_| vec![None; 2 * n]),
            met: vec![0; n],
            low: vec![0; n],
            component: vec![0; n],
            is_loose: vec![false; n],
            stack: Vec::new(),
            clock: 0,
        }
    }

    /// Removes from the open columns what domain consistency on these lines removes. Lines with a queen must be gone
    /// from them already.
    ///
    /// # Errors
    ///
    /// That there are too few lines, or a limit was reached.
    pub(super) fn narrow(
        &mut self,
        domains: &mut Domains,
        lines: Lines,
        watch: &mut Watch,
    ) -> Result<(), Stop> {
        let graph = &mut Graph {
            domains,
            lines,
            watch,
        };
        self.mend(graph)?;
        self.reset();
        for column in graph.domains.open_columns() {
            if self.met[column as usize] == 0 {
                self.enter(column, graph)?;
            }
        }
        let columns: Vec<_> = domains.open_columns().collect();
        domains.because(Cause::AllDifferent(lines));
        for column in columns {
            let component = self.component[column as usize];
            let goes = |&row: &u32| {
                let line = domains.line(lines, Square::new(column, row));
                self.column_of[lines as usize][line].is_some_and(|other| {
                    let other = other as usize;
                    !self.is_loose[other] && self.component[other] != component
                })
            };
            // Most often none goes, and nothing is allocated.
            let rows: Vec<_> = domains.free_rows(column).filter(goes).collect();
            for row in rows {
                domains.remove(Square::new(column, row));
            }
        }
        Ok(())
    }

    /// Gives each open column a line that it may use.
    fn mend(&mut self, graph: &mut Graph<'_>) -> Result<(), Stop> {
        let (domains, lines) = (graph.domains, graph.lines);
        for (column, had) in (0..).zip(&mut self.row_of[lines as usize]) {
            let Some(row) = *had else { continue };
            let square = Square::new(column, row);
            if !domains.is_open(column) || !domains.is_free(square) {
                *had = None;
                self.column_of[lines as usize][domains.line(lines, square)] = None;
            }
        }
        for column in domains.open_columns() {
            if self.row_of[lines as usize][column as usize].is_none() {
                self.reset();
                if !self.augment(column, graph)? {
                    return Err(Failure::TooFew(lines).into());
                }
            }
        }
        Ok(())
    }

    /// Gives a column a line, and those that had it others in turn.
    fn augment(&mut self, column: u32, graph: &mut Graph<'_>) -> Result<bool, Limit> {
        graph.watch.look()?;
        self.met[column as usize] = 1;
        let kind = graph.lines as usize;
        for (row, line) in graph.edges(column) {
            let is_had = match self.column_of[kind][line] {
                None => false,
                Some(other) => self.met[other as usize] != 0 || !self.augment(other, graph)?,
            };
            if !is_had {
                self.row_of[kind][column as usize] = Some(row);
                self.column_of[kind][line] = Some(column);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Begins a walk over the columns. Something is left of the last one where a limit ended it.
    fn reset(&mut self) {
        self.met.fill(0);
        self.stack.clear();
        self.clock = 0;
    }

    /// Finds the components of a column and of all that it leads to.
    fn enter(&mut self, column: u32, graph: &mut Graph<'_>) -> Result<(), Limit> {
        graph.watch.look()?;
        let c = column as usize;
        self.clock += 1;
        (self.met[c], self.low[c]) = (self.clock, self.clock);
        self.is_loose[c] = false;
        self.stack.push(column);
        for (_, line) in graph.edges(column) {
            match self.column_of[graph.lines as usize][line] {
                None => self.is_loose[c] = true,
                Some(other) if other == column => {}
                Some(other) => {
                    let o = other as usize;
                    if self.met[o] == 0 {
                        self.enter(other, graph)?;
                    }
                    self.is_loose[c] |= self.is_loose[o];
                    // Of a component that is known already, this does not lower anything.
                    self.low[c] = self.low[c].min(self.low[o]);
                }
            }
        }
        if self.low[c] < self.met[c] {
            return Ok(()); // it belongs to a component that was entered before
        }
        let start = self.stack.iter().rposition(|&other| other == column);
        let members = self.stack.split_off(start.expect("it was pushed"));
        let is_loose = members.iter().any(|&member| self.is_loose[member as usize]);
        for member in members.into_iter().map(|member| member as usize) {
            self.component[member] = column;
            self.is_loose[member] = is_loose;
            self.low[member] = DONE;
        }
        Ok(())
    }
}
