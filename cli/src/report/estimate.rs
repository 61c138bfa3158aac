//! Reports on estimates.

use std::time::Duration;

use serde_json::{Value, json};

use super::document::{Prose, Report, joined};
use crate::human::{self, integer, plural, significant};
use queens::Estimate;
use queens::count::Interval;
use queens::machine::Environment;

/// Estimated number of solutions and time with 95 % confidence intervals, the sample, and a
/// suggested number of shards.
#[derive(Debug)]
pub struct EstimateReport {
    estimate: Estimate,
    /// Target time per shard on one thread.
    shard_time: Duration,
}

impl EstimateReport {
    /// Creates a report. `shard_time` is the target time per shard on one thread.
    #[must_use]
    pub fn new(estimate: Estimate, shard_time: Duration) -> Self {
        Self { estimate, shard_time }
    }

    /// Whether the confidence interval contains the published value, if both are known.
    fn holds_published(&self) -> Option<bool> {
        let [low, high] = self.estimate.solutions.bounds?;
        let (published, _) = self.estimate.published?;
        Some((low..=high).contains(&(published as f64)))
    }
}

impl Report for EstimateReport {
    fn json(&self) -> Value {
        let estimate = &self.estimate;
        let (plan, published, hours) = (&estimate.plan, estimate.published, estimate.core_hours());
        let (solutions, seconds) = (estimate.solutions, estimate.seconds);
        // The bounds are null if the sample is too small for them.
        let bound = |interval: Interval, end: usize| interval.bounds.map(|b| significant(b[end]));
        let fields = json!({
            "n": plan.board().n(),
            "solutions": significant(solutions.value),
            "solutions_low": bound(solutions, 0),
            "solutions_high": bound(solutions, 1),
            "published": published.map(|(number, _)| number.to_string()),
            "published_source": published.map(|(_, source)| source),
            "holds_published": self.holds_published(),
            "board": plan.board().constraints(),
            "seconds": significant(seconds.value),
            "seconds_low": bound(seconds, 0),
            "seconds_high": bound(seconds, 1),
            "core_hours": significant(hours.value),
            "core_hours_low": bound(hours, 0),
            "core_hours_high": bound(hours, 1),
            "memory_bytes": estimate.memory,
            "shards": estimate.shards(self.shard_time),
            "shard_seconds": significant(self.shard_time.as_secs_f64()),
            "subproblems": plan.len(),
            "samples": estimate.samples,
            "seed": estimate.seed,
            "sample_seconds": significant(estimate.elapsed.as_secs_f64()),
        });
        let environment = json!({ "environment": Environment::here() });
        joined([fields, json!(estimate.method), environment])
    }

    fn prose(&self, prose: &mut Prose) {
        let estimate = &self.estimate;
        let (board, n) = (estimate.plan.board(), estimate.plan.board().n());
        let board = match human::constraints(board) {
            None => format!("Q({n}) is"),
            Some(special) => format!("N = {n}, {special}: the number of solutions is"),
        };
        prose.line(format_args!("{board} about {}", interval(estimate.solutions, about)));
        if let Some((number, source)) = estimate.published {
            let inside = match self.holds_published() {
                Some(true) => ", inside the interval",
                Some(false) => ", outside the interval, as expected for 1 in 20 estimates",
                None => "",
            };
            prose.item(format_args!("{source}: {}{inside}", integer(number)));
        }
        let seconds = interval(estimate.seconds, human::seconds);
        let hours = core_hours(estimate).map_or_else(String::new, |hours| hours + ", ");
        let memory = human::bytes(estimate.memory);
        prose.line(format_args!(
            "Counting takes about {seconds} on this machine, {hours}{memory} of memory"
        ));
        prose.item(&estimate.method);
        let shards = estimate.shards(self.shard_time);
        if shards > 1 {
            let (shards, each) = (plural(shards, "shard"), human::duration(self.shard_time));
            prose.item(format_args!("{shards} of about {each} on one thread"));
        }
        prose.item(format_args!(
            "{} of {} in {}, seed {}",
            plural(estimate.samples, "sample"),
            plural(estimate.plan.len(), "subproblem"),
            human::duration(estimate.elapsed),
            estimate.seed
        ));
        prose.item(match estimate.seconds.bounds {
            None => "rough: too few samples for a 95 % confidence interval (increase --seconds)",
            Some(_) => "95 % confidence intervals, if each thread has a core of its own",
        });
    }
}

