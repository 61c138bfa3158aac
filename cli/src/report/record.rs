//! A count as a document.

use std::time::Duration;

use serde_json::{Value, json};

use super::document::{Document, Prose, Row};
use crate::human::{self, absent, integer, significant};
use crate::measure::stats::{deviation, median, quantile};
use queens::engine::{Phase, Stats};
use queens::known::{known, or_tools};
use queens::machine::{Environment, Threads};
use queens::{Classes, Count, Engine, Kernel, Symmetry};

/// A count with all that is needed to make sense of it later: what was counted, how fast, with what, on what.
///
/// ```
/// use queens_cli::report::{Document, Format, Record};
///
/// let record = Record::new(queens::count(8)?);
/// let mut json = Vec::new();
/// record.write(&mut json, Format::Json)?;
/// assert!(String::from_utf8(json)?.contains("\"solutions\": \"92\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Record {
    /// The count; of several runs the last one, with their median time.
    pub(super) count: Count,
    /// The time of each run in seconds, where there were to be several.
    runs: Vec<f64>,
}

impl Record {
    /// The record of a count.
    #[must_use]
    pub fn new(count: Count) -> Self {
        let runs = Vec::new();
        Self { count, runs }
    }

    /// The record of one of several equal counts that took these times, of which there is one at least: its time is their
    /// median.
    #[must_use]
    pub fn of_runs(mut count: Count, times: &[Duration]) -> Self {
        let runs: Vec<_> = times.iter().map(Duration::as_secs_f64).collect();
        count.elapsed = Duration::from_secs_f64(median(&runs));
        Self { count, runs }
    }

    /// The least and the greatest time of all runs, in seconds, and their standard deviation.
    fn range(&self) -> [f64; 3] {
        let [least, greatest] = [0.0, 1.0].map(|p| quantile(&self.runs, p));
        [least, greatest, deviation(&self.runs)]
    }

    /// Solutions up to the symmetries of the square: published, or by Burnside's lemma where nothing is published.
    pub(super) fn fundamental(&self) -> Option<u128> {
        let count = &self.count;
        let published = count.board.is_open().then(|| known(count.n())).flatten();
        let counted = count.classes.as_ref().map(Classes::fundamental);
        published.map(|row| row.fundamental).or(counted)
    }

    /// Solutions per second; none where there are no solutions.
    fn rate(&self) -> Option<f64> {
        let rate = significant(self.count.solutions_per_second());
        (self.count.total > 0).then_some(rate)
    }

    /// How many times as long as this count the OR-Tools guide says it takes; none where the guide has no time above zero.
    fn reference_ratio(&self) -> Option<f64> {
        let published = or_tools(self.count.n()).filter(|row| row.milliseconds > 0)?;
        let taken = self.count.elapsed.as_secs_f64().max(1e-9);
        Some(significant(published.milliseconds as f64 / 1e3 / taken))
    }

    /// What programs read. Counts are strings, since they can exceed the 2^53 up to which JSON numbers are exact
    /// everywhere. What there was none of is null; statistics are left out unless asked for, and so is the time that
    /// the OR-Tools guide publishes, unless `has_reference`.
    pub(super) fn json_with(&self, has_reference: bool) -> Value {
        let count = &self.count;
        let mut all = json!({
            "n": count.n(),
            // Q(N) if nothing is special about the board.
            "solutions": count.total.to_string(),
            "fundamental": self.fundamental().map(|number| number.to_string()),
            // What is special about the board: a torus, preplaced queens, blocked squares; null for the empty board.
            "board": count.board.constraints(),
            "checks": {
                // How the total was checked: one word, and a sentence.
                "check": count.check.label(),
                "check_detail": count.check.to_string(),
                "double_check": count.double_check.as_ref().map(ToString::to_string),
            },
            // Wall time, earlier runs that this one went on from included; then their part of it, and what they had done.
            "seconds": seconds(count.elapsed),
            "resumed_seconds": count.resumed.map(|before| seconds(before.elapsed)),
            "resumed_subproblems": count.resumed.map(|before| before.subproblems),
            "solutions_per_second": self.rate(),
            // Of the plain search, where the kernel counts them.
            "nodes": count.nodes.map(|nodes| nodes.to_string()),
            "engine": count.engine,
            "kernel": count.kernel,
            // Where it is a choice.
            "symmetry": count.symmetry,
            "threads": count.threads.count(),
            "threads_reason": count.threads.reason(),
        });
        if !self.runs.is_empty() {
            // The time above is their median.
            let [least, greatest, deviation] = self.range().map(significant);
            all["runs"] = json!(self.runs.len());
            all["least_seconds"] = json!(least);
            all["greatest_seconds"] = json!(greatest);
            all["deviation_seconds"] = json!(deviation);
        }
        for (name, value) in count.stats.iter().flat_map(statistics) {
            all[name] = value;
        }
        if has_reference {
            let published = or_tools(count.n()).map(|row| row.milliseconds);
            all["reference_milliseconds"] = json!(published);
            all["reference_ratio"] = json!(self.reference_ratio());
        }
        all["environment"] = json!(Environment::here());
        all
    }

    /// What people see of a count in a table: beside the time that the OR-Tools guide publishes, within 80 characters.
    pub(super) fn row(&self, has_reference: bool) -> Row<6> {
        let count = &self.count;
        let n = ("N", count.n().to_string());
        let solutions = ("Solutions", integer(count.total));
        let median = ("Median", human::duration(count.elapsed));
        let check = ("Check", count.check.label().to_owned());
        if has_reference {
            let ratio = self.reference_ratio();
            let ratio = ratio.map_or_else(absent, |ratio| integer(ratio.round() as u128));
            let guide = ("OR-Tools guide", guide(count.n()));
            return [n, solutions, median, guide, ("Ratio", ratio), check];
        }
        let fundamental = self.fundamental().map_or_else(absent, integer);
        let fundamental = ("Fundamental", fundamental);
        let rate = ("Solutions/s", rate(count.total, self.rate()));
        [n, solutions, fundamental, median, rate, check]
    }
}

