//! Reports on counts: the output of `queens count` and the rows of `queens table`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use super::document::{Format, Prose, Report, coloured, joined, table, without_control, write_csv};
use super::estimate::exact;
use crate::human::{self, absent, integer, significant};
use crate::measure::stats::{deviation, median, quantile};
use queens::count::Check;
use queens::known::{self, or_tools};
use queens::machine::Environment;
use queens::{Board, Classes, Count};

/// A count with everything needed to interpret it later: board, verification, times, algorithm and
/// machine.
///
/// ```
/// use queens_cli::report::{CountReport, Format, Report};
///
/// let report = CountReport::new(queens::count(8)?, &[]);
/// let mut json = Vec::new();
/// report.write(&mut json, Format::Json)?;
/// assert!(String::from_utf8(json)?.contains("\"solutions\": \"92\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CountReport {
    count: Count,
    /// Times of the runs of a table row, in seconds.
    runs: Vec<f64>,
    /// Whether to add the time published in the OR-Tools guide.
    pub(crate) has_reference: bool,
}

/// Outcome of verifying a total.
#[derive(Debug, Clone, Serialize)]
pub struct Checks {
    /// Outcome in one word.
    pub(super) check: &'static str,
    /// Outcome in one sentence.
    pub(super) check_detail: String,
}

impl CountReport {
    /// Creates a report. Its time is the median of `runs`, in seconds, or the time of `count` if
    /// there are none.
    #[must_use]
    pub fn new(count: Count, runs: &[f64]) -> Self {
        Self { count, runs: runs.to_vec(), has_reference: false }
    }

    /// Returns the wall time in seconds, including earlier runs from the same checkpoint.
    fn seconds(&self) -> f64 {
        match self.runs[..] {
            [] => self.count.elapsed.as_secs_f64(),
            _ => median(&self.runs),
        }
    }

    /// Returns the solutions per second, or `None` if there are no solutions.
    fn rate(&self) -> Option<f64> {
        let total = self.count.total;
        (total > 0).then(|| total as f64 / self.seconds().max(1e-9))
    }

    /// Returns the number of solutions up to symmetry: the published value or, if there is none,
    /// the one from Burnside's lemma.
    fn fundamental(&self) -> Option<u128> {
        let count = &self.count;
        let published = known::values(count.n()).filter(|_| !count.board.has_constraints());
        let counted = || count.classes.as_ref().map(Classes::fundamental);
        published.map(|row| row.fundamental).or_else(counted)
    }

    /// Returns the ratio of the time to that in the OR-Tools guide, unless the guide has none or
    /// 0 ms.
    fn ratio(&self) -> Option<f64> {
        let published = or_tools(self.count.n()).filter(|&time| time > 0)?;
        Some(published as f64 / 1e3 / self.seconds().max(1e-9))
    }

    /// Writes the count as a table row, after the header if it `is_first`. Columns fit board sizes
    /// up to `largest`. Text is in colour if `has_colours`.
    ///
    /// # Errors
    ///
    /// Returns any I/O error from writing to `out`.
    pub fn write_row(
        &self,
        out: &mut dyn Write,
        format: Format,
        largest: u32,
        is_first: bool,
        has_colours: bool,
    ) -> io::Result<()> {
        match format {
            Format::Json => {
                let before = if is_first { "[" } else { "," };
                write!(out, "{before}\n  {}", without_control(&self.json().to_string()))?;
            }
            Format::Csv => write_csv(out, &self.json(), is_first)?,
            Format::Text | Format::Markdown => {
                // Space for Q(N), or for Q(32), which is not known.
                let solutions = known::values(largest).map(|row| integer(row.solutions).len());
                let (solutions, time) = (solutions.unwrap_or(29), "59 min 59 s".len());
                let [third, fourth, fifth] = match self.has_reference {
                    true => [time, 0, "9,999,999".len()],
                    false => [solutions, time, 0],
                };
                let widths = [2, solutions, third, fourth, fifth, "unverified".len()];
                let lines = table([self.row()], widths, format == Format::Markdown);
                let first = if is_first { 0 } else { lines.len() - 1 };
                let rows = lines[first..].concat();
                let has_colours = has_colours && format == Format::Text;
                let rows = if has_colours { coloured(&rows) } else { rows };
                write!(out, "{rows}")?;
            }
        }
        out.flush()
    }

