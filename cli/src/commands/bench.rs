//! `queens bench`: benchmarks the CPU.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::measure::{Benchmark, Comparison, MAX_RUNS, Timer, time};
use crate::report::{Format, Report};
use clap::Args;
use queens::board::MAX_N;
use queens::machine;
use queens::workloads::{self, Workload};
use queens::{CancelToken, Engine, known};

use crate::exit::{Failure, Result, open_pipe};
use crate::human;
use crate::message::eprint_line;
use crate::options::{Destination, file, sizes, threads, whole};
use crate::output::Output;
use crate::progress::Line;
use crate::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Measure this board size, 5 to 27, instead of the usual ones; scores are comparable only for
    /// the same N
    #[arg(long, value_name = "N", value_parser = whole(size_range()[0], Some(size_range()[1])))]
    size: Option<u32>,

    /// Set the number of threads of the multi-threaded measurements, 1 to 4096, of which at most 64
    /// per core are started [default: one per available core]
    #[arg(long, short, value_name = "T", value_parser = threads())]
    threads: Option<usize>,

    /// Time R runs of each count, at most 50 [default: 25, or as many as fit in half a second but
    /// at least 6; fewer if a run takes over 7 s]
    #[arg(long, value_name = "R", value_parser = whole(1, Some(MAX_RUNS)))]
    runs: Option<usize>,

    /// Also measure a table of board sizes from 1 to 27, such as 1-20 or 8,10,12
    #[arg(long, value_name = "RANGE", value_parser = table_sizes)]
    table: Option<std::vec::Vec<u32>>, // the full path keeps clap from treating this as a list of values

    /// Save the benchmark as JSON
    #[arg(long, value_name = "FILE", value_parser = file(false))]
    save: Option<PathBuf>,

    /// Compare with a saved benchmark, or two saved benchmarks without measuring
    #[arg(long, value_name = "FILE", num_args = 1..=2)]
    compare: Vec<PathBuf>,

    /// Fail with exit code 1 if a count is certainly slower by more than P percent, such as 5%
    #[arg(long, value_name = "P", requires = "compare", value_parser = percent)]
    fail_if_slower: Option<f64>,

    #[command(flatten)]
    to: Destination,
}

/// Name of the first round.
const WARM_UP: &str = "warm-up";

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if let [old, new] = &arguments.compare[..] {
        return compare(arguments, old, new);
    }
    let cancel = CancelToken::new();
    measure(arguments, &cancel, &mut |workload, _| time(workload, &cancel))
}

/// Compares two saved benchmarks.
fn compare(arguments: &Arguments, old: &Path, new: &Path) -> Result<()> {
    let Arguments { size, threads, runs, table, save, to, .. } = arguments;
    let set = [size.is_some(), threads.is_some(), runs.is_some(), table.is_some(), save.is_some()];
    if set.contains(&true) {
        let reason = "two files are compared without measuring (accepted: one file, or no option for measuring)";
        return Err(Failure::usage("--compare", reason));
    }
    let format = to.format()?;
    let [old_name, new_name] = [old, new].map(|path| path.display().to_string());
    let comparison = Comparison::new((&old_name, &load(old)?), (&new_name, &load(new)?));
    let comparison = comparison.map_err(|error| not_common(&[old, new], &error))?;
    let mut output = Output::create(&to.output)?;
    comparison.write(&mut output, format)?;
    output.finish()?;
    check_speed(arguments, &comparison)
}

/// Fails if a count is slower than `--fail-if-slower` allows, and says which counts vary too much
/// to tell.
fn check_speed(arguments: &Arguments, comparison: &Comparison) -> Result<()> {
    let Some(limit) = arguments.fail_if_slower else {
        return Ok(());
    };
    let [slower, unclear] = comparison.slower_than(limit).map(|rows| rows.join("; "));
    if !unclear.is_empty() {
        eprint_line(format_args!(
            "--fail-if-slower: too noisy, too few or too busy to tell at {limit}%: {unclear}"
        ));
    }
    match slower.is_empty() {
        true => Ok(()),
        false => {
            Err(Failure::new(format!("--fail-if-slower: slower by more than {limit}%: {slower}")))
        }
    }
}

/// Parses a percentage, with or without its sign.
fn percent(text: &str) -> Result<f64, &'static str> {
    let number = text.strip_suffix('%').unwrap_or(text).parse().ok();
    let number = number.filter(|percent| (0.0..=1e6).contains(percent));
    number.ok_or("accepted: a percentage from 0 on, such as 5%")
}

