//! Reports on the solutions of a board by symmetry.

use std::time::Instant;

use serde::Serialize;
use serde_json::{Value, json};

use super::count::Checks;
use super::document::{Prose, Report, text};
use crate::human::{self, integer, significant};
use queens::board::SymmetryClass;
use queens::machine::Environment;
use queens::{Board, CancelToken, Classes, CountError};

/// Solutions of a board by symmetry.
#[derive(Debug, Serialize)]
pub struct ClassesReport {
    n: u32,
    #[serde(with = "text")]
    solutions: u128,
    checks: Checks,
    #[serde(with = "text")]
    fundamental: u128,
    /// Solutions that are unchanged by a half turn.
    #[serde(with = "text")]
    half_turn: u128,
    #[serde(with = "text")]
    quarter_turn: u128,
    /// Time taken to count the symmetric solutions, in seconds.
    symmetric_seconds: f64,
    classes: Vec<Class>,
    environment: Environment,
}

/// Solutions with one kind of symmetry.
#[derive(Debug, Serialize)]
struct Class {
    symmetry: &'static str,
    #[serde(with = "text")]
    solutions: u128,
    #[serde(with = "text")]
    classes: u128,
    orbit_size: u32,
}

impl ClassesReport {
    /// Counts the symmetric solutions of the empty board and classifies all solutions. `solutions`
    /// is a verified total.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Classes::count`].
    pub fn count(
        n: u32,
        solutions: u128,
        checks: Checks,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Self, CountError> {
        let started = Instant::now();
        let classes = Classes::count(&Board::new(n)?, solutions, threads, cancel)?;
        let class = |(symmetry, solutions): (SymmetryClass, u128)| {
            let orbit_size = symmetry.orbit_size();
            Class {
                symmetry: symmetry.into(),
                solutions,
                classes: solutions / u128::from(orbit_size),
                orbit_size,
            }
        };
        Ok(Self {
            n,
            solutions,
            checks,
            fundamental: classes.fundamental(),
            half_turn: classes.half_turn.into(),
            quarter_turn: classes.quarter_turn.into(),
            symmetric_seconds: significant(started.elapsed().as_secs_f64()),
            classes: classes.by_symmetry().into_iter().map(class).collect(),
            environment: Environment::here(),
        })
    }
}

impl Report for ClassesReport {
    /// Returns one line per kind of symmetry.
    fn csv(&self) -> Vec<Value> {
        let line = |class| json!({ "n": self.n, "class": class });
        self.classes.iter().map(line).collect()
    }

    fn prose(&self, prose: &mut Prose) {
        let (solutions, fundamental) = (integer(self.solutions), integer(self.fundamental));
        if !prose.is_markdown() {
            prose.line(format_args!("Q({}) = {solutions}", self.n));
            prose.item(&self.checks.check_detail);
            prose.line(format_args!(
                "{fundamental} fundamental; the others are rotations and reflections of these"
            ));
            let time = human::seconds(self.symmetric_seconds);
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
        let rows = self.classes.iter().map(|class| {
            let [solutions, classes] = [class.solutions, class.classes].map(integer);
            row(class.symmetry, solutions, classes, class.orbit_size.to_string())
        });
        let all = row("total", solutions, fundamental, String::new());
        prose.table(rows.chain([all]));
    }
}
