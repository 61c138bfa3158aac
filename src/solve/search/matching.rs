//! Domain consistency of an all-different constraint.
//!
//! The algorithm is due to J.-C. Régin (A Filtering Algorithm for Constraints of Difference in CSPs, AAAI 1994). A
//! *matching* assigns each column a line of its own. Other matchings arise when columns pass their lines on, in a cycle
//! or along a path that ends at an unused line. Free squares that belong to no matching are removed. The cycles are
//! found as strongly connected components (R. Tarjan 1972) of a graph with an edge from each column to every column
//! whose line it could use.

use super::domains::Domains;
use super::settings::ActiveLimits;
use super::step::{Cause, Failure, Limit, Lines, Stop};
use crate::board::Square;

/// Matchings of the last call, most of which are still valid, and scratch buffers.
#[derive(Debug)]
pub(super) struct Matching {
    /// Row whose line each column has, for each kind of lines.
    row_of: [Vec<Option<u32>>; 3],
    /// Column that has each line, for each kind of lines.
    column_of: [Vec<Option<u32>>; 3],
    /// Order in which columns were visited, from 1; 0 if not yet visited.
    visited: Vec<u32>,
    /// Earliest visited column that each can reach; [`DONE`] once its component is known.
    low: Vec<u32>,
    /// Component of each column, named after its first visited column.
    component: Vec<u32>,
    /// Whether a column can reach an unused line.
    is_loose: Vec<bool>,
    stack: Vec<u32>,
    clock: u32,
}

const DONE: u32 = u32::MAX;

/// Graph of an all-different constraint: the unassigned columns and the lines they could use.
struct Graph<'a> {
    domains: &'a Domains,
    lines: Lines,
    limits: &'a mut ActiveLimits,
}

impl<'a> Graph<'a> {
    /// Iterates over the free rows of a column with their lines.
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
            visited: vec![0; n],
            low: vec![0; n],
            component: vec![0; n],
            is_loose: vec![false; n],
            stack: Vec::new(),
            clock: 0,
        }
    }

    /// Makes the unassigned columns domain consistent on these lines. Occupied lines must have been removed from them.
    ///
    /// # Errors
    ///
    /// [`Failure::TooFew`] if the columns need more lines than they have, or the limit that was reached.
    pub(super) fn narrow(
        &mut self,
        domains: &mut Domains,
        lines: Lines,
        limits: &mut ActiveLimits,
    ) -> Result<(), Stop> {
        let graph = &mut Graph {
            domains,
            lines,
            limits,
        };
        self.repair(graph)?;
        self.reset();
        for column in graph.domains.unassigned_columns() {
            if self.visited[column as usize] == 0 {
                self.visit(column, graph)?;
            }
        }
        let columns: Vec<_> = domains.unassigned_columns().collect();
        domains.set_cause(Cause::AllDifferent(lines));
        for column in columns {
            let component = self.component[column as usize];
            let is_inconsistent = |&row: &u32| {
                let line = domains.line(lines, Square::new(column, row));
                self.column_of[lines as usize][line].is_some_and(|other| {
                    let other = other as usize;
                    !self.is_loose[other] && self.component[other] != component
                })
            };
            // Usually there is none, and nothing is allocated.
            let rows = domains.free_rows(column).filter(is_inconsistent);
            let rows: Vec<_> = rows.collect();
            for row in rows {
                domains.remove(Square::new(column, row));
            }
        }
        Ok(())
    }

    /// Assigns each unassigned column a line that is free in it.
    fn repair(&mut self, graph: &mut Graph<'_>) -> Result<(), Stop> {
        let (domains, lines) = (graph.domains, graph.lines);
        for (column, assigned) in (0..).zip(&mut self.row_of[lines as usize]) {
            let Some(row) = *assigned else { continue };
            let square = Square::new(column, row);
            if !domains.is_unassigned(column) || !domains.is_free(square) {
                *assigned = None;
                self.column_of[lines as usize][domains.line(lines, square)] = None;
            }
        }
        for column in domains.unassigned_columns() {
            if self.row_of[lines as usize][column as usize].is_none() {
                self.reset();
                if !self.augment(column, graph)? {
                    return Err(Failure::TooFew(lines).into());
                }
            }
        }
        Ok(())
    }

    /// Assigns a column a line along an augmenting path. Returns false if there is none.
    fn augment(&mut self, column: u32, graph: &mut Graph<'_>) -> Result<bool, Limit> {
        graph.limits.check()?;
        self.visited[column as usize] = 1;
        let kind = graph.lines as usize;
        for (row, line) in graph.edges(column) {
            let is_available = match self.column_of[kind][line] {
                None => true,
                Some(other) => self.visited[other as usize] == 0 && self.augment(other, graph)?,
            };
            if is_available {
                self.row_of[kind][column as usize] = Some(row);
                self.column_of[kind][line] = Some(column);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Prepares for another traversal. The last one may have been interrupted by a limit.
    fn reset(&mut self) {
        self.visited.fill(0);
        self.stack.clear();
        self.clock = 0;
    }

    /// Finds the components of a column and of all columns reachable from it.
    fn visit(&mut self, column: u32, graph: &mut Graph<'_>) -> Result<(), Limit> {
        graph.limits.check()?;
        let c = column as usize;
        self.clock += 1;
        (self.visited[c], self.low[c]) = (self.clock, self.clock);
        self.is_loose[c] = false;
        self.stack.push(column);
        for (_, line) in graph.edges(column) {
            match self.column_of[graph.lines as usize][line] {
                None => self.is_loose[c] = true,
                Some(other) if other == column => {}
                Some(other) => {
                    let o = other as usize;
                    if self.visited[o] == 0 {
                        self.visit(other, graph)?;
                    }
                    self.is_loose[c] |= self.is_loose[o];
                    // If that component is complete, this has no effect.
                    self.low[c] = self.low[c].min(self.low[o]);
                }
            }
        }
        if self.low[c] < self.visited[c] {
            return Ok(()); // part of a component visited earlier
        }
        let start = self.stack.iter().rposition(|&other| other == column);
        let members = self.stack.split_off(start.expect("the column was pushed"));
        let is_loose = members.iter().any(|&member| self.is_loose[member as usize]);
        for member in members.into_iter().map(|member| member as usize) {
            self.component[member] = column;
            self.is_loose[member] = is_loose;
            self.low[member] = DONE;
        }
        Ok(())
    }
}
