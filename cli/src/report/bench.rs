//! Reports on benchmarks.

use super::count::{guide, rate};
use serde_json::{Value, json};

use super::document::{Prose, Report};
use crate::human::{self, absent, integer, percent};
use crate::measure::{Benchmark, Measurement, Purpose, Score};

impl Report for Benchmark {
    fn json(&self) -> Value {
        json!(self)
    }

    /// Returns one line per measurement, which includes the machine. The times of individual runs
    /// are only in JSON.
    fn csv(&self) -> Vec<Value> {
        let line = |of: &Measurement| {
            json!({
                "measured": of.workload, "solutions": of.solutions.to_string(),
                "correct": of.correct, "runs": of.runs.len(), "figures": of.figures,
                "workload": self.workload, "level": self.settings.level,
                "environment": self.environment,
            })
        };
        self.measurements.iter().map(line).collect()
    }

    fn prose(&self, prose: &mut Prose) {
        scores(self, prose);
        for (purpose, title) in [
            (Purpose::Score, "Scores"),
            (Purpose::Kernels, "Kernels"),
            (Purpose::Table, "Solutions by board size"),
        ] {
            let mut rows = self.of(purpose).map(measured).peekable();
            if !self.brief && rows.peek().is_some() {
                prose.heading(3, title);
                prose.table(rows);
            }
        }
        let mut rows = self.measurements.iter().filter_map(compared).peekable();
        if rows.peek().is_some() {
            prose.heading(3, "Compared with the baseline");
            prose.table(rows);
        }
    }
}

/// Writes the scores, with the fastest engine first, then any noise and wrong totals, and then the
/// program and the machine.
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
    let printed = benchmark.measurements.iter();
    for one in printed.filter(|one| !benchmark.brief || one.workload.purpose == Purpose::Score) {
        let noise = one.figures.noise.iter();
        noise.for_each(|noise| prose.item(format_args!("noisy: {}: {noise}", one.workload)));
    }
    for wrong in benchmark.wrong() {
        prose.item(format_args!("wrong total: {}", wrong.workload));
    }
    let environment = &benchmark.environment;
    let (version, compiler) = (&environment.version, &environment.compiler);
    let machine = environment.name();
    prose.item(format_args!("{machine}, queens {version}, {compiler}"));
}

/// Formats a score on one line.
fn quote(score: &Score, workload: u32) -> String {
    let what = format!("({} N = {}, workload {workload})", score.workload.engine, score.workload.n);
    let (Some(one), Some(all)) = (score.one_thread, score.all_threads) else {
        return format!("void {what}");
    };
    let (one, all, threads) = (human::si(one), human::si(all), score.workload.threads);
    let all = if threads > 1 { format!(", {all} on {threads}") } else { String::new() };
    let noisy = if score.noisy { ", noisy" } else { "" };
    format!("{one} solutions/s on 1 thread{all} {what}{noisy}")
}

/// Returns a measurement as a table row.
fn measured(row: &Measurement) -> [(&'static str, String); 11] {
    let (of, figures) = (&row.workload, &row.figures);
    let solutions = match row.correct {
        true => integer(row.solutions),
        false => "WRONG".to_owned(),
    };
    let spread = match row.runs.len() {
        1 => absent(),
        _ => percent(figures.spread),
    };
    let speedup = figures.speedup;
    let speedup = speedup.map_or_else(absent, |times| format!("{times:.2}"));
    let rate = rate(row.solutions, figures.solutions_per_second);
    [
        ("Engine, kernel", format!("{} {}", of.engine, of.kernel)),
        ("N", of.n.to_string()),
        ("Threads", of.threads.to_string()),
        ("Solutions", solutions),
        ("Fastest", human::seconds(figures.least)),
        ("Median", human::seconds(figures.seconds)),
        ("Spread", spread),
        ("Runs", row.runs.len().to_string()),
        ("Solutions/s", rate),
        ("Speedup", speedup),
        ("Noisy", noisy(figures.noisy)),
    ]
}

/// Returns a measurement as a row of the table of board sizes.
pub(super) fn size(row: &Measurement) -> [(&'static str, String); 9] {
    let (of, figures) = (&row.workload, &row.figures);
    let rate = rate(row.solutions, figures.solutions_per_second);
    [
        ("N", of.n.to_string()),
        ("Solutions", integer(row.solutions)),
        ("Fastest", human::seconds(figures.least)),
        ("Median", human::seconds(figures.seconds)),
        ("Runs", row.runs.len().to_string()),
        ("Solutions/s", rate),
        ("Engine", of.engine.to_string()),
        ("Threads", of.threads.to_string()),
        ("OR-Tools guide", guide(of.n)),
    ]
}

/// Returns the comparison with the baseline as a table row, if there is a baseline.
fn compared(row: &Measurement) -> Option<[(&'static str, String); 7]> {
    let (of, figures) = (&row.workload, &row.figures);
    Some([
        ("Engine, kernel", format!("{} {}", of.engine, of.kernel)),
        ("N", of.n.to_string()),
        ("Threads", of.threads.to_string()),
        ("Baseline", human::seconds(figures.baseline_seconds?)),
        ("Now", human::seconds(figures.seconds)),
        ("Ratio", format!("{:.3}", figures.baseline_ratio?)),
        ("Spread", percent(figures.baseline_spread?)),
    ])
}

pub(super) fn noisy(is_noisy: bool) -> String {
    let cell = if is_noisy { "noisy" } else { "" };
    cell.to_owned()
}
