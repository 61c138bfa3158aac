//! Record of `queens classes`.

use std::time::Duration;

use serde::Serialize;

use super::count::{Checks, total};
use super::document::{Prose, Report};
use crate::human::{self, integer, significant};
use crate::text;
use queens::board::SymmetryClass;
use queens::machine::Environment;
use queens::{Board, Classes, Count};

/// Solutions of a board by symmetry.
#[derive(Debug, Serialize)]
pub(crate) struct ClassesReport {
    n: u32,
    board: Option<String>,
    #[serde(with = "text")]
    solutions: u128,
    checks: Checks,
    #[serde(with = "text")]
    fundamental: u128,
    /// Solutions unchanged by a half turn, and those unchanged by a quarter turn.
    half_turn: String,
    quarter_turn: String,
    /// Time taken to count the symmetric solutions.
    symmetric_seconds: f64,
    classes: Vec<Class>,
    environment: Environment,
    /// Board that the text names.
    #[serde(skip)]
    named: Board,
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
    /// Creates the record of a count, whose symmetric solutions were counted in this time.
    pub(crate) fn new(count: Count, classes: &Classes, elapsed: Duration) -> Self {
        let class = |(symmetry, solutions): (SymmetryClass, u128)| {
            let orbit_size = symmetry.orbit_size();
            let classes = solutions / u128::from(orbit_size);
            Class { symmetry: symmetry.into(), solutions, classes, orbit_size }
        };
        Self {
            n: count.n(),
            board: count.board.constraints(),
            solutions: count.total,
            checks: Checks::new(&count.check),
            fundamental: classes.fundamental(),
            half_turn: classes.half_turn.to_string(),
            quarter_turn: classes.quarter_turn.to_string(),
            symmetric_seconds: significant(elapsed.as_secs_f64()),
            classes: classes.by_symmetry().into_iter().map(class).collect(),
            environment: Environment::here(),
            named: count.board,
        }
    }
}

impl Report for ClassesReport {
    fn prose(&self, prose: &mut Prose) {
        if !prose.is_markdown() {
            prose.line(total(&self.named, self.solutions));
            prose.item(&self.checks.check_detail);
            prose.line(format_args!(
                "{} fundamental; the others are rotations and reflections of these",
                integer(self.fundamental)
            ));
            let time = human::seconds(self.symmetric_seconds);
            prose.item(format_args!("symmetric solutions counted in {time}"));
            prose.line("");
        }
        let row = |name: &str, solutions, classes, size| {
            [
                ("Symmetry", name.to_owned()),
                ("Solutions", integer(solutions)),
                ("Classes", integer(classes)),
                ("Orbit size", size),
            ]
        };
        let rows = self.classes.iter().map(|class| {
            let size = class.orbit_size.to_string();
            row(class.symmetry, class.solutions, class.classes, size)
        });
        let all = row("total", self.solutions, self.fundamental, String::new());
        prose.table(rows.chain([all]));
    }
}
