//! The classes of one board written down.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, TableStyle, presets};
use serde::Serialize;

use super::human::grouped;
use super::{Environment, Format, human};
use crate::board::SymmetryClass;
use crate::count::classes::Classes;

/// The solutions of one board by symmetry, with how the numbers came about. Counts are strings, as in a count's record.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClassesRecord {
    /// Board size N.
    pub n: u32,
    /// Q(N).
    pub solutions: String,
    /// One word: how Q(N) was checked.
    pub check: String,
    /// The same in a sentence.
    pub check_detail: String,
    /// Solutions up to the eight symmetries of the square.
    pub fundamental: String,
    /// Solutions unchanged by the half turn.
    pub half_turn: String,
    /// Solutions unchanged by a quarter turn.
    pub quarter_turn: String,
    /// Seconds that counting the symmetric solutions took.
    pub symmetric_seconds: f64,
    /// The classes of each symmetry.
    pub classes: Vec<ClassRow>,
    /// Program and machine.
    #[serde(flatten)]
    pub environment: Environment,
}

/// The classes of one symmetry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassRow {
    /// What leaves these solutions unchanged.
    pub symmetry: &'static str,
    /// Solutions with that symmetry and no other.
    pub solutions: String,
    /// Their classes: the fundamental solutions among them.
    pub classes: String,
    /// Solutions in each class.
    pub orbit_size: u32,
}

impl ClassesRecord {
    /// The record of some classes; `check` says in a word and in a sentence how Q(N) was checked.
    #[must_use]
    pub fn new(classes: &Classes, check: (&str, String), symmetric_seconds: f64) -> Self {
        let row = |(symmetry, solutions): (SymmetryClass, u128)| ClassRow {
            symmetry: symmetry.into(),
            solutions: solutions.to_string(),
            classes: (solutions / u128::from(symmetry.orbit_size())).to_string(),
            orbit_size: symmetry.orbit_size(),
        };
        Self {
            n: classes.n,
            solutions: classes.solutions.to_string(),
            check: check.0.to_owned(),
            check_detail: check.1,
            fundamental: classes.fundamental().to_string(),
            half_turn: classes.symmetric.half_turn.to_string(),
            quarter_turn: classes.symmetric.quarter_turn.to_string(),
            symmetric_seconds: (symmetric_seconds * 1e6).round() / 1e6,
            classes: classes.by_symmetry().into_iter().map(row).collect(),
            environment: Environment::here(),
        }
    }

    /// Writes it to `out`.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn write(&self, out: &mut dyn Write, format: Format) -> io::Result<()> {
        match format {
            Format::Json => {
                serde_json::to_writer_pretty(&mut *out, self)?;
                writeln!(out)
            }
            Format::Csv => self.write_csv(out),
            Format::Markdown => self.write_table(out, presets::ASCII_MARKDOWN),
            Format::Text => {
                writeln!(out, "Q({}) = {}", self.n, grouped(&self.solutions))?;
                writeln!(out, "  {}", self.check_detail)?;
                let fundamental = grouped(&self.fundamental);
                writeln!(
                    out,
                    "{fundamental} fundamental; the others are their images"
                )?;
                let time = human::seconds(self.symmetric_seconds);
                writeln!(out, "  solutions unchanged by turns counted in {time}\n")?;
                self.write_table(out, presets::NOTHING)
            }
        }
    }

    fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(["n", "symmetry", "solutions", "classes", "orbit_size"])?;
        for row in &self.classes {
            let (solutions, classes) = (&row.solutions, &row.classes);
            csv.serialize((self.n, row.symmetry, solutions, classes, row.orbit_size))?;
        }
        csv.flush()
    }

    fn write_table(&self, out: &mut dyn Write, style: TableStyle) -> io::Result<()> {
        let line = |name: &str, solutions, classes, orbit_size: String| {
            [
                name.to_owned(),
                grouped(solutions),
                grouped(classes),
                orbit_size,
            ]
        };
        let mut table = Table::new();
        table.load_style(style);
        table.set_header(["Symmetry", "Solutions", "Classes", "Orbit size"]);
        for row in &self.classes {
            let size = row.orbit_size.to_string();
            table.add_row(line(row.symmetry, &row.solutions, &row.classes, size));
        }
        let (solutions, fundamental) = (&self.solutions, &self.fundamental);
        table.add_row(line("all together", solutions, fundamental, String::new()));
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        for line in table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::classes::Symmetric;

    fn written(format: Format) -> String {
        let symmetric = Symmetric {
            half_turn: 80,
            quarter_turn: 8,
        };
        let classes = Classes::new(12, 14_200, symmetric).unwrap();
        let record = ClassesRecord::new(&classes, ("verified", "verified: somewhere".into()), 0.5);
        let mut out = Vec::new();
        record.write(&mut out, format).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// 14,200 = 8 * 1,765 + 4 * 18 + 2 * 4, and 1,765 + 18 + 4 = 1,787 as published.
    #[test]
    fn every_format_is_read_back() {
        let expected = [
            ("none", 14_120, 1_765, 8),
            ("half turn", 72, 18, 4),
            ("quarter turn", 8, 4, 2),
        ];

        let json: serde_json::Value = serde_json::from_str(&written(Format::Json)).unwrap();
        assert_eq!(json["fundamental"], "1787");
        let text = written(Format::Csv);
        let mut csv = csv::Reader::from_reader(text.as_bytes());
        let records: Vec<_> = csv.records().map(Result::unwrap).collect();
        let (text, markdown) = (written(Format::Text), written(Format::Markdown));
        assert_eq!((records.len(), markdown.lines().count()), (3, 6));
        for (i, (symmetry, solutions, classes, size)) in expected.into_iter().enumerate() {
            let row = &json["classes"][i];
            assert_eq!(row["symmetry"], symmetry);
            assert_eq!(row["solutions"], solutions.to_string());
            assert_eq!(row["classes"], classes.to_string());
            assert_eq!(row["orbit_size"], size);
            let fields: Vec<_> = records[i].iter().collect();
            let [solutions, classes, size] = [solutions, classes, size].map(|x| x.to_string());
            assert_eq!(fields, ["12", symmetry, &solutions, &classes, &size]);
            let grouped = grouped(&classes);
            for table in [&text, &markdown] {
                let line = table
                    .lines()
                    .find(|line| line.trim_start_matches(['|', ' ']).starts_with(symmetry));
                assert!(line.unwrap().contains(&grouped), "{table}");
            }
        }
    }
}
