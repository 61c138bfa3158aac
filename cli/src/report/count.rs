//! Reports on counts: the output of `queens count` and the rows of `queens table`.

use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::document::{Format, Prose, Report, json, table, text, without_control, write_csv};
use super::estimate::exact;
use crate::human::{self, absent, integer, significant};
use crate::measure::stats::{deviation, median, quantile};
use queens::count::{Check, DoubleCheck, Method};
use queens::engine::{Phase, Stats};
use queens::known::{self, SOLUTIONS_SOURCE, or_tools};
use queens::machine::Environment;
use queens::{Classes, Count};

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
#[derive(Debug, Serialize)]
pub struct CountReport {
    n: u32,
    #[serde(with = "text")]
    solutions: u128,
    /// `solutions` as a JSON number, if JSON can represent it exactly.
    solutions_number: Option<u64>,
    /// Number of solutions up to symmetry: the published value or, if there is none, the one from
    /// Burnside's lemma.
    #[serde(serialize_with = "text::optional")]
    fundamental: Option<u128>,
    /// Description of preplaced queens, blocked squares and the torus; `None` for an empty board.
    board: Option<String>,
    /// Wall time in seconds, including earlier runs from the same checkpoint. With `--runs`, this
    /// is the median.
    seconds: f64,
    resumed_seconds: Option<f64>,
    resumed_subproblems: Option<usize>,
    /// Solutions per second; `None` if there are no solutions.
    solutions_per_second: Option<f64>,
    /// With `--runs`, figures of the runs.
    #[serde(flatten)]
    repeated: Option<Repeated>,
    /// With `--reference`, the time published in the OR-Tools guide.
    #[serde(flatten)]
    reference: Option<Reference>,
    checks: Checks,
    #[serde(flatten)]
    method: Method,
    #[serde(flatten, serialize_with = "join_stats")]
    stats: Option<Stats>,
    environment: Environment,
}

/// Figures of several runs.
#[derive(Debug, Serialize)]
struct Repeated {
    runs: usize,
    least_seconds: f64,
    greatest_seconds: f64,
    deviation_seconds: f64,
}

/// Time published in the OR-Tools guide, and its ratio to the time of a count. Either is `None` if
/// the guide has no time, and the ratio also for 0 ms.
#[derive(Debug, Serialize)]
struct Reference {
    reference_milliseconds: Option<u64>,
    reference_ratio: Option<f64>,
}

/// Outcome of verifying a total.
#[derive(Debug, Clone, Serialize)]
pub struct Checks {
    /// Outcome in one word.
    pub(super) check: &'static str,
    /// Outcome in one sentence.
    pub(super) check_detail: String,
    /// Result of the double check or JSON's null. Only a count has this field.
    #[serde(skip_serializing_if = "Option::is_none")]
    double_check: Option<Value>,
}

impl CountReport {
    /// Creates a report. Its time is the median of `runs`, in seconds, or the time of `count` if
    /// there are none.
    #[must_use]
    pub fn new(count: Count, runs: &[f64]) -> Self {
        let taken = count.elapsed.as_secs_f64();
        let seconds = if runs.is_empty() { taken } else { median(runs) };
        let published = count.board.is_standard().then(|| known::values(count.n())).flatten();
        let counted = count.classes.as_ref().map(Classes::fundamental);
        let rate = count.total as f64 / seconds.max(1e-9);
        let mut checks = Checks::new(&count.check);
        checks.double_check = Some(count.double_check.as_ref().map(DoubleCheck::to_string).into());
        Self {
            n: count.n(),
            solutions: count.total,
            solutions_number: (count.total <= 1 << 53).then_some(count.total as u64),
            fundamental: published.map(|row| row.fundamental).or(counted),
            board: count.board.constraints(),
            seconds: significant(seconds),
            resumed_seconds: count.resumed.map(|before| significant(before.elapsed.as_secs_f64())),
            resumed_subproblems: count.resumed.map(|before| before.subproblems),
            solutions_per_second: (count.total > 0).then(|| significant(rate)),
            repeated: (!runs.is_empty()).then(|| Repeated {
                runs: runs.len(),
                least_seconds: significant(quantile(runs, 0.0)),
                greatest_seconds: significant(quantile(runs, 1.0)),
                deviation_seconds: significant(deviation(runs)),
            }),
            reference: None,
            checks,
            method: count.method,
            stats: count.stats,
            environment: Environment::here(),
        }
    }

