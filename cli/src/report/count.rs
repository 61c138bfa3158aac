//! Records of `queens count` and `queens merge`, and rows of `queens table`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::json;

use super::document::{Format, Prose, Report, table, without_control, write_csv};
use crate::environment::Environment;
use crate::human::{self, integer, placeholder, significant};
use crate::measure::stats::{median, quantile};
use crate::text;
use queens::count::{Check, Method, Resumed};
use queens::known::{self, or_tools};
use queens::{Board, Count, CountError, Ledger};

/// A count with everything needed to interpret it later: board, verification, times, algorithm and
/// machine.
#[derive(Debug, Serialize)]
pub(crate) struct CountReport {
    n: u32,
    /// Total, or `None` for a shard.
    solutions: Option<String>,
    /// Published number of solutions up to symmetry.
    fundamental: Option<String>,
    #[serde(flatten)]
    part: Option<Part>,
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
    checks: CheckRecord,
    #[serde(flatten)]
    method: Method,
    environment: Environment,
    /// Board that the text names.
    #[serde(skip)]
    named: Board,
    /// Total, or the sum of a shard.
    #[serde(skip)]
    sum: u128,
}

/// Shard that was counted.
#[derive(Debug, Serialize)]
struct Part {
    /// Number of the shard, and number of shards.
    shard: String,
    /// Number of subproblems.
    subproblems: usize,
    /// Sum of their counts, including symmetry weights.
    #[serde(with = "text")]
    shard_sum: u128,
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
struct CheckRecord {
    /// Outcome in one word.
    check: &'static str,
    /// Outcome in one sentence.
    check_detail: String,
}

impl CountReport {
    /// Creates the record of a count that took this CPU time in seconds. It is `None` if the total
    /// was already saved, and there is then no rate.
    pub(crate) fn new(count: Count, cpu_seconds: Option<f64>) -> Self {
        let record = Self {
            solutions: Some(count.total.to_string()),
            fundamental: fundamental(&count.board).map(|number| number.to_string()),
            checks: CheckRecord::new(&count.check),
            ..Self::unchecked(count.board, count.total, count.method, cpu_seconds)
        };
        record.resumed(count.resumed).timed(count.elapsed.as_secs_f64())
    }

    /// Creates the record of a complete shard.
    pub(crate) fn of_shard(ledger: &Ledger, method: Method, cpu_seconds: Option<f64>) -> Self {
        let (board, sum) = (ledger.plan().board.clone(), ledger.sum());
        let part =
            Part { shard: ledger.shard().to_string(), subproblems: ledger.len(), shard_sum: sum };
        let record = Self { part: Some(part), ..Self::unchecked(board, sum, method, cpu_seconds) };
        record.resumed(ledger.resumed().copied()).timed(ledger.elapsed().as_secs_f64())
    }

    /// Creates a record without a total and its check, and without times.
    fn unchecked(board: Board, sum: u128, method: Method, cpu_seconds: Option<f64>) -> Self {
        let reason = "the sums of all shards have to be added up";
        Self {
            n: board.n(),
            solutions: None,
            fundamental: None,
            part: None,
            board: board.constraints(),
            seconds: 0.0,
            cpu_seconds: cpu_seconds.map(significant),
            solutions_per_second: None,
            resumed_seconds: None,
            resumed_subproblems: None,
            runs: None,
            reference: None,
            checks: CheckRecord::new(&Check::Unverified { reason }),
            method,
            environment: Environment::here(),
            named: board,
            sum,
        }
    }

    /// Sets the work of earlier runs.
    fn resumed(mut self, earlier: Option<Resumed>) -> Self {
        self.resumed_seconds = earlier.map(|before| significant(before.elapsed.as_secs_f64()));
        self.resumed_subproblems = earlier.map(|before| before.subproblems);
        self
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
        let rate = || significant(self.sum as f64 / seconds.max(1e-9));
        let is_counted = self.sum > 0 && self.cpu_seconds.is_some();
        self.solutions_per_second = is_counted.then(rate);
        self
    }

    /// Returns the total, or the sum of a shard.
    pub(crate) fn number(&self) -> u128 {
        self.sum
    }

    /// Returns the total and its check in one line.
    pub(crate) fn summary(&self) -> String {
        format!("{} ({})", self.headline(), self.checks.check_detail)
    }

