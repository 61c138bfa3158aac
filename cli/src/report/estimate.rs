//! Estimates.

use std::time::Duration;

use serde::Serialize;

use super::count::Method;
use super::document::{CsvLine, Prose, Report};
use crate::human::{self, integer, plural, significant};
use crate::measure::text;
use queens::Estimate;
use queens::count::Interval;
use queens::machine::Environment;

/// An estimate, and the shards that it suggests.
#[derive(Debug, Serialize)]
pub struct EstimateReport {
    #[serde(skip)]
    estimate: Estimate,
    #[serde(flatten)]
    figures: Figures,
    #[serde(flatten)]
    method: Method,
    environment: Environment,
}

/// Estimated numbers with 95 % confidence intervals, and the sample.
#[derive(Debug, Serialize)]
struct Figures {
    n: u32,
    solutions: f64,
    solutions_low: f64,
    solutions_high: f64,
    #[serde(serialize_with = "text::optional")]
    published: Option<u128>,
    published_source: Option<&'static str>,
    /// Whether the published value lies in the interval.
    holds_published: Option<bool>,
    board: Option<String>,
    /// Wall time with these threads.
    seconds: f64,
    seconds_low: f64,
    seconds_high: f64,
    core_hours: f64,
    memory_bytes: u64,
    shards: usize,
    /// Time of a shard on one thread.
    shard_seconds: f64,
    subproblems: usize,
    longest_subproblem_seconds: f64,
    draws: usize,
    /// Whether there are too few draws for 95 % confidence intervals.
    rough: bool,
    seed: u64,
    sample_seconds: f64,
}

impl EstimateReport {
    /// Returns the report of an estimate, with the number of shards that each take `shard_time` on one thread.
    #[must_use]
    pub fn new(estimate: Estimate, shard_time: Duration) -> Self {
        let (solutions, seconds) = (estimate.solutions, estimate.seconds);
        let (plan, published) = (&estimate.plan, estimate.published);
        let holds = |(published, _): (u128, _)| {
            (solutions.low..=solutions.high).contains(&(published as f64))
        };
        Self {
            figures: Figures {
                n: plan.board().n(),
                solutions: significant(solutions.value),
                solutions_low: significant(solutions.low),
                solutions_high: significant(solutions.high),
                published: published.map(|(number, _)| number),
                published_source: published.map(|(_, source)| source),
                holds_published: published.map(holds),
                board: plan.board().constraints(),
                seconds: significant(seconds.value),
                seconds_low: significant(seconds.low),
                seconds_high: significant(seconds.high),
                core_hours: significant(estimate.core_hours()),
                memory_bytes: estimate.memory,
                shards: estimate.shards(shard_time),
                shard_seconds: significant(shard_time.as_secs_f64()),
                subproblems: plan.len(),
                longest_subproblem_seconds: significant(estimate.longest),
                draws: estimate.draws,
                rough: estimate.is_rough,
                seed: estimate.seed,
                sample_seconds: significant(estimate.elapsed.as_secs_f64()),
            },
            method: Method::new(
                plan.engine(),
                estimate.kernel,
                plan.symmetry(),
                &estimate.threads,
            ),
            environment: Environment::here(),
            estimate,
        }
    }
}

impl Report for EstimateReport {
    fn csv(&self) -> Vec<CsvLine> {
        let line = CsvLine::default().with(&self.figures).with(&self.method);
        vec![line.with(&self.environment)]
    }

    fn prose(&self, prose: &mut Prose) {
        let (estimate, figures) = (&self.estimate, &self.figures);
        let n = figures.n;
        let board = match &figures.board {
            None => format!("Q({n}) is"),
            Some(special) => format!("N = {n}, {special}: solutions are"),
        };
        let solutions = interval(estimate.solutions, about);
        prose.line(&format!("{board} about {solutions}"));
        if let Some((number, source)) = estimate.published {
            let inside = match figures.holds_published {
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
        prose.item(&self.method.text());
        if figures.shards > 1 {
            let shards = plural(figures.shards, "shard");
            let each = human::seconds(figures.shard_seconds);
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
