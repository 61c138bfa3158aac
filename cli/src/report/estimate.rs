//! Record of `queens estimate`.

use std::time::Duration;

use serde::Serialize;

use super::document::{Prose, Report};
use crate::environment::Environment;
use crate::human::{self, integer, plural, significant};
use queens::count::{Interval, Method};
use queens::{Board, Estimate};

/// Target time of a shard on one thread.
const SHARD_TIME: Duration = Duration::from_secs(3600);

/// Estimated number of solutions and time with 95 % confidence intervals, the sample, and a
/// suggested number of shards.
#[derive(Debug, Serialize)]
pub(crate) struct EstimateReport {
    n: u32,
    board: Option<String>,
    solutions: Figure,
    published: Option<String>,
    published_source: Option<&'static str>,
    /// Whether the confidence interval contains the published value.
    interval_contains_published: Option<bool>,
    seconds: Figure,
    core_hours: Figure,
    memory_bytes: u64,
    shards: usize,
    subproblems: usize,
    samples: usize,
    seed: u64,
    sample_seconds: f64,
    #[serde(flatten)]
    method: Method,
    environment: Environment,
    /// Board that the text names.
    #[serde(skip)]
    named: Board,
}

/// Estimated quantity. The limits of its interval are null if the sample is too small for them.
#[derive(Debug, Clone, Copy, Serialize)]
struct Figure {
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
}

impl From<Interval> for Figure {
    fn from(Interval { value, bounds, .. }: Interval) -> Self {
        let bound = |end: usize| bounds.map(|bounds| significant(bounds[end]));
        Self { value: significant(value), low: bound(0), high: bound(1) }
    }
}

impl Figure {
    /// Formats the value and, if there is one, the interval.
    fn written(self, write: impl Fn(f64) -> String) -> String {
        let value = write(self.value);
        match (self.low, self.high) {
            (Some(low), Some(high)) => format!("{value} ({} to {})", write(low), write(high)),
            _ => value,
        }
    }
}

impl EstimateReport {
    /// Creates the record of an estimate.
    pub(crate) fn new(estimate: Estimate) -> Self {
        let (board, [low, high]) = (
            estimate.plan.board().clone(),
            estimate.solutions.bounds.unwrap_or([f64::NAN, f64::NAN]),
        );
        let has_bounds = estimate.solutions.bounds.is_some();
        let holds = |number: u128| (low..=high).contains(&(number as f64));
        let published = estimate.published;
        Self {
            n: board.n(),
            board: board.constraints(),
            solutions: estimate.solutions.into(),
            published: published.map(|(number, _)| number.to_string()),
            published_source: published.map(|(_, source)| source),
            interval_contains_published: published
                .filter(|_| has_bounds)
                .map(|(number, _)| holds(number)),
            seconds: estimate.seconds.into(),
            core_hours: estimate.core_hours().into(),
            memory_bytes: estimate.memory,
            shards: estimate.shards(SHARD_TIME),
            subproblems: estimate.plan.len(),
            samples: estimate.samples,
            seed: estimate.seed,
            sample_seconds: significant(estimate.elapsed.as_secs_f64()),
            method: estimate.method,
            environment: Environment::here(),
            named: board,
        }
    }
}

impl Report for EstimateReport {
    fn prose(&self, prose: &mut Prose) {
        let board = match human::constraints(&self.named) {
            None => format!("Q({}) is", self.n),
            Some(special) => format!("N = {}, {special}: the number of solutions is", self.n),
        };
        prose.line(format_args!("{board} about {}", self.solutions.written(format_rounded)));
        if let (Some(number), Some(source)) = (&self.published, self.published_source) {
            let inside = match self.interval_contains_published {
                Some(true) => ", inside the interval",
                Some(false) => ", outside the interval, as expected for 1 in 20 estimates",
                None => "",
            };
            let number = number.parse().map_or_else(|_| number.clone(), integer);
            prose.item(format_args!("{source}: {number}{inside}"));
        }
        let seconds = self.seconds.written(human::seconds);
        let hours = core_hours(self.core_hours).map_or_else(String::new, |hours| hours + ", ");
        let memory = human::bytes(self.memory_bytes);
        prose.line(format_args!(
            "Counting takes about {seconds} on this machine, {hours}{memory} of memory"
        ));
        prose.item(&self.method);
        if self.shards > 1 {
            let shards = plural(self.shards, "shard");
            prose.item(format_args!("{shards} of about an hour on one thread"));
        }
        prose.item(format_args!(
            "{} of {} in {}, seed {}",
            plural(self.samples, "sample"),
            plural(self.subproblems, "subproblem"),
            human::seconds(self.sample_seconds),
            self.seed
        ));
        prose.item(match self.seconds.low {
            None => "rough: too few samples for a 95 % confidence interval (increase --seconds)",
            Some(_) => "95 % confidence intervals, if each thread has a core of its own",
        });
    }
}

