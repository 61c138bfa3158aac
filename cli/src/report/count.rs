//! Records of `queens count`, and rows of `queens table`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::json;

use super::document::{Format, Prose, Report, table, without_control, write_csv};
use crate::human::{self, absent, integer, significant};
use crate::measure::stats::{median, quantile};
use crate::text;
use queens::count::{Check, Method};
use queens::known::{self, or_tools};
use queens::machine::Environment;
use queens::{Board, Classes, Count};

/// A count with everything needed to interpret it later: board, verification, times, algorithm and
/// machine.
#[derive(Debug, Serialize)]
pub(crate) struct CountReport {
    n: u32,
    #[serde(with = "text")]
    pub(crate) solutions: u128,
    /// Number of solutions up to symmetry: published or, without such a value, from Burnside's
    /// lemma.
    fundamental: Option<String>,
    /// Preplaced queens and blocked squares.
    board: Option<String>,
    /// Wall time including that of earlier runs of a checkpoint, or the median of several runs.
    seconds: f64,
    /// CPU time of all threads in this run, or the mean of several runs.
    cpu_seconds: Option<f64>,
    solutions_per_second: Option<f64>,
    resumed_seconds: Option<f64>,
    resumed_subproblems: Option<usize>,
    #[serde(flatten)]
    runs: Option<Runs>,
    #[serde(flatten)]
    reference: Option<Reference>,
    checks: Checks,
    #[serde(flatten)]
    method: Method,
    environment: Environment,
    /// Board that the text names.
    #[serde(skip)]
    named: Board,
}

/// Runs of a row of a table.
#[derive(Debug, Serialize)]
struct Runs {
    runs: usize,
    least_seconds: f64,
    greatest_seconds: f64,
}

/// Time in the OR-Tools guide, and its ratio to the measured time.
#[derive(Debug, Serialize)]
struct Reference {
    reference_milliseconds: Option<u64>,
    reference_ratio: Option<f64>,
}

/// Outcome of verifying a total.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Checks {
    /// Outcome in one word.
    check: &'static str,
    /// Outcome in one sentence.
    pub(super) check_detail: String,
}

impl CountReport {
    /// Creates the record of a count that took this CPU time in seconds. It is `None` if the total
    /// was already saved, and there is then no rate.
    pub(crate) fn new(count: Count, cpu_seconds: Option<f64>) -> Self {
        let published = known::values(count.n()).filter(|_| !count.board.has_constraints());
        let counted = || count.classes.as_ref().map(Classes::fundamental);
        let fundamental = published.map(|row| row.fundamental).or_else(counted);
        let resumed = count.resumed.as_ref();
        let report = Self {
            n: count.n(),
            solutions: count.total,
            fundamental: fundamental.map(|number| number.to_string()),
            board: count.board.constraints(),
            seconds: 0.0,
            cpu_seconds: cpu_seconds.map(significant),
            solutions_per_second: None,
            resumed_seconds: resumed.map(|before| significant(before.elapsed.as_secs_f64())),
            resumed_subproblems: resumed.map(|before| before.subproblems),
            runs: None,
            reference: None,
            checks: Checks::new(&count.check),
            method: count.method,
            environment: Environment::here(),
            named: count.board,
        };
        report.timed(count.elapsed.as_secs_f64())
    }

    /// Creates a row of a table from the times of all its runs in seconds.
    pub(crate) fn row(count: Count, cpu_seconds: f64, times: &[f64], has_reference: bool) -> Self {
        let (n, seconds) = (count.n(), median(times));
        let mut row = Self::new(count, Some(cpu_seconds)).timed(seconds);
        row.runs = Some(Runs {
            runs: times.len(),
            least_seconds: significant(quantile(times, 0.0)),
            greatest_seconds: significant(quantile(times, 1.0)),
        });
        // The guide gives 0 ms for small boards.
        let time = or_tools(n).filter(|&time| time > 0);
        let ratio = time.map(|time| significant(time as f64 / 1e3 / seconds.max(1e-9)));
        let reference =
            || Reference { reference_milliseconds: or_tools(n), reference_ratio: ratio };
        row.reference = has_reference.then(reference);
        row
    }

    /// Sets the wall time and the rate.
    fn timed(mut self, seconds: f64) -> Self {
        self.seconds = significant(seconds);
        let rate = || significant(self.solutions as f64 / seconds.max(1e-9));
        let is_counted = self.solutions > 0 && self.cpu_seconds.is_some();
        self.solutions_per_second = is_counted.then(rate);
        self
    }

    /// Returns the total and its check in one line.
    pub(crate) fn summary(&self) -> String {
        let (total, check) = (integer(self.solutions), &self.checks.check_detail);
        format!("{total} solutions for N = {} ({check})", self.n)
    }

