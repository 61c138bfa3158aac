//! Domain consistency of an all-different constraint.
//!
//! The algorithm is that of J.-C. Régin (A Filtering Algorithm for Constraints of Difference in CSPs, AAAI 1994). A
//! *matching* gives each column a line of its own. Once there is one, a free square is part of some other one exactly if the
//! columns can pass their lines on, in a circle or until one takes a line that nobody has: all other squares go. Circles are
//! the strongly connected components of a graph on the columns (R. Tarjan 1972), in which an arrow leads from a column to
//! the one that has a line which the former could use.

use super::domains::Domains;
use super::node::Node;
use super::step::{Cause, Failure, Limit, Lines};
use super::watch::Watch;
use crate::board::Square;

/// The matchings of the last call, most of which still hold, and working memory.
#[derive(Debug)]
pub(super) struct Matching {
    kinds: [Assignment; 3],
    walk: Walk,
}

/// The row of the line that each column has, and which column has each line.
#[derive(Debug, Clone)]
struct Assignment {
    row_of: Vec<Option<u32>>,
    column_of: Vec<Option<u32>>,
}

/// A walk over the columns.
#[derive(Debug, Default)]
struct Walk {
    /// When each column was come to, from 1; 0 for those that were not.
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

/// The line of a square.
fn line(domains: &Domains, lines: Lines, column: u32, row: u32) -> u32 {
    let line = row + lines.shift(column, domains.n());
    if domains.is_torus() {
        line % domains.n()
    } else {
        line
    }
}

impl Matching {
    pub(super) fn new(n: u32) -> Self {
        let n = n as usize;
        let none = Assignment {
            row_of: vec![None; n],
            column_of: vec![None; 2 * n],
        };
        Self {
            kinds: std::array::from_fn(|_| none.clone()),
            walk: Walk::default(),
        }
    }

    /// Takes from the open columns what domain consistency on these lines takes. Lines with a queen must be gone from them
    /// already.
    ///
    /// # Errors
    ///
    /// That there are too few lines, or a limit was reached.
    pub(super) fn narrow(
        &mut self,
        domains: &mut Domains,
        lines: Lines,
        watch: &mut Watch,
    ) -> Result<(), Node> {
        let kind = &mut self.kinds[lines as usize];
        kind.mend(domains, lines, &mut self.walk, watch)?;
        self.walk.reset(domains);
        for column in domains.open_columns() {
            if self.walk.met[column as usize] == 0 {
                self.walk
                    .component_of(column, domains, lines, kind, watch)?;
            }
        }
        domains.because(Cause::AllDifferent(lines));
        for column in domains.open_columns().collect::<Vec<_>>() {
            let stays =
                |&row: &u32| match kind.column_of[line(domains, lines, column, row) as usize] {
                    None => true,
                    Some(other) => {
                        let component = |column: u32| self.walk.component[column as usize];
                        self.walk.is_loose[other as usize] || component(other) == component(column)
                    }
                };
            let out: Vec<_> = domains
                .free_rows(column)
                .filter(|row| !stays(row))
                .collect();
            for row in out {
                domains.take(Square::new(column, row));
            }
        }
        Ok(())
    }
}

impl Assignment {
    /// Gives each open column a line that it may use.
    fn mend(
        &mut self,
        domains: &Domains,
        lines: Lines,
        walk: &mut Walk,
        watch: &mut Watch,
    ) -> Result<(), Node> {
        for column in 0..domains.n() {
            let Some(row) = self.row_of[column as usize] else {
                continue;
            };
            if !domains.is_open(column) || !domains.is_free(Square::new(column, row)) {
                self.row_of[column as usize] = None;
                self.column_of[line(domains, lines, column, row) as usize] = None;
            }
        }
        for column in domains.open_columns() {
            if self.row_of[column as usize].is_none() {
                walk.reset(domains);
                if !self.augment(column, domains, lines, walk, watch)? {
                    return Err(Failure::TooFew(lines).into());
                }
            }
        }
        Ok(())
    }

    /// Gives a column a line, and those that had it others in turn.
    fn augment(
        &mut self,
        column: u32,
        domains: &Domains,
        lines: Lines,
        walk: &mut Walk,
        watch: &mut Watch,
    ) -> Result<bool, Limit> {
        watch.look()?;
        walk.met[column as usize] = 1;
        for row in domains.free_rows(column) {
            let line = line(domains, lines, column, row);
            let is_had = match self.column_of[line as usize] {
                None => false,
                Some(other) => {
                    walk.met[other as usize] != 0
                        || !self.augment(other, domains, lines, walk, watch)?
                }
            };
            if !is_had {
                self.row_of[column as usize] = Some(row);
                self.column_of[line as usize] = Some(column);
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Walk {
    fn reset(&mut self, domains: &Domains) {
        let n = domains.n() as usize;
        self.met.clear();
        self.met.resize(n, 0);
        self.low.resize(n, 0);
        self.component.resize(n, 0);
        self.is_loose.resize(n, false);
        self.clock = 0;
        // Something is left where a limit ended the last walk.
        self.stack.clear();
    }

    /// Finds the components of a column and of all that it leads to.
    fn component_of(
        &mut self,
        column: u32,
        domains: &Domains,
        lines: Lines,
        kind: &Assignment,
        watch: &mut Watch,
    ) -> Result<(), Limit> {
        watch.look()?;
        let c = column as usize;
        self.clock += 1;
        (self.met[c], self.low[c]) = (self.clock, self.clock);
        self.is_loose[c] = false;
        self.stack.push(column);
        for row in domains.free_rows(column) {
            match kind.column_of[line(domains, lines, column, row) as usize] {
                None => self.is_loose[c] = true,
                Some(other) if other == column => {}
                Some(other) => {
                    let o = other as usize;
                    if self.met[o] == 0 {
                        self.component_of(other, domains, lines, kind, watch)?;
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