/// Reads a file to compare.
fn load(path: &Path) -> Result<Benchmark, Failure> {
    let reason = "contains a wrong count, so its times are invalid (accepted: another benchmark)";
    let saved = Benchmark::load(path).and_then(|saved| {
        let is_right = saved.wrong().next().is_none();
        if is_right { Ok(saved) } else { Err(reason.to_owned()) }
    });
    saved.map_err(|error| unusable(path, &error))
}

fn unusable(path: &Path, error: &str) -> Failure {
    Failure::usage("--compare", format!("'{}' {error}", path.display()))
}

fn not_common([old, new]: &[&Path; 2], error: &str) -> Failure {
    let names = format!("'{}' and '{}'", old.display(), new.display());
    Failure::usage("--compare", format!("{names}: {error}"))
}

/// Returns the number of threads for measurements on all threads, and the workloads to measure.
fn workloads(arguments: &Arguments) -> Result<(usize, Vec<Workload>)> {
    let threads = machine::threads(arguments.threads)?;
    let mut all = workloads::workloads(threads);
    for one in &mut all {
        one.n = arguments.size.unwrap_or(one.n);
    }
    // With --size, a score and a comparison of kernels may be the same count.
    let mut known = HashSet::new();
    all.retain(|one| known.insert((one.engine, one.kernel, one.n, one.threads)));
    for &n in arguments.table.iter().flatten() {
        all.push(Workload::row(n, threads)?);
    }
    Ok((threads, all))
}

/// Returns the smallest and the largest size that all engines count and whose total is published,
/// so that it can be verified.
fn size_range() -> [u32; 2] {
    let min = Engine::ALL.iter().map(|engine| *engine.sizes().start()).max();
    [min.unwrap_or(0).max(1), largest_published()]
}

fn largest_published() -> u32 {
    (0..=MAX_N).rfind(|&n| known::values(n).is_some()).expect("small sizes are published")
}

/// Parses the sizes of a table, each of which has a published total.
fn table_sizes(text: &str) -> Result<Vec<u32>, String> {
    let (sizes, max) = (sizes(text)?, largest_published());
    match sizes.iter().find(|&n| !(1..=max).contains(n)) {
        Some(n) => {
            Err(format!("N = {n} (accepted: sizes from 1 to {max}, whose totals are published)"))
        }
        None => Ok(sizes),
    }
}

/// Measures with `time`, writes the report, and then fails if a total is wrong.
fn measure(arguments: &Arguments, cancel: &CancelToken, time: &mut Timer<'_>) -> Result<()> {
    let (threads, workloads) = workloads(arguments)?;
    let format = arguments.to.format()?;
    let output = &arguments.to.output;
    let old = arguments.compare.first().map(|path| {
        let old = load(path)?;
        let checked = Comparison::check(&old, &workloads);
        checked.map(|()| old).map_err(|error| not_common(&[path, "this run".as_ref()], &error))
    });
    let old = old.transpose()?;
    let save = arguments.save.as_deref().map(|path| Output::create_for("--save", path));
    let save = save.transpose()?;
    let mut output = Output::create(output)?;
    signals::on_interrupt(cancel)?;
    let doing = Arc::new(Mutex::new(WARM_UP.to_owned()));
    let counts = human::plural(workloads.len(), "count");
    let shown = Arc::clone(&doing);
    let line = Line::with_bar(move || lock(&shown).clone());
    let measured = Benchmark::run(&workloads, threads, arguments.runs, &mut |workload, pace| {
        let expected = human::whole_seconds(pace.expected);
        let words = match pace.round {
            0 => format!("{WARM_UP}: {workload}"),
            round => format!("about {expected} in all, round {round}: {workload}"),
        };
        let before = std::mem::replace(&mut *lock(&doing), words); // a redraw needs the lock
        if pace.round > 0 && pace.expected >= 1.0 && before.starts_with(WARM_UP) {
            line.say_instead(format_args!("{counts} in rounds, about {expected} after the first"));
        }
        line.set(pace.fraction);
        time(workload, pace)
    });
    drop(line);
    let benchmark = measured?;
    // A benchmark that cannot be saved is printed nevertheless.
    let saved = save.map_or(Ok(()), |mut save| {
        benchmark.write(&mut save, Format::Json)?;
        save.finish()
    });
    let old = old.filter(|_| benchmark.wrong().next().is_none());
    let old_name = arguments.compare.first().map(|path| path.display().to_string());
    let comparison = old
        .zip(old_name)
        .and_then(|(old, name)| Comparison::new((&name, &old), ("this run", &benchmark)).ok());
    let written = write(&mut output, &benchmark, comparison.as_ref(), format);
    let written = written.and_then(|()| output.finish()).or_else(open_pipe);
    if let Some(wrong) = benchmark.wrong().next() {
        return Err(Failure::contradiction(wrong.workload));
    }
    saved.and(written)?;
    if cancel.is_cancelled() {
        return Err(Failure::interrupted("stopped before all was measured"));
    }
    comparison.map_or(Ok(()), |comparison| check_speed(arguments, &comparison))
}

