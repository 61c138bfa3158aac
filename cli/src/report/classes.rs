//! The symmetry classes of one board as a document.

use serde_json::{Value, json};

use super::Environment;
use super::document::{Document, Prose};
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

impl ClassesRecord<'_> {
    /// Of each symmetry its name, its solutions, their classes, and how many solutions a class has.
    fn rows(&self) -> impl Iterator<Item = (&'static str, u128, u128, u32)> {
        let rows = self.classes.by_symmetry().into_iter();
        rows.map(|(symmetry, solutions)| {
            let size = symmetry.orbit_size();
            let classes = solutions / u128::from(size);
            (symmetry.into(), solutions, classes, size)
        })
    }
}

impl Document for ClassesRecord<'_> {
    /// Counts are strings, as in a count's record.
    fn json(&self) -> Value {
        let all = self.classes;
        let class = |(name, solutions, classes, size): (_, u128, u128, _)| {
            json!({
                "symmetry": name,
                "solutions": solutions.to_string(),
                "classes": classes.to_string(),
                "orbit_size": size,
            })
        };
        json!({
            "n": all.n,
            "solutions": all.solutions.to_string(),
            "checks": { "check": self.check.0, "check_detail": self.check.1 },
            "fundamental": all.fundamental().to_string(),
            "half_turn": all.symmetric.half_turn.to_string(),
            "quarter_turn": all.symmetric.quarter_turn.to_string(),
            "symmetric_seconds": significant(self.symmetric_seconds),
            "classes": self.rows().map(class).collect::<Value>(),
            "environment": Environment::here(),
        })
    }

    /// A line for each symmetry.
    fn csv(&self) -> Vec<Value> {
        let classes = self.json()["classes"].take();
        // What is grouped stands side by side.
        let line = |class| json!({"n": self.classes.n, "class": class});
        classes.as_array().into_iter().flatten().map(line).collect()
    }

    fn prose(&self, prose: &mut Prose) {
        let (n, solutions) = (self.classes.n, self.classes.solutions);
        let fundamental = self.classes.fundamental();
        if !prose.is_markdown() {
            prose.line(&format!("Q({n}) = {}", integer(solutions)));
            prose.item(&self.check.1);
            prose.line(&format!(
                "{} fundamental; the others are their rotations and reflections",
                integer(fundamental)
            ));
            let time = human::seconds(self.symmetric_seconds);
            prose.item(&format!("symmetric solutions counted in {time}"));
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
        let rows = self.rows();
        let rows = rows.map(|(name, solutions, classes, size)| {
            row(name, solutions, classes, size.to_string())
        });
        let all = row("all together", solutions, fundamental, String::new());
        prose.table(rows.chain([all]));
    }
}
