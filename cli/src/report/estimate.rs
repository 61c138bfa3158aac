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
    /// Creates a report on an estimate. It suggests shards that each take about `shard_time` on one
    /// thread.
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
        // The number of solutions of a counted board is exact.
        let round = if estimate.is_counted { |x| x } else { significant };
        // The bounds are null if the sample is too small for them.
        let bound = |interval: Interval, end: usize| interval.bounds.map(|ends| round(ends[end]));
        let fields = json!({
            "n": plan.board().n(),
            "solutions": round(solutions.value),
            "solutions_low": bound(solutions, 0),
            "solutions_high": bound(solutions, 1),
            "published": published.map(|(number, _)| number.to_string()),
            "published_source": published.map(|(_, source)| source),
            "holds_published": self.holds_published(),
            "board": plan.board().constraints(),
            "seconds": round(seconds.value),
            "seconds_low": bound(seconds, 0),
            "seconds_high": bound(seconds, 1),
            "core_hours": round(hours.value),
            "core_hours_low": bound(hours, 0),
            "core_hours_high": bound(hours, 1),
            "memory_bytes": estimate.memory,
            "shards": estimate.shards(self.shard_time),
            "shard_seconds": significant(self.shard_time.as_secs_f64()),
            "subproblems": plan.len(),
            "longest_subproblem_seconds": significant(estimate.longest),
            "draws": estimate.samples,
            "counted": estimate.is_counted,
            // Whether there are too few samples for a confidence interval.
            "rough": solutions.bounds.is_none() || seconds.bounds.is_none(),
            "core_share": significant(estimate.core_share),
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
        let written = if estimate.is_counted { exact } else { about };
        let solutions = interval(estimate.solutions, estimate, written);
        prose.line(format_args!("{board} {solutions}"));
        if let Some((number, source)) = estimate.published {
            let inside = match self.holds_published() {
                Some(true) if !estimate.is_counted => ", inside the interval",
                Some(false) => ", outside the interval, as expected for 1 in 20 estimates",
                _ => "",
            };
            prose.item(format_args!("{source}: {}{inside}", integer(number)));
        }
        let seconds = interval(estimate.seconds, estimate, human::seconds);
        let hours = core_hours(estimate).map_or_else(String::new, |hours| hours + ", ");
        let memory = human::bytes(estimate.memory);
        let takes = if estimate.is_counted { "took" } else { "takes" };
        prose.line(format_args!(
            "Counting {takes} {seconds} on this machine, {hours}{memory} of memory"
        ));
        prose.item(&estimate.method);
        let shards = estimate.shards(self.shard_time);
        if shards > 1 {
            let (shards, each) = (plural(shards, "shard"), human::duration(self.shard_time));
            prose.item(format_args!("{shards} of about {each} on one thread"));
        }
        if estimate.is_counted {
            return;
        }
        prose.item(format_args!(
            "{} of {} in {}, longest subproblem about {}, seed {}",
            plural(estimate.samples, "sample"),
            plural(estimate.plan.len(), "subproblem"),
            human::duration(estimate.elapsed),
            human::seconds(estimate.longest),
            estimate.seed
        ));
        if let Some(note) = busy(estimate.core_share, estimate.method.threads.count()) {
            prose.item(note);
        }
        prose.item(match estimate.seconds.bounds {
            None => "rough: too few samples for a 95 % confidence interval of the time (increase --seconds)",
            Some(_) => "95 % confidence intervals",
        });
    }
}

/// Formats an estimate with its interval, or with the number of samples if there are too few for an
/// interval.
fn interval(interval: Interval, of: &Estimate, written: fn(f64) -> String) -> String {
    let value = written(interval.value);
    match interval.bounds.map(|bounds| bounds.map(written)) {
        _ if of.is_counted => value,
        Some([low, high]) => format!("about {value} ({low} to {high})"),
        None => format!("about {value} (rough: {})", plural(of.samples, "sample")),
    }
}

/// Formats the core hours with their interval, as core years above 10 million. Returns `None` if
/// they round to zero.
pub(crate) fn core_hours(estimate: &Estimate) -> Option<String> {
    const YEAR: f64 = 24.0 * 365.25;
    let Interval { value, bounds, .. } = estimate.core_hours();
    let (unit, name) = match value {
        _ if value > 1e7 => (YEAR, "core years"),
        _ => (1.0, "core hours"),
    };
    let figures = |hours: f64| match hours / unit {
        number if number < 9.95 => format!("{number:.2}"),
        number => integer(number.round() as u128),
    };
    let text = match bounds {
        Some([low, high]) if !estimate.is_counted => {
            format!("{} {name} ({} to {})", figures(value), figures(low), figures(high))
        }
        _ => format!("{} {name}", figures(value)),
    };
    (value >= 0.005).then_some(text)
}

/// Returns a note if each thread had less than 90 % of a core.
fn busy(core_share: f64, threads: usize) -> Option<String> {
    let share = format!("{:.0} % of a core", 100.0 * core_share);
    (core_share < 0.9).then(|| match threads {
        1 => format!("this thread got {share}; times assume a full core"),
        _ => format!("each thread got {share}; times assume a full core"),
    })
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

    fn text(estimate: Estimate) -> (String, Value) {
        let report = EstimateReport::new(estimate, Duration::from_secs(3600));
        let mut prose = Prose::new(super::super::document::Format::Text);
        report.prose(&mut prose);
        (prose.into_text(), report.json())
    }

    /// 15 samples are too few for an interval, but 16 are enough (docs/VERIFICATION.md).
    #[test]
    fn small_samples_have_no_interval() {
        let (prose, json) = text(estimate(15));
        assert!(prose.contains("(rough: 15 samples)"), "{prose}");
        assert!(
            prose.contains("rough: too few samples for a 95 % confidence interval of the time")
        );
        assert!(
            json["rough"] == true
                && json["solutions_low"].is_null()
                && json["seconds_high"].is_null()
        );
        let (prose, json) = text(estimate(16));
        assert!(!prose.contains("rough") && prose.contains("95 % confidence intervals"));
        assert!(json["rough"] == false && json["core_hours_low"].is_number());
    }

    #[test]
    fn counted_boards_have_exact_totals() {
        let run = Counter::new(15).unwrap().prepare().unwrap();
        let mut sampling = Sampling::of_samples(1, 1);
        sampling.count_within = Duration::MAX;
        let (prose, json) = text(run.estimate(&sampling).unwrap());
        assert!(prose.starts_with("Q(15) is 2,279,184\n"), "{prose}");
        assert_eq!(json["solutions"], 2_279_184.0);
        assert_eq!(json["solutions_low"], 2_279_184.0);
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

    #[test]
    fn busy_cores_are_noted() {
        let mut estimate = estimate(16);
        estimate.core_share = 0.17;
        let (prose, _) = text(estimate.clone());
        assert!(prose.contains("this thread got 17 % of a core"), "{prose}");
        estimate.core_share = 0.9;
        assert!(!text(estimate).0.contains("of a core"));
        assert!(busy(0.5, 2).unwrap().starts_with("each thread got 50 %"));
    }
}