fn lock(doing: &Mutex<String>) -> MutexGuard<'_, String> {
    doing.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes the benchmark, then the comparison if there is one. In JSON and CSV, the comparison
/// replaces the benchmark.
fn write(
    output: &mut Output,
    benchmark: &Benchmark,
    comparison: Option<&Comparison>,
    format: Format,
) -> Result<()> {
    let is_text = matches!(format, Format::Text | Format::Markdown);
    if is_text || comparison.is_none() {
        benchmark.write(output, format)?;
    }
    if let Some(comparison) = comparison {
        if is_text {
            writeln!(output)?;
        }
        comparison.write(output, format)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use crate::measure::Times;
    use clap::Parser;
    use queens::CountError;

    fn arguments(more: &[&str]) -> Arguments {
        let all = ["queens", "bench", "--threads", "2"];
        match Cli::try_parse_from(all.iter().chain(more)).unwrap().command {
            Some(Command::Bench(arguments)) => arguments,
            _ => unreachable!("the command is bench"),
        }
    }

    /// Measures runs of half a second with these totals, and returns the error, the printed text
    /// and the saved benchmark.
    fn measured(
        cancel: &CancelToken,
        mut total: impl FnMut(&Workload) -> Result<u128, CountError>,
    ) -> (Failure, String, Benchmark) {
        let folder = tempfile::tempdir().unwrap();
        let [text, saved] = ["text", "saved.json"].map(|name| folder.path().join(name));
        let [output, save] = [&text, &saved].map(|path| path.to_str().unwrap());
        let arguments = arguments(&["--output", output, "--save", save]);
        let times = Times { seconds: 0.5, cpu_seconds: 0.5, thread_seconds: 0.5 };
        let mut time = |workload: &Workload, _| Ok((times, total(workload)?));
        let error = measure(&arguments, cancel, &mut time).unwrap_err();
        (error, std::fs::read_to_string(text).unwrap(), Benchmark::load(&saved).unwrap())
    }

    /// An interrupted benchmark is printed and saved with what was measured.
    #[test]
    fn an_interrupted_benchmark_is_kept() {
        let cancel = CancelToken::new();
        let all = workloads(&arguments(&[])).unwrap().1.len();
        // The first round is a warm-up.
        let mut left = all + all / 2;
        let (error, text, saved) = measured(&cancel, |workload| {
            left -= 1;
            if left == 0 {
                cancel.cancel();
                return Err(CountError::Cancelled);
            }
            Ok(known::values(workload.n).unwrap().solutions)
        });
        assert_eq!(error.code(), 130);
        assert!((1..all).contains(&saved.measurements.len()));
        assert!(saved.measurements.iter().all(|one| one.runs.len() == 1));
        assert!(text.contains("500 ms"));
    }

    /// A wrong total in the warm-up or in a later run shows up in the report, in the saved file and
    /// in the exit code.
    #[rstest::rstest]
    #[case(1)]
    #[case(30)]
    fn a_wrong_total_voids_the_score_of_its_engine_alone(#[case] wrong: usize) {
        let (mut runs, mut culprit) = (0, None);
        let (error, text, saved) = measured(&CancelToken::new(), |workload| {
            runs += 1;
            let mut total = known::values(workload.n).unwrap().solutions;
            if runs == wrong {
                culprit = Some(*workload);
                total += 1;
            }
            Ok(total)
        });
        let culprit = culprit.expect("there were that many runs");
        assert_eq!(error.code(), 4);
        let engine = culprit.engine.to_string();
        assert!(error.to_string().contains(&engine), "{error}");
        assert!(text.contains("void") && text.contains("WRONG"), "{text}");
        assert!(saved.wrong().map(|one| one.workload).eq([culprit]));
        for score in &saved.scores {
            let is_void = score.workload.engine == culprit.engine;
            let rates = [score.one_thread, score.all_threads];
            assert_eq!(rates.map(|rate| rate.is_none()), [is_void; 2], "{score:?}");
        }
    }
}
