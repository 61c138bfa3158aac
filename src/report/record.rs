//! A count as a flat record of named fields, the same in every format that programs read.

use serde::Serialize;
use serde_json::{Map, Value};

use super::human::significant;
use crate::count::Count;
use crate::count::classes::Classes;
use crate::engine::Symmetry;
use crate::engine::{Phase, Stats};
use crate::known::{known, or_tools};
use crate::machine::Environment;

/// A result with all that is needed to make sense of it later: what was counted, how fast, with what, on what.
///
/// Counts are strings, since they can exceed the 2^53 up to which JSON numbers are exact everywhere.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Record {
    /// Board size N.
    pub n: u32,
    /// The number of solutions: Q(N) if nothing is special about the board.
    pub solutions: String,
    /// Solutions up to the symmetries of the square: published, or by Burnside's lemma where nothing is published.
    pub fundamental: Option<String>,
    /// One word: how the total was checked.
    pub check: &'static str,
    /// The same in a sentence.
    pub check_detail: String,
    /// What is special about the board: a torus, preplaced queens, blocked squares; none for the ordinary one.
    pub board: Option<String>,
    /// What was counted twice, where anything was.
    pub double_check: Option<String>,
    /// Wall time in seconds, earlier runs that this one went on from included.
    pub seconds: f64,
    /// Their part of it, where there were any.
    pub resumed_seconds: Option<f64>,
    /// The number of subproblems that they had done.
    pub resumed_subproblems: Option<usize>,
    /// Solutions per second of wall time.
    pub solutions_per_second: f64,
    /// Nodes of the search, where the kernel counts them.
    pub nodes: Option<String>,
    /// Engine.
    pub engine: &'static str,
    /// Kernel.
    pub kernel: &'static str,
    /// Symmetry, where it is a choice.
    pub symmetry: Option<&'static str>,
    /// Number of threads.
    pub threads: usize,
    /// Why that many.
    pub threads_reason: String,
    /// What the join engine did, where asked for.
    #[serde(flatten)]
    pub stats: Option<JoinStats>,
    /// The published time to compare with, where asked for.
    #[serde(flatten)]
    pub reference: Option<ReferenceTime>,
    /// Program and machine.
    #[serde(flatten)]
    pub environment: Environment,
}

/// What the join engine did. Times of phases are of all threads together.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct JoinStats {
    /// Row sets counted: the subproblems.
    pub row_sets: u64,
    /// Half-boards generated in the east.
    pub east_half_boards: u64,
    /// Half-boards generated in the west.
    pub west_half_boards: u64,
    /// Blocks built.
    pub blocks: u64,
    /// Patterns in a block on average, of 512.
    pub block_fill: f64,
    /// West patterns that filters looked at.
    pub filtered: u64,
    /// West patterns against blocks: the unit of cost.
    pub visits: u64,
    /// Pairs of patterns that these stand for.
    pub pairs: u64,
    /// Table look-ups of a visit on average.
    pub lookups_per_visit: f64,
    /// Bytes of quadrant tables.
    pub table_bytes: u64,
    /// Wall time of making the quadrant tables.
    pub tables_seconds: f64,
    /// Time of generating half-boards.
    pub generate_seconds: f64,
    /// Time of sorting east half-boards.
    pub sort_seconds: f64,
    /// Time of filtering west half-boards.
    pub filter_seconds: f64,
    /// Time of building blocks.
    pub build_seconds: f64,
    /// Time of scanning west half-boards.
    pub scan_seconds: f64,
}

impl JoinStats {
    fn new(stats: &Stats) -> Self {
        let seconds = |phase| significant(stats.time(phase).as_secs_f64());
        Self {
            row_sets: stats.row_sets,
            east_half_boards: stats.east,
            west_half_boards: stats.west,
            blocks: stats.blocks,
            block_fill: significant(stats.fill()),
            filtered: stats.filtered,
            visits: stats.visits,
            pairs: stats.pairs,
            lookups_per_visit: significant(stats.lookups as f64 / stats.visits.max(1) as f64),
            table_bytes: stats.table_bytes,
            tables_seconds: significant(stats.tables.as_secs_f64()),
            generate_seconds: seconds(Phase::Generate),
            sort_seconds: seconds(Phase::Sort),
            filter_seconds: seconds(Phase::Filter),
            build_seconds: seconds(Phase::Build),
            scan_seconds: seconds(Phase::Scan),
        }
    }
}

/// The time that the OR-Tools guide publishes for the same board.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ReferenceTime {
    /// Milliseconds as published; none where the guide has no such row.
    pub reference_milliseconds: Option<u64>,
    /// How many times as long that is as this count took; none where the guide has no time above zero.
    pub reference_ratio: Option<f64>,
}

impl Record {
    /// The record of a count.
    #[must_use]
    pub fn new(count: &Count) -> Self {
        let published = count.board.is_open().then(|| known(count.n())).flatten();
        let fundamental = published.map(|row| row.fundamental);
        let counted = count.classes.as_ref().map(Classes::fundamental);
        Self {
            n: count.n(),
            solutions: count.total.to_string(),
            fundamental: fundamental.or(counted).map(|number| number.to_string()),
            check: count.check.word(),
            check_detail: count.check.to_string(),
            board: count.board.constraints(),
            double_check: count.double_check.as_ref().map(ToString::to_string),
            seconds: significant(count.elapsed.as_secs_f64()),
            resumed_seconds: count.resumed.map(|r| significant(r.elapsed.as_secs_f64())),
            resumed_subproblems: count.resumed.map(|r| r.subproblems),
            solutions_per_second: significant(count.solutions_per_second()),
            nodes: count.nodes.map(|nodes| nodes.to_string()),
            engine: count.engine.name(),
            kernel: count.kernel.name(),
            symmetry: count.symmetry.map(Symmetry::name),
            threads: count.threads.count(),
            threads_reason: count.threads.reason().to_owned(),
            stats: count.stats.as_ref().map(JoinStats::new),
            reference: None,
            environment: Environment::here(),
        }
    }

    /// The same with the time that the OR-Tools guide publishes for this N.
    #[must_use]
    pub fn with_reference(mut self) -> Self {
        let milliseconds = or_tools(self.n).map(|row| row.milliseconds);
        let ratio = |&ms: &u64| significant(ms as f64 / 1e3 / self.seconds.max(1e-9));
        self.reference = Some(ReferenceTime {
            reference_milliseconds: milliseconds,
            reference_ratio: milliseconds.filter(|&ms| ms > 0).as_ref().map(ratio),
        });
        self
    }

    /// The fields by name, in order.
    pub(super) fn fields(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            other => unreachable!("a record is an object: {other:?}"),
        }
    }
}
