//! Reports on the solutions of a board by symmetry.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::count::{Checks, write_total};
use super::document::{Prose, Report};
use crate::human::{self, integer, significant};
use queens::machine::Environment;
use queens::{Board, CancelToken, Classes, Count, CountError};

/// Solutions of a board by symmetry.
#[derive(Debug)]
pub struct ClassesReport {
    board: Board,
    classes: Classes,
    checks: Checks,
    /// Time taken to count the symmetric solutions.
    elapsed: Duration,
}

impl ClassesReport {
    /// Counts the symmetric solutions of a board that has all symmetries, on as many threads as
    /// `count` used, and classifies all solutions.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Classes::count`].
    ///
    /// # Panics
    ///
    /// Panics if the board lacks a symmetry.
    pub fn count(count: &Count, cancel: &CancelToken) -> Result<Self, CountError> {
        let (started, threads) = (Instant::now(), count.method.threads.count());
        let classes = Classes::count(&count.board, count.total, threads, cancel)?;
        let (board, checks) = (count.board.clone(), Checks::new(&count.check));
        Ok(Self { board, classes, checks, elapsed: started.elapsed() })
    }

    /// Returns the kinds of symmetry, each with its orbit size, and with the numbers of solutions
    /// and classes in a notation.
    fn rows(
        &self,
        write: fn(u128) -> String,
    ) -> impl Iterator<Item = (&'static str, u32, [String; 2])> {
        self.classes.by_symmetry().into_iter().map(move |(symmetry, solutions)| {
            let size = symmetry.orbit_size();
            (symmetry.into(), size, [solutions, solutions / u128::from(size)].map(write))
        })
    }

    /// Returns the kinds of symmetry as JSON objects.
    fn objects(&self) -> impl Iterator<Item = Value> {
        let rows = self.rows(|number| number.to_string());
        rows.map(|(symmetry, size, [solutions, classes])| {
            json!({ "symmetry": symmetry, "solutions": solutions, "classes": classes, "orbit_size": size })
        })
    }
}

impl Report for ClassesReport {
    fn json(&self) -> Value {
        let classes = &self.classes;
        json!({
            "n": classes.n,
            "board": self.board.constraints(),
            "solutions": classes.solutions.to_string(),
            "checks": self.checks,
            "fundamental": classes.fundamental().to_string(),
            "half_turn": classes.half_turn.to_string(),
            "quarter_turn": classes.quarter_turn.to_string(),
            "symmetric_seconds": significant(self.elapsed.as_secs_f64()),
            "classes": Vec::from_iter(self.objects()),
            "environment": Environment::here(),
        })
    }

    /// Returns one line per kind of symmetry.
    fn csv(&self) -> Vec<Value> {
        self.objects().map(|class| json!({ "n": self.classes.n, "class": class })).collect()
    }

    fn prose(&self, prose: &mut Prose) {
        let classes = &self.classes;
        let [solutions, fundamental] = [classes.solutions, classes.fundamental()].map(integer);
        if !prose.is_markdown() {
            write_total(prose, &self.board, classes.solutions);
            prose.verdict(&self.checks.check_detail);
            prose.line(format_args!(
                "{fundamental} fundamental; the others are rotations and reflections of these"
            ));
            let time = human::duration(self.elapsed);
            prose.item(format_args!("symmetric solutions counted in {time}"));
            prose.line("");
        }
        let row = |name: &str, solutions, classes, size| {
            [
                ("Symmetry", name.to_owned()),
                ("Solutions", solutions),
                ("Classes", classes),
                ("Orbit size", size),
            ]
        };
        let rows = self.rows(integer).map(|(symmetry, size, [solutions, classes])| {
            row(symmetry, solutions, classes, size.to_string())
        });
        let all = row("total", solutions, fundamental, String::new());
        prose.table(rows.chain([all]));
    }
}
