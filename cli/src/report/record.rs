//! A count as a flat record of named fields, the same in every format that programs read.

use std::time::Duration;

use serde_json::json;

use super::writer::{Fields, fields};
use crate::bench::stats::{deviation, median, quantile};
use crate::human::significant;
use queens::Classes;
use queens::Count;
use queens::Environment;
use queens::known::{known, or_tools};
use queens::{Phase, Stats};

/// A count with all that is needed to make sense of it later: what was counted, how fast, with what, on what.
///
/// ```
/// use queens_cli::report::{Format, Record};
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
    /// The time of each run, where there were to be several.
    pub(super) runs: Vec<f64>,
    environment: Environment,
}

impl Record {
    /// The record of a count, made here and now.
    #[must_use]
    pub fn new(count: Count) -> Self {
        Self {
            count,
            runs: Vec::new(),
            environment: Environment::here(),
        }
    }

    /// The record of one of several equal counts that took these times, of which there is one at least: its time is their
    /// median.
    #[must_use]
    pub fn of_runs(mut count: Count, times: &[Duration]) -> Self {
        let runs: Vec<_> = times.iter().map(Duration::as_secs_f64).collect();
        count.elapsed = Duration::from_secs_f64(median(&runs));
        let one = Self::new(count);
        Self { runs, ..one }
    }

    /// The least time of all runs, in seconds.
    pub(super) fn least(&self) -> f64 {
        let runs = self.runs.iter().copied();
        runs.reduce(f64::min)
            .unwrap_or(self.count.elapsed.as_secs_f64())
    }

    /// Solutions up to the symmetries of the square: published, or by Burnside's lemma where nothing is published.
    pub(super) fn fundamental(&self) -> Option<u128> {
        let count = &self.count;
        let published = count.board.is_open().then(|| known(count.n())).flatten();
        let counted = count.classes.as_ref().map(Classes::fundamental);
        published.map(|row| row.fundamental).or(counted)
    }

    /// Milliseconds as the OR-Tools guide has them; none where the guide has no such row.
    pub(super) fn reference(&self) -> Option<u64> {
        or_tools(self.count.n()).map(|row| row.milliseconds)
    }

    /// How many times as long that is as this count took; none where the guide has no time above zero.
    pub(super) fn reference_ratio(&self) -> Option<f64> {
        let published = self.reference().filter(|&milliseconds| milliseconds > 0)?;
        let taken = self.count.elapsed.as_secs_f64().max(1e-9);
        Some(significant(published as f64 / 1e3 / taken))
    }

    /// What programs read. Counts are strings, since they can exceed the 2^53 up to which JSON numbers are exact
    /// everywhere. What there was none of is null; statistics are left out unless asked for, and so is the time that
    /// the OR-Tools guide publishes, unless `has_reference`.
    pub(super) fn fields(&self, has_reference: bool) -> Fields {
        let count = &self.count;
        let mut all = fields(json!({
            "n": count.n(),
            // Q(N) if nothing is special about the board.
            "solutions": count.total.to_string(),
            "fundamental": self.fundamental().map(|number| number.to_string()),
            // How the total was checked: one word, and a sentence.
            "check": count.check.word(),
            "check_detail": count.check.to_string(),
            // What is special about the board: a torus, preplaced queens, blocked squares; null for the empty board.
            "board": count.board.constraints(),
            "double_check": count.double_check.as_ref().map(ToString::to_string),
            // Wall time, earlier runs that this one went on from included; then their part of it, and what they had done.
            "seconds": seconds(count.elapsed),
            "resumed_seconds": count.resumed.map(|before| seconds(before.elapsed)),
            "resumed_subproblems": count.resumed.map(|before| before.subproblems),
            "solutions_per_second": significant(count.solutions_per_second()),
            // Of the plain search, where the kernel counts them.
            "nodes": count.nodes.map(|nodes| nodes.to_string()),
            "engine": count.engine.name(),
            "kernel": count.kernel.name(),
            // Where it is a choice.
            "symmetry": count.symmetry.map(|symmetry| symmetry.name()),
            "threads": count.threads.count(),
            "threads_reason": count.threads.reason(),
        }));
        if !self.runs.is_empty() {
            // The time above is their median.
            all.insert("runs".into(), json!(self.runs.len()));
            for (name, value) in [
                ("least_seconds", self.least()),
                ("greatest_seconds", quantile(&self.runs, 1.0)),
                ("deviation_seconds", deviation(&self.runs)),
            ] {
                all.insert(name.into(), json!(significant(value)));
            }
        }
        all.extend(count.stats.iter().flat_map(figures));
        if has_reference {
            all.insert("reference_milliseconds".into(), json!(self.reference()));
            all.insert("reference_ratio".into(), json!(self.reference_ratio()));
        }
        all.extend(fields(&self.environment));
        all
    }
}

fn seconds(time: Duration) -> f64 {
    significant(time.as_secs_f64())
}

/// What the join engine did. Times are of all threads together.
fn figures(stats: &Stats) -> Fields {
    let phase = |phase| seconds(stats.time(phase));
    fields(json!({
        "row_sets": stats.row_sets,
        "east_half_boards": stats.east,
        "west_half_boards": stats.west,
        "blocks": stats.blocks,
        // Patterns in a block on average, of 512.
        "block_fill": significant(stats.fill()),
        // West patterns that filters looked at.
        "filtered": stats.filtered,
        // West patterns against blocks: the unit of cost; the pairs of patterns that these stand for.
        "visits": stats.visits,
        "pairs": stats.pairs,
        "lookups_per_visit": significant(stats.lookups_per_visit()),
        // Quadrant lists kept for all row sets.
        "list_bytes": stats.list_bytes,
        "lists_seconds": phase(Phase::Lists),
        "generate_seconds": phase(Phase::Generate),
        "sort_seconds": phase(Phase::Sort),
        "filter_seconds": phase(Phase::Filter),
        "build_seconds": phase(Phase::Build),
        "scan_seconds": phase(Phase::Scan),
    }))
}