    /// Describes the result. Q(N) denotes only the ordinary problem.
    fn headline(&self) -> String {
        match &self.part {
            Some(Part { shard, .. }) => {
                let sum = integer(self.sum);
                format!("{}, shard {shard}: {sum}", human::board_name(&self.named))
            }
            None => total(&self.named, self.sum),
        }
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

    /// Writes below a table in Markdown what produced it.
    ///
    /// # Errors
    ///
    /// Returns any I/O error from writing to `out`.
    pub(crate) fn write_origin(&self, out: &mut dyn Write) -> io::Result<()> {
        let (mut prose, threads) = (Prose::new(Format::Markdown), self.method.threads);
        let threads = human::plural(threads, "thread");
        prose.line(format_args!("{}, up to {threads}, {}", self.environment.cpu, self.environment));
        write!(out, "\n{}", prose.into_text())
    }

    /// Returns a table row of at most 80 characters.
    fn cells(&self) -> [(&'static str, String); 6] {
        let median = ("Median", human::seconds(self.seconds));
        let [third, fourth, fifth] = match &self.reference {
            Some(guide) => {
                let ratio = guide.reference_ratio.map(|ratio| integer(ratio.round() as u128));
                let time = guide.reference_milliseconds.map(|ms| integer(ms.into()) + " ms");
                let [time, ratio] = [time, ratio].map(|cell| cell.unwrap_or_else(placeholder));
                [median, ("OR-Tools guide", time), ("Ratio", ratio)]
            }
            None => {
                let number = self.fundamental.as_deref().map(separated);
                let fundamental = ("Fundamental", number.unwrap_or_else(placeholder));
                [fundamental, median, ("Solutions/s", self.rate())]
            }
        };
        [
            ("N", self.n.to_string()),
            ("Solutions", integer(self.sum)),
            third,
            fourth,
            fifth,
            ("Status", self.checks.check.to_owned()),
        ]
    }

    /// Returns the rate for people.
    fn rate(&self) -> String {
        rate(self.sum, self.solutions_per_second)
    }
}

impl Report for CountReport {
    fn prose(&self, prose: &mut Prose) {
        // The row of a shard would look like a total.
        if prose.is_markdown() && self.part.is_none() {
            // With only N, the row would look like the ordinary problem.
            if self.named.has_constraints() {
                prose.line(format_args!("{}:", human::board_name(&self.named)));
            }
            return prose.table([self.cells()]);
        }
        prose.line(self.headline());
        if let Some(fundamental) = &self.fundamental {
            prose.item(format_args!("{} fundamental", separated(fundamental)));
        }
        prose.item(&self.checks.check_detail);
        if let Some(part) = &self.part {
            prose.item(human::plural(part.subproblems, "subproblem"));
        }
        let mut line = human::seconds(self.seconds);
        let (in_all, in_run) = match self.resumed_subproblems {
            Some(_) => (" in all", " in this run"),
            None => ("", ""),
        };
        if let Some(cpu) = self.cpu_seconds {
            line += &format!("{in_all}, {} of CPU time{in_run}", human::seconds(cpu));
        }
        let rate = self.rate();
        if rate != placeholder() {
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

/// Sum of several checkpoints.
#[derive(Debug, Serialize)]
pub(crate) struct MergeReport {
    n: u32,
    #[serde(with = "text")]
    pub(crate) solutions: u128,
    fundamental: Option<String>,
    board: Option<String>,
    checks: CheckRecord,
    plan: String,
    subproblems: usize,
    files: usize,
    /// Sum of the wall times of all files.
    seconds: f64,
    environment: Environment,
    /// Board that the text names.
    #[serde(skip)]
    named: Board,
}

impl MergeReport {
    /// Creates the record of the sum of this many files.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Ledger::total`].
    pub(crate) fn new(ledger: &Ledger, files: usize) -> Result<Self, CountError> {
        let ((solutions, check), board) = (ledger.total()?, &ledger.plan().board);
        Ok(Self {
            n: board.n(),
            solutions,
            fundamental: fundamental(board).map(|number| number.to_string()),
            board: board.constraints(),
            checks: CheckRecord::new(&check),
            plan: ledger.plan().to_string(),
            subproblems: ledger.len(),
            files,
            seconds: significant(ledger.elapsed().as_secs_f64()),
            environment: Environment::here(),
            named: board.clone(),
        })
    }

    /// Returns the total and its check in one line.
    pub(crate) fn summary(&self) -> String {
        format!("{} ({})", total(&self.named, self.solutions), self.checks.check_detail)
    }
}

impl Report for MergeReport {
    fn prose(&self, prose: &mut Prose) {
        prose.line(total(&self.named, self.solutions));
        if let Some(fundamental) = &self.fundamental {
            prose.item(format_args!("{} fundamental", separated(fundamental)));
        }
        prose.item(&self.checks.check_detail);
        let [subproblems, files] = [(self.subproblems, "subproblem"), (self.files, "file")]
            .map(|(number, thing)| human::plural(number, thing));
        let time = human::seconds(self.seconds);
        prose.item(format_args!("{subproblems} in {files}, {time} of counting"));
        prose.item(&self.plan);
    }
}

/// Returns the published number of solutions up to symmetry.
fn fundamental(board: &Board) -> Option<u128> {
    let published = known::values(board.n()).filter(|_| !board.has_constraints());
    published.map(|row| row.fundamental)
}

/// Adds thousands separators to a number.
fn separated(number: &str) -> String {
    number.parse().map_or_else(|_| number.to_owned(), integer)
}

/// Describes the number of solutions of a board. Q(N) denotes only the ordinary problem.
fn total(board: &Board, solutions: u128) -> String {
    let total = integer(solutions);
    let s = if solutions == 1 { "" } else { "s" };
    match board.has_constraints() {
        true => format!("{}: {total} solution{s}", human::board_name(board)),
        false => format!("Q({}) = {total}", board.n()),
    }
}

impl CheckRecord {
    /// Describes how a total was verified.
    fn new(check: &Check) -> Self {
        Self { check: check.label(), check_detail: check.to_string() }
    }
}

/// Formats a rate as a table cell. Omits it if there are so few solutions that it would mostly
/// reflect startup time.
pub(super) fn rate(solutions: u128, per_second: Option<f64>) -> String {
    const FEW: u128 = 10;
    let rate = per_second.filter(|_| solutions > FEW);
    rate.map_or_else(placeholder, human::si)
}
