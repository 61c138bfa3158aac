//! The symmetry classes of one board as a document.

use serde_json::json;

use super::Environment;
use super::document::{Column, Document, Fields, Prose, Table, fields};
use crate::human::{self, integer, significant};
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

impl Document for ClassesRecord<'_> {
    /// Counts are strings, as in a count's record.
    fn json(&self) -> Fields {
        let symmetric = self.classes.symmetric;
        let mut classes = self.csv();
        for class in &mut classes {
            class.shift_remove("n");
        }
        fields(json!({
            "n": self.classes.n,
            "solutions": self.classes.solutions.to_string(),
            "checks": { "check": self.check.0, "check_detail": self.check.1 },
            "fundamental": self.classes.fundamental().to_string(),
            "half_turn": symmetric.half_turn.to_string(),
            "quarter_turn": symmetric.quarter_turn.to_string(),
            "symmetric_seconds": significant(self.symmetric_seconds),
            "classes": classes,
            "environment": Environment::here(),
        }))
    }

    /// A line for each symmetry.
    fn csv(&self) -> Vec<Fields> {
        let mut lines = Vec::new();
        for (symmetry, solutions) in self.classes.by_symmetry() {
            let (name, size): (&str, u32) = (symmetry.into(), symmetry.orbit_size());
            lines.push(fields(json!({
                "n": self.classes.n,
                "symmetry": name,
                "solutions": solutions.to_string(),
                "classes": (solutions / u128::from(size)).to_string(),
                "orbit_size": size,
            })));
        }
        lines
    }

    fn prose(&self, prose: &mut Prose) {
        let (n, solutions) = (self.classes.n, integer(self.classes.solutions));
        let fundamental = integer(self.classes.fundamental());
        if !prose.is_markdown() {
            prose.line(&format!("Q({n}) = {solutions}"));
            prose.item(&self.check.1);
            prose.line(&format!(
                "{fundamental} fundamental; the others are their rotations and reflections"
            ));
            let time = human::seconds(self.symmetric_seconds);
            prose.item(&format!("symmetric solutions counted in {time}"));
            prose.line("");
        }
        let mut rows = Vec::new();
        for (symmetry, solutions) in self.classes.by_symmetry() {
            let (name, size): (&str, u32) = (symmetry.into(), symmetry.orbit_size());
            let [solutions, classes] = [solutions, solutions / u128::from(size)].map(integer);
            rows.push([name.into(), solutions, classes, size.to_string()]);
        }
        rows.push(["all together".into(), solutions, fundamental, String::new()]);
        prose.table(&Table::new(CLASSES, &rows));
    }
}

const CLASSES: &[Column<[String; 4]>] = &[
    ("Symmetry", |row| row[0].clone()),
    ("Solutions", |row| row[1].clone()),
    ("Classes", |row| row[2].clone()),
    ("Orbit size", |row| row[3].clone()),
];