    /// Returns the count as a table row of at most 80 characters.
    fn row(&self) -> [(&'static str, String); 6] {
        let count = &self.count;
        let median = ("Median", human::seconds(self.seconds()));
        let [third, fourth, fifth] = match self.has_reference {
            true => {
                let ratio = self.ratio().map_or_else(absent, exact);
                [median, ("OR-Tools guide", guide(count.n())), ("Ratio", ratio)]
            }
            false => {
                let fundamental = self.fundamental().map_or_else(absent, integer);
                let rate = ("Solutions/s", rate(count.total, self.rate()));
                [("Fundamental", fundamental), median, rate]
            }
        };
        [
            ("N", count.n().to_string()),
            ("Solutions", integer(count.total)),
            third,
            fourth,
            fifth,
            ("Status", count.check.label().to_owned()),
        ]
    }
}

impl Report for CountReport {
    fn json(&self) -> Value {
        let (count, runs) = (&self.count, &self.runs);
        let resumed = count.resumed.as_ref();
        let fields = json!({
            "n": count.n(),
            "solutions": count.total.to_string(),
            "solutions_number": number(count.total),
            "fundamental": self.fundamental().map(|number| number.to_string()),
            // Preplaced queens and blocked squares; null for an empty board.
            "board": count.board.constraints(),
            "seconds": significant(self.seconds()),
            "resumed_seconds": resumed.map(|before| significant(before.elapsed.as_secs_f64())),
            "resumed_subproblems": resumed.map(|before| before.subproblems),
            "solutions_per_second": self.rate().map(significant),
        });
        let repeated = match runs[..] {
            [] => Value::Null,
            _ => json!({
                "runs": runs.len(),
                "run_seconds": Vec::from_iter(runs.iter().copied().map(significant)),
                "least_seconds": significant(quantile(runs, 0.0)),
                "greatest_seconds": significant(quantile(runs, 1.0)),
                "deviation_seconds": significant(deviation(runs)),
            }),
        };
        let reference = json!({
            "reference_milliseconds": or_tools(count.n()),
            "reference_ratio": self.ratio().map(significant),
        });
        joined([
            fields,
            repeated,
            if self.has_reference { reference } else { Value::Null },
            json!({ "checks": Checks::new(&count.check) }),
            json!(count.method),
            json!({ "environment": Environment::here() }),
        ])
    }

    fn prose(&self, prose: &mut Prose) {
        let (count, n) = (&self.count, self.count.n());
        if prose.is_markdown() {
            // With only N, the row would look like the ordinary problem.
            if let Some(board) = human::constraints(&count.board) {
                prose.line(format_args!("N = {n}, {board}:"));
            }
            return prose.table([self.row()]);
        }
        write_total(prose, &count.board, count.total);
        prose.verdict(&count.check.to_string());
        let time = human::seconds(self.seconds());
        prose.item(match rate(count.total, self.rate()) {
            rate if rate == absent() => time.clone(),
            rate => format!("{time}, {rate} solutions/s"),
        });
        if let Some(before) = &count.resumed {
            let time = human::duration(before.elapsed);
            let done = human::plural(before.subproblems, "subproblem");
            prose.item(format_args!("{done} in earlier runs, {time}"));
        }
        prose.item(&count.method);
    }
}

/// Writes the number of solutions of a board. Q(N) denotes only the ordinary problem.
pub(super) fn write_total(prose: &mut Prose, board: &Board, total: u128) {
    let n = board.n();
    match human::constraints(board) {
        Some(board) => {
            let solutions = if total == 1 { " solution" } else { " solutions" };
            prose.total(&format!("N = {n}, {board}: "), total, solutions);
        }
        None => prose.total(&format!("Q({n}) = "), total, ""),
    }
}

/// Returns a total as a JSON number, if JSON can represent it exactly.
fn number(total: u128) -> Option<u64> {
    (total <= 1 << 53).then_some(total as u64)
}

impl Checks {
    /// Describes how a total was verified.
    #[must_use]
    pub fn new(check: &Check) -> Self {
        Self { check: check.label(), check_detail: check.to_string() }
    }
}

/// Formats the time that the OR-Tools guide gives for all solutions of a board as a table cell.
pub(super) fn guide(n: u32) -> String {
    let milliseconds = or_tools(n).map(Into::into);
    milliseconds.map_or_else(absent, |ms| format!("{} ms", integer(ms)))
}

/// Formats a rate as a table cell. Omits it if there are so few solutions that it would mostly
/// reflect startup time.
pub(super) fn rate(solutions: u128, per_second: Option<f64>) -> String {
    const FEW: u128 = 10;
    let rate = per_second.filter(|_| solutions > FEW);
    rate.map_or_else(absent, human::si)
}