impl Document for Record {
    fn json(&self) -> Value {
        self.json_with(false)
    }

    fn prose(&self, prose: &mut Prose) {
        let count = &self.count;
        let (n, board) = (count.n(), count.board.constraints());
        if prose.is_markdown() {
            // The column is headed N, but this is not the ordinary problem.
            if let Some(board) = board {
                prose.line(&format!("N = {n}, {board}:"));
            }
            return prose.table([self.row(false)]);
        }
        let solutions = integer(count.total);
        prose.line(&match board {
            // Only the ordinary problem has the name Q(N).
            Some(board) if count.total == 1 => format!("N = {n}, {board}: 1 solution"),
            Some(board) => format!("N = {n}, {board}: {solutions} solutions"),
            None => format!("Q({n}) = {solutions}"),
        });
        prose.item(&count.check.to_string());
        if let Some(found) = &count.double_check {
            prose.item(&found.to_string());
        }
        let time = human::duration(count.elapsed);
        prose.item(&match rate(count.total, self.rate()) {
            rate if rate == absent() => time,
            rate => format!("{time}, {rate} solutions/s"),
        });
        if let Some(before) = &count.resumed {
            let time = human::duration(before.elapsed);
            let done = before.subproblems;
            prose.item(&format!("{done} subproblems in earlier runs, {time}"));
        }
        if let Some(nodes) = count.nodes {
            prose.item(&format!("{} nodes", integer(nodes)));
        }
        if self.runs.len() > 1 {
            let (runs, median) = (self.runs.len(), human::duration(count.elapsed));
            let [least, greatest, deviation] = self.range().map(human::seconds);
            prose.item(&format!(
                "{runs} runs: median {median}, least {least}, greatest {greatest}, standard deviation {deviation}"
            ));
        }
        prose.item(&how(
            count.engine,
            count.kernel,
            count.symmetry,
            &count.threads,
        ));
        for line in count.stats.iter().flat_map(figures) {
            prose.item(&line);
        }
    }
}

/// How a board is counted.
pub(super) fn how(
    engine: Engine,
    kernel: Kernel,
    symmetry: Option<Symmetry>,
    threads: &Threads,
) -> String {
    let symmetry = symmetry.map_or_else(String::new, |name| format!(", symmetry {name}"));
    format!("engine {engine}, kernel {kernel}{symmetry}, {threads}")
}

/// The time that the OR-Tools guide has for all solutions of a board.
pub(super) fn guide(n: u32) -> String {
    let milliseconds = or_tools(n).map(|row| row.milliseconds.into());
    milliseconds.map_or_else(absent, |ms| format!("{} ms", integer(ms)))
}

/// Solutions in a second; none where there are so few that it would be a figure of how long a count takes to start.
pub(super) fn rate(solutions: u128, per_second: Option<f64>) -> String {
    const FEW: u128 = 10;
    let rate = per_second.filter(|_| solutions > FEW);
    rate.map_or_else(absent, human::si)
}

fn seconds(time: Duration) -> f64 {
    significant(time.as_secs_f64())
}

/// What the join engine did, a line for each figure.
pub(crate) fn figures(stats: &Stats) -> Vec<String> {
    let line = |(name, value): (&'static str, Value)| {
        let (figure, number) = (value.as_u64(), value.as_f64().unwrap_or_default());
        let (name, figure) = if let Some(name) = name.strip_suffix("_seconds") {
            (name, human::seconds(number))
        } else if let Some(name) = name.strip_suffix("_bytes") {
            (name, human::bytes(number as u64))
        } else {
            let fraction = || format!("{number:.2}");
            let shown = figure.map_or_else(fraction, |figure| integer(figure.into()));
            (name, shown)
        };
        format!("{:<19}{figure}", name.replace('_', " "))
    };
    statistics(stats).into_iter().map(line).collect()
}

/// What the join engine did. Times are of all threads together.
fn statistics(stats: &Stats) -> [(&'static str, Value); 16] {
    let phase = |phase| json!(seconds(stats.time(phase)));
    [
        ("row_sets", json!(stats.row_sets)),
        ("east_half_boards", json!(stats.east)),
        ("west_half_boards", json!(stats.west)),
        ("blocks", json!(stats.blocks)),
        // Patterns in a block on average, of 512.
        ("block_fill", json!(significant(stats.fill()))),
        // West patterns that filters looked at.
        ("filtered", json!(stats.filtered)),
        // West patterns against blocks: the unit of cost; the pairs of patterns that these stand for.
        ("visits", json!(stats.visits)),
        (
            "lookups_per_visit",
            json!(significant(stats.lookups_per_visit())),
        ),
        ("pairs", json!(stats.pairs)),
        // Quadrant lists kept for all row sets, and the time they take.
        ("kept_lists_bytes", json!(stats.list_bytes)),
        ("lists_seconds", phase(Phase::Lists)),
        ("generate_seconds", phase(Phase::Generate)),
        ("sort_seconds", phase(Phase::Sort)),
        ("filter_seconds", phase(Phase::Filter)),
        ("build_seconds", phase(Phase::Build)),
        ("scan_seconds", phase(Phase::Scan)),
    ]
}
