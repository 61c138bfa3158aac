//! The classes of one board written down.

use std::io::{self, Write};

use serde_json::json;

use super::writer::{Block, Fields, Report, Table, fields};
use super::{Environment, Format};
use crate::human::{self, integer};
use queens::Classes;

/// The solutions of one board by symmetry, with how the numbers came about.
#[derive(Debug)]
pub struct ClassesRecord<'a> {
    /// The classes.
    pub classes: &'a Classes,
    /// How Q(N) was checked: one word, and a sentence.
    pub check: (&'a str, String),
    /// Seconds that counting the symmetric solutions took.
    pub symmetric_seconds: f64,
}

impl ClassesRecord<'_> {
    /// Writes it to `out`.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn write(&self, out: &mut dyn Write, format: Format) -> io::Result<()> {
        format.exporter().write(out, self)
    }

    /// Each symmetry with its solutions, their classes and the solutions of a class.
    fn rows(&self) -> impl Iterator<Item = (&'static str, u128, u128, u32)> {
        let rows = self.classes.by_symmetry().into_iter();
        rows.map(|(symmetry, solutions)| {
            let size = symmetry.orbit_size();
            (
                symmetry.into(),
                solutions,
                solutions / u128::from(size),
                size,
            )
        })
    }

    fn table(&self) -> Block {
        let head = ["Symmetry", "Solutions", "Classes", "Orbit size"];
        let line = |symmetry: &str, solutions, classes, size: String| {
            let numbers = [integer(solutions), integer(classes), size];
            [symmetry.to_owned()].into_iter().chain(numbers).collect()
        };
        let rows = self.rows();
        let rows =
            rows.map(|(name, all, classes, size)| line(name, all, classes, size.to_string()));
        let (solutions, classes) = (self.classes.solutions, self.classes.fundamental());
        let sum = line("all together", solutions, classes, String::new());
        Block::Table(Table {
            head: head.map(str::to_owned).into(),
            rows: rows.chain([sum]).collect(),
            has_names: true,
            ..Table::default()
        })
    }
}

impl Report for ClassesRecord<'_> {
    /// Counts are strings, as in a count's record.
    fn json(&self) -> Fields {
        let symmetric = self.classes.symmetric;
        let classes = self.lines().into_iter().map(|mut line| {
            line.shift_remove("n");
            line
        });
        let mut all = fields(json!({
            "n": self.classes.n,
            "solutions": self.classes.solutions.to_string(),
            "check": self.check.0,
            "check_detail": self.check.1,
            "fundamental": self.classes.fundamental().to_string(),
            "half_turn": symmetric.half_turn.to_string(),
            "quarter_turn": symmetric.quarter_turn.to_string(),
            "symmetric_seconds": (self.symmetric_seconds * 1e6).round() / 1e6,
            "classes": classes.collect::<Vec<_>>(),
        }));
        all.extend(fields(Environment::here()));
        all
    }

    /// A line for each symmetry.
    fn lines(&self) -> Vec<Fields> {
        let line = |(symmetry, solutions, classes, size): (&str, u128, u128, u32)| {
            fields(json!({
                "n": self.classes.n,
                "symmetry": symmetry,
                "solutions": solutions.to_string(),
                "classes": classes.to_string(),
                "orbit_size": size,
            }))
        };
        self.rows().map(line).collect()
    }

    fn text(&self) -> Vec<Block> {
        let (n, solutions) = (self.classes.n, integer(self.classes.solutions));
        let fundamental = integer(self.classes.fundamental());
        let time = human::seconds(self.symmetric_seconds);
        vec![
            Block::Line(format!("Q({n}) = {solutions}")),
            Block::item(self.check.1.clone()),
            Block::Line(format!(
                "{fundamental} fundamental; the others are their images"
            )),
            Block::item(format!("solutions unchanged by turns counted in {time}")),
            Block::Line(String::new()),
            self.table(),
        ]
    }

    fn markdown(&self) -> Vec<Block> {
        vec![self.table()]
    }
}
