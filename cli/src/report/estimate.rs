//! An estimate as a document.

use std::time::Duration;

use serde_json::{Value, json};

use super::Environment;
use super::document::{Document, Prose};
use super::record::how;
use crate::human::{self, integer, plural, significant};
use queens::Estimate;
use queens::count::Interval;

/// An estimate, and the shards that it suggests.
#[derive(Debug)]
pub struct EstimateRecord {
    /// The estimate.
    pub estimate: Estimate,
    /// How long a shard is to take on one thread.
    pub shard_time: Duration,
}

impl EstimateRecord {
    /// Whether the published value lies in the interval.
    fn holds_published(&self) -> Option<bool> {
        let Interval { low, high, .. } = self.estimate.solutions;
        let (published, _) = self.estimate.published?;
        Some(low <= published as f64 && published as f64 <= high)
    }
}

impl Document for EstimateRecord {
    /// Estimates are numbers; what is published is a string, as counts are everywhere.
    fn json(&self) -> Value {
        let estimate = &self.estimate;
        let (solutions, seconds) = (estimate.solutions, estimate.seconds);
        let published = estimate.published;
        json!({
            "n": estimate.plan.board().n(),
            // With 95 % confidence intervals.
            "solutions": significant(solutions.value),
            "solutions_low": significant(solutions.low),
            "solutions_high": significant(solutions.high),
            "published": published.map(|(number, _)| number.to_string()),
            "published_source": published.map(|(_, source)| source),
            "holds_published": self.holds_published(),
            "board": estimate.plan.board().constraints(),
            // Wall time with these threads.
            "seconds": significant(seconds.value),
            "seconds_low": significant(seconds.low),
            "seconds_high": significant(seconds.high),
            "core_hours": significant(estimate.core_hours()),
            "memory_bytes": estimate.memory,
            // Each of so many seconds of one thread.
            "shards": estimate.shards(self.shard_time),
            "shard_seconds": significant(self.shard_time.as_secs_f64()),
            "subproblems": estimate.plan.len(),
            "longest_subproblem_seconds": significant(estimate.longest),
            "draws": estimate.draws,
            // Too few draws for 95 % confidence intervals.
            "rough": estimate.is_rough,
            "seed": estimate.seed,
            "sample_seconds": significant(estimate.elapsed.as_secs_f64()),
            "engine": estimate.plan.engine(),
            "kernel": estimate.kernel,
            "symmetry": estimate.plan.symmetry(),
            "threads": estimate.threads.count(),
            "threads_reason": estimate.threads.reason(),
            "environment": Environment::here(),
        })
    }

    fn prose(&self, prose: &mut Prose) {
        let estimate = &self.estimate;
        let n = estimate.plan.board().n();
        let board = match estimate.plan.board().constraints() {
            None => format!("Q({n}) is"),
            Some(special) => format!("N = {n}, {special}: solutions are"),
        };
        let solutions = interval(estimate.solutions, about);
        prose.line(&format!("{board} about {solutions}"));
        if let Some((number, source)) = estimate.published {
            let inside = match self.holds_published() {
                Some(true) => "in the interval",
                _ => "outside the interval, as happens to 1 estimate in 20",
            };
            prose.item(&format!("{source}: {}, {inside}", integer(number)));
        }
        let seconds = interval(estimate.seconds, human::seconds);
        let hours = core_hours(estimate).map_or_else(String::new, |hours| hours + ", ");
        let memory = human::bytes(estimate.memory);
        prose.line(&format!(
            "Counting takes about {seconds} here, {hours}{memory} of memory"
        ));
        prose.item(&how(
            estimate.plan.engine(),
            estimate.kernel,
            estimate.plan.symmetry(),
            &estimate.threads,
        ));
        let shards = estimate.shards(self.shard_time);
        if shards > 1 {
            let (shards, each) = (plural(shards, "shard"), human::duration(self.shard_time));
            prose.item(&format!("{shards} of about {each} on one thread"));
        }
        prose.item(&format!(
            "sample: {} of {} in {}, the longest of {}, seed {}",
            plural(estimate.draws, "draw"),
            plural(estimate.plan.len(), "subproblem"),
            human::duration(estimate.elapsed),
            human::seconds(estimate.longest),
            estimate.seed
        ));
        prose.item(match estimate.is_rough {
            true => "rough: too few draws for 95 % confidence intervals; increase --seconds",
            false => "95 % confidence intervals",
        });
    }
}

fn interval(interval: Interval, written: fn(f64) -> String) -> String {
    let [value, low, high] = [interval.value, interval.low, interval.high].map(written);
    format!("{value} ({low} to {high})")
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