    /// Writes a row of a table, after the header if it `is_first`. Columns fit board sizes up to
    /// `largest`.
    ///
    /// # Errors
    ///
    /// Returns any I/O error from writing to `out`.
    pub(crate) fn write_row(
        &self,
        out: &mut dyn Write,
        format: Format,
        largest: u32,
        is_first: bool,
    ) -> io::Result<()> {
        match format {
            Format::Json => {
                let before = if is_first { "[" } else { "," };
                write!(out, "{before}\n  {}", without_control(&json!(self).to_string()))?;
            }
            Format::Csv => write_csv(out, &json!(self), is_first)?,
            Format::Text | Format::Markdown => {
                // Space for Q(N), or for Q(32), which is not known.
                let solutions = known::values(largest).map(|row| integer(row.solutions).len());
                let (solutions, time) = (solutions.unwrap_or(29), "59 min 59 s".len());
                let [third, fourth, fifth] = match self.reference {
                    Some(_) => [time, 0, "9,999,999".len()],
                    None => [solutions, time, 0],
                };
                let widths = [2, solutions, third, fourth, fifth, "unverified".len()];
                let lines = table([self.cells()], widths, format == Format::Markdown);
                let first = if is_first { 0 } else { lines.len() - 1 };
                write!(out, "{}", lines[first..].concat())?;
            }
        }
        out.flush()
    }

    /// Returns a table row of at most 80 characters.
    fn cells(&self) -> [(&'static str, String); 6] {
        let median = ("Median", human::seconds(self.seconds));
        let [third, fourth, fifth] = match &self.reference {
            Some(guide) => {
                let ratio = guide.reference_ratio.map(|ratio| integer(ratio.round() as u128));
                let time = guide.reference_milliseconds.map(|ms| integer(ms.into()) + " ms");
                let [time, ratio] = [time, ratio].map(|cell| cell.unwrap_or_else(absent));
                [median, ("OR-Tools guide", time), ("Ratio", ratio)]
            }
            None => {
                let number = self.fundamental.as_ref().and_then(|number| number.parse().ok());
                let fundamental = ("Fundamental", number.map_or_else(absent, integer));
                [fundamental, median, ("Solutions/s", self.rate())]
            }
        };
        [
            ("N", self.n.to_string()),
            ("Solutions", integer(self.solutions)),
            third,
            fourth,
            fifth,
            ("Status", self.checks.check.to_owned()),
        ]
    }

    /// Returns the rate for people.
    fn rate(&self) -> String {
        rate(self.solutions, self.solutions_per_second)
    }
}

impl Report for CountReport {
    fn prose(&self, prose: &mut Prose) {
        if prose.is_markdown() {
            // With only N, the row would look like the ordinary problem.
            if let Some(board) = human::constraints(&self.named) {
                prose.line(format_args!("N = {}, {board}:", self.n));
            }
            return prose.table([self.cells()]);
        }
        prose.line(total(&self.named, self.solutions));
        prose.item(&self.checks.check_detail);
        let mut line = human::seconds(self.seconds);
        let (in_all, in_run) = match self.resumed_subproblems {
            Some(_) => (" in all", " in this run"),
            None => ("", ""),
        };
        if let Some(cpu) = self.cpu_seconds {
            line += &format!("{in_all}, {} of CPU time{in_run}", human::seconds(cpu));
        }
        let rate = self.rate();
        if rate != absent() {
            line += &format!(", {rate} solutions/s");
        }
        prose.item(line);
        if let (Some(done), Some(seconds)) = (self.resumed_subproblems, self.resumed_seconds) {
            let (done, time) = (human::plural(done, "subproblem"), human::seconds(seconds));
            prose.item(format_args!("{done} in earlier runs, {time}"));
        }
        prose.item(&self.method);
    }
}

/// Describes the number of solutions of a board. Q(N) denotes only the ordinary problem.
pub(super) fn total(board: &Board, solutions: u128) -> String {
    let (n, total) = (board.n(), integer(solutions));
    let s = if solutions == 1 { "" } else { "s" };
    match human::constraints(board) {
        Some(board) => format!("N = {n}, {board}: {total} solution{s}"),
        None => format!("Q({n}) = {total}"),
    }
}

impl Checks {
    /// Describes how a total was verified.
    pub(super) fn new(check: &Check) -> Self {
        Self { check: check.label(), check_detail: check.to_string() }
    }
}

/// Formats a rate as a table cell. Omits it if there are so few solutions that it would mostly
/// reflect startup time.
pub(super) fn rate(solutions: u128, per_second: Option<f64>) -> String {
    const FEW: u128 = 10;
    let rate = per_second.filter(|_| solutions > FEW);
    rate.map_or_else(absent, human::si)
}
