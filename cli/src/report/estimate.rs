//! An estimate written down.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::json;

use super::writer::{Block, Fields, Report, fields};
use super::{Environment, Format};
use crate::human::{self, integer, plural, significant};
use queens::{Estimate, Interval};

/// An estimate, and the shards that it suggests.
#[derive(Debug)]
pub struct EstimateRecord {
    /// The estimate.
    pub estimate: Estimate,
    /// How long a shard is to take on one thread.
    pub shard_time: Duration,
}

impl EstimateRecord {
    /// Writes it to `out`.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn write(&self, out: &mut dyn Write, format: Format) -> io::Result<()> {
        format.exporter().write(out, self)
    }

    /// Whether the published value lies in the interval.
    fn holds_published(&self) -> Option<bool> {
        let Interval { low, high, .. } = self.estimate.solutions;
        let (published, _) = self.estimate.published?;
        Some(low <= published as f64 && published as f64 <= high)
    }
}

impl Report for EstimateRecord {
    /// Estimates are numbers; what is published is a string, as counts are everywhere.
    fn json(&self) -> Fields {
        let estimate = &self.estimate;
        let (solutions, seconds) = (estimate.solutions, estimate.seconds);
        let published = estimate.published;
        let mut all = fields(json!({
            "n": estimate.board.n(),
            // The intervals hold the true value 95 times in 100.
            "solutions": significant(solutions.value),
            "solutions_low": significant(solutions.low),
            "solutions_high": significant(solutions.high),
            "published": published.map(|(number, _)| number.to_string()),
            "published_source": published.map(|(_, source)| source),
            "holds_published": self.holds_published(),
            "board": estimate.board.constraints(),
            // Wall time with these threads.
            "seconds": significant(seconds.value),
            "seconds_low": significant(seconds.low),
            "seconds_high": significant(seconds.high),
            "core_hours": significant(estimate.core_hours()),
            "memory_bytes": estimate.memory,
            // Each of so many seconds of one thread.
            "shards": estimate.shards(self.shard_time),
            "shard_seconds": significant(self.shard_time.as_secs_f64()),
            "subproblems": estimate.subproblems,
            "longest_subproblem_seconds": significant(estimate.longest),
            "draws": estimate.draws,
            "seed": estimate.seed,
            "sample_seconds": significant(estimate.elapsed.as_secs_f64()),
            "engine": estimate.engine.name(),
            "kernel": estimate.kernel.name(),
            "symmetry": estimate.symmetry.map(|symmetry| symmetry.name()),
            "threads": estimate.threads.count(),
            "threads_reason": estimate.threads.reason(),
        }));
        all.extend(fields(Environment::here()));
        all
    }

    fn text(&self) -> Vec<Block> {
        let estimate = &self.estimate;
        let (solutions, seconds) = (estimate.solutions, estimate.seconds);
        let board = match estimate.board.constraints() {
            None => format!("Q({}) is", estimate.board.n()),
            Some(special) => format!("N = {}, {special}: solutions are", estimate.board.n()),
        };
        let interval = |of: Interval, written: fn(f64) -> String| {
            let [value, low, high] = [of.value, of.low, of.high].map(written);
            format!("{value} ({low} to {high})")
        };
        let (time, item) = (human::seconds, Block::item);
        let solutions = interval(solutions, about);
        let mut blocks = vec![Block::Line(format!("{board} about {solutions}"))];
        if let Some((number, source)) = estimate.published {
            let number = integer(number);
            let inside = match self.holds_published() {
                Some(true) => "in the interval",
                _ => "outside of the interval, as 1 in 20 is",
            };
            blocks.push(item(format!("{source}: {number}, {inside}")));
        }
        blocks.push(Block::Line(format!(
            "Counting takes about {} here, {}{} of memory",
            interval(seconds, time),
            core_hours(estimate).map_or_else(String::new, |hours| hours + ", "),
            human::bytes(estimate.memory)
        )));
        let engine = format!("engine {}, kernel {}", estimate.engine, estimate.kernel);
        let symmetry = estimate.symmetry.map(|name| format!(", symmetry {name}"));
        let symmetry = symmetry.unwrap_or_default();
        blocks.push(item(format!("{engine}{symmetry}, {}", estimate.threads)));
        let shards = estimate.shards(self.shard_time);
        if shards > 1 {
            let (shards, each) = (plural(shards, "shard"), human::duration(self.shard_time));
            blocks.push(item(format!("{shards} of about {each} on one thread")));
        }
        blocks.push(item(format!(
            "sample: {} of {} in {}, the longest of {}, seed {}",
            plural(estimate.draws, "draw"),
            plural(estimate.subproblems, "subproblem"),
            human::duration(estimate.elapsed),
            time(estimate.longest),
            estimate.seed
        )));
        let sure = "intervals hold the true value 95 times in 100";
        blocks.push(item(sure.to_owned()));
        blocks
    }
}

/// Core hours to as many figures as they are worth; nothing where they would be rounded to none.
pub(crate) fn core_hours(estimate: &Estimate) -> Option<String> {
    let hours = estimate.core_hours();
    let figures = match hours {
        _ if hours < 9.95 => format!("{hours:.2}"),
        _ => integer(hours.round() as u128),
    };
    (hours >= 0.005).then(|| format!("{figures} core hours"))
}

/// A large number to three figures or four.
fn about(number: f64) -> String {
    if number < 1e6 {
        integer(number.round() as u128)
    } else {
        format!("{number:.3e}")
    }
}
