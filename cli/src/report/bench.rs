//! Reports on benchmarks and their comparison.

use super::count::rate;
use super::document::{Prose, Report};
use crate::human::{self, placeholder, plural};
use crate::measure::stats::{Estimate, estimate_median};
use crate::measure::{Benchmark, Comparison, Measurement, Score, Side, Source};
use queens::workloads::Workload;

/// Explains the mark of a busy machine.
const BUSY: &str =
    "busy: other work took more than 5 % of the cores, so the times say less about the CPU";

impl Report for Benchmark {
    fn prose(&self, prose: &mut Prose) {
        let source = self.source("");
        for (i, score) in scores(&source).into_iter().enumerate() {
            match i {
                0 => prose.line(format_args!("Score: {score}")),
                _ => prose.item(score),
            }
        }
        for wrong in self.wrong() {
            prose.item(format_args!("wrong total: {}", wrong.workload));
        }
        origin(&source).into_iter().for_each(|line| prose.item(line));
        prose.heading(3, "Measurements");
        prose.table(self.measurements.iter().map(measured));
        if self.measurements.iter().any(|one| one.busy) {
            prose.line(BUSY);
        }
    }
}

impl Report for Comparison {
    fn prose(&self, prose: &mut Prose) {
        for (side, source) in [("Old", &self.old_file), ("New", &self.new_file)] {
            prose.line(format_args!("{side}: {}, {}", source.name, origin(source).join(", ")));
            scores(source).into_iter().for_each(|score| prose.item(score));
        }
        prose.heading(3, "Comparison");
        prose.table(self.workloads.iter().map(|one| {
            let [name, n, threads] = described(&one.workload);
            let [old, new] = [&one.old, &one.new].map(|side| median(&side.seconds));
            let busy = [("old", &one.old), ("new", &one.new)].map(|(name, side)| busy(name, side));
            [
                name,
                n,
                threads,
                ("Old", old),
                ("New", new),
                ("Ratio", format_ratio(one.ratio.value)),
                ("95 % interval", interval(&one.ratio)),
                ("p", if one.p < 0.0005 { "<0.001".to_owned() } else { format!("{:.3}", one.p) }),
                ("Result", one.result.to_owned() + &busy.concat()),
            ]
        }));
        let means = self.means.iter().map(|mean| {
            let counts = plural(mean.counts, "count");
            format!("{} {} ({counts})", mean.purpose, format_ratio(mean.ratio))
        });
        let means = means.collect::<Vec<_>>().join(", ");
        prose.line(format_args!("Geometric means of the ratios: {means}"));
        prose.line(
            "A ratio above 1 means that the new times are shorter. ~: no significant difference",
        );
        if self.workloads.iter().any(|one| one.old.busy || one.new.busy) {
            prose.line(BUSY);
        }
    }
}

/// Describes the machine, the day and the program.
fn origin(source: &Source) -> [String; 2] {
    let (environment, threads) = (&source.environment, plural(source.threads, "thread"));
    [format!("{}, {threads}", environment.cpu), environment.to_string()]
}

/// Formats each score on one line, with the fastest engine first.
fn scores(source: &Source) -> Vec<String> {
    let quote = |score: &Score| {
        let Score { workload: Workload { engine, n, threads, .. }, .. } = score;
        let what = format!("({engine} N = {n}, workload {})", source.workload);
        let (Some(one), Some(all)) = (score.one_thread, score.all_threads) else {
            return format!("void {what}");
        };
        let (one, all) = (human::si(one), human::si(all));
        let all = if *threads > 1 { format!(", {all} on {threads}") } else { String::new() };
        let busy = match score.busy {
            true => format!(", busy: the threads got {} of the cores", cores(score.core_share)),
            false => String::new(),
        };
        format!("{one} solutions/s on 1 thread{all} {what}{busy}")
    };
    source.scores.iter().map(quote).collect()
}

/// Returns a measurement as a table row.
fn measured(row: &Measurement) -> [(&'static str, String); 8] {
    let [name, n, threads] = described(&row.workload);
    let rate = match row.correct {
        true => rate(row.solutions, row.solutions_per_second),
        false => "WRONG TOTAL".to_owned(),
    };
    let times: Vec<_> = row.runs.iter().map(|run| run.seconds).collect();
    let busy = if row.busy { ", busy" } else { "" };
    [
        name,
        n,
        threads,
        ("Fastest", human::seconds(row.fastest)),
        ("Median", median(&estimate_median(&times))),
        ("Runs", row.runs.len().to_string()),
        ("Solutions/s", rate),
        ("Cores", cores(row.core_share) + busy),
    ]
}

/// Returns a workload as the first cells of a table row.
fn described(of: &Workload) -> [(&'static str, String); 3] {
    [
        ("Engine, kernel", format!("{} {}", of.engine, of.kernel)),
        ("N", of.n.to_string()),
        ("Threads", of.threads.to_string()),
    ]
}

/// Formats a median, and how far its interval extends.
fn median(time: &Estimate) -> String {
    let median = human::seconds(time.value);
    match (time.low, time.high) {
        (Some(low), Some(high)) => {
            let extent = (high - time.value).max(time.value - low) / time.value;
            format!("{median} ± {}", percent(extent))
        }
        _ => median,
    }
}

/// Formats the interval of a ratio.
fn interval(ratio: &Estimate) -> String {
    match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => format!("{} to {}", format_ratio(low), format_ratio(high)),
        _ => placeholder(),
    }
}

/// Formats the share of the cores that a busy side got.
fn busy(name: &str, side: &Side) -> String {
    match side.busy {
        true => format!(", {name} busy {}", cores(side.core_share)),
        false => String::new(),
    }
}

fn cores(share: Option<f64>) -> String {
    share.map_or_else(placeholder, percent)
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// Formats a ratio.
fn format_ratio(ratio: f64) -> String {
    format!("{ratio:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The wider side of the interval counts.
    #[test]
    fn extents_are_not_too_small() {
        for (low, high) in [(0.99, 1.1), (0.9, 1.01)] {
            let time = Estimate { value: 1.0, low: Some(low), high: Some(high) };
            assert_eq!(median(&time), "1.00 s ± 10 %");
        }
    }
}
