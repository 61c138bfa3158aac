//! Reports on benchmarks and their comparison.

use super::count::rate;
use super::document::{Prose, Report};
use crate::human::{self, integer};
use crate::measure::{Benchmark, Comparison, Measurement, Score};
use queens::workloads::Workload;

impl Report for Benchmark {
    fn prose(&self, prose: &mut Prose) {
        scores(self, prose);
        prose.heading(3, "Measurements");
        prose.table(self.measurements.iter().map(measured));
    }
}

impl Report for Comparison {
    fn prose(&self, prose: &mut Prose) {
        prose.table(self.workloads.iter().map(|one| {
            let [name, n, threads] = described(&one.workload);
            let [old, new] = [one.old, one.new].map(human::seconds);
            let [ratio, low, high] = [one.ratio, one.ratio_low, one.ratio_high].map(format_ratio);
            let range = format!("{low} to {high}");
            let result = one.result.to_owned();
            [
                name,
                n,
                threads,
                ("Old", old),
                ("New", new),
                ("Ratio", ratio),
                ("Range", range),
                ("Result", result),
            ]
        }));
    }
}

/// Writes the scores, with the fastest engine first, then any wrong totals, and then the program
/// and the machine.
fn scores(benchmark: &Benchmark, prose: &mut Prose) {
    let mut scores: Vec<_> = benchmark.scores.iter().collect();
    let rate = |score: &Score| score.all_threads.unwrap_or(-1.0);
    scores.sort_by(|one, other| rate(other).total_cmp(&rate(one)));
    for (i, score) in scores.into_iter().enumerate() {
        let score = quote(score, benchmark.workload);
        match i {
            0 => prose.line(format_args!("Score: {score}")),
            _ => prose.item(score),
        }
    }
    for wrong in benchmark.wrong() {
        prose.item(format_args!("wrong total: {}", wrong.workload));
    }
    let [cpu, version, compiler] = ["cpu", "version", "compiler"].map(|name| benchmark.about(name));
    prose.item(format_args!("{cpu}, queens {version}, {compiler}"));
}

/// Formats a score on one line.
fn quote(score: &Score, workload: u32) -> String {
    let what = format!("({} N = {}, workload {workload})", score.workload.engine, score.workload.n);
    let (Some(one), Some(all)) = (score.one_thread, score.all_threads) else {
        return format!("void {what}");
    };
    let (one, all, threads) = (human::si(one), human::si(all), score.workload.threads);
    let all = if threads > 1 { format!(", {all} on {threads}") } else { String::new() };
    format!("{one} solutions/s on 1 thread{all} {what}")
}

/// Returns a measurement as a table row.
fn measured(row: &Measurement) -> [(&'static str, String); 8] {
    let [name, n, threads] = described(&row.workload);
    let solutions = if row.correct { integer(row.solutions) } else { "WRONG".to_owned() };
    [
        name,
        n,
        threads,
        ("Solutions", solutions),
        ("Fastest", human::seconds(row.fastest)),
        ("Median", human::seconds(row.median)),
        ("Runs", row.runs.len().to_string()),
        ("Solutions/s", rate(row.solutions, row.solutions_per_second)),
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

/// Formats a ratio.
fn format_ratio(ratio: f64) -> String {
    format!("{ratio:.3}")
}