/// Formats an estimate with its interval, if it has one.
fn interval(Interval { value, bounds, .. }: Interval, written: impl Fn(f64) -> String) -> String {
    let value = written(value);
    match bounds.map(|bounds| bounds.map(written)) {
        Some([low, high]) => format!("{value} ({low} to {high})"),
        None => value,
    }
}

/// Formats the core hours with their interval, as core years above 10 million. Returns `None` if
/// they round to zero.
pub(crate) fn core_hours(estimate: &Estimate) -> Option<String> {
    const YEAR: f64 = 24.0 * 365.25;
    let hours = estimate.core_hours();
    let (unit, name) = match hours.value {
        value if value > 1e7 => (YEAR, "core years"),
        _ => (1.0, "core hours"),
    };
    let figures = |hours: f64| match hours / unit {
        number if number < 9.95 => format!("{number:.2}"),
        number => exact(number),
    };
    let Interval { value, bounds, .. } = hours;
    let text = match bounds {
        Some([low, high]) => {
            format!("{} {name} ({} to {})", figures(value), figures(low), figures(high))
        }
        None => format!("{} {name}", figures(value)),
    };
    (value >= 0.005).then_some(text)
}

/// Formats a whole number.
pub(super) fn exact(number: f64) -> String {
    integer(number.round() as u128)
}

/// Formats a number. From a million on, it is rounded to four significant digits.
fn about(number: f64) -> String {
    if number < 1e6 { exact(number) } else { format!("{number:.3e}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::{Counter, Sampling};

    fn estimate(samples: usize) -> Estimate {
        let run = Counter::new(12).unwrap().threads(1).prepare().unwrap();
        run.estimate(&Sampling::of_samples(samples, 1)).unwrap()
    }

    /// Seven samples are too few for an interval.
    #[test]
    fn small_samples_have_no_interval() {
        for (samples, is_enough) in [(7, false), (8, true)] {
            let report = EstimateReport::new(estimate(samples), Duration::from_secs(3600));
            let mut prose = Prose::new(super::super::document::Format::Text);
            report.prose(&mut prose);
            let (prose, json) = (prose.into_text(), report.json());
            assert_eq!(prose.contains("rough: too few samples"), !is_enough, "{prose}");
            assert_eq!(prose.contains("95 % confidence intervals"), is_enough);
            for field in ["solutions_low", "seconds_high", "core_hours_low"] {
                assert_eq!(json[field].is_number(), is_enough, "{field}");
            }
        }
    }

    #[rstest::rstest]
    #[case(0.004, None, None)]
    #[case(2.345, Some([2.0, 3.0]), Some("2.35 core hours (2.00 to 3.00)"))]
    #[case(326_100.4, None, Some("326,100 core hours"))]
    #[case(17_532_000.0, Some([8_766_000.0, 87_660_000.0]), Some("2,000 core years (1,000 to 10,000)"))]
    fn cpu_time_is_in_core_hours_or_years(
        #[case] hours: f64,
        #[case] bounds: Option<[f64; 2]>,
        #[case] expected: Option<&str>,
    ) {
        let mut estimate = estimate(16);
        estimate.thread_seconds.value = 3600.0 * hours;
        estimate.thread_seconds.bounds = bounds.map(|bounds| bounds.map(|end| 3600.0 * end));
        assert_eq!(core_hours(&estimate).as_deref(), expected);
    }
}