    /// Adds the time published in the OR-Tools guide.
    pub(crate) fn add_reference(&mut self) {
        let published = or_tools(self.n);
        let ratio = |time| significant(time as f64 / 1e3 / self.seconds.max(1e-9));
        self.reference = Some(Reference {
            reference_milliseconds: published,
            reference_ratio: published.filter(|&time| time > 0).map(ratio),
        });
    }

    /// Writes the count as a table row, after the header if it `is_first`. Columns fit board sizes
    /// up to `largest`.
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
    ) -> io::Result<()> {
        match format {
            Format::Json => {
                let before = if is_first { "[" } else { "," };
                write!(out, "{before}\n  {}", without_control(&serde_json::to_string(self)?))?;
            }
            Format::Csv => write_csv(out, &json(self), is_first)?,
            Format::Text | Format::Markdown => {
                // Space for Q(N), or for Q(32), which is not known.
                let solutions = known::values(largest).map(|row| integer(row.solutions).len());
                let (solutions, time) = (solutions.unwrap_or(29), "59 min 59 s".len());
                let [third, fourth, fifth] = match self.reference {
                    Some(_) => [time, 0, "9,999,999".len()],
                    None => [solutions, time, 0],
                };
                let widths = [2, solutions, third, fourth, fifth, "unverified".len()];
                let lines = table([self.row()], widths, format == Format::Markdown);
                let first = if is_first { 0 } else { lines.len() - 1 };
                write!(out, "{}", lines[first..].concat())?;
            }
        }
        out.flush()
    }

    /// Returns the count as a table row of at most 80 characters.
    fn row(&self) -> [(&'static str, String); 6] {
        let [third, fourth, fifth] = match &self.reference {
            Some(guides) => [
                ("Median", human::seconds(self.seconds)),
                ("OR-Tools guide", guide(self.n)),
                ("Ratio", guides.reference_ratio.map_or_else(absent, exact)),
            ],
            None => [
                ("Fundamental", self.fundamental.map_or_else(absent, integer)),
                ("Median", human::seconds(self.seconds)),
                ("Solutions/s", rate(self.solutions, self.solutions_per_second)),
            ],
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
}

impl Report for CountReport {
    fn prose(&self, prose: &mut Prose) {
        let n = self.n;
        if prose.is_markdown() {
            // With only N, the row would look like the ordinary problem.
            if let Some(board) = &self.board {
                prose.line(format_args!("N = {n}, {board}:"));
            }
            return prose.table([self.row()]);
        }
        let solutions = integer(self.solutions);
        prose.line(match &self.board {
            // Q(N) denotes only the ordinary problem.
            Some(board) if self.solutions == 1 => format!("N = {n}, {board}: 1 solution"),
            Some(board) => format!("N = {n}, {board}: {solutions} solutions"),
            None => format!("Q({n}) = {solutions}"),
        });
        prose.item(&self.checks.check_detail);
        if let Some(twice) = self.checks.double_check.as_ref().and_then(Value::as_str) {
            prose.item(twice);
        }
        let time = human::seconds(self.seconds);
        prose.item(match rate(self.solutions, self.solutions_per_second) {
            rate if rate == absent() => time.clone(),
            rate => format!("{time}, {rate} solutions/s"),
        });
        if let (Some(done), Some(before)) = (self.resumed_subproblems, self.resumed_seconds) {
            let time = human::seconds(before);
            let done = human::plural(done, "subproblem");
            prose.item(format_args!("{done} in earlier runs, {time}"));
        }
        if let Some(of) = self.repeated.as_ref().filter(|of| of.runs > 1) {
            let figures = [of.least_seconds, of.greatest_seconds, of.deviation_seconds];
            let [least, greatest, deviation] = figures.map(human::seconds);
            prose.item(format_args!(
                "{} runs: median {time}, fastest {least}, slowest {greatest}, standard deviation {deviation}",
                of.runs
            ));
        }
        let asked = self.stats.as_ref().map(|_| "; --stats selects the join engine");
        prose.item(format_args!("{}{}", self.method, asked.unwrap_or_default()));
        self.stats.iter().flat_map(join_text).for_each(|line| prose.item(line));
    }
}

impl Checks {
    /// Describes how a total was verified.
    #[must_use]
    pub fn new(check: &Check) -> Self {
        Self { check: check.label(), check_detail: check.to_string(), double_check: None }
    }

    /// Describes the verification of a total that was taken from the published table.
    #[must_use]
    pub fn published() -> Self {
        Self {
            check: "published",
            check_detail: format!("published: taken from {SOLUTIONS_SOURCE}"),
            double_check: None,
        }
    }

    /// Appends the result of the double check to `check_detail`.
    #[must_use]
    pub fn with_detail(mut self, double_check: Option<&DoubleCheck>) -> Self {
        let twice = double_check.map(|twice| format!("; {twice}"));
        self.check_detail += &twice.unwrap_or_default();
        self
    }
}

/// Returns the statistics of the `join` engine, each with its JSON key, and its value for JSON and
/// for text. Times are sums over all threads.
fn figures(stats: &Stats) -> [(&'static str, (Value, String)); 16] {
    let number = |number: u64| (number.into(), integer(number.into()));
    let mean = |mean: f64| (significant(mean).into(), format!("{mean:.2}"));
    let bytes = |bytes: u64| (bytes.into(), human::bytes(bytes));
    let seconds = |phase| {
        let seconds = stats.time(phase).as_secs_f64();
        (significant(seconds).into(), human::seconds(seconds))
    };
    [
        ("row_sets", number(stats.row_sets)),
        ("east_half_boards", number(stats.east)),
        ("west_half_boards", number(stats.west)),
        ("blocks", number(stats.blocks)),
        // Mean number of patterns per block, which has space for 512.
        ("block_fill", mean(stats.fill())),
        // West patterns that the filters examined.
        ("filtered", number(stats.filtered)),
        // Pairs of a west pattern and a block, the unit in which costs are measured.
        ("visits", number(stats.visits)),
        ("lookups_per_visit", mean(stats.lookups_per_visit())),
        ("pairs", number(stats.pairs)),
        // Size of the quadrant lists that are kept for use with all row sets.
        ("kept_lists_bytes", bytes(stats.list_bytes)),
        ("lists_seconds", seconds(Phase::Lists)),
        ("generate_seconds", seconds(Phase::Generate)),
        ("sort_seconds", seconds(Phase::Sort)),
        ("filter_seconds", seconds(Phase::Filter)),
        ("build_seconds", seconds(Phase::Build)),
        ("scan_seconds", seconds(Phase::Scan)),
    ]
}

/// Returns one line per statistic of the `join` engine.
pub(crate) fn join_text(stats: &Stats) -> impl Iterator<Item = String> + use<> {
    figures(stats).into_iter().map(|(name, (_, figure))| {
        // The figure has a unit.
        let name = name.trim_end_matches("_bytes").trim_end_matches("_seconds").replace('_', " ");
        format!("{name:<19}{figure}")
    })
}

/// Serializes the statistics of the `join` engine.
#[allow(clippy::ref_option, reason = "serde passes fields by reference")]
fn join_stats<S: Serializer>(stats: &Option<Stats>, to: S) -> Result<S::Ok, S::Error> {
    let figures = stats.iter().flat_map(figures);
    to.collect_map(figures.map(|(name, (figure, _))| (name, figure)))
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