/// Formats core hours with their interval, as core years above 10 million. Returns `None` if they
/// round to zero.
fn core_hours(hours: Figure) -> Option<String> {
    const YEAR: f64 = 24.0 * 365.25;
    let (unit, name) = match hours.value {
        value if value > 1e7 => (YEAR, "core years"),
        _ => (1.0, "core hours"),
    };
    let write = |hours: f64| match hours / unit {
        number if number < 9.95 => format!("{number:.2}"),
        number => exact(number),
    };
    let text = hours.written(write).replacen(" (", &format!(" {name} ("), 1);
    let text = if hours.low.is_none() { format!("{text} {name}") } else { text };
    (hours.value >= 0.005).then_some(text)
}

/// Formats a whole number.
fn exact(number: f64) -> String {
    integer(number.round() as u128)
}

/// Formats a number. From a million on, it is rounded to four significant digits.
fn format_rounded(number: f64) -> String {
    if number < 1e6 { exact(number) } else { format!("{number:.3e}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::{Counter, Sampling};
    use rstest::rstest;
    use serde_json::Value;

    /// Estimates N = 12, changes the estimate, and returns the report as prose and in JSON.
    fn reported(samples: usize, change: impl Fn(&mut queens::Estimate)) -> (String, Value) {
        let run = Counter::new(12).unwrap().threads(1).prepare().unwrap();
        let mut estimate = run.estimate(&Sampling::of_samples(samples, 1)).unwrap();
        change(&mut estimate);
        let report = EstimateReport::new(estimate);
        let mut prose = Prose::new(super::super::document::Format::Text);
        report.prose(&mut prose);
        (prose.into_text(), serde_json::json!(report))
    }

    /// Seven samples are too few for an interval.
    #[rstest]
    #[case(7, false)]
    #[case(8, true)]
    fn small_samples_have_no_interval(#[case] samples: usize, #[case] is_enough: bool) {
        let (prose, json) = reported(samples, |_| ());
        assert_eq!(prose.contains("rough: too few samples"), !is_enough, "{prose}");
        assert_eq!(prose.contains("95 % confidence intervals"), is_enough);
        let [low, high] = ["low", "high"].map(|end| json["solutions"][end].as_f64());
        let is_inside = low.zip(high).map(|(low, high)| (low..=high).contains(&14_200.0));
        assert_eq!(json["interval_contains_published"].as_bool(), is_inside);
        assert_eq!(prose.contains(", inside the interval"), is_inside == Some(true), "{prose}");
        for (field, end) in [("solutions", "low"), ("seconds", "high"), ("core_hours", "low")] {
            assert_eq!(json[field][end].is_number(), is_enough, "{field}");
        }
    }

    /// An hour is 3,600 seconds, of which a shard may take no more.
    #[test]
    fn shards_take_an_hour() {
        let (prose, json) = reported(8, |estimate| estimate.thread_seconds.value = 7_201.0);
        for part in ["OEIS A000170: 14,200", "core hours", "  3 shards of about an hour on one "] {
            assert!(prose.contains(part), "{prose}");
        }
        assert!(json["shards"] == 3 && json["core_hours"]["value"] == 2.00028, "{json}");
    }

    #[rstest]
    #[case(0.004, None, None)]
    #[case(2.345, Some([2.0, 3.0]), Some("2.35 core hours (2.00 to 3.00)"))]
    #[case(326_100.4, None, Some("326,100 core hours"))]
    #[case(17_532_000.0, Some([8_766_000.0, 87_660_000.0]), Some("2,000 core years (1,000 to 10,000)"))]
    fn core_time(#[case] value: f64, #[case] bounds: Option<[f64; 2]>, #[case] text: Option<&str>) {
        let [low, high] = [0, 1].map(|end| bounds.map(|bounds| bounds[end]));
        assert_eq!(core_hours(Figure { value, low, high }).as_deref(), text);
    }
}
